//! The subschemas of a document, and which of them each applies.
//!
//! A reference is a fragment of the document itself and leads to one subschema that is found here, so that the
//! validator cannot follow it elsewhere: only the document may have an `$id`, and an anchor's name occurs once.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::bounds::{DIALECT, MAX_PATTERNS};
use super::violation::InvalidSchema;

/// Keywords whose value is a subschema that is applied to a part of the value.
const APPLIED_TO_PARTS: [&str; 8] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "items",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a subschema that is applied to the value itself.
const APPLIED: [&str; 4] = ["else", "if", "not", "then"];
/// Keywords whose value is an array of subschemas, and whether they are applied to the value itself.
const APPLIED_LISTS: [(&str, bool); 4] = [
    ("allOf", true),
    ("anyOf", true),
    ("oneOf", true),
    ("prefixItems", false),
];
/// Keywords whose value is an object of subschemas, and whether they are applied to the value itself.
const APPLIED_MAPS: [(&str, bool); 4] = [
    ("dependencies", true),
    ("dependentSchemas", true),
    ("patternProperties", false),
    ("properties", false),
];
/// Keywords whose value is an object of subschemas that are applied where a reference leads there.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// Keywords that evaluate again what the subschemas beside them have evaluated.
const UNEVALUATED: [&str; 2] = ["unevaluatedItems", "unevaluatedProperties"];

/// A subschema and what it applies.
#[derive(Default)]
pub(super) struct Subschema {
    /// The subschemas that it applies, and whether to the value itself.
    pub(super) applied: Vec<(usize, bool)>,
    /// The references in it, which are applied to the value itself.
    references: Vec<String>,
    /// How many of [`UNEVALUATED`] it has.
    pub(super) unevaluated: u64,
    /// The JSON values in its own keywords, with which it compares: `enum`, `required` and the like.
    pub(super) own_values: u64,
}

/// The subschemas of a document.
#[derive(Default)]
struct Subschemas {
    all: Vec<Subschema>,
    by_pointer: HashMap<String, usize>,
    by_anchor: HashMap<String, usize>,
    patterns: usize,
}

/// Refuses what would give a reference another base than the document: identifiers of parts of it, and anchors that
/// occur twice. Places that the validator ignores, like those in a constant, count too.
fn check_identifiers(document: &Value) -> Result<(), InvalidSchema> {
    let mut anchors: HashMap<&str, String> = HashMap::new();
    let mut open = vec![(document, String::new())];
    while let Some((value, place)) = open.pop() {
        let Value::Object(members) = value else {
            let items = value.as_array().into_iter().flatten().enumerate();
            open.extend(items.map(|(n, item)| (item, format!("{place}/{n}"))));
            continue;
        };
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let refuse = |told: String| Err(InvalidSchema(format!("at {place:?}: {told}")));
        if let Some(dialect) = text("$schema")
            && dialect.trim_end_matches('#') != DIALECT
        {
            return refuse(format!(
                "$schema is {dialect:?}, expected {DIALECT:?} or none"
            ));
        }
        if let Some(id) = text("$id") {
            if !place.is_empty() {
                return refuse(format!(
                    "$id is {id:?}; only the document itself may have one. Refer to a part of it by \"#/$defs/NAME\""
                ));
            }
            let is_of_dialect = id.to_ascii_lowercase().contains("//json-schema.org");
            if is_of_dialect || id.contains(['#', '%']) {
                return refuse(format!(
                    "$id is {id:?}, expected a name of your own without `#` and `%`"
                ));
            }
        }
        for anchor in ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text) {
            if let Some(other) = anchors.insert(anchor, place.clone()) {
                return refuse(format!("the anchor {anchor:?} is at {other:?} already"));
            }
        }
        open.extend(
            members
                .iter()
                .map(|(name, child)| (child, format!("{place}/{}", escape_segment(name)))),
        );
    }
    Ok(())
}

/// Lists the subschemas of a document; its own is the first.
///
/// # Errors
/// [`InvalidSchema`]: another dialect, an `$id` of a part, a reference that leads to no subschema of the document, or
/// too many regular expressions.
pub(super) fn list_subschemas(document: &Value) -> Result<Vec<Subschema>, InvalidSchema> {
    check_identifiers(document)?;
    let mut subschemas = Subschemas::default();
    subschemas.collect(document)?;
    subschemas.resolve_references()?;
    Ok(subschemas.all)
}

impl Subschemas {
    fn collect(&mut self, document: &Value) -> Result<(), InvalidSchema> {
        let no_parent: Option<(usize, bool)> = None;
        let mut open = vec![(document, String::new(), no_parent)];
        while let Some((value, pointer, applied_by)) = open.pop() {
            if !matches!(value, Value::Object(_) | Value::Bool(_)) {
                continue;
            }
            let index = self.all.len();
            if let Some((parent, in_place)) = applied_by
                && let Some(parent) = self.all.get_mut(parent)
            {
                parent.applied.push((index, in_place));
            }
            let mut subschema = Subschema::default();
            if let Value::Object(members) = value {
                subschema = self.read_members(members, index)?;
                for (child, place, application) in list_children(members) {
                    let applied_by = application.map(|in_place| (index, in_place));
                    open.push((child, format!("{pointer}/{place}"), applied_by));
                }
            }
            self.by_pointer.insert(pointer, index);
            self.all.push(subschema);
        }
        Ok(())
    }

    fn read_members(
        &mut self,
        members: &Map<String, Value>,
        index: usize,
    ) -> Result<Subschema, InvalidSchema> {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let anchors = ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text);
        self.by_anchor
            .extend(anchors.map(|anchor| (anchor.to_owned(), index)));
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
        let references = ["$ref", "$dynamicRef"].into_iter().filter_map(text);
        Ok(Subschema {
            applied: Vec::new(),
            references: references.map(str::to_owned).collect(),
            unevaluated: UNEVALUATED
                .iter()
                .map(|name| u64::from(members.contains_key(*name)))
                .sum(),
            own_values: members
                .iter()
                .filter(|(name, _)| !has_subschemas(name))
                .map(|(_, value)| count_values(value))
                .fold(0, u64::saturating_add),
        })
    }

    /// Makes an application of each reference.
    fn resolve_references(&mut self) -> Result<(), InvalidSchema> {
        for index in 0..self.all.len() {
            let references = self
                .all
                .get_mut(index)
                .map(|s| std::mem::take(&mut s.references));
            for reference in references.unwrap_or_default() {
                let target = self.find_target(&reference)?;
                if let Some(subschema) = self.all.get_mut(index) {
                    subschema.applied.push((target, true));
                }
            }
        }
        Ok(())
    }

    /// The subschema that a reference leads to.
    fn find_target(&self, reference: &str) -> Result<usize, InvalidSchema> {
        let Some(fragment) = reference.strip_prefix('#') else {
            return Err(InvalidSchema(format!(
                "the reference {reference:?} leads out of the document, and nothing is fetched; put what it means into `$defs` and refer to it by \"#/$defs/NAME\""
            )));
        };
        let found = match fragment.is_empty() || fragment.starts_with('/') {
            true => {
                let pointer = percent_decode_str(fragment).decode_utf8_lossy();
                self.by_pointer.get(&normalize_pointer(&pointer))
            }
            false => self.by_anchor.get(fragment),
        };
        found.copied().ok_or_else(|| {
            InvalidSchema(format!(
                "the reference {reference:?} leads to no subschema of the document; put the subschema into `$defs`"
            ))
        })
    }
}

/// The subschemas of a document that are objects, each with its place, in the order of the places.
pub(super) fn list_places(document: &Value) -> Vec<(String, &Map<String, Value>)> {
    let mut open = vec![(document, String::new())];
    let mut places = Vec::new();
    while let Some((value, pointer)) = open.pop() {
        if let Value::Object(members) = value {
            let children = list_children(members).into_iter();
            open.extend(children.map(|(child, place, _)| (child, format!("{pointer}/{place}"))));
            places.push((pointer, members));
        }
    }
    places.sort_by(|(one, _), (other, _)| one.cmp(other));
    places
}

/// The subschemas directly in a subschema, their places in it, and, where it applies them, whether to the value itself.
fn list_children(members: &Map<String, Value>) -> Vec<(&Value, String, Option<bool>)> {
    let mut children = Vec::new();
    for (name, value) in members {
        let kind = |kinds: &[(&str, bool)]| {
            let found = kinds.iter().find(|(keyword, _)| keyword == name);
            found.map(|(_, in_place)| *in_place)
        };
        let name = name.as_str();
        if APPLIED.contains(&name) || APPLIED_TO_PARTS.contains(&name) {
            children.push((value, name.to_owned(), Some(APPLIED.contains(&name))));
        } else if let (Value::Array(items), Some(in_place)) = (value, kind(&APPLIED_LISTS)) {
            let items = items.iter().enumerate();
            children.extend(items.map(|(n, item)| (item, format!("{name}/{n}"), Some(in_place))));
        } else if let Value::Object(map) = value
            && (kind(&APPLIED_MAPS).is_some() || DEFINITIONS.contains(&name))
        {
            children.extend(map.iter().map(|(key, child)| {
                let place = format!("{name}/{}", escape_segment(key));
                (child, place, kind(&APPLIED_MAPS))
            }));
        }
    }
    children
}

/// Whether a keyword's value is made of subschemas.
fn has_subschemas(name: &str) -> bool {
    let is_name = |(keyword, _): &(&str, bool)| *keyword == name;
    APPLIED.contains(&name)
        || APPLIED_TO_PARTS.contains(&name)
        || DEFINITIONS.contains(&name)
        || APPLIED_LISTS.iter().any(is_name)
        || APPLIED_MAPS.iter().any(is_name)
}

/// The number of JSON values in a value that is nested at most 128 deep, itself included.
pub(super) fn count_values(value: &Value) -> u64 {
    let parts = match value {
        Value::Array(items) => items.iter().map(count_values).fold(0, u64::saturating_add),
        Value::Object(members) => members
            .values()
            .map(count_values)
            .fold(0, u64::saturating_add),
        _ => 0,
    };
    parts.saturating_add(1)
}

fn escape_segment(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

/// A pointer with each escape as this module writes it.
fn normalize_pointer(pointer: &str) -> String {
    let segments = pointer.split('/').skip(1).map(|segment| {
        let plain = segment.replace("~1", "/").replace("~0", "~");
        format!("/{}", escape_segment(&plain))
    });
    segments.collect()
}
