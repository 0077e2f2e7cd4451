//! The header `Retry-After` of a response (RFC 9110 §10.2.3): how long the server asks a client to wait.

use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// Reads the wait that a server asks for: a number of seconds, or a date. A date is compared with the server's
/// own clock, its header `Date`, or with `now` where there is none. `None` where the header is absent, or is
/// neither.
pub(crate) fn read_retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that no integer holds is a wait beyond any limit.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    let date = headers.get(DATE).and_then(|date| date.to_str().ok());
    let clock = date.and_then(|date| httpdate::parse_http_date(date).ok());
    // A date that has passed asks for no wait.
    Some(
        until
            .duration_since(clock.unwrap_or(now))
            .unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn wait(retry_after: &str, date: Option<&'static str>) -> Option<u64> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_str(retry_after).unwrap());
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_static(date));
        }
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:00 GMT").unwrap();
        read_retry_after(&headers, now).map(|wait| wait.as_secs())
    }

    #[test]
    fn seconds_and_dates_are_read() {
        for (text, seconds) in [
            ("0", Some(0)),
            (" 7 ", Some(7)),
            ("99999999999999999999999", Some(u64::MAX)),
            // The three forms of a date, each 37 s after the clock here.
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(37)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(37)),
            ("Sun Nov  6 08:49:37 1994", Some(37)),
            ("Sun, 06 Nov 1994 08:48:00 GMT", Some(0)),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(wait(text, None), seconds, "{text:?}");
        }
        assert_eq!(read_retry_after(&HeaderMap::new(), SystemTime::now()), None);
    }

    #[test]
    fn a_date_is_compared_with_the_clock_of_the_server() {
        let until = "Sun, 06 Nov 1994 08:49:37 GMT";
        let clock = Some("Sun, 06 Nov 1994 08:49:35 GMT");
        assert_eq!(wait(until, clock), Some(2));
        assert_eq!(wait(until, Some("yesterday")), Some(37));
    }
}
