//! The names of a comparison's files.

/// The name of the comparison document.
pub const COMPARISON_FILE: &str = "comparison.json";
/// The name of the summary, in Markdown.
pub const SUMMARY_FILE: &str = "summary.md";
/// The name of the plot of how often each run did each action.
pub const ACTIONS_FIGURE: &str = "actions.svg";
/// The name of that plot's table.
pub const ACTIONS_TABLE: &str = "actions.csv";
/// The name of the figure of all effects with their intervals.
pub const EFFECTS_FIGURE: &str = "effects.svg";
/// The name of that figure's table.
pub const EFFECTS_TABLE: &str = "effects.csv";
/// The name of the figure of choices in the course of an episode.
pub const TRAJECTORIES_FIGURE: &str = "trajectories.svg";
/// The name of that figure's table.
pub const TRAJECTORIES_TABLE: &str = "trajectories.csv";

/// The names of all files; the document, by which a comparison is known, is written last.
pub const COMPARISON_FILES: [&str; 8] = [
    ACTIONS_FIGURE,
    ACTIONS_TABLE,
    EFFECTS_FIGURE,
    EFFECTS_TABLE,
    TRAJECTORIES_FIGURE,
    TRAJECTORIES_TABLE,
    SUMMARY_FILE,
    COMPARISON_FILE,
];
