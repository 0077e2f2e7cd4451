//! The plot of how often each run did each action: a bar for each run, a dot on it for each seed.

use std::fmt::Write;

use super::svg_figure::{COLOURS, escape};

/// How often a run did each action.
pub struct PlotSeries {
    /// The run's name in the legend.
    pub label: String,
    /// For each action its share of all steps, and of the steps under each seed, in thousandths.
    pub shares: Vec<(u64, Vec<u64>)>,
}

const HEIGHT: u64 = 260;
const BAR: u64 = 16;
/// What the titles of the axes take at the left and below the names of actions.
const TITLES: (u64, u64) = (20, 18);

/// Renders an SVG image of `series` over `actions`; the axes have titles where `has_titles`.
#[must_use]
pub fn render_svg(actions: &[String], series: &[PlotSeries], has_titles: bool) -> String {
    let (left, below) = match has_titles {
        true => (48 + TITLES.0, TITLES.1),
        false => (48, 0),
    };
    let group = BAR * series.len() as u64 + 14;
    let bottom = HEIGHT + 20;
    let width = (left + group * actions.len() as u64 + 20).max(420);
    let height = bottom + 110 + 2 * below + 18 * series.len() as u64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n<title>How often each run did each action</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    let y = |thousandths: u64| bottom - thousandths.min(1000) * HEIGHT / 1000;
    for tenth in [0, 250, 500, 750, 1000] {
        append(
            &mut out,
            format_args!(
                "<line x1=\"{left}\" y1=\"{y}\" x2=\"{width}\" y2=\"{y}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{} %</text>\n",
                left - 6,
                y(tenth) + 4,
                tenth / 10,
                y = y(tenth)
            ),
        );
    }
    for (number, action) in actions.iter().enumerate() {
        let first = left + 7 + group * number as u64;
        for (run, colour) in series.iter().zip(COLOURS.iter().cycle()).enumerate() {
            let ((series, colour), x) = (colour, first + BAR * run as u64);
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
        let middle = first + BAR * series.len() as u64 / 2;
        append(
            &mut out,
            format_args!(
                "<text transform=\"translate({middle},{}) rotate(-40)\" text-anchor=\"end\">{}</text>\n",
                bottom + 16,
                escape(action)
            ),
        );
    }
    if has_titles {
        let middle = 20 + HEIGHT / 2;
        append(
            &mut out,
            format_args!(
                "<text transform=\"translate(14,{middle}) rotate(-90)\" text-anchor=\"middle\">share of all steps</text>\n<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">action</text>\n<text x=\"{left}\" y=\"{}\">Bars: all seeds. Circles: each seed.</text>\n",
                (left + width) / 2,
                bottom + 100,
                height - 12
            ),
        );
    }
    for (number, (series, colour)) in series.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let y = bottom + 104 + below + 18 * number as u64;
        append(
            &mut out,
            format_args!(
                "<rect x=\"{left}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{colour}\"/><text x=\"{}\" y=\"{y}\">{}</text>\n",
                y - 11,
                left + 18,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_as_text() {
        let series = PlotSeries {
            label: "run\u{202e}<&".to_owned(),
            shares: vec![(500, vec![])],
        };
        let image = render_svg(&["act\u{200b}\u{85}".to_owned()], &[series], true);
        assert!(image.contains(">run\\u{202e}&lt;&amp;<"), "{image}");
        assert!(image.contains(">act\\u{200b}\\u{85}<"), "{image}");
    }
}
