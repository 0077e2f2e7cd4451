//! The facts that an output may hold and a query asks for, as the tables have them.

use std::collections::HashSet;

use rusqlite::{Row, params, params_from_iter, types::Value as Sql};
use serde_json::{Value, json};

use crate::error::Result;
use crate::fact_order::Stage;
use crate::handle::Handle;
use crate::output_view::OutputView;
use crate::query::WorkingSetQuery;

/// A fact that a query may get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) key: String,
    pub(crate) fact: Handle,
    pub(crate) kind: String,
    /// The entry of the fact.
    pub(crate) seq: u64,
    /// Why the fact comes before the newest.
    pub(crate) chosen_by: Option<Stage>,
}

/// The facts that an output may hold and a query asks for.
pub(crate) struct FactSource<'a, 'b> {
    pub(crate) view: &'a OutputView<'b>,
    query: &'a WorkingSetQuery,
    /// The facts that the query names; none where it asks for any.
    handles: HashSet<Handle>,
}

/// A part of a statement, and the values of its parameters.
#[derive(Default)]
struct Conditions {
    text: String,
    values: Vec<Sql>,
}

impl Conditions {
    /// Adds a condition, in which `?` stands for each of the values.
    fn add(&mut self, condition: &str, values: impl IntoIterator<Item = Sql>) {
        let mut parts = condition.split('?');
        self.text.push_str(" AND ");
        self.text.push_str(parts.next().unwrap_or_default());
        for (part, value) in parts.zip(values) {
            self.values.push(value);
            self.text.push_str(&format!("?{}{part}", self.values.len()));
        }
    }
}

impl<'a, 'b> FactSource<'a, 'b> {
    pub(crate) fn new(view: &'a OutputView<'b>, query: &'a WorkingSetQuery) -> FactSource<'a, 'b> {
        FactSource {
            view,
            query,
            handles: query.handles.iter().copied().collect(),
        }
    }

    /// The conditions of the query but for its handles, of which there may be many.
    fn conditions(&self) -> Conditions {
        let (query, mut conditions) = (self.query, Conditions::default());
        let list = |names: Value| [Sql::from(names.to_string())];
        if !query.kinds.is_empty() {
            let kinds = list(json!(query.kinds));
            conditions.add("kind IN (SELECT value FROM json_each(?))", kinds);
        }
        if let Some(prefix) = &query.key_prefix {
            // No letter of a key comes after this sign.
            let ends = [prefix.clone(), format!("{prefix}~")].map(Sql::from);
            conditions.add("stable_key >= ? AND stable_key < ?", ends);
        }
        if !query.tags.is_empty() {
            let tagged = "EXISTS (SELECT 1 FROM tag WHERE tag.seq = visible.seq AND tag.name IN \
                          (SELECT value FROM json_each(?)))";
            conditions.add(tagged, list(json!(query.tags)));
        }
        if let Some((key, fact)) = &query.after {
            let after = [Sql::from(key.clone()), Sql::from(fact.0.to_vec())];
            conditions.add("(stable_key, fact) > (?, ?)", after);
        }
        conditions
    }

    /// Hands the facts that meet the conditions to `visit`, by key or the newest first. Nothing after the last one that is
    /// wanted is read.
    pub(crate) fn for_each(
        &self,
        stage: Stage,
        visit: &mut dyn FnMut(&Candidate) -> Result<bool>,
    ) -> Result<()> {
        let order = match stage {
            Stage::Newest => "4 DESC",
            _ => "1, 2",
        };
        self.for_each_where(self.conditions(), order, visit)
    }

    /// Finds the fact of an entry, where the output may hold it and it meets the conditions.
    pub(crate) fn find(&self, seq: u64) -> Result<Option<Candidate>> {
        let mut conditions = self.conditions();
        conditions.add("seq = ?", [Sql::from(seq.cast_signed())]);
        let mut found = None;
        self.for_each_where(conditions, "1, 2", &mut |candidate| {
            found = Some(candidate.clone());
            Ok(false)
        })?;
        Ok(found)
    }

    fn for_each_where(
        &self,
        conditions: Conditions,
        order: &str,
        visit: &mut dyn FnMut(&Candidate) -> Result<bool>,
    ) -> Result<()> {
        let Conditions { text, mut values } = conditions;
        let lists = self.view.lists();
        if lists.is_empty() {
            return Ok(());
        }
        // Each arm is in order already, so SQLite merges them and reads no further than we do.
        let first = values.len() + 1;
        let arm = |number| {
            format!(
                "SELECT stable_key, fact, kind, seq FROM visible WHERE audience = ?{number}{text}"
            )
        };
        let arms: Vec<String> = (first..lists.len() + first).map(arm).collect();
        let text = format!("{} ORDER BY {order}", arms.join(" UNION ALL "));
        values.extend(lists.into_iter().map(Sql::from));
        let view = self.view;
        let failed = || view.reader.read_error();
        let mut all = view.reader.conn.prepare_cached(&text).map_err(failed())?;
        let mut rows = all.query(params_from_iter(values)).map_err(failed())?;
        while let Some(row) = rows.next().map_err(failed())? {
            let candidate = read_candidate(row).map_err(failed())?;
            if !self.handles.is_empty() && !self.handles.contains(&candidate.fact) {
                continue;
            }
            if view.audience.viewers.len() > 1 && !view.may_hold(candidate.fact)? {
                continue;
            }
            if !visit(&candidate)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Lists the facts to which the scene that is on points, then those of each thread, the newest first: by a tag, the
    /// stable key or the handle.
    pub(crate) fn list_pointed(&self) -> Result<Vec<Candidate>> {
        let state = &self.view.state;
        let threads = state.others.iter().filter(|(name, _)| name == "threads");
        let threads = threads.filter_map(|(_, names)| names.as_array()).flatten();
        let scene = state.scene.iter().map(|scene| &*scene.id);
        let mut pointed = Vec::new();
        for name in scene.chain(threads.filter_map(Value::as_str)) {
            for seq in self.list_named(name)? {
                let found = self.find(seq)?;
                pointed.extend(found.map(|candidate| Candidate {
                    chosen_by: Some(Stage::Pointed),
                    ..candidate
                }));
            }
        }
        Ok(pointed)
    }

    /// Lists the entries of the facts that have a name, whoever may see them, the newest first.
    fn list_named(&self, name: &str) -> Result<Vec<u64>> {
        let handle = Handle::parse(name).map(|handle| handle.0.to_vec());
        let conn = &self.view.reader.conn;
        let mut seqs: Vec<u64> = Vec::new();
        let mut read = || -> rusqlite::Result<()> {
            let mut tagged = conn.prepare_cached(
                "SELECT seq FROM tag WHERE name = ?1 UNION SELECT seq FROM fact WHERE fact = ?2",
            )?;
            let tagged = tagged.query_map(params![name, handle], |row| row.get(0))?;
            seqs.extend(tagged.collect::<rusqlite::Result<Vec<u64>>>()?);
            let mut keyed = conn.prepare_cached(
                "SELECT seq FROM visible WHERE audience = ?1 AND stable_key = ?2",
            )?;
            for list in self.view.lists() {
                let keyed = keyed.query_map(params![list, name], |row| row.get(0))?;
                seqs.extend(keyed.collect::<rusqlite::Result<Vec<u64>>>()?);
            }
            Ok(())
        };
        read().map_err(self.view.reader.read_error())?;
        seqs.sort_unstable_by(|one, other| other.cmp(one));
        Ok(seqs)
    }
}

fn read_candidate(row: &Row<'_>) -> rusqlite::Result<Candidate> {
    Ok(Candidate {
        key: row.get(0)?,
        fact: row.get(1)?,
        kind: row.get(2)?,
        seq: row.get(3)?,
        chosen_by: None,
    })
}
