//! The queries whose outputs the gates look at.

use rusqlite::params;

use crate::audience::Audience;
use crate::error::Result;
use crate::mask::OutputClass;
use crate::query::WorkingSetQuery;
use crate::reader::MemoryReader;

/// The query whose working set G1 compares with a golden hash: all that is public, 8000 tokens.
#[must_use]
pub fn canonical_query() -> WorkingSetQuery {
    let audience = Audience {
        class: OutputClass::WorkingSet,
        viewers: Vec::new(),
    };
    WorkingSetQuery::new(audience, 8000)
}

/// Queries for every output class: without viewers, for each player that a mask names (the first 32), and
/// for all of these players; with every compaction there is.
pub(super) fn output_queries(reader: &MemoryReader) -> Result<Vec<WorkingSetQuery>> {
    let column = |text: &str| {
        let mut all = reader.conn.prepare(text)?;
        let texts = all.query_map(params![], |row| row.get::<_, String>(0))?;
        texts.collect::<rusqlite::Result<Vec<String>>>()
    };
    let players = column(
        "SELECT DISTINCT substr(audience, 8) FROM shown WHERE audience >= 'PLAYER:' AND audience < 'PLAYER;' ORDER BY 1 LIMIT 32",
    )
    .map_err(reader.read_error())?;
    let purposes = column("SELECT DISTINCT purpose FROM compaction ORDER BY 1")
        .map_err(reader.read_error())?;
    let mut audiences: Vec<Vec<String>> = vec![Vec::new()];
    audiences.extend(players.iter().map(|player| vec![player.clone()]));
    if players.len() > 1 {
        audiences.push(players);
    }
    let mut queries = Vec::new();
    for class in OutputClass::ALL {
        for viewers in &audiences {
            queries.push(WorkingSetQuery {
                audience: Audience {
                    class,
                    viewers: viewers.clone(),
                },
                purposes: purposes.clone(),
                ..canonical_query()
            });
        }
    }
    Ok(queries)
}
