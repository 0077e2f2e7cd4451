//! The figure of all effects of a comparison with their intervals, a forest plot, and its table.

use super::comparison::RunComparison;
use super::controls::Control;
use super::csv::CsvTable;
use super::decimal::Decimal;
use super::endpoint::StudyEndpoint;
use super::judged_tests::TestVerdict;
use super::run_difference::{EndpointRow, RunPair};
use super::svg_figure::{Anchor, Axis, SvgFigure, shorten};

/// An effect: an endpoint of two runs.
pub(crate) struct Effect {
    pub(crate) control: Option<Control>,
    pub(crate) pair: RunPair,
    pub(crate) row: EndpointRow,
}

/// The endpoints that share an axis, the title of their panel, and that of the axis.
const PANELS: [(&[StudyEndpoint], &str, &str); 2] = [
    (
        &[
            StudyEndpoint::Agreement,
            StudyEndpoint::Disagreement,
            StudyEndpoint::Answers,
        ],
        "Differences of shares",
        "share in the run less the share in what it is held against",
    ),
    (
        &[StudyEndpoint::Choices, StudyEndpoint::Actions],
        "Distances of shares of actions",
        "energy distance (0: no difference)",
    ),
];

const WIDTH: i64 = 1000;
/// Where the plot lies between the names of runs and the figures.
const PLOT: (i64, i64) = (230, 620);
const FIGURES: i64 = 640;
const ROW: i64 = 22;
/// What a panel has above its rows, and below them for its axis.
const HEAD: i64 = 30;
const FOOT: i64 = 70;

/// A line of a panel.
enum Line<'a> {
    /// The name of an endpoint, above its effects.
    Title(StudyEndpoint),
    Effect(&'a Effect),
}

impl RunComparison {
    /// The effects of all runs and controls, in the order of their documents.
    pub(crate) fn list_effects(&self) -> Vec<Effect> {
        let runs = self.differences.iter().map(|found| (None, found));
        let controls = self.controls.iter();
        let controls = controls.map(|it| (Some(it.control), &it.difference));
        runs.chain(controls)
            .flat_map(|(control, found)| {
                let rows = found.list_endpoints().into_iter();
                rows.map(move |row| Effect {
                    control,
                    pair: found.pair,
                    row,
                })
            })
            .collect()
    }

    /// Renders the figure, an SVG image.
    #[must_use]
    pub fn render_effects(&self) -> String {
        let effects = self.list_effects();
        let panels: Vec<(Vec<Line<'_>>, &str, &str)> = PANELS
            .into_iter()
            .map(|(endpoints, title, axis)| (self.list_lines(endpoints, &effects), title, axis))
            .filter(|(lines, ..)| !lines.is_empty())
            .collect();
        let heights = panels.iter();
        let heights = heights.map(|(lines, ..)| HEAD + ROW * lines.len() as i64 + FOOT);
        let height = heights.sum::<i64>() + 60;
        let mut figure = SvgFigure::new("Effects with their 95 % intervals", WIDTH, height);
        let mut top = 20;
        for (lines, title, axis) in &panels {
            self.draw_effects_panel(&mut figure, top, lines, (title, axis));
            top += HEAD + ROW * lines.len() as i64 + FOOT;
        }
        let environment = self.runs.first().map_or("", |run| &run.header.environment);
        for (number, note) in (0..).zip([
            "Solid lines: 95 % confidence intervals. Dashed: the middle 95 % over resamples of the seeds, which decide nothing.",
            &format!("Filled marks: told apart after Holm's correction. Environment: {environment}."),
        ]) {
            figure.text((20, top + 16 + 18 * number), Anchor::Start, "", note);
        }
        figure.into_text()
    }

    /// The lines of a panel: the effects of each of `endpoints` below its name, those of the primary one first.
    fn list_lines<'a>(&self, endpoints: &[StudyEndpoint], effects: &'a [Effect]) -> Vec<Line<'a>> {
        let mut endpoints = endpoints.to_vec();
        endpoints.sort_by_key(|endpoint| Some(*endpoint) != self.declared_primary());
        let mut lines = Vec::new();
        for endpoint in endpoints {
            let of_endpoint = effects.iter().filter(|it| it.row.endpoint == endpoint);
            let mut of_endpoint = of_endpoint.map(Line::Effect).peekable();
            if of_endpoint.peek().is_some() {
                lines.push(Line::Title(endpoint));
                lines.extend(of_endpoint);
            }
        }
        lines
    }

    fn draw_effects_panel(
        &self,
        figure: &mut SvgFigure,
        top: i64,
        lines: &[Line<'_>],
        (title, axis_title): (&str, &str),
    ) {
        let bold = "font-weight=\"bold\"";
        figure.text(
            (20, top + 12),
            Anchor::Start,
            "font-weight=\"bold\" font-size=\"14\"",
            title,
        );
        figure.text(
            (FIGURES, top + 12),
            Anchor::Start,
            bold,
            "size [interval], p (Holm), verdict",
        );
        let ends = lines.iter().filter_map(|line| match line {
            Line::Effect(effect) => Some(effect.row),
            Line::Title(_) => None,
        });
        let ends = ends.flat_map(|row| {
            let [low, high] = row.interval;
            [low, row.size, high]
        });
        let axis = Axis::covering(ends, PLOT);
        let (first, bottom) = (top + HEAD, top + HEAD + ROW * lines.len() as i64);
        for mark in axis.marks() {
            let x = axis.place(mark);
            figure.line((x, first), (x, bottom), "stroke=\"#ddd\"");
            figure.line((x, bottom), (x, bottom + 5), "stroke=\"black\"");
            figure.text((x, bottom + 19), Anchor::Middle, "", &mark.to_string());
        }
        let zero = axis.place(Decimal::default());
        figure.line((zero, first), (zero, bottom), "stroke=\"black\"");
        figure.line((PLOT.0, bottom), (PLOT.1, bottom), "stroke=\"black\"");
        let middle = i64::midpoint(PLOT.0, PLOT.1);
        figure.text((middle, bottom + 38), Anchor::Middle, "", axis_title);
        for (number, line) in (0..).zip(lines) {
            let y = first + ROW * number + ROW / 2;
            match line {
                Line::Title(endpoint) => {
                    let is_primary = self.declared_primary() == Some(*endpoint);
                    let name = match is_primary {
                        true => format!("{endpoint} (primary)"),
                        false => endpoint.to_string(),
                    };
                    figure.text((20, y + 4), Anchor::Start, bold, &name);
                }
                Line::Effect(effect) => self.draw_effect(figure, &axis, y, effect),
            }
        }
    }

    fn draw_effect(&self, figure: &mut SvgFigure, axis: &Axis, y: i64, effect: &Effect) {
        let row = &effect.row;
        let name = match (effect.control, effect.pair.reference) {
            (None, _) => self.label(effect.pair.run).to_owned(),
            (Some(_), reference) => {
                let [run, reference] = [effect.pair.run, reference].map(|place| self.label(place));
                format!("{run} against {reference}")
            }
        };
        figure.text((32, y + 4), Anchor::Start, "", &shorten(&name, 30));
        let [low, high] = row.interval;
        let (from, to) = (axis.place(low), axis.place(high));
        let style = match has_confidence(row.endpoint) {
            true => "stroke=\"black\" stroke-width=\"2\"",
            false => "stroke=\"black\" stroke-width=\"2\" stroke-dasharray=\"4 3\"",
        };
        figure.line((from, y), (to, y), style);
        for end in [from, to] {
            figure.line((end, y - 4), (end, y + 4), "stroke=\"black\"");
        }
        let at = axis.place(row.size);
        figure.disc((at, y), 5, "black");
        if row.test.verdict != TestVerdict::ToldApart {
            figure.disc((at, y), 3, "white");
        }
        let text = format!(
            "{} [{}, {}], {}, {}",
            row.size.round_to_thousandths(),
            low.round_to_thousandths(),
            high.round_to_thousandths(),
            row.test.corrected.to_decimal(),
            self.name_verdict(row)
        );
        figure.text((FIGURES, y + 4), Anchor::Start, "font-size=\"11\"", &text);
    }

    /// The table of the figure, as CSV.
    #[must_use]
    pub fn list_effects_as_csv(&self) -> String {
        let mut table = CsvTable::new([
            "endpoint",
            "primary",
            "control",
            "run",
            "held_against",
            "size",
            "low",
            "high",
            "interval",
            "p",
            "p_error",
            "p_holm",
            "p_largest",
            "seeds",
            "verdict",
        ]);
        for effect in self.list_effects() {
            let (row, [low, high]) = (&effect.row, effect.row.interval);
            let is_primary = self.declared_primary() == Some(row.endpoint);
            let largest = row.test.largest.map(|p| p.to_decimal().to_string());
            table.append([
                row.endpoint.to_string(),
                if is_primary { "yes" } else { "no" }.to_owned(),
                effect.control.map_or("", Control::as_str).to_owned(),
                self.label(effect.pair.run).to_owned(),
                self.label(effect.pair.reference).to_owned(),
                row.size.to_string(),
                low.to_string(),
                high.to_string(),
                match has_confidence(row.endpoint) {
                    true => "95 % confidence",
                    false => "95 % of resamples",
                }
                .to_owned(),
                row.test.p_value.to_decimal().to_string(),
                row.test.p_value.standard_error().to_string(),
                row.test.corrected.to_decimal().to_string(),
                largest.unwrap_or_default(),
                row.test.seeds.to_string(),
                self.name_verdict(row),
            ]);
        }
        table.into_text()
    }
}

/// Whether the interval of an endpoint is one of confidence, and not of resamples.
fn has_confidence(endpoint: StudyEndpoint) -> bool {
    endpoint.is_share_of_steps()
}
