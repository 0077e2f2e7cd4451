//! JSON read strictly: every member there, none besides, each of its type; what is wrong says where.

use std::fmt;

use axilog::hash::{Hash, HexHash, unhex};
use serde_json::{Map, Value};

/// What a value is not, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The path from the outermost value, as in `decision.gates[0].code`; empty for that itself.
    pub field: String,
    /// What stands there.
    pub found: String,
    /// What should.
    pub expected: String,
}

impl Wrong {
    /// `value` is not `expected`.
    #[must_use]
    pub fn new(value: &Value, expected: impl Into<String>) -> Wrong {
        Wrong {
            field: String::new(),
            found: excerpt(value),
            expected: expected.into(),
        }
    }

    /// The same, within the member or item `outer` of something.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Wrong {
        self.field = match self.field.as_str() {
            "" => outer.to_owned(),
            inner if inner.starts_with('[') => format!("{outer}{inner}"),
            inner => format!("{outer}.{inner}"),
        };
        self
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        write!(f, "found {}, expected {}", self.found, self.expected)
    }
}

/// How many characters of a value are told.
const EXCERPT: usize = 80;

/// A value as it is told: its JSON, shortened.
#[must_use]
pub fn excerpt(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Something that is read from a JSON value and nothing but that.
pub trait FromJson: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// The first thing that is wrong.
    fn from_json(value: &Value) -> Result<Self, Wrong>;
}

/// The members of an object, taken one by one.
pub struct Fields<'v> {
    members: &'v Map<String, Value>,
    taken: Vec<&'v str>,
}

impl<'v> Fields<'v> {
    /// Those of `value`, which must be an object.
    ///
    /// # Errors
    /// It is none.
    pub fn of(value: &'v Value) -> Result<Fields<'v>, Wrong> {
        let members = value
            .as_object()
            .ok_or_else(|| Wrong::new(value, "an object"))?;
        Ok(Fields {
            members,
            taken: Vec::new(),
        })
    }

    /// The value of the member `name`, unread.
    ///
    /// # Errors
    /// It is not there.
    pub fn value(&mut self, name: &str) -> Result<&'v Value, Wrong> {
        match self.members.get_key_value(name) {
            Some((name, value)) => {
                self.taken.push(name);
                Ok(value)
            }
            None => Err(Wrong {
                field: name.to_owned(),
                found: "nothing".to_owned(),
                expected: "this member".to_owned(),
            }),
        }
    }

    /// The member `name`, read.
    ///
    /// # Errors
    /// It is not there or not right.
    pub fn take<T: FromJson>(&mut self, name: &str) -> Result<T, Wrong> {
        let value = self.value(name)?;
        T::from_json(value).map_err(|wrong| wrong.within(name))
    }

    /// What `read` makes of the object that is the member `name`; all of its members are taken.
    ///
    /// # Errors
    /// As `read` says, and as [`Fields::of`] and [`Fields::end`].
    pub fn inner<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Fields<'v>) -> Result<T, Wrong>,
    ) -> Result<T, Wrong> {
        let value = self.value(name)?;
        whole(value, read).map_err(|wrong| wrong.within(name))
    }

    /// A text that must be `expected`.
    ///
    /// # Errors
    /// It is another.
    pub fn constant(&mut self, name: &str, expected: &str) -> Result<(), Wrong> {
        let value = self.value(name)?;
        if value.as_str() == Some(expected) {
            Ok(())
        } else {
            Err(Wrong::new(value, format!("{expected:?}")).within(name))
        }
    }

    /// Sees that every member was taken.
    ///
    /// # Errors
    /// One was not.
    pub fn end(self) -> Result<(), Wrong> {
        let surplus = |(name, _): &(&String, _)| !self.taken.contains(&name.as_str());
        match self.members.iter().find(surplus) {
            None => Ok(()),
            Some((name, value)) => Err(Wrong::new(value, "no such member").within(name)),
        }
    }
}

/// What `read` makes of the object `value`; all of its members are taken.
///
/// # Errors
/// As `read` says, and as [`Fields::of`] and [`Fields::end`].
pub fn whole<'v, T>(
    value: &'v Value,
    read: impl FnOnce(&mut Fields<'v>) -> Result<T, Wrong>,
) -> Result<T, Wrong> {
    let mut fields = Fields::of(value)?;
    let read = read(&mut fields)?;
    fields.end()?;
    Ok(read)
}

/// The one of `all` that `value` names.
///
/// # Errors
/// It names none; the message lists them.
pub fn one_of<T: Copy>(value: &Value, all: &[T], name: fn(T) -> &'static str) -> Result<T, Wrong> {
    let named = all.iter().find(|one| value.as_str() == Some(name(**one)));
    named.copied().ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        Wrong::new(value, format!("one of {}", names.join(", ")))
    })
}

impl FromJson for u64 {
    fn from_json(value: &Value) -> Result<u64, Wrong> {
        let expected = || Wrong::new(value, "an integer from 0 to 2^64-1");
        value.as_u64().ok_or_else(expected)
    }
}

impl FromJson for bool {
    fn from_json(value: &Value) -> Result<bool, Wrong> {
        value
            .as_bool()
            .ok_or_else(|| Wrong::new(value, "true or false"))
    }
}

impl FromJson for String {
    fn from_json(value: &Value) -> Result<String, Wrong> {
        let text = value.as_str().ok_or_else(|| Wrong::new(value, "a text"))?;
        Ok(text.to_owned())
    }
}

impl FromJson for Map<String, Value> {
    fn from_json(value: &Value) -> Result<Map<String, Value>, Wrong> {
        let members = value.as_object();
        members
            .cloned()
            .ok_or_else(|| Wrong::new(value, "an object"))
    }
}

impl FromJson for Hash {
    fn from_json(value: &Value) -> Result<Hash, Wrong> {
        let digits = value.as_str().map(str::as_bytes);
        digits
            .and_then(|digits| unhex(&HexHash::try_from(digits).ok()?))
            .ok_or_else(|| Wrong::new(value, "64 lower-case hexadecimal digits"))
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(value: &Value) -> Result<Option<T>, Wrong> {
        match value {
            Value::Null => Ok(None),
            value => T::from_json(value).map(Some),
        }
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: &Value) -> Result<Vec<T>, Wrong> {
        let items = value
            .as_array()
            .ok_or_else(|| Wrong::new(value, "an array"))?;
        let read = |(n, item)| T::from_json(item).map_err(|wrong| wrong.within(&format!("[{n}]")));
        items.iter().enumerate().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_wrong_says_where() {
        let value = json!({ "a": [1, "x"], "b": { "c": null }, "d": "00" });
        let mut fields = Fields::of(&value).unwrap();
        let wrong = fields.take::<Vec<u64>>("a").unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "a[1]: found \"x\", expected an integer from 0 to 2^64-1"
        );
        let inner = |value: &Value| -> Result<String, Wrong> { Fields::of(value)?.take("c") };
        let wrong = inner(fields.value("b").unwrap()).unwrap_err().within("b");
        assert_eq!(wrong.to_string(), "b.c: found null, expected a text");
        let wrong = fields.take::<bool>("e").unwrap_err();
        assert_eq!(wrong.to_string(), "e: found nothing, expected this member");
        let wrong = fields.end().unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "d: found \"00\", expected no such member"
        );
        assert_eq!(
            Wrong::new(&json!("é".repeat(200)), "less")
                .found
                .chars()
                .count(),
            EXCERPT + 3
        );
    }

    #[test]
    fn digests_are_64_lower_case_digits() {
        let digits = "a5".repeat(32);
        assert_eq!(Hash::from_json(&json!(digits)), Ok([0xa5; 32]));
        for wrong in [
            "",
            "00",
            "é",
            &digits.to_uppercase(),
            &(digits.clone() + "00"),
        ] {
            assert!(Hash::from_json(&json!(wrong)).is_err(), "{wrong}");
        }
    }
}
