//! Enums of words: what a document may say in one place, each word spelt once.

use std::fmt;

use serde::de::{Deserializer, Error, Unexpected, Visitor};

/// Defines an enum of words, each with its spelling in documents; reads and writes them.
///
/// A derive would also read `{"PLAY":null}` for `"PLAY"`, which would give one word two spellings.
macro_rules! words {
    ($(#[$about:meta])* $vis:vis enum $name:ident {
        $($(#[$about_word:meta])* $word:ident = $spelling:expr,)+
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $($(#[$about_word])* $word,)+
        }

        impl $name {
            /// Every word, in order.
            pub const ALL: [$name; [$($spelling),+].len()] = [$($name::$word),+];

            /// The spelling in documents and messages.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$word => $spelling,)+ }
            }

            /// The word that is spelt `text`, if there is one.
            #[must_use]
            pub fn parse(text: &str) -> Option<$name> {
                $name::ALL.into_iter().find(|word| word.as_str() == text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> std::result::Result<$name, D::Error> {
                let expected = crate::words::OneOf(&[$($spelling),+]);
                crate::words::deserialize_text(deserializer, &expected, $name::parse)
            }
        }
    };
}
pub(crate) use words;

/// A list of words, as an error says that one of them was expected.
pub(crate) struct OneOf(pub(crate) &'static [&'static str]);

impl fmt::Display for OneOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", self.0.join(", "))
    }
}

/// Reads a text with `parse`; where `parse` gives nothing the error says what was `expected`.
pub(crate) fn deserialize_text<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    expected: &dyn fmt::Display,
    parse: fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    let text = deserializer.deserialize_str(TextVisitor { expected, parse });
    text.map_err(|error| explain_missing(error, expected))
}

/// Adds what was expected to the error of a missing member, which only names the member.
pub(crate) fn explain_missing<E: Error>(error: E, expected: &dyn fmt::Display) -> E {
    let message = error.to_string();
    match message.starts_with("missing field") {
        true => E::custom(format!("{message}, expected {expected}")),
        false => error,
    }
}

struct TextVisitor<'a, T> {
    expected: &'a dyn fmt::Display,
    parse: fn(&str) -> Option<T>,
}

impl<T> Visitor<'_> for TextVisitor<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expected.fmt(f)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}
