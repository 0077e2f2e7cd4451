//! Figures as SVG images: lines, marks and texts at whole pixels, and axes with titles.

use std::fmt::Write;

use axilog_ledger::visible_text::escape_deceptive_line;

use super::decimal::Decimal;

/// Colours that most eyes tell apart, in grey too.
pub(crate) const COLOURS: [&str; 6] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00",
];

/// Where a text stands by its point.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// An image that is drawn part by part.
pub(crate) struct SvgFigure {
    out: String,
}

impl SvgFigure {
    /// An empty image with this title and size.
    pub(crate) fn new(title: &str, width: i64, height: i64) -> SvgFigure {
        let title = escape(title);
        SvgFigure {
            out: format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n<title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
            ),
        }
    }

    /// Draws a line; `style` are further attributes, as `stroke="#ddd"`.
    pub(crate) fn line(&mut self, from: (i64, i64), to: (i64, i64), style: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.append(format_args!(
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {style}/>\n"
        ));
    }

    /// Draws a line through points.
    pub(crate) fn polyline(&mut self, points: &[(i64, i64)], style: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
        self.append(format_args!(
            "<polyline points=\"{}\" fill=\"none\" {style}/>\n",
            points.join(" ")
        ));
    }

    /// Draws a disc.
    pub(crate) fn disc(&mut self, (x, y): (i64, i64), radius: i64, colour: &str) {
        self.append(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{colour}\"/>\n"
        ));
    }

    /// Writes a text; `style` are further attributes.
    pub(crate) fn text(&mut self, (x, y): (i64, i64), anchor: Anchor, style: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let space = if style.is_empty() { "" } else { " " };
        self.append(format_args!(
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"{space}{style}>{}</text>\n",
            escape(text)
        ));
    }

    /// Writes the title of an axis that goes up, read from below.
    pub(crate) fn upward_text(&mut self, (x, y): (i64, i64), text: &str) {
        self.append(format_args!(
            "<text transform=\"translate({x},{y}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
            escape(text)
        ));
    }

    /// The text of the image's file.
    pub(crate) fn into_text(self) -> String {
        self.out + "</svg>\n"
    }

    fn append(&mut self, part: std::fmt::Arguments<'_>) {
        // A string takes whatever is written.
        let _ = self.out.write_fmt(part);
    }
}

/// Escapes text for an SVG image.
pub(crate) fn escape(text: &str) -> String {
    escape_deceptive_line(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The first characters of a text that is too long for its place, and an ellipsis.
pub(crate) fn shorten(text: &str, longest: usize) -> String {
    match text.chars().count() > longest {
        false => text.to_owned(),
        true => {
            let kept: String = text.chars().take(longest.saturating_sub(1)).collect();
            format!("{kept}…")
        }
    }
}

/// The distances between two marks of an axis, in millionths.
const STEPS: [i128; 8] = [
    10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000,
];

/// The distance where none of these gives few marks.
const WIDEST_STEP: i128 = 5_000_000;

/// The most distances between marks on an axis.
const MOST_STEPS: i128 = 8;

/// An axis: which values it holds, in millionths, and where it lies in an image.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    low: i128,
    high: i128,
    step: i128,
    start: i64,
    end: i64,
}

impl Axis {
    /// The axis from pixel `start` to pixel `end` that holds 0 and all of `values`.
    pub(crate) fn covering(
        values: impl Iterator<Item = Decimal>,
        (start, end): (i64, i64),
    ) -> Axis {
        let (mut least, mut most) = (0, 0);
        for value in values {
            least = least.min(value.millionths());
            most = most.max(value.millionths());
        }
        let span = |step: i128| (least.div_euclid(step), -((-most).div_euclid(step)));
        let fits = |step: &i128| {
            let (low, high) = span(*step);
            high - low <= MOST_STEPS
        };
        let step = STEPS.into_iter().find(fits).unwrap_or(WIDEST_STEP);
        let (low, high) = span(step);
        Axis {
            low: low * step,
            high: high.max(low + 1) * step,
            step,
            start,
            end,
        }
    }

    /// The pixel of a value.
    pub(crate) fn place(&self, value: Decimal) -> i64 {
        let length = i128::from(self.end - self.start);
        let passed = (value.millionths() - self.low) * length;
        let passed = passed.checked_div(self.high - self.low).unwrap_or(0);
        self.start + i64::try_from(passed).unwrap_or(0)
    }

    /// The values of the marks.
    pub(crate) fn marks(&self) -> Vec<Decimal> {
        let count = (self.high - self.low).checked_div(self.step).unwrap_or(0);
        (0..=count)
            .map(|number| Decimal::from_ratio(self.low + number * self.step, 1_000_000))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimals(thousandths: &[i128]) -> impl Iterator<Item = Decimal> {
        thousandths.iter().map(|n| Decimal::from_ratio(*n, 1000))
    }

    #[test]
    fn axes_hold_their_values_and_begin_or_end_at_marks() {
        for (values, expected, places) in [
            (
                &[-418, -341, -265][..],
                "-0.5 -0.4 -0.3 -0.2 -0.1 0",
                &[16, 31, 47][..],
            ),
            (
                &[255, 436, 662],
                "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7",
                &[36, 62, 94],
            ),
            (&[-3, 2], "-0.01 0 0.01", &[35, 60]),
            (&[], "0 0.01", &[]),
            (&[-1000, 1000], "-1 -0.5 0 0.5 1", &[0, 100]),
            (&[2828], "0 0.5 1 1.5 2 2.5 3", &[94]),
        ] {
            let axis = Axis::covering(decimals(values), (0, 100));
            let marks: Vec<String> = axis.marks().iter().map(Decimal::to_string).collect();
            assert_eq!(marks.join(" "), expected);
            let found: Vec<i64> = decimals(values).map(|value| axis.place(value)).collect();
            assert_eq!(found, places, "{values:?}");
        }
    }

    #[test]
    fn names_are_shown_as_text() {
        let mut figure = SvgFigure::new("a\u{202e}<&", 10, 10);
        figure.text((1, 2), Anchor::End, "", "b\u{200b}>");
        let text = figure.into_text();
        assert!(
            text.contains("<title>a\\u{202e}&lt;&amp;</title>"),
            "{text}"
        );
        assert!(text.contains(">b\\u{200b}&gt;</text>"), "{text}");
        assert_eq!(shorten("abcdef", 4), "abc…");
        assert_eq!(shorten("abcd", 4), "abcd");
    }
}
