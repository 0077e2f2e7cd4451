//! Enums whose values have one name each, in documents, reports and messages alike.

/// Declares an enum with the name of each value: it has `ALL`, `as_str`, and serde's traits under those names.
macro_rules! named_enum {
    (
        $(#[$attribute:meta])*
        pub enum $Enum:ident {
            $($(#[$variant_attribute:meta])* $Variant:ident = $name:tt,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize,
        )]
        pub enum $Enum {
            $($(#[$variant_attribute])* #[serde(rename = $name)] $Variant,)+
        }

        impl $Enum {
            /// Every value, in order.
            pub const ALL: [$Enum; [$($name),+].len()] = [$($Enum::$Variant),+];

            /// The name in documents.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($Enum::$Variant => $name,)+
                }
            }
        }
    };
}

pub(crate) use named_enum;
