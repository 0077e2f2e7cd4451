//! The plots: decisions over cycles, and tokens against B1 and B2. Each is an SVG in the colours that the
//! reader's system prefers, with a description in words for readers who cannot see it.

use std::fmt::Write;

use crate::kernel::DecisionKind;
use crate::log::{Condition, FrozenSettings};
use crate::metrics::{Metrics, PlottedCycle};
use crate::taxonomy::RefusalType;

const WIDTH: u64 = 800;
/// The left edge of the plot's area.
const LEFT: u64 = 70;
/// The right edge of the plot's area.
const RIGHT: u64 = 785;

/// The styles for light and dark pages. A decision's kind shows in its position and height, not in its
/// colour alone.
const STYLE: &str = "
text{font:12px system-ui,sans-serif;fill:#1f2328}
.h{font-weight:600;font-size:14px}
.e{text-anchor:end}.m{text-anchor:middle}
.bg{fill:#fff}.row{fill:#f0f2f5}.axis{stroke:#8b949e;fill:none}
.limit{stroke:#b42318;stroke-width:1.5;stroke-dasharray:6 3;fill:none}
.line{stroke:#0b5cad;stroke-width:1.5;fill:none}
.a{fill:#0b5cad}.i{fill:#a4133c}.r1{fill:#2f7d4f}.r2{fill:#9aa3ad}.r3{fill:#c2410c}.x{fill:#1f2328}
@media(prefers-color-scheme:dark){
text{fill:#e6edf3}.bg{fill:#0d1117}.row{fill:#1b222b}.axis{stroke:#6e7681}
.limit{stroke:#ff8f85}.line{stroke:#6cb2ff}
.a{fill:#6cb2ff}.i{fill:#ff7a9c}.r1{fill:#5fc08a}.r2{fill:#6e7681}.r3{fill:#ff9d5c}.x{fill:#e6edf3}}
";

fn begin_svg(height: u64, title: &str, description: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-labelledby=\"t d\">\n<title id=\"t\">{title}</title>\n<desc id=\"d\">{description}</desc>\n<style>{STYLE}</style>\n<rect class=\"bg\" width=\"{WIDTH}\" height=\"{height}\"/>\n<text class=\"h\" x=\"10\" y=\"20\">{title}</text>\n"
    )
}

fn write_text(svg: &mut String, class: &str, (x, y): (u64, u64), text: &str) {
    // Writing into a `String` cannot fail.
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>"
    );
}

fn write_rectangle(
    svg: &mut String,
    class: &str,
    (x, y): (Tenths, u64),
    (width, height): (Tenths, u64),
) {
    let _ = writeln!(
        svg,
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
    );
}

/// A length in tenths of a pixel.
#[derive(Clone, Copy)]
struct Tenths(u64);

impl std::fmt::Display for Tenths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0 / 10)?;
        match self.0 % 10 {
            0 => Ok(()),
            tenth => write!(f, ".{tenth}"),
        }
    }
}

/// Scales `part` of `whole` to `length` pixels.
fn scale(part: u64, whole: u64, length: u64) -> Tenths {
    let tenths = u128::from(part) * u128::from(length) * 10 / u128::from(whole.max(1));
    Tenths(u64::try_from(tenths).unwrap_or(u64::MAX))
}

/// Scales `part` of `whole` to a position in the plot's area.
fn scale_across(part: u64, whole: u64) -> Tenths {
    Tenths((LEFT * 10).saturating_add(scale(part, whole, RIGHT - LEFT).0))
}

/// The marks of decisions: the class, the name, and in a row of 24 pixels the distance from the top and the
/// height.
const MARKS: [(&str, &str, (u64, u64)); 6] = [
    ("a", "ACTION", (0, 24)),
    ("i", "ACTION, injection", (4, 16)),
    ("r1", "REFUSE, Type I", (8, 16)),
    ("r2", "REFUSE, Type II", (16, 8)),
    ("r3", "REFUSE, Type III", (0, 12)),
    ("x", "EXIT", (10, 4)),
];

/// The index of a decision's mark.
fn mark_index(cycle: &PlottedCycle) -> usize {
    match (cycle.kind, cycle.refusal_type) {
        (DecisionKind::Action, _) if cycle.injection => 1,
        (DecisionKind::Action, _) => 0,
        (DecisionKind::Refuse, Some(RefusalType::I)) => 2,
        (DecisionKind::Refuse, Some(RefusalType::III)) => 4,
        (DecisionKind::Refuse, _) => 3,
        (DecisionKind::Exit, _) => 5,
    }
}

/// Draws the decision of each cycle, with a row for each condition.
pub(super) fn draw_decisions(metrics: &Metrics, frozen: &FrozenSettings) -> String {
    const ROW: u64 = 36;
    const TOP: u64 = 36;
    let conditions: Vec<Condition> = frozen.conditions.iter().map(|c| c.id).collect();
    let bottom = TOP + ROW * conditions.len() as u64;
    let described = conditions.iter().map(|id| describe_condition(metrics, *id));
    let description = described.collect::<Vec<String>>().join(" ");
    let mut svg = begin_svg(bottom + 54, "Decisions over cycles", &description);
    for (n, id) in conditions.iter().enumerate() {
        let y = TOP + ROW * n as u64;
        write_text(&mut svg, "e", (LEFT - 10, y + 17), id.as_str());
        write_rectangle(
            &mut svg,
            "row",
            (scale_across(0, 1), y),
            (scale(1, 1, RIGHT - LEFT), 24),
        );
        let cycles = metrics.cycles.iter();
        let cycles: Vec<&PlottedCycle> = cycles.filter(|c| c.id.condition == *id).collect();
        // Neighbours with the same mark are drawn as one bar.
        let continues = |a: &PlottedCycle, b: &PlottedCycle| {
            mark_index(a) == mark_index(b) && a.id.cycle.checked_add(1) == Some(b.id.cycle)
        };
        for bar in cycles.chunk_by(|a, b| continues(a, b)) {
            let (Some(first), Some((class, _, (from, height)))) = (
                bar.first(),
                bar.first().and_then(|first| MARKS.get(mark_index(first))),
            ) else {
                continue;
            };
            let begin = scale_across(first.id.cycle.saturating_sub(1), frozen.cycles);
            let width = scale(bar.len() as u64, frozen.cycles, RIGHT - LEFT);
            write_rectangle(&mut svg, class, (begin, y + from), (width, *height));
        }
    }
    write_text(&mut svg, "", (LEFT, bottom + 8), "cycle 1");
    write_text(
        &mut svg,
        "e",
        (RIGHT, bottom + 8),
        &frozen.cycles.to_string(),
    );
    for (n, (class, name, (from, height))) in MARKS.iter().enumerate() {
        let x = 10 + 130 * n as u64;
        write_rectangle(
            &mut svg,
            class,
            (Tenths(x * 10), bottom + 22 + from),
            (Tenths(100), *height),
        );
        write_text(&mut svg, "", (x + 16, bottom + 39), name);
    }
    svg.push_str("</svg>\n");
    svg
}

fn describe_condition(metrics: &Metrics, id: Condition) -> String {
    let Some(condition) = metrics.conditions.get(&id) else {
        return format!("{}: no cycles.", id.as_str());
    };
    let mut description = format!("{}: {} cycles", id.as_str(), condition.cycles);
    for (name, count) in &condition.decisions {
        let _ = write!(description, ", {count} {name}");
    }
    let acted = metrics.acted_on_injections.iter();
    let acted = acted.filter(|cycle| cycle.condition == id).count();
    if acted > 0 {
        let _ = write!(description, ", {acted} ACTION on injections");
    }
    for (name, count) in &condition.refusals {
        let _ = write!(description, ", {count} of Type {name}");
    }
    description.push('.');
    description
}

/// Draws the tokens of each cycle against B1, and their running total against B2.
pub(super) fn draw_tokens(metrics: &Metrics, frozen: &FrozenSettings) -> String {
    const HEIGHT: u64 = 150;
    const TOPS: [u64; 2] = [50, 250];
    let cycles = &metrics.cycles;
    let count = cycles.len() as u64;
    let spent = |cycle: &PlottedCycle| if cycle.asked { cycle.tokens } else { 0 };
    let most = cycles.iter().map(spent).max().unwrap_or_default();
    let total: u64 = cycles.iter().map(spent).fold(0, u64::saturating_add);
    let over = cycles.iter().filter(|cycle| cycle.tokens > frozen.b1);
    let over = over.count();
    let description = format!(
        "{count} cycles. The most tokens of one cycle are {most} of {} that B1 allows; {over} cycles were over it. All cycles together have {total} of {} that B2 allows.",
        frozen.b1, frozen.b2
    );
    let mut svg = begin_svg(440, "Tokens against B1 and B2", &description);
    for (top, (limit, name, largest, title)) in TOPS.into_iter().zip([
        (frozen.b1, "B1", most, "Tokens of each cycle"),
        (frozen.b2, "B2", total, "Tokens of the session so far"),
    ]) {
        let whole = limit
            .max(largest)
            .saturating_add(limit.max(largest) / 10)
            .max(1);
        let up = |value: u64| {
            let height = scale(value, whole, HEIGHT).0.min(HEIGHT * 10);
            Tenths((top + HEIGHT) * 10 - height)
        };
        let base = top + HEIGHT;
        write_text(&mut svg, "", (LEFT, top - 6), title);
        write_text(&mut svg, "e", (LEFT - 6, base + 4), "0");
        let y = up(limit);
        write_text(&mut svg, "e", (LEFT - 6, y.0 / 10 + 4), &limit.to_string());
        let _ = writeln!(svg, "<path class=\"limit\" d=\"M{LEFT} {y}H{RIGHT}\"/>");
        write_text(&mut svg, "e", (RIGHT, y.0 / 10 - 4), name);
        let mut path = format!("M{LEFT} {base}");
        let mut sum = 0u64;
        for (n, cycle) in cycles.iter().enumerate() {
            sum = sum.saturating_add(spent(cycle));
            let value = if name == "B1" { spent(cycle) } else { sum };
            let (y, x) = (up(value), scale_across(n as u64 + 1, count));
            let _ = write!(path, "V{y}H{x}");
        }
        let _ = writeln!(svg, "<path class=\"line\" d=\"{path}\"/>");
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{LEFT} {top}V{base}H{RIGHT}\"/>"
        );
    }
    let base = TOPS.map(|top| top + HEIGHT);
    let mut first = 0u64;
    for part in cycles.chunk_by(|a, b| a.id.condition == b.id.condition) {
        let length = part.len() as u64;
        let begin = scale_across(first, count);
        let middle = scale_across(first * 2 + length, count * 2).0 / 10;
        for (base, top) in base.into_iter().zip(TOPS) {
            if first > 0 {
                let _ = writeln!(
                    svg,
                    "<path class=\"axis\" stroke-dasharray=\"2 4\" d=\"M{begin} {top}V{base}\"/>"
                );
            }
            let first_cycle = part.first();
            let name = first_cycle.map_or("", |cycle| cycle.id.condition.as_str());
            write_text(&mut svg, "m", (middle, base + 16), name);
        }
        first += length;
    }
    write_text(&mut svg, "", (LEFT, 432), "cycle 1");
    write_text(&mut svg, "e", (RIGHT, 432), &count.to_string());
    svg.push_str("</svg>\n");
    svg
}
