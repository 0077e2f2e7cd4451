//! The plots: decisions over cycles, and tokens against B1 and B2. SVG, in the colours that the reader's
//! system prefers, and told in words for those who do not see them. Coordinates are integers.

use std::fmt::Write;

use crate::kernel::DecisionKind;
use crate::log::{Condition, FrozenSettings};
use crate::metrics::{Metrics, Point};
use crate::taxonomy::RefusalType;

const WIDTH: u64 = 800;
/// Where the plot itself begins and ends.
const LEFT: u64 = 70;
const RIGHT: u64 = 785;

/// Light and dark, and each kind of decision by its place and height too.
const STYLE: &str = "
text{font:12px system-ui,sans-serif;fill:#1f2328}
.h{font-weight:600;font-size:14px}
.e{text-anchor:end}.m{text-anchor:middle}
.bg{fill:#fff}.row{fill:#f0f2f5}.axis{stroke:#8b949e;fill:none}
.limit{stroke:#b42318;stroke-width:1.5;stroke-dasharray:6 3;fill:none}
.line{stroke:#0b5cad;stroke-width:1.5;fill:none}
.a{fill:#0b5cad}.r1{fill:#2f7d4f}.r2{fill:#9aa3ad}.r3{fill:#c2410c}.x{fill:#1f2328}
@media(prefers-color-scheme:dark){
text{fill:#e6edf3}.bg{fill:#0d1117}.row{fill:#1b222b}.axis{stroke:#6e7681}
.limit{stroke:#ff8f85}.line{stroke:#6cb2ff}
.a{fill:#6cb2ff}.r1{fill:#5fc08a}.r2{fill:#6e7681}.r3{fill:#ff9d5c}.x{fill:#e6edf3}}
";

fn open(height: u64, title: &str, told: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-labelledby=\"t d\">\n<title id=\"t\">{title}</title>\n<desc id=\"d\">{told}</desc>\n<style>{STYLE}</style>\n<rect class=\"bg\" width=\"{WIDTH}\" height=\"{height}\"/>\n<text class=\"h\" x=\"10\" y=\"20\">{title}</text>\n"
    )
}

fn text(svg: &mut String, class: &str, (x, y): (u64, u64), said: &str) {
    // Writing into a text does not fail.
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{said}</text>"
    );
}

fn rect(svg: &mut String, class: &str, (x, y): (Tenths, u64), (width, height): (Tenths, u64)) {
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

/// `part` of `whole`, stretched to `length` pixels.
fn scaled(part: u64, whole: u64, length: u64) -> Tenths {
    let tenths = u128::from(part) * u128::from(length) * 10 / u128::from(whole.max(1));
    Tenths(u64::try_from(tenths).unwrap_or(u64::MAX))
}

fn across(part: u64, whole: u64) -> Tenths {
    Tenths((LEFT * 10).saturating_add(scaled(part, whole, RIGHT - LEFT).0))
}

/// How a decision is drawn: a class, its name, and where in a row of 24 pixels: from the top, height.
const DRAWN: [(&str, &str, (u64, u64)); 5] = [
    ("a", "ACTION", (0, 24)),
    ("r1", "REFUSE, Type I", (8, 16)),
    ("r2", "REFUSE, Type II", (16, 8)),
    ("r3", "REFUSE, Type III", (0, 12)),
    ("x", "EXIT", (10, 4)),
];

fn drawn(point: &Point) -> usize {
    match (point.kind, point.refusal_type) {
        (DecisionKind::Action, _) => 0,
        (DecisionKind::Refuse, Some(RefusalType::I)) => 1,
        (DecisionKind::Refuse, Some(RefusalType::III)) => 3,
        (DecisionKind::Refuse, _) => 2,
        (DecisionKind::Exit, _) => 4,
    }
}

/// What was decided in each cycle of each condition.
#[must_use]
pub fn decisions(metrics: &Metrics, frozen: &FrozenSettings) -> String {
    const ROW: u64 = 36;
    const TOP: u64 = 36;
    let conditions: Vec<Condition> = frozen.conditions.iter().map(|one| one.id).collect();
    let bottom = TOP + ROW * conditions.len() as u64;
    let told: Vec<String> = conditions.iter().map(|id| told(metrics, *id)).collect();
    let mut svg = open(bottom + 54, "Decisions over cycles", &told.join(" "));
    for (n, id) in conditions.iter().enumerate() {
        let y = TOP + ROW * n as u64;
        text(&mut svg, "e", (LEFT - 10, y + 17), id.as_str());
        rect(
            &mut svg,
            "row",
            (across(0, 1), y),
            (scaled(1, 1, RIGHT - LEFT), 24),
        );
        let points: Vec<&Point> = metrics
            .points
            .iter()
            .filter(|p| p.place.condition == *id)
            .collect();
        // Neighbours that are alike are one bar.
        let follows = |a: &Point, b: &Point| a.place.cycle.checked_add(1) == Some(b.place.cycle);
        for run in points.chunk_by(|a, b| drawn(a) == drawn(b) && follows(a, b)) {
            let (Some(first), Some((class, _, (from, height)))) = (
                run.first(),
                run.first().and_then(|first| DRAWN.get(drawn(first))),
            ) else {
                continue;
            };
            let begin = across(first.place.cycle.saturating_sub(1), frozen.cycles);
            let width = scaled(run.len() as u64, frozen.cycles, RIGHT - LEFT);
            rect(&mut svg, class, (begin, y + from), (width, *height));
        }
    }
    text(&mut svg, "", (LEFT, bottom + 8), "cycle 1");
    text(
        &mut svg,
        "e",
        (RIGHT, bottom + 8),
        &frozen.cycles.to_string(),
    );
    for (n, (class, name, (from, height))) in DRAWN.iter().enumerate() {
        let x = LEFT + 145 * n as u64;
        rect(
            &mut svg,
            class,
            (Tenths(x * 10), bottom + 22 + from),
            (Tenths(100), *height),
        );
        text(&mut svg, "", (x + 16, bottom + 39), name);
    }
    svg.push_str("</svg>\n");
    svg
}

fn told(metrics: &Metrics, id: Condition) -> String {
    let Some(condition) = metrics.conditions.get(&id) else {
        return format!("{}: no cycles.", id.as_str());
    };
    let mut told = format!("{}: {} cycles", id.as_str(), condition.cycles);
    for (name, count) in &condition.decisions {
        let _ = write!(told, ", {count} {name}");
    }
    for (name, count) in &condition.refusals {
        let _ = write!(told, ", {count} of Type {name}");
    }
    told.push('.');
    told
}

/// Tokens of each cycle against B1, and of all so far against B2.
#[must_use]
pub fn tokens(metrics: &Metrics, frozen: &FrozenSettings) -> String {
    const HEIGHT: u64 = 150;
    const TOPS: [u64; 2] = [50, 250];
    let points = &metrics.points;
    let count = points.len() as u64;
    let spent = |point: &Point| if point.asked { point.tokens } else { 0 };
    let most = points.iter().map(spent).max().unwrap_or_default();
    let total: u64 = points.iter().map(spent).fold(0, u64::saturating_add);
    let over = points
        .iter()
        .filter(|point| point.tokens > frozen.b1)
        .count();
    let told = format!(
        "{count} cycles. The most tokens of one cycle are {most} of {} that B1 allows; {over} cycles were over it. All cycles together have {total} of {} that B2 allows.",
        frozen.b1, frozen.b2
    );
    let mut svg = open(440, "Tokens against B1 and B2", &told);
    for (top, (limit, name, largest, said)) in TOPS.into_iter().zip([
        (frozen.b1, "B1", most, "Tokens of each cycle"),
        (frozen.b2, "B2", total, "Tokens of the session so far"),
    ]) {
        let whole = limit
            .max(largest)
            .saturating_add(limit.max(largest) / 10)
            .max(1);
        let up = |value: u64| {
            let height = scaled(value, whole, HEIGHT).0.min(HEIGHT * 10);
            Tenths((top + HEIGHT) * 10 - height)
        };
        let base = top + HEIGHT;
        text(&mut svg, "", (LEFT, top - 6), said);
        text(&mut svg, "e", (LEFT - 6, base + 4), "0");
        let y = up(limit);
        text(&mut svg, "e", (LEFT - 6, y.0 / 10 + 4), &limit.to_string());
        let _ = writeln!(svg, "<path class=\"limit\" d=\"M{LEFT} {y}H{RIGHT}\"/>");
        text(&mut svg, "e", (RIGHT, y.0 / 10 - 4), name);
        let mut path = format!("M{LEFT} {base}");
        let mut sum = 0u64;
        for (n, point) in points.iter().enumerate() {
            sum = sum.saturating_add(spent(point));
            let value = if name == "B1" { spent(point) } else { sum };
            let (y, x) = (up(value), across(n as u64 + 1, count));
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
    for part in points.chunk_by(|a, b| a.place.condition == b.place.condition) {
        let length = part.len() as u64;
        let begin = across(first, count);
        let middle = across(first * 2 + length, count * 2).0 / 10;
        for (base, top) in base.into_iter().zip(TOPS) {
            if first > 0 {
                let _ = writeln!(
                    svg,
                    "<path class=\"axis\" stroke-dasharray=\"2 4\" d=\"M{begin} {top}V{base}\"/>"
                );
            }
            let name = part
                .first()
                .map_or("", |point| point.place.condition.as_str());
            text(&mut svg, "m", (middle, base + 16), name);
        }
        first += length;
    }
    text(&mut svg, "", (LEFT, 432), "cycle 1");
    text(&mut svg, "e", (RIGHT, 432), &count.to_string());
    svg.push_str("</svg>\n");
    svg
}
