//! The page of `axilog report`: our assets, and what of a ledger goes between them.
//!
//! Nothing of a ledger stands in the page as text: its bytes are Base64, which holds no character
//! that means anything to HTML, and what else comes from outside is escaped to plain ASCII. The
//! page's security policy names each script and the style by hash, so that nothing else would run.

use std::io::Write;
use std::path::Path;

use axilog::hash::sha256;
use axilog_ledger::audit::AuditVerdict;
use axilog_ledger::encoding::hex;
use axilog_ledger::questions::LedgerQuestions;
use axilog_ledger::visible_text::is_deceptive;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Serialize;
use serde_json::Value;

use super::ReplayFinding;
use super::examined_ledger::{ExaminedLedger, LedgerContents};
use crate::ledger_counts::LedgerCounts;
use crate::output::stream::OutputStream;
use crate::output::to_json;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = concat!(
    include_str!("base.css"),
    include_str!("verdict.css"),
    include_str!("drawings.css"),
    include_str!("records.css"),
    include_str!("media.css"),
    include_str!("paper.css"),
);

/// In the order in which the page runs them.
const SCRIPTS: [&str; 26] = [
    include_str!("sha256.js"),
    include_str!("reader.js"),
    include_str!("records.js"),
    include_str!("ledger.js"),
    include_str!("dom.js"),
    include_str!("questions.js"),
    include_str!("derivations.js"),
    include_str!("times.js"),
    include_str!("links.js"),
    include_str!("model.js"),
    include_str!("rules.js"),
    include_str!("verdict.js"),
    include_str!("facts.js"),
    include_str!("findings.js"),
    include_str!("expectations.js"),
    include_str!("drawing.js"),
    include_str!("plots.js"),
    include_str!("timeline.js"),
    include_str!("record.js"),
    include_str!("filters.js"),
    include_str!("steps.js"),
    include_str!("saving.js"),
    include_str!("summary.js"),
    include_str!("paper.js"),
    include_str!("other.js"),
    include_str!("main.js"),
];

/// Where something goes, in `page.html`.
const PLACE: (&str, &str) = ("<!-- axilog:", " -->");

/// What a page is made of besides the assets.
pub(super) struct Page<'a> {
    /// The ledger, and what was found of it.
    pub(super) examined: &'a ExaminedLedger,
    /// The length in MiB above which a ledger is not put into a page.
    pub(super) limit: u64,
    /// Its path, of which the page shows the name only.
    pub(super) path: &'a Path,
    /// The verdict of the audit.
    pub(super) judgement: AuditVerdict,
    /// What the audit found, as `axilog audit --json` tells it.
    pub(super) audit: &'a Value,
    /// What verification found, as `axilog verify --json` tells it.
    pub(super) verify: &'a Value,
    /// What replay found.
    pub(super) replay: &'a ReplayFinding,
    /// The canonical configuration that the ledger names.
    pub(super) configuration: Option<&'a str>,
    /// The manifest that the configuration names, as it lies among the blobs.
    pub(super) manifest: Option<&'a [u8]>,
    /// The questions of the ledger's answers.
    pub(super) questions: &'a LedgerQuestions,
}

/// What the page's scripts get to know.
#[derive(Serialize)]
struct PageFacts<'a> {
    generator: &'static str,
    file: String,
    size: u64,
    sha256: String,
    audit: Value,
    verify: Value,
    replay: &'a ReplayFinding,
    summary: Option<PageSummary<'a>>,
}

/// What stands in place of a ledger that is too long.
#[derive(Serialize)]
struct PageSummary<'a> {
    /// The length in MiB above which a ledger is not put into a page.
    limit: u64,
    counts: &'a LedgerCounts,
}

impl Page<'_> {
    /// Writes the page.
    pub(super) fn write(&self, out: &mut OutputStream<impl Write>) {
        let mut rest = PAGE;
        while let Some((before, behind)) = rest.split_once(PLACE.0) {
            let (place, after) = behind.split_once(PLACE.1).unwrap_or((behind, ""));
            out.put(before.as_bytes());
            self.fill(place, out);
            rest = after;
        }
        out.put(rest.as_bytes());
    }

    fn fill(&self, place: &str, out: &mut OutputStream<impl Write>) {
        match place {
            "security" => out.put(security().as_bytes()),
            "style" => out.put(STYLE.as_bytes()),
            "scripts" => {
                for script in SCRIPTS {
                    out.put(b"<script>");
                    out.put(script.as_bytes());
                    out.put(b"</script>\n");
                }
            }
            "file" => out.put(escaped(&self.name()).as_bytes()),
            "generator" => out.put(GENERATOR.as_bytes()),
            "judgement" => out.put(self.judgement.as_str().as_bytes()),
            "standing" => out.put(match self.judgement {
                // Whether there is something to look at, the page's scripts find.
                AuditVerdict::Ok => &b"noted"[..],
                AuditVerdict::Failed | AuditVerdict::Incomplete => b"bad",
            }),
            "said" => out.put(self.facts_json().as_bytes()),
            "configuration" => encode(self.configuration.unwrap_or_default().as_bytes(), out),
            "questions" => self.write_questions(out),
            "manifest" => encode(self.manifest.unwrap_or_default(), out),
            "ledger" => encode(self.examined.bytes(), out),
            _ => {}
        }
    }

    fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// What the command says of the ledger, as JSON that is safe inside HTML.
    fn facts_json(&self) -> String {
        let [mut audit, mut verify] = [self.audit, self.verify].map(Value::clone);
        for found in [&mut audit, &mut verify] {
            if let Some(fields) = found.as_object_mut() {
                // A path is no part of the ledger.
                fields.remove("ledger");
            }
        }
        let facts = PageFacts {
            generator: GENERATOR,
            file: self.name(),
            size: self.examined.size,
            sha256: hex(&self.examined.digest),
            audit,
            verify,
            replay: self.replay,
            summary: match &self.examined.contents {
                LedgerContents::Bytes(_) => None,
                LedgerContents::Counts(counts) => Some(PageSummary {
                    limit: self.limit,
                    counts,
                }),
            },
        };
        escape_for_html(&to_json(&facts))
    }

    /// Writes the questions as JSON, each in Base64.
    fn write_questions(&self, out: &mut OutputStream<impl Write>) {
        let LedgerQuestions {
            questions,
            left_out,
            missing,
        } = self.questions;
        out.put(b"{\"questions\":[");
        for (place, question) in questions.iter().enumerate() {
            out.put(if place == 0 { b"\"" } else { b",\"" });
            encode(question, out);
            out.put(b"\"");
        }
        let rest = format!("],\"left_out\":{left_out},\"missing\":{missing}}}");
        out.put(rest.as_bytes());
    }
}

const GENERATOR: &str = concat!("axilog ", env!("CARGO_PKG_VERSION"));

/// What the page may do: run these scripts, look like this, and nothing else.
fn security() -> String {
    let source = |asset: &&str| format!("'sha256-{}'", BASE64.encode(sha256(asset.as_bytes())));
    let scripts: Vec<String> = SCRIPTS.iter().map(source).collect();
    format!(
        "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
        scripts.join(" "),
        source(&STYLE)
    )
}

/// `bytes` in Base64, piece by piece.
fn encode(bytes: &[u8], out: &mut OutputStream<impl Write>) {
    // A multiple of three has no padding, so the pieces join.
    for piece in bytes.chunks(3 << 14) {
        out.put(BASE64.encode(piece).as_bytes());
    }
}

/// JSON in plain ASCII without the characters that mean something to HTML.
fn escape_for_html(value: &Value) -> String {
    let mut text = String::new();
    for c in value.to_string().chars() {
        if c.is_ascii() && !matches!(c, '<' | '>' | '&' | '\x7f') {
            text.push(c);
        } else {
            let units = c.encode_utf16(&mut [0; 2]).to_vec();
            text.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    text
}

/// Text for HTML, in which characters that are not seen are escapes such as `\u{202e}`.
fn escaped(text: &str) -> String {
    let mut html = String::new();
    for c in text.chars() {
        match c {
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '&' => html.push_str("&amp;"),
            '"' => html.push_str("&quot;"),
            c if is_deceptive(c) => html.extend(c.escape_unicode()),
            c => html.push(c),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The script has the properties of Unicode that the browser knows, and a regular expression here the same.
    #[test]
    fn the_page_escapes_the_characters_that_the_command_escapes() {
        let script = SCRIPTS.join("");
        let (_, rest) = script.split_once("const UNSEEN =\n  /").unwrap();
        let (class, _) = rest.split_once("/gu;").unwrap();
        // A surrogate by itself is text for a script, and no character here.
        let class = regex::Regex::new(&class.replace(r"\p{Cs}", "")).unwrap();
        for c in '\0'..=char::MAX {
            let is_escaped = class.is_match(c.encode_utf8(&mut [0; 4]));
            assert_eq!(is_escaped, is_deceptive(c), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn the_assets_end_no_element_and_name_every_place() {
        for script in SCRIPTS {
            assert!(!script.to_ascii_lowercase().contains("</script"));
            assert!(!script.contains("<!--"));
        }
        assert!(!STYLE.contains("</"));
        let places: Vec<&str> = PAGE
            .split(PLACE.0)
            .skip(1)
            .filter_map(|rest| Some(rest.split_once(PLACE.1)?.0))
            .collect();
        let all = [
            "security",
            "judgement",
            "file",
            "style",
            "standing",
            "judgement",
            "file",
            "judgement",
            "generator",
            "scripts",
            "said",
            "configuration",
            "manifest",
            "questions",
            "ledger",
        ];
        assert_eq!(places, all);
    }

    #[test]
    fn text_from_outside_is_inert() {
        let hostile = "</script><!--\u{2028}\u{202e}\u{7f}&\u{1f600}\"é";
        assert_eq!(
            escape_for_html(&Value::from(hostile)),
            r#""\u003c/script\u003e\u003c!--\u2028\u202e\u007f\u0026\ud83d\ude00\"\u00e9""#
        );
        assert_eq!(
            escaped(hostile),
            "&lt;/script&gt;&lt;!--\\u{2028}\\u{202e}\\u{7f}&amp;\u{1f600}&quot;é"
        );
    }

    #[test]
    fn pieces_of_base64_join() {
        for length in [0, 1, 2, 3, (3 << 14) - 1, (3 << 14) + 1, 100_000] {
            let bytes: Vec<u8> = (0..length).map(|n| n as u8).collect();
            let mut written = Vec::new();
            let mut out = OutputStream::new(&mut written);
            encode(&bytes, &mut out);
            out.finish(Path::new("memory")).unwrap();
            assert_eq!(written, BASE64.encode(&bytes).into_bytes());
        }
    }
}
