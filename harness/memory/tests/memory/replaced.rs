//! A memory that is renamed, removed or replaced while it is open takes no entry.

use std::fs;
use std::path::Path;

use axilog_ledger::error::FileError;
use axilog_memory::{EntryKind, MemoryError, MemoryStore};
use serde_json::json;

use crate::test_memory::initial_state;

/// What another program does to the memory, and where it puts it.
type Attack = fn(&Path, &Path);

fn append(store: &mut MemoryStore) -> Result<u64, MemoryError> {
    let body = json!({"scene_id": "cellar"});
    Ok(store.append(EntryKind::SceneStart, body)?.seq)
}

#[test]
fn nothing_is_acknowledged_into_a_memory_that_is_not_where_it_was_opened() {
    let attacks: [(&str, Attack); 3] = [
        ("found no file", |path, aside| {
            fs::rename(path, aside).unwrap()
        }),
        ("found another file", |path, aside| {
            fs::rename(path, aside).unwrap();
            fs::copy(aside, path).unwrap();
        }),
        ("found another file", |path, aside| {
            fs::rename(path, aside).unwrap();
            fs::write(path, "").unwrap();
        }),
    ];
    for (found, attack) in attacks {
        let dir = tempfile::tempdir().unwrap();
        let (path, aside) = (dir.path().join("memory"), dir.path().join("aside"));
        let mut store = MemoryStore::init(&path, &initial_state()).unwrap();
        let seq = store.reader().head().unwrap().seq;
        attack(&path, &aside);
        for _ in 0..2 {
            let error = append(&mut store).unwrap_err();
            let is_displaced = matches!(&error, MemoryError::File(FileError::Displaced { .. }));
            assert!(is_displaced && error.to_string().contains(found), "{error}");
            assert_eq!(store.reader().head().unwrap().seq, seq, "rolled back");
        }
        // The entry fits once the memory is back in its place.
        fs::rename(&aside, &path).unwrap();
        assert_eq!(append(&mut store).unwrap(), seq + 1);
    }
}
