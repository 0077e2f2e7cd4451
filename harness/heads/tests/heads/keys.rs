//! Secret keys and their files.

use std::fs;

use axilog_heads::{HeadsError, LogKey};
use tempfile::tempdir;

const NAME: &str = "example.com/plant";

/// The secret in the line of a key file; it may have a plus sign in it.
fn secret_in(line: &str) -> &str {
    line.trim_end().splitn(5, '+').last().unwrap()
}

#[test]
fn a_key_is_read_back_and_is_another_each_time() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("a.key");
    let made = LogKey::create(&path, NAME).unwrap();
    let read = LogKey::read(&path).unwrap();
    let public = made.verifier_key().to_string();
    assert_eq!(read.verifier_key().to_string(), public);
    assert!(public.starts_with("example.com/plant+"), "{public}");
    let other = LogKey::create(&dir.path().join("b.key"), NAME).unwrap();
    assert_ne!(other.verifier_key().to_string(), public);
    // No text of it has the secret.
    let line = fs::read_to_string(&path).unwrap();
    let secret = secret_in(&line);
    assert_eq!(
        line,
        format!(
            "PRIVATE+KEY+{}+{secret}\n",
            read.verifier_key().short_name()
        )
    );
    assert!(!format!("{read:?} {public}").contains(secret));
}

#[test]
fn a_key_file_is_never_overwritten() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("plant.key");
    fs::write(&path, "mine").unwrap();
    let error = LogKey::create(&path, NAME).unwrap_err();
    assert!(matches!(error, HeadsError::KeyExists(_)), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"mine");
}

#[test]
fn names_that_no_ledger_can_have_make_no_key() {
    let dir = tempdir().unwrap();
    let long = "n".repeat(257);
    for name in ["", "a b", "a+b", "a\nb", "\u{e9}", &long] {
        let path = dir.path().join("plant.key");
        let error = LogKey::create(&path, name).unwrap_err();
        assert!(matches!(error, HeadsError::KeyName(_)), "{error}");
        assert!(!path.exists());
    }
    let path = dir.path().join("long.key");
    let name = "n".repeat(256);
    LogKey::create(&path, &name).unwrap();
    assert_eq!(LogKey::read(&path).unwrap().verifier_key().name(), name);
}

#[test]
fn broken_key_files_are_refused_without_being_shown() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("plant.key");
    LogKey::create(&path, NAME).unwrap();
    let line = fs::read_to_string(&path).unwrap();
    let secret = secret_in(&line).to_owned();
    for broken in [
        String::new(),
        "\n".to_owned(),
        line.trim_end().to_owned(),
        line.replace('\n', "\r\n"),
        format!("{line}\n"),
        format!("{line}{line}"),
        format!(" {line}"),
        line.replace("PRIVATE+KEY+", ""),
        line.replace("example.com/plant", "example.com/other"),
        line.replace(&secret, ""),
        line.replace(&secret, "AQ=="),
        line.replace(&secret, &secret[4..]),
        line.replace(&secret, &format!("AAAA{secret}")),
        line.replace(&secret, &format!("Ag{}", &secret[2..])),
        line.replace(
            &secret,
            &secret.replacen(
                &secret[9..10],
                match &secret[9..10] {
                    "A" => "B",
                    _ => "A",
                },
                1,
            ),
        ),
        "x".repeat(5000),
        "\u{0}".repeat(200),
    ] {
        fs::write(&path, &broken).unwrap();
        let error = LogKey::read(&path).unwrap_err();
        assert!(
            matches!(error, HeadsError::BrokenKey(_)),
            "{broken}: {error}"
        );
        assert!(!error.to_string().contains(&secret[8..20]), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_a_key_that_is_used() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempdir().unwrap();
    let path = dir.path().join("plant.key");
    LogKey::create(&path, NAME).unwrap();
    let mode_of = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    let made = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(made & 0o777, 0o600);
    for mode in [0o640, 0o604, 0o620, 0o601, 0o666, 0o777] {
        mode_of(mode);
        let told = LogKey::read(&path).unwrap_err().to_string();
        assert!(told.contains(&format!("its mode is {mode:04o}")), "{told}");
    }
    for mode in [0o600, 0o400] {
        mode_of(mode);
        LogKey::read(&path).unwrap();
    }
}
