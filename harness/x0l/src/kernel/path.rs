//! Paths compared by their names only: nothing here looks at a file system.

/// The names of a path one below the other, and whether it begins at the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NormalPath<'p> {
    absolute: bool,
    names: Vec<&'p str>,
}

/// `path` without `.`, `..` and empty names. `None` where it is empty, leads above where it begins,
/// or holds a backslash or a control character, which some system would read otherwise.
pub(super) fn normalize(path: &str) -> Option<NormalPath<'_>> {
    if path.is_empty() || path.chars().any(|c| c == '\\' || c.is_control()) {
        return None;
    }
    let mut names = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(NormalPath {
        absolute: path.starts_with('/'),
        names,
    })
}

/// Whether `path` is one of `roots` or below it.
pub(super) fn is_below(path: &str, roots: &[String]) -> bool {
    let Some(path) = normalize(path) else {
        return false;
    };
    roots.iter().any(|root| {
        normalize(root).is_some_and(|root| {
            root.absolute == path.absolute && path.names.starts_with(&root.names)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_below_a_root_is() {
        let roots = ["./notes".to_owned(), "/srv/in/".to_owned()];
        for path in [
            "notes",
            "./notes/a.txt",
            "notes//a/../b",
            "x/../notes/a",
            "/srv/in/a",
            "/srv/./in",
        ] {
            assert!(is_below(path, &roots), "{path}");
        }
        for path in [
            "",
            "/",
            ".",
            "note",
            "notes2/a",
            "notes/../a",
            "notes/../../notes/a",
            "../notes/a",
            "/notes/a",
            "/srv/inbox",
            "srv/in/a",
            "notes\\..\\a",
            "notes/a\0",
            "notes/a\nb",
        ] {
            assert!(!is_below(path, &roots), "{path:?}");
        }
        assert!(is_below("anything", &[".".to_owned()]));
        assert!(!is_below("notes", &[]));
    }
}
