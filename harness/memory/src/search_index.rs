//! The index by which a search finds facts, kept by SQLite's FTS5.
//!
//! FTS5 finds candidates alone. Its own rank is a fraction over all rows, those included that an audience may not see, and
//! would say something of these. A text may also hold the locked string of another fact: whoever reads the index must look
//! what the audience is told (`matching.rs`).
//!
//! The index has no digest, since triggers cannot stand on FTS5's tables. Gate G1 compares it with one that is derived
//! anew, and a rebuild makes it again.

use rusqlite::{Connection, params};
use serde_json::Value;

use crate::apply_error::ApplyResult;
use crate::bodies::FactBody;
use crate::canonical::texts;
use crate::search_terms::terms_of;

/// The terms of each fact under the number of its entry. The terms come from `search_terms.rs`; FTS5's tokenizer only
/// parts them at the spaces. It keeps no texts, no places and no lengths, which nothing here reads. `fact_term` lists
/// the index.
const INDEX: &str = r#"
CREATE VIRTUAL TABLE fact_terms USING fts5(
    terms, content = '', detail = 'none', columnsize = 0, tokenize = "ascii tokenchars '-'"
);
CREATE VIRTUAL TABLE fact_term USING fts5vocab(fact_terms, instance);
"#;

/// Makes the empty index, in the place of one of another version.
pub(crate) fn make_index(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch("DROP TABLE IF EXISTS fact_term; DROP TABLE IF EXISTS fact_terms;")?;
    conn.execute_batch(INDEX)
}

/// Empties the index.
pub(crate) fn clear_index(conn: &Connection) -> rusqlite::Result<()> {
    let clear = "INSERT INTO fact_terms (fact_terms) VALUES ('delete-all')";
    conn.execute(clear, params![]).map(drop)
}

/// The text of a fact that a search knows: of a LOCKED fact the gist alone, whatever is unlocked of it.
pub(crate) fn searched_text(body: &FactBody) -> String {
    if body.is_locked() {
        return body.gist.clone().unwrap_or_default();
    }
    let payload = Value::Object(body.payload.clone());
    let mut all: Vec<&str> = texts(&payload);
    let details = body.details.iter().flatten();
    all.extend(details.map(|detail| &*detail.exact));
    all.join("\n")
}

/// Adds the fact of the entry `seq`.
pub(crate) fn index_fact(conn: &Connection, seq: u64, body: &FactBody) -> ApplyResult {
    conn.prepare_cached("INSERT INTO fact_terms (rowid, terms) VALUES (?1, ?2)")?
        .execute(params![seq, terms_of(&searched_text(body)).join(" ")])?;
    Ok(())
}

/// Lists the entries of the facts that have a term, the newest first: at most `count` of those before the entry `before`.
pub(crate) fn list_with_term(
    conn: &Connection,
    term: &str,
    before: i64,
    count: u32,
) -> rusqlite::Result<Vec<u64>> {
    conn.prepare_cached(
        "SELECT rowid FROM fact_terms WHERE fact_terms MATCH ?1 AND rowid < ?2
         ORDER BY rowid DESC LIMIT ?3",
    )?
    .query_map(params![format!("\"{term}\""), before, count], |row| {
        row.get(0)
    })?
    .collect()
}
