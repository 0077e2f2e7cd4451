//! G7: source trees without what the document forbids (section 9).

use std::fs;

use axilog_memory::MemoryError;
use axilog_memory::gate::{Gate, GateInputs, run_gate};

use crate::gates::assert_fault;
use crate::test_memory::TestMemory;

#[test]
fn g7_finds_forbidden_patterns_in_source_trees() {
    let mut memory = TestMemory::new();
    let tree = memory.directory.path().join("tree");
    fs::create_dir_all(tree.join("target")).unwrap();
    fs::write(tree.join("good.html"), "<p>denied</p>\n").unwrap();
    fs::write(tree.join("notes.txt"), "no tooltip here\n").unwrap();
    fs::write(tree.join("target/made.html"), "<progress>\n").unwrap();
    let mut inputs = GateInputs {
        sources: vec![tree.clone()],
        ..GateInputs::default()
    };
    let report = run_gate(&mut memory.store, Gate::G7, &inputs).unwrap();
    assert!(
        report.passed() && report.checked.iter().any(|l| l.starts_with("1 files")),
        "{report:?}"
    );
    fs::write(
        tree.join("bad.html"),
        "<p\n\ttitle=\"x\">\n<Progress max=1>\n",
    )
    .unwrap();
    fs::write(tree.join("bad.css"), "a:hover { }\n").unwrap();
    fs::write(tree.join("bad.vue"), "<p @mouseEnter=\"show\">\n").unwrap();
    let report = run_gate(&mut memory.store, Gate::G7, &inputs).unwrap();
    assert_fault(&report, "bad.html:2: UI-TITLE (title=\")");
    assert_fault(&report, "bad.html:3: IMG-PROGRESS (<progress)");
    assert_fault(&report, "bad.css:1: UI-HOVER (:hover)");
    assert_fault(&report, "bad.vue:1: UI-HOVER (mouseenter)");
    let patterns = memory.directory.path().join("patterns");
    fs::write(
        &patterns,
        "# mine\nMY-BAN\tTXT\tTooltip\nNO-CAF\u{c9}\tmd\tSTRASSE CAFE\u{301}\n",
    )
    .unwrap();
    fs::write(tree.join("menu.MD"), "Stra\u{df}e caf\u{e9}\n").unwrap();
    inputs.patterns = Some(patterns.clone());
    let report = run_gate(&mut memory.store, Gate::G7, &inputs).unwrap();
    assert_fault(&report, "notes.txt:1: MY-BAN");
    assert_fault(&report, "menu.MD:1: NO-CAF\u{c9}");
    #[cfg(unix)]
    {
        let link = memory.directory.path().join("link");
        std::os::unix::fs::symlink(&tree, &link).unwrap();
        inputs.sources = vec![link];
        let report = run_gate(&mut memory.store, Gate::G7, &inputs).unwrap();
        assert_fault(&report, "link/notes.txt:1: MY-BAN");
    }
    fs::write(&patterns, "# mine\nMY-BAN txt tooltip\n").unwrap();
    let message = run_gate(&mut memory.store, Gate::G7, &inputs)
        .unwrap_err()
        .to_string();
    assert!(message.contains("patterns: at line 2"), "{message}");
    inputs = GateInputs {
        sources: vec![tree.join("none")],
        ..GateInputs::default()
    };
    let error = run_gate(&mut memory.store, Gate::G7, &inputs).unwrap_err();
    assert!(matches!(error, MemoryError::File { .. }), "{error}");
}

/// What game interfaces are written in: a file with a ban, and the ban.
const SOURCES: &[(&str, &str, &str)] = &[
    (
        "Slot.cs",
        "class Slot : MonoBehaviour, IPointerEnterHandler {",
        "UI-HOVER",
    ),
    ("Hint.cs", "var tip = new ToolTip();", "UI-TOOLTIP"),
    ("slot.gd", "button.mouse_entered.connect(show)", "UI-HOVER"),
    ("slot.tscn", "tooltip_text = \"why\"", "UI-TOOLTIP"),
    (
        "slot.cpp",
        "if (ImGui::IsItemHovered()) show();",
        "UI-HOVER",
    ),
    ("slot.hpp", "void enterEvent(QEvent*) override;", "UI-HOVER"),
    ("Slot.xaml", "<Button PointerEntered=\"Show\"/>", "UI-HOVER"),
    ("Slot.axaml", "<Button.Flyout>", "UI-POPOVER"),
    ("slot.tsx", "<b title={why}>", "UI-TITLE"),
    ("slot.jsx", "<b onPointerEnter={show}>", "UI-HOVER"),
    ("slot.mjs", "node.setAttribute('title', why)", "UI-TITLE"),
    (
        "slot.ts",
        "node.addEventListener(\"pointerover\", show)",
        "UI-HOVER",
    ),
    ("slot.qml", "HoverHandler { id: h }", "UI-HOVER"),
    ("slot.rs", "if response.hovered() { show() }", "UI-HOVER"),
    ("slot.uss", ".slot:hover { }", "UI-HOVER"),
    ("slot.lua", "show(image_preview)", "IMG-PREVIEW"),
];

#[test]
fn g7_knows_what_game_interfaces_are_written_in() {
    let mut memory = TestMemory::new();
    let tree = memory.directory.path().join("game");
    fs::create_dir(&tree).unwrap();
    for (name, text, _) in SOURCES {
        fs::write(tree.join(name), format!("{text}\n")).unwrap();
    }
    fs::write(tree.join("hall.zig"), "tooltip\n").unwrap();
    fs::write(tree.join("README"), "tooltip\n").unwrap();
    let mut inputs = GateInputs {
        sources: vec![tree],
        ..GateInputs::default()
    };
    let report = run_gate(&mut memory.store, Gate::G7, &inputs).unwrap();
    for (name, _, ban) in SOURCES {
        assert_fault(&report, &format!("{name}:1: {ban}"));
    }
    assert!(!report.faults.iter().any(|fault| fault.contains("hall.zig")));
    let unknown = "2 files not scanned, of languages that the patterns do not know: without an ending 1, .zig 1";
    assert!(
        report.checked.iter().any(|line| line == unknown),
        "{report:?}"
    );
    // A language of one's own, beside the built-in ones.
    let patterns = memory.directory.path().join("patterns");
    fs::write(
        &patterns,
        "built-in\nlanguage\tzig\tzig\nMY-BAN\tzig,cs\tnew ToolTip\n",
    )
    .unwrap();
    inputs.patterns = Some(patterns);
    let report = run_gate(&mut memory.store, Gate::G7, &inputs).unwrap();
    for fault in [
        "hall.zig:1: UI-TOOLTIP",
        "Hint.cs:1: MY-BAN",
        "slot.gd:1: UI-HOVER",
    ] {
        assert_fault(&report, fault);
    }
}

/// A line of an interface, and what the scan is to do with it.
struct Probe {
    ending: &'static str,
    ban: &'static str,
    outcome: &'static str,
    text: &'static str,
}

fn read_probes() -> Vec<Probe> {
    let lines = include_str!("corpus/ban_probes.txt").lines();
    let probes = lines.filter(|line| !line.starts_with('#')).map(|line| {
        let mut parts = line.splitn(4, '\t');
        let mut part = || parts.next().unwrap();
        Probe {
            ending: part(),
            ban: part(),
            outcome: part(),
            text: part(),
        }
    });
    probes.collect()
}

/// The figures of the page.
#[test]
fn g7_finds_the_bans_among_lines_of_interfaces() {
    let mut memory = TestMemory::new();
    let tree = memory.directory.path().join("interface");
    fs::create_dir(&tree).unwrap();
    let probes = read_probes();
    let name = |number: usize, probe: &Probe| format!("{number}.{}", probe.ending);
    for (number, probe) in probes.iter().enumerate() {
        fs::write(tree.join(name(number, probe)), probe.text).unwrap();
    }
    let inputs = GateInputs {
        sources: vec![tree],
        ..GateInputs::default()
    };
    let report = run_gate(&mut memory.store, Gate::G7, &inputs).unwrap();
    for (number, probe) in probes.iter().enumerate() {
        let place = format!("/{}:1: ", name(number, probe));
        let faults = report.faults.iter();
        let faults: Vec<&String> = faults.filter(|it| it.contains(&place)).collect();
        let has_ban = faults
            .iter()
            .any(|it| it.contains(&format!(": {} ", probe.ban)));
        let outcome = match (probe.ban, faults.is_empty()) {
            ("-", true) => "passed",
            ("-", false) => "alarm",
            (_, _) if has_ban => "found",
            (_, true) => "missed",
            (_, false) => panic!("another ban: {} {faults:?}", probe.text),
        };
        assert_eq!(outcome, probe.outcome, "{}: {faults:?}", probe.text);
    }
    let count = |outcome: &str| probes.iter().filter(|it| it.outcome == outcome).count();
    let endings: std::collections::BTreeSet<_> = probes.iter().map(|it| it.ending).collect();
    assert!(count("found") >= 20 && count("passed") >= 20 && endings.len() > 10);
    let figures = format!(
        "In files with {} endings, of {} lines that break a ban it finds {}, and of {} that break none it takes {} for a ban",
        endings.len(),
        count("found") + count("missed"),
        count("found"),
        count("passed") + count("alarm"),
        count("alarm")
    );
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/memory.md"));
    let page = page.unwrap().replace('\n', " ");
    assert!(page.contains(&figures), "the page does not say: {figures}");
}
