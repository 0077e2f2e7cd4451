//! The figure of how shares of steps change in the course of an episode, and its table.

use super::comparison::RunComparison;
use super::csv::CsvTable;
use super::decimal::Decimal;
use super::svg_figure::{Anchor, Axis, COLOURS, SvgFigure, shorten};
use super::trajectory::{Trajectory, TrajectoryShare, TrajectoryWindow};

/// The dashes of lines, so that they are told apart without colours.
const DASHES: [&str; 6] = ["", "6 3", "2 3", "9 3 2 3", "12 4", "1 2"];

const WIDTH: i64 = 720;
const LEFT: i64 = 70;
const RIGHT: i64 = WIDTH - 20;
/// The height of a panel's plot, and how far the next one begins below it.
const HEIGHT: i64 = 200;
const PANEL: i64 = HEIGHT + 90;
const TOP: i64 = 40;

impl RunComparison {
    /// Renders the figure, an SVG image with a panel for each share.
    #[must_use]
    pub fn render_trajectories(&self, trajectories: &[Trajectory]) -> String {
        let panels = [TrajectoryShare::LastChoice, TrajectoryShare::OtherChoice];
        let legend = TOP + PANEL * 2;
        let height = legend + 18 * self.runs.len() as i64 + 30;
        let mut figure = SvgFigure::new("Choices in the course of an episode", WIDTH, height);
        for (number, share) in (0..).zip(panels) {
            let shown: Vec<&Trajectory> =
                trajectories.iter().filter(|it| it.share == share).collect();
            self.draw_trajectory_panel(&mut figure, TOP + PANEL * number, share, &shown);
        }
        for (place, run) in self.runs.iter().enumerate() {
            let y = legend + 18 * place as i64;
            figure.line((LEFT, y - 4), (LEFT + 40, y - 4), &line_style(place));
            figure.text((LEFT + 48, y), Anchor::Start, "", &shorten(&run.label, 90));
        }
        let y = height - 14;
        figure.text(
            (LEFT, y),
            Anchor::Start,
            "",
            "Points: all seeds and episodes. Bars: the middle 95 % over resamples of the seeds.",
        );
        figure.into_text()
    }

    fn draw_trajectory_panel(
        &self,
        figure: &mut SvgFigure,
        top: i64,
        share: TrajectoryShare,
        shown: &[&Trajectory],
    ) {
        let bottom = top + HEIGHT;
        let title = match share {
            TrajectoryShare::LastChoice => "How often a choice repeats the run's choice before it",
            TrajectoryShare::OtherChoice => {
                "How often a choice differs from the reference's at the same step"
            }
        };
        figure.text(
            (LEFT, top - 14),
            Anchor::Start,
            "font-weight=\"bold\"",
            title,
        );
        let windows = || shown.iter().flat_map(|it| &it.windows);
        let ends = windows().flat_map(|it| it.interval.unwrap_or([it.share; 2]));
        let shares = Axis::covering(ends, (bottom, top));
        for mark in shares.marks() {
            let y = shares.place(mark);
            figure.line((LEFT, y), (RIGHT, y), "stroke=\"#ddd\"");
            figure.text((LEFT - 8, y + 4), Anchor::End, "", &mark.to_string());
        }
        let steps = windows().map(|it| it.last_step).max().unwrap_or(1);
        let place_of = |step: i128| {
            let length = i128::from(RIGHT - LEFT) * step;
            LEFT + i64::try_from(length / steps as i128).unwrap_or(0)
        };
        figure.line((LEFT, bottom), (RIGHT, bottom), "stroke=\"black\"");
        for step in (0..=steps).step_by(10) {
            let x = place_of(step as i128);
            figure.line((x, bottom), (x, bottom + 5), "stroke=\"black\"");
            figure.text((x, bottom + 19), Anchor::Middle, "", &step.to_string());
        }
        let middle = i64::midpoint(LEFT, RIGHT);
        figure.text(
            (middle, bottom + 38),
            Anchor::Middle,
            "",
            "step of the episode",
        );
        figure.upward_text((18, i64::midpoint(top, bottom)), "share of choices");
        for trajectory in shown {
            // Bars at one step stand beside each other.
            let aside = 3 * trajectory.run as i64 - 3 * (self.runs.len() as i64 - 1) / 2;
            let colour = colour_of(trajectory.run);
            let mut points = Vec::new();
            for window in trajectory.windows.iter().filter(|it| it.steps > 0) {
                let middle = (window.first_step + window.last_step - 1) as i128;
                let x = aside + i64::midpoint(place_of(middle), LEFT);
                points.push((x, shares.place(window.share)));
                let [low, high] = window.interval.unwrap_or([window.share; 2]);
                let style = format!("stroke=\"{colour}\" stroke-opacity=\"0.6\"");
                figure.line((x, shares.place(low)), (x, shares.place(high)), &style);
            }
            figure.polyline(&points, &line_style(trajectory.run));
            for point in points {
                figure.disc(point, 3, colour);
            }
        }
    }

    /// The table of the figure, as CSV.
    #[must_use]
    pub fn list_trajectories(&self, trajectories: &[Trajectory]) -> String {
        let mut table = CsvTable::new([
            "share",
            "run",
            "first_step",
            "last_step",
            "steps",
            "count",
            "value",
            "low",
            "high",
        ]);
        for trajectory in trajectories {
            for window in &trajectory.windows {
                table.append(self.list_cells(trajectory, window));
            }
        }
        table.into_text()
    }

    fn list_cells(&self, trajectory: &Trajectory, window: &TrajectoryWindow) -> [String; 9] {
        let end = |place: usize| {
            let ends = window.interval.as_ref();
            let end = ends.and_then(|ends| ends.get(place));
            end.map_or_else(String::new, Decimal::to_string)
        };
        [
            trajectory.share.as_str().to_owned(),
            self.label(trajectory.run).to_owned(),
            window.first_step.to_string(),
            window.last_step.to_string(),
            window.steps.to_string(),
            window.count.to_string(),
            match window.steps {
                0 => String::new(),
                _ => window.share.to_string(),
            },
            end(0),
            end(1),
        ]
    }
}

fn colour_of(run: usize) -> &'static str {
    COLOURS.get(run % COLOURS.len()).copied().unwrap_or("black")
}

fn line_style(run: usize) -> String {
    let dashes = DASHES.get(run % DASHES.len()).copied().unwrap_or("");
    format!(
        "stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"",
        colour_of(run)
    )
}
