//! G7: source trees without what the document forbids (section 9).

use std::fs;

use axilog_memory::MemoryError;
use axilog_memory::gate::{Gate, Given, run};

use crate::gates::fails;
use crate::world::World;

#[test]
fn g7_finds_what_is_forbidden_in_source_trees() {
    let mut world = World::new();
    let tree = world.directory.path().join("tree");
    fs::create_dir_all(tree.join("target")).unwrap();
    fs::write(tree.join("good.html"), "<p>denied</p>\n").unwrap();
    fs::write(tree.join("notes.txt"), "no tooltip here\n").unwrap();
    fs::write(tree.join("target/made.html"), "<progress>\n").unwrap();
    let mut given = Given {
        sources: vec![tree.clone()],
        ..Given::default()
    };
    let finding = run(&mut world.store, Gate::G7, &given).unwrap();
    assert!(
        finding.passed() && finding.checked.iter().any(|l| l.starts_with("2 files")),
        "{finding:?}"
    );
    fs::write(
        tree.join("bad.html"),
        "<p\n\ttitle=\"x\">\n<Progress max=1>\n",
    )
    .unwrap();
    fs::write(tree.join("bad.css"), "a:hover { }\n").unwrap();
    fs::write(tree.join("bad.vue"), "<p @mouseEnter=\"show\">\n").unwrap();
    let finding = run(&mut world.store, Gate::G7, &given).unwrap();
    fails(&finding, "bad.html:2: UI-TITLE (title=\")");
    fails(&finding, "bad.html:3: IMG-PROGRESS (<progress)");
    fails(&finding, "bad.css:1: UI-HOVER (:hover)");
    fails(&finding, "bad.vue:1: UI-HOVER (mouseenter)");
    let patterns = world.directory.path().join("patterns");
    fs::write(
        &patterns,
        "# mine\nMY-BAN\tTXT\tTooltip\nNO-CAF\u{c9}\tmd\tSTRASSE CAFE\u{301}\n",
    )
    .unwrap();
    fs::write(tree.join("menu.MD"), "Stra\u{df}e caf\u{e9}\n").unwrap();
    given.patterns = Some(patterns.clone());
    let finding = run(&mut world.store, Gate::G7, &given).unwrap();
    fails(&finding, "notes.txt:1: MY-BAN");
    fails(&finding, "menu.MD:1: NO-CAF\u{c9}");
    #[cfg(unix)]
    {
        let link = world.directory.path().join("link");
        std::os::unix::fs::symlink(&tree, &link).unwrap();
        given.sources = vec![link];
        let finding = run(&mut world.store, Gate::G7, &given).unwrap();
        fails(&finding, "link/notes.txt:1: MY-BAN");
    }
    fs::write(&patterns, "# mine\nMY-BAN txt tooltip\n").unwrap();
    let told = run(&mut world.store, Gate::G7, &given)
        .unwrap_err()
        .to_string();
    assert!(told.contains("patterns:2"), "{told}");
    given = Given {
        sources: vec![tree.join("none")],
        ..Given::default()
    };
    let error = run(&mut world.store, Gate::G7, &given).unwrap_err();
    assert!(matches!(error, MemoryError::File { .. }), "{error}");
}
