//! The size of a schema when its references are written out, which bounds the time that validation takes.
//!
//! Ten definitions of two references each are a thousand evaluations, and forty are a trillion. So the references are
//! followed here, each path once and no subschema within itself, and a schema that is too large or too deep then is
//! refused before it is compiled. What a subschema within itself costs is bounded by the validator, which remembers the
//! result for each part of the value.
//!
//! Where several targets could be meant (the document has embedded resources, or an anchor's name occurs twice), each
//! is followed: the bound holds for whichever it is.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::bounds::{DIALECT, MAX_PATTERNS, MAX_SUBSCHEMA_DEPTH, MAX_SUBSCHEMAS};
use super::violation::InvalidSchema;

/// Keywords whose value is a subschema that is applied.
const APPLIED: [&str; 12] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
];
/// Keywords whose value is an array of subschemas that are applied.
const APPLIED_LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is an object of subschemas that are applied.
const APPLIED_MAPS: [&str; 4] = [
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];
/// Keywords whose value is an object of subschemas that are applied where a reference leads there.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// A subschema and what it applies.
struct Subschema {
    /// Its place in the document, an RFC 6901 pointer.
    pointer: String,
    /// The subschemas in it that it applies.
    applied: Vec<usize>,
    /// The references in it.
    references: Vec<String>,
}

/// The subschemas of a document.
#[derive(Default)]
struct Subschemas {
    all: Vec<Subschema>,
    by_pointer: HashMap<String, usize>,
    /// Those with an anchor, by its name.
    anchors: HashMap<String, Vec<usize>>,
    /// Those that are resources of their own, and what they are identified by.
    resources: Vec<(usize, String)>,
    patterns: usize,
}

/// Checks that a schema stays within the bounds, and gives whether it refers to itself.
///
/// # Errors
/// [`InvalidSchema`].
pub(super) fn check_expansion(document: &Value) -> Result<bool, InvalidSchema> {
    let mut subschemas = Subschemas::default();
    subschemas.collect(document)?;
    let mut targets = Vec::with_capacity(subschemas.all.len());
    let mut leads_out = false;
    for subschema in &subschemas.all {
        let mut reached = subschema.applied.clone();
        for reference in &subschema.references {
            let found = subschemas.find_targets(reference, document)?;
            leads_out |= found.is_empty();
            reached.extend(found);
        }
        targets.push(reached);
    }
    let mut expansion = Expansion {
        targets,
        entered: vec![false; subschemas.all.len()],
        count: 0,
        is_recursive: leads_out,
    };
    expansion.enter(0, 0)?;
    Ok(expansion.is_recursive)
}

/// A walk over a schema with its references written out.
struct Expansion {
    targets: Vec<Vec<usize>>,
    /// Whether a subschema is on the present path.
    entered: Vec<bool>,
    count: usize,
    is_recursive: bool,
}

impl Expansion {
    /// Walks through a subschema. Calls itself at most [`MAX_SUBSCHEMA_DEPTH`] deep.
    fn enter(&mut self, subschema: usize, depth: usize) -> Result<(), InvalidSchema> {
        self.count = self.count.saturating_add(1);
        if self.count > MAX_SUBSCHEMAS {
            return Err(InvalidSchema(format!(
                "with its references written out it has more than {MAX_SUBSCHEMAS} subschemas; use fewer references to what has references itself"
            )));
        }
        if self.entered.get(subschema).copied().unwrap_or_default() {
            self.is_recursive = true;
            return Ok(());
        }
        if depth >= MAX_SUBSCHEMA_DEPTH {
            return Err(InvalidSchema(format!(
                "with its references written out it has more than {MAX_SUBSCHEMA_DEPTH} subschemas within each other; use fewer references to references"
            )));
        }
        self.mark(subschema, true);
        for target in self.targets.get(subschema).cloned().unwrap_or_default() {
            self.enter(target, depth.saturating_add(1))?;
        }
        self.mark(subschema, false);
        Ok(())
    }

    fn mark(&mut self, subschema: usize, entered: bool) {
        if let Some(mark) = self.entered.get_mut(subschema) {
            *mark = entered;
        }
    }
}

impl Subschemas {
    /// Collects the subschemas of a document; its own is the first.
    fn collect(&mut self, document: &Value) -> Result<(), InvalidSchema> {
        let mut open = vec![(document, String::new(), None)];
        while let Some((value, pointer, applied_by)) = open.pop() {
            if !matches!(value, Value::Object(_) | Value::Bool(_)) {
                continue;
            }
            let index = self.all.len();
            if let Some(parent) = applied_by.and_then(|parent: usize| self.all.get_mut(parent)) {
                parent.applied.push(index);
            }
            self.by_pointer.insert(pointer.clone(), index);
            let mut subschema = Subschema {
                pointer: pointer.clone(),
                applied: Vec::new(),
                references: Vec::new(),
            };
            if let Value::Object(members) = value {
                self.read_members(members, index, &mut subschema)?;
                for (child, place, is_applied) in list_children(members) {
                    let place = format!("{pointer}/{place}");
                    open.push((child, place, is_applied.then_some(index)));
                }
            }
            self.all.push(subschema);
        }
        Ok(())
    }

    fn read_members(
        &mut self,
        members: &Map<String, Value>,
        index: usize,
        subschema: &mut Subschema,
    ) -> Result<(), InvalidSchema> {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        if let Some(dialect) = text("$schema")
            && dialect.trim_end_matches('#') != DIALECT
        {
            return Err(InvalidSchema(format!(
                "at {:?}: $schema is {dialect:?}, expected {DIALECT:?} or none",
                subschema.pointer
            )));
        }
        for name in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = text(name) {
                let anchored = self.anchors.entry(anchor.to_owned()).or_default();
                anchored.push(index);
            }
        }
        if let Some(id) = text("$id") {
            self.resources.push((index, id.to_owned()));
        }
        let references = ["$ref", "$dynamicRef"].into_iter().filter_map(text);
        subschema.references.extend(references.map(str::to_owned));
        let keys = members
            .get("patternProperties")
            .and_then(Value::as_object)
            .map_or(0, Map::len);
        self.patterns = self
            .patterns
            .saturating_add(keys)
            .saturating_add(usize::from(text("pattern").is_some()));
        if self.patterns > MAX_PATTERNS {
            return Err(InvalidSchema(format!(
                "it has more than {MAX_PATTERNS} regular expressions; use `enum` for lists of words"
            )));
        }
        Ok(())
    }

    /// The subschemas that a reference may lead to; none for one to another document, which the validator refuses
    /// unless it is the dialect's own.
    fn find_targets(&self, reference: &str, document: &Value) -> Result<Vec<usize>, InvalidSchema> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let last_segment = |uri: &str| uri.rsplit(['/', ':']).next().map(str::to_owned);
        let mut bases: Vec<usize> = self
            .resources
            .iter()
            .filter(|(_, id)| {
                let id = id.split('#').next().unwrap_or_default();
                uri.is_empty() || last_segment(id) == last_segment(uri)
            })
            .map(|(index, _)| *index)
            .collect();
        if uri.is_empty() {
            bases.push(0);
        }
        let fragment = decode_percent(fragment);
        if fragment.is_empty() {
            return Ok(bases);
        }
        if !fragment.starts_with('/') {
            return Ok(self.anchors.get(&fragment).cloned().unwrap_or_default());
        }
        let mut targets = Vec::new();
        for base in bases {
            let base = self.all.get(base).map_or("", |base| base.pointer.as_str());
            let pointer = normalize_pointer(&format!("{base}{fragment}"));
            match self.by_pointer.get(&pointer) {
                Some(target) => targets.push(*target),
                None if document.pointer(&pointer).is_some() => {
                    return Err(InvalidSchema(format!(
                        "the reference {reference:?} leads to a place that is no subschema; put the subschema into `$defs`"
                    )));
                }
                None => {}
            }
        }
        Ok(targets)
    }
}

/// The subschemas directly in a subschema, their places in it, and whether it applies them.
fn list_children(members: &Map<String, Value>) -> Vec<(&Value, String, bool)> {
    let mut children = Vec::new();
    for (name, value) in members {
        let name = name.as_str();
        let is_applied = !DEFINITIONS.contains(&name);
        match value {
            _ if APPLIED.contains(&name) => children.push((value, name.to_owned(), true)),
            Value::Array(items) if APPLIED_LISTS.contains(&name) => {
                let items = items.iter().enumerate();
                children.extend(items.map(|(n, item)| (item, format!("{name}/{n}"), true)));
            }
            Value::Object(map) if APPLIED_MAPS.contains(&name) || !is_applied => {
                children.extend(map.iter().map(|(key, child)| {
                    (child, format!("{name}/{}", escape_segment(key)), is_applied)
                }));
            }
            _ => {}
        }
    }
    children
}

fn escape_segment(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

/// A pointer with each escape as this module writes it, and array indices as they are.
fn normalize_pointer(pointer: &str) -> String {
    let segments = pointer.split('/').skip(1).map(|segment| {
        let plain = segment.replace("~1", "/").replace("~0", "~");
        format!("/{}", escape_segment(&plain))
    });
    segments.collect()
}

/// The text of a URI fragment.
fn decode_percent(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let digits = tail
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let decoded = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (byte, decoded) {
            (b'%', Some(decoded)) => {
                bytes.push(decoded);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
