//! The plot of how often each run did each action: a bar for each run, a dot on it for each seed.

use std::fmt::Write;

use axilog_ledger::visible_text::escape_deceptive_line;

/// How often a run did each action.
pub struct PlotSeries {
    /// The run's name in the legend.
    pub label: String,
    /// For each action its share of all steps, and of the steps under each seed, in thousandths.
    pub shares: Vec<(u64, Vec<u64>)>,
}

/// Colours that most eyes tell apart, in grey too.
const COLOURS: [&str; 6] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00",
];

const HEIGHT: u64 = 260;
const BAR: u64 = 16;
const LEFT: u64 = 48;

/// Renders an SVG image of `series` over `actions`.
#[must_use]
pub fn render_svg(actions: &[String], series: &[PlotSeries]) -> String {
    let group = BAR * series.len() as u64 + 14;
    let bottom = HEIGHT + 20;
    let width = (LEFT + group * actions.len() as u64 + 20).max(420);
    let height = bottom + 110 + 18 * series.len() as u64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n<title>How often each run did each action</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    let y = |thousandths: u64| bottom - thousandths.min(1000) * HEIGHT / 1000;
    for tenth in [0, 250, 500, 750, 1000] {
        append(
            &mut out,
            format_args!(
                "<line x1=\"{LEFT}\" y1=\"{y}\" x2=\"{width}\" y2=\"{y}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{} %</text>\n",
                LEFT - 6,
                y(tenth) + 4,
                tenth / 10,
                y = y(tenth)
            ),
        );
    }
    for (number, action) in actions.iter().enumerate() {
        let left = LEFT + 7 + group * number as u64;
        for (run, colour) in series.iter().zip(COLOURS.iter().cycle()).enumerate() {
            let ((series, colour), x) = (colour, left + BAR * run as u64);
            let Some((share, seeds)) = series.shares.get(number) else {
                continue;
            };
            append(
                &mut out,
                format_args!(
                    "<rect x=\"{x}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{colour}\"/>\n",
                    y(*share),
                    BAR - 2,
                    bottom - y(*share)
                ),
            );
            for seed in seeds {
                append(
                    &mut out,
                    format_args!(
                        "<circle cx=\"{}\" cy=\"{}\" r=\"2\" fill=\"none\" stroke=\"black\"/>\n",
                        x + BAR / 2 - 1,
                        y(*seed)
                    ),
                );
            }
        }
        let middle = left + BAR * series.len() as u64 / 2;
        append(
            &mut out,
            format_args!(
                "<text transform=\"translate({middle},{}) rotate(-40)\" text-anchor=\"end\">{}</text>\n",
                bottom + 16,
                escape(action)
            ),
        );
    }
    for (number, (series, colour)) in series.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let y = bottom + 104 + 18 * number as u64;
        append(
            &mut out,
            format_args!(
                "<rect x=\"{LEFT}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{colour}\"/><text x=\"{}\" y=\"{y}\">{}</text>\n",
                y - 11,
                LEFT + 18,
                escape(&series.label)
            ),
        );
    }
    out + "</svg>\n"
}

fn append(out: &mut String, line: std::fmt::Arguments<'_>) {
    // A string takes whatever is written.
    let _ = out.write_fmt(line);
}

/// Escapes text for an SVG image.
fn escape(text: &str) -> String {
    escape_deceptive_line(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_as_text() {
        let series = PlotSeries {
            label: "run\u{202e}<&".to_owned(),
            shares: vec![(500, vec![])],
        };
        let image = render_svg(&["act\u{200b}\u{85}".to_owned()], &[series]);
        assert!(image.contains(">run\\u{202e}&lt;&amp;<"), "{image}");
        assert!(image.contains(">act\\u{200b}\\u{85}<"), "{image}");
    }
}
