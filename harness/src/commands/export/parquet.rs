//! The rows of an export as Apache Parquet: the columns of `row` with types, nested where they are.
//!
//! The rows are turned into columns here, by the column's definition and repetition levels, so that
//! the writer needs no Arrow. The same ledger gives the same bytes: nothing in them is of the time or
//! the place.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use axilog_ledger::error::FileError;
use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result as Written};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use serde_json::Value;

use super::row::{ExportRow, RowWriter};
use crate::error::CommandError;
use crate::output::stream::OutputStream;

/// The columns; their names are those of `row::COLUMNS`, in that order.
const SCHEMA: &str = "
message observation {
    REQUIRED INT64 sequence (INTEGER(64, false));
    REQUIRED BYTE_ARRAY oracle_id (STRING);
    REQUIRED BYTE_ARRAY model_id (STRING);
    REQUIRED BYTE_ARRAY completion_state (STRING);
    OPTIONAL BYTE_ARRAY failure_type (STRING);
    REQUIRED BYTE_ARRAY input_hash (STRING);
    REQUIRED BYTE_ARRAY obs_hash (STRING);
    REQUIRED BYTE_ARRAY output (STRING);
    REQUIRED INT64 output_size (INTEGER(64, false));
    REQUIRED GROUP params {
        OPTIONAL INT32 max_tokens;
        OPTIONAL INT64 seed;
        OPTIONAL INT32 temperature;
        OPTIONAL INT32 top_p;
    }
    REQUIRED GROUP policies (LIST) {
        REPEATED GROUP list {
            REQUIRED GROUP element {
                OPTIONAL INT32 actual;
                REQUIRED BYTE_ARRAY policy_id (STRING);
                REQUIRED BYTE_ARRAY result (STRING);
                REQUIRED INT32 threshold;
            }
        }
    }
    OPTIONAL BYTE_ARRAY input_class (STRING);
    OPTIONAL BYTE_ARRAY prev_state (STRING);
    OPTIONAL BYTE_ARRAY next_state (STRING);
    OPTIONAL BYTE_ARRAY violation (STRING);
    REQUIRED BOOLEAN verified;
}";

/// A row group is written when it has so many rows, or bytes of text.
const GROUP_ROWS: usize = 1 << 16;
const GROUP_BYTES: usize = 16 << 20;

/// A writer of rows as Parquet. It keeps the first failure of the format for the end, as
/// [`OutputStream`] keeps those of the system.
pub(crate) struct ParquetRows<W: Write + Send> {
    file: SerializedFileWriter<OutputStream<W>>,
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
    failed: Option<ParquetError>,
}

impl<W: Write + Send> ParquetRows<W> {
    pub(crate) fn begin(out: OutputStream<W>, name: &Path) -> Result<ParquetRows<W>, CommandError> {
        let begin = || -> Written<ParquetRows<W>> {
            let schema = Arc::new(parse_message_type(SCHEMA)?);
            // Statistics of each page would stay in memory to the end.
            let properties = WriterProperties::builder()
                .set_created_by(concat!("axilog version ", env!("CARGO_PKG_VERSION")).to_owned())
                .set_compression(Compression::SNAPPY)
                .set_statistics_enabled(EnabledStatistics::Chunk)
                .set_offset_index_disabled(true)
                .build();
            let described = SchemaDescriptor::new(schema.clone());
            Ok(ParquetRows {
                file: SerializedFileWriter::new(out, schema, Arc::new(properties))?,
                columns: described.columns().iter().map(|c| Column::new(c)).collect(),
                rows: 0,
                bytes: 0,
                failed: None,
            })
        };
        begin().map_err(|error| write_error(name, error))
    }

    fn write_group(&mut self) -> Written<()> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut writer) = group.next_column()? else {
                break;
            };
            column.write(writer.untyped())?;
            writer.close()?;
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

impl<W: Write + Send> RowWriter for ParquetRows<W> {
    fn put(&mut self, row: ExportRow) {
        if self.failed.is_some() {
            return;
        }
        let row = row.into_object();
        for column in &mut self.columns {
            self.bytes = self.bytes.saturating_add(column.put(&row));
        }
        self.rows = self.rows.saturating_add(1);
        if self.rows >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
            self.failed = self.write_group().err();
        }
    }

    fn finish(mut self: Box<Self>, name: &Path) -> Result<(), CommandError> {
        let mut written = self.failed.take().map_or(Ok(()), Err);
        if self.rows > 0 {
            written = written.and_then(|()| self.write_group());
        }
        let out = written.and_then(|()| self.file.into_inner());
        out.map_err(|error| write_error(name, error))?.finish(name)
    }
}

fn write_error(name: &Path, error: ParquetError) -> CommandError {
    FileError::from_io(name, "write")(std::io::Error::other(error)).into()
}

/// The values of a column in the row group under way.
struct Column {
    path: Vec<String>,
    most_defined: i16,
    repeats: bool,
    values: Values,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

enum Values {
    Boolean(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Text(Vec<ByteArray>),
}

impl Column {
    fn new(described: &ColumnDescriptor) -> Column {
        use parquet::basic::Type;
        Column {
            path: described.path().parts().to_vec(),
            most_defined: described.max_def_level(),
            repeats: described.max_rep_level() > 0,
            values: match described.physical_type() {
                Type::BOOLEAN => Values::Boolean(Vec::new()),
                Type::INT32 => Values::Int32(Vec::new()),
                Type::INT64 => Values::Int64(Vec::new()),
                _ => Values::Text(Vec::new()),
            },
            definition: Vec::new(),
            repetition: Vec::new(),
        }
    }

    /// Adds the column's part of a row; about how many bytes that is.
    fn put(&mut self, row: &Value) -> usize {
        let member = |value: &Value, name: &String| value.get(name).cloned().unwrap_or_default();
        let values: Vec<Value> = match self.path.as_slice() {
            [list, _, _, leaf] => {
                let items = row.get(list).and_then(Value::as_array);
                items
                    .into_iter()
                    .flatten()
                    .map(|item| member(item, leaf))
                    .collect()
            }
            path => vec![
                path.iter()
                    .fold(row.clone(), |value, name| member(&value, name)),
            ],
        };
        if values.is_empty() {
            self.definition.push(0);
            self.repetition.push(0);
        }
        let mut bytes = 0usize;
        for (n, value) in values.iter().enumerate() {
            // Only a last part can be null where those above it are there.
            let missing = i16::from(value.is_null());
            self.definition
                .push(self.most_defined.saturating_sub(missing));
            self.repetition.push(i16::from(n > 0));
            bytes = bytes.saturating_add(self.values.put(value));
        }
        bytes
    }

    fn write(&mut self, writer: &mut ColumnWriter<'_>) -> Written<()> {
        let definition = (self.most_defined > 0).then_some(self.definition.as_slice());
        let repetition = self.repeats.then_some(self.repetition.as_slice());
        match (&mut self.values, writer) {
            (Values::Boolean(values), ColumnWriter::BoolColumnWriter(writer)) => {
                writer.write_batch(values, definition, repetition)?;
                values.clear();
            }
            (Values::Int32(values), ColumnWriter::Int32ColumnWriter(writer)) => {
                writer.write_batch(values, definition, repetition)?;
                values.clear();
            }
            (Values::Int64(values), ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(values, definition, repetition)?;
                values.clear();
            }
            (Values::Text(values), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                writer.write_batch(values, definition, repetition)?;
                values.clear();
            }
            _ => return Err(ParquetError::General("a column of another type".to_owned())),
        }
        self.definition.clear();
        self.repetition.clear();
        Ok(())
    }
}

impl Values {
    /// Adds a value that is not null. One of another type is left out, and the levels then tell the
    /// writer that it is missing.
    fn put(&mut self, value: &Value) -> usize {
        match self {
            Values::Boolean(values) => values.extend(value.as_bool()),
            Values::Int32(values) => {
                let value = value.as_i64().and_then(|value| value.try_into().ok());
                values.extend::<Option<i32>>(value);
            }
            // Unsigned ones keep their bits; the column's type says how to read them.
            Values::Int64(values) => values.extend(
                value
                    .as_i64()
                    .or_else(|| value.as_u64().map(u64::cast_signed)),
            ),
            Values::Text(values) => {
                let Some(text) = value.as_str() else {
                    return 0;
                };
                values.push(text.into());
                return text.len();
            }
        }
        8
    }
}
