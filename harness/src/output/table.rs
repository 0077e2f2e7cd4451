//! Tables of at most 80 columns.

use axilog_ledger::visible_text::escape_deceptive_text;
use comfy_table::{
    ColumnConstraint, ContentArrangement, Row, Table, TableComponent, Width, presets,
};

const WIDTH: u16 = 80;

/// What stands where a text was cut off.
pub(crate) const CUT_OFF: &str = "…";

/// The longest label, `CONFIG_MISMATCH`, and a space: a digest just fits after it.
pub(crate) const LABEL_WIDTH: u16 = 16;

/// Labels and what they stand for, a line each.
pub(crate) fn format_pairs(rows: &[(&str, String)]) -> String {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH);
    for (label, value) in rows {
        table.add_row([
            (*label).to_owned(),
            escape_deceptive_text(value).into_owned(),
        ]);
    }
    if let Some(label) = table.column_mut(0) {
        label
            .set_padding((0, 1))
            .set_constraint(ColumnConstraint::Absolute(Width::Fixed(LABEL_WIDTH)));
    }
    if let Some(value) = table.column_mut(1) {
        value.set_padding((0, 0));
    }
    format!("{}\n", table.trim_fmt())
}

/// A number and what is counted, in the plural unless it is one.
pub(crate) fn count_of(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// A sentence after a dash, in lines of the table's width.
#[cfg(any(feature = "ablation", feature = "x0l"))]
pub(crate) fn wrap_sentence(text: &str) -> String {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH);
    table.add_row(["-".to_owned(), escape_deceptive_text(text).into_owned()]);
    for (column, width) in table.column_iter_mut().zip([2, WIDTH - 2]) {
        column
            .set_padding((0, u16::from(width == 2)))
            .set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
    }
    format!("{}\n", table.trim_fmt())
}

/// A table with a header; `widths` are those of its columns, which a space sets apart.
pub(crate) fn format_grid<const N: usize>(
    header: [&str; N],
    widths: [u16; N],
    rows: &[[String; N]],
) -> String {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_style(TableComponent::HeaderLines, '-')
        .set_style(TableComponent::MiddleHeaderIntersections, '-')
        .set_header(header);
    lay_out(table, widths, rows)
}

/// A table without a header whose rows are a line each: what a cell has more of is cut off.
pub(crate) fn format_lines<const N: usize>(widths: [u16; N], rows: &[[String; N]]) -> String {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_truncation_indicator(CUT_OFF);
    for row in rows {
        let mut row = Row::from(row.iter().map(|cell| escape_deceptive_text(cell)));
        row.max_height(1);
        table.add_row(row);
    }
    lay_out(table, widths, &[])
}

/// A row of such a table by itself, for tables that are longer than memory.
pub(crate) fn format_row<const N: usize>(widths: [u16; N], row: [String; N]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    lay_out(table, widths, &[row])
}

fn lay_out<const N: usize>(mut table: Table, widths: [u16; N], rows: &[[String; N]]) -> String {
    table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH);
    for row in rows {
        table.add_row(row.iter().map(|cell| escape_deceptive_text(cell)));
    }
    for (column, width) in table.column_iter_mut().zip(widths) {
        column
            .set_padding((0, 1))
            .set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
    }
    format!("{}\n", table.trim_fmt())
}
