//! The two hashes by which a session pins the canonicalizer (Q4, A4).

use axilog::hash::{Hash, sha256};

use super::canonicalize;
use crate::ledger_file::hex;

/// The hash of this module's code.
pub const SOURCE_HASH: &str = env!("CANONICALIZER_SOURCE_HASH");

/// What [`self_test_hash`] gives, in hexadecimal, where everything works as it should.
pub const SELF_TEST_HASH: &str = "5ef482a797709b8ee535df9f0d62a10b10d9b2d05bd0557af94122e383a870ef";

/// Every outcome there is, and what is left alone on the way.
const SELF_TEST: [&str; 17] = [
    "{\"b\":1.50,\"a\":[true,null,\"e\u{301}\\u0041\"]}",
    "\u{feff}\r\n Here it is:\r\n```json\r\n{\"a\" : \"x\\ry  z\"}\r\n```\rDone. ",
    "[{\"not\":\"top-level\"}] then {\"a\":1}",
    "[1] says it all, see [2]: {\"a\":1}",
    "no JSON here",
    "",
    "{\"a\":1} or {\"a\":2}",
    "{\"a\":1} or {a:2}",
    "{a:2}",
    "{\"a\":1,\"a\":2}",
    "{\"a\":9007199254740992}",
    "{\"a\":1} and {\"b\":{\"c\":3}",
    "Dear {name}, [x] and [1: {\"a\":1}",
    "Dear {name}, [x] and [1]: {\"a\":1}",
    "{\"a\":'}', \"b\":{\"c\":3}}",
    "[None, {\"a\":1}]",
    "{\"a\":1} ]",
];

/// SHA-256 over what becomes of a fixed text, and of another and another: for each a line of status,
/// hash of the normalised text, and the canonical form or `-`.
#[must_use]
pub fn self_test_hash() -> Hash {
    let lines = SELF_TEST.map(|raw| {
        let result = canonicalize(raw);
        let status = result.status().as_str();
        let text = hex(&sha256(result.text.as_bytes()));
        let canonical = result.block.map_or("-".to_owned(), |block| block.canonical);
        format!("{status} {text} {canonical}\n")
    });
    sha256(lines.concat().as_bytes())
}
