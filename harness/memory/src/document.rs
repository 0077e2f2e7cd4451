//! Reading documents with serde: an error says where in the document, what was found, what was
//! expected.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{MemoryError, Result};

/// Reads a document from its value; `what` names the document in errors.
///
/// # Errors
/// [`MemoryError::Document`] for members that are missing, unknown or of another type.
pub(crate) fn read_document<T: DeserializeOwned>(what: &str, value: &Value) -> Result<T> {
    let document: std::result::Result<Object<T>, _> = serde_path_to_error::deserialize(value);
    document.map(|object| object.0).map_err(|error| {
        let place = match error.path().to_string() {
            path if path == "." => "$".to_owned(),
            path if path.starts_with('[') => format!("${path}"),
            path => format!("$.{path}"),
        };
        MemoryError::document(what, place, error.inner().to_string())
    })
}

/// A part of a document that is an object. A derive alone would also read an array of the members' values,
/// which would give one document two spellings.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Object<T>, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}

/// For `deserialize_with` on a member that is an object.
pub(crate) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> std::result::Result<T, D::Error> {
    Object::deserialize(deserializer).map(|object| object.0)
}

/// For `default, deserialize_with` on a member that is an object where it stands.
pub(crate) fn object_if_present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> std::result::Result<Option<T>, D::Error> {
    object(deserializer).map(Some)
}

/// For `deserialize_with` on an array of objects.
pub(crate) fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<T>, D::Error> {
    let objects: Vec<Object<T>> = Vec::deserialize(deserializer)?;
    Ok(objects.into_iter().map(|object| object.0).collect())
}

/// For `default, deserialize_with` on an array of objects that may be absent.
pub(crate) fn objects_if_present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Vec<T>>, D::Error> {
    objects(deserializer).map(Some)
}

/// The value of a document.
///
/// # Errors
/// None in practice: the members of every document are texts, integers, arrays and objects.
pub(crate) fn to_value(what: &str, document: &impl Serialize) -> Result<Value> {
    serde_json::to_value(document)
        .map_err(|error| MemoryError::document(what, "$", error.to_string()))
}

/// For `deserialize_with` on a member that must stand in the document, and may be null there.
pub(crate) fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> std::result::Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// For `default, deserialize_with` on a member that may be absent, and is not null where it stands.
pub(crate) fn not_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> std::result::Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// For `default, deserialize_with` on an array that may be absent, and in which nothing stands twice.
pub(crate) fn distinct_if_present<
    'de,
    D: Deserializer<'de>,
    T: Deserialize<'de> + Ord + fmt::Display,
>(
    deserializer: D,
) -> std::result::Result<Option<Vec<T>>, D::Error> {
    read_distinct(deserializer).map(Some)
}

/// For `deserialize_with` on an array of one or more items, in which nothing stands twice.
pub(crate) fn one_or_more<'de, D: Deserializer<'de>, T: Deserialize<'de> + Ord + fmt::Display>(
    deserializer: D,
) -> std::result::Result<Vec<T>, D::Error> {
    let items = read_distinct(deserializer)?;
    match items.is_empty() {
        false => Ok(items),
        true => Err(Error::invalid_length(0, &"an array of one or more")),
    }
}

fn read_distinct<'de, D: Deserializer<'de>, T: Deserialize<'de> + Ord + fmt::Display>(
    deserializer: D,
) -> std::result::Result<Vec<T>, D::Error> {
    let items: Vec<T> = Vec::deserialize(deserializer)?;
    let mut seen = BTreeSet::new();
    match items.iter().find(|item| !seen.insert(*item)) {
        None => Ok(items),
        Some(item) => Err(Error::custom(format!(
            "found {item} twice, expected each item once"
        ))),
    }
}
