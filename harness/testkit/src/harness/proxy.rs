//! A proxy in front of real servers: it can change requests, and take another server for each.

use std::io::{BufRead, BufReader, Read, Write, copy};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// Starts a proxy that sends the n-th request to the n-th of `ports`, over and over, with its body changed by
/// `rewrite`. Gives its base URL. It ends with the process.
pub fn start_proxy(
    ports: Vec<u16>,
    mut rewrite: impl FnMut(String) -> String + Send + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for (stream, port) in listener.incoming().zip(ports.iter().copied().cycle()) {
            // Client and server may close their connections at any time.
            let _ = stream.and_then(|stream| forward(stream, port, &mut rewrite));
        }
    });
    base_url
}

fn forward(
    mut client: TcpStream,
    port: u16,
    rewrite: &mut impl FnMut(String) -> String,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body = rewrite(String::from_utf8_lossy(&body).into_owned());
    let mut server = TcpStream::connect(("127.0.0.1", port))?;
    write!(
        server,
        "{first}Host: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    copy(&mut server, &mut client)?;
    Ok(())
}
