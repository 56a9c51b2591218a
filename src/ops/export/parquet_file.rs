//! One Parquet file.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::ZstdLevel;
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::fs::{Access, PathAt, PendingFile, open_regular};
use crate::ops::error::OpsError;
use crate::tables::{CellKind, Column, Dollars, TABLES_VERSION, TableCell, TableName, columns_of};

/// Maximum number of rows of a row group.
const ROWS: usize = 64 << 10;
/// Maximum size of the rows that wait for their row group, in bytes. Several files are written at
/// once, and a row group is compressed column by column.
const BYTES: usize = 16 << 20;

/// A Parquet file that is being written.
pub(super) struct ParquetFile {
    writer: SerializedFileWriter<PendingFile>,
    columns: Vec<ColumnBuffer>,
    waiting_rows: usize,
    waiting_bytes: usize,
    rows: u64,
}

impl ParquetFile {
    /// Makes a file for that table.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn create(table: TableName, path: PathAt) -> Result<Self, OpsError> {
        let file = PendingFile::create(path)?;
        let failed = failure(&file);
        let columns = columns_of(table);
        let fields: Result<Vec<_>, _> = columns.iter().map(field).collect();
        let schema = fields
            .and_then(|fields| Type::group_type_builder(table.name()).with_fields(fields).build());
        let schema = schema.map_err(&failed)?;
        let note = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_key_value_metadata(Some(vec![
                note("runlog.tables_version", TABLES_VERSION.to_string()),
                note("runlog.version", env!("CARGO_PKG_VERSION").to_owned()),
            ]))
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties));
        Ok(Self {
            writer: writer.map_err(failed)?,
            columns: columns.iter().map(ColumnBuffer::of).collect(),
            waiting_rows: 0,
            waiting_bytes: 0,
            rows: 0,
        })
    }

    /// Takes the next row.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn row(&mut self, cells: &[TableCell<'_>]) -> Result<(), OpsError> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            self.waiting_bytes += column.push(*cell);
        }
        self.waiting_rows += 1;
        self.rows += 1;
        match self.waiting_rows >= ROWS || self.waiting_bytes >= BYTES {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Completes the file and gives it its name. Returns the numbers of rows and bytes.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn place(mut self) -> Result<(u64, u64), OpsError> {
        self.flush()?;
        let failed = failure(self.writer.inner());
        let file = self.writer.into_inner().map_err(failed)?;
        let written = (self.rows, file.written());
        file.place()?;
        Ok(written)
    }

    fn flush(&mut self) -> Result<(), OpsError> {
        if self.waiting_rows > 0 {
            let failed = failure(self.writer.inner());
            write_group(&mut self.writer, &mut self.columns).map_err(failed)?;
            (self.waiting_rows, self.waiting_bytes) = (0, 0);
        }
        Ok(())
    }
}

/// The number of rows in a Parquet file; `None` if it is not complete.
#[must_use]
pub(super) fn rows_in(path: &PathAt) -> Option<u64> {
    let file = open_regular(path, Access::Read).ok()?;
    let reader = SerializedFileReader::new(file).ok()?;
    u64::try_from(reader.metadata().file_metadata().num_rows()).ok()
}

fn failure(file: &PendingFile) -> impl Fn(ParquetError) -> OpsError + use<> {
    let path = file.path().to_owned();
    move |error| OpsError::Format { path: path.clone(), reason: error.to_string() }
}

/// The type of money, so that sums are exact.
fn decimal() -> LogicalType {
    LogicalType::decimal(Dollars::SCALE.into(), Dollars::PRECISION.into())
}

/// The definition of a column. JSON is text: not every reader knows the logical type of JSON.
fn field(column: &Column) -> Result<Arc<Type>, ParquetError> {
    let (physical, logical) = match column.kind {
        CellKind::Text | CellKind::Json => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        CellKind::Integer => (PhysicalType::INT64, None),
        CellKind::Dollars => (PhysicalType::INT64, Some(decimal())),
        CellKind::Boolean => (PhysicalType::BOOLEAN, None),
        CellKind::Time => {
            (PhysicalType::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS)))
        }
    };
    let repetition = if column.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let digits = |digits: u8| if column.kind == CellKind::Dollars { digits.into() } else { -1 };
    let field = Type::primitive_type_builder(column.name, physical)
        .with_logical_type(logical)
        .with_precision(digits(Dollars::PRECISION))
        .with_scale(digits(Dollars::SCALE))
        .with_repetition(repetition);
    Ok(Arc::new(field.build()?))
}

/// The values of a column that wait for their row group.
struct ColumnBuffer {
    values: ColumnValues,
    /// For each row, 1 if there is a value, else 0. `None` if no value may be missing.
    levels: Option<Vec<i16>>,
}

/// Values of one kind.
enum ColumnValues {
    Texts(Vec<ByteArray>),
    Integers(Vec<i64>),
    Flags(Vec<bool>),
}

impl ColumnBuffer {
    fn of(column: &Column) -> Self {
        let values = match column.kind {
            CellKind::Text | CellKind::Json => ColumnValues::Texts(Vec::new()),
            CellKind::Integer | CellKind::Time | CellKind::Dollars => {
                ColumnValues::Integers(Vec::new())
            }
            CellKind::Boolean => ColumnValues::Flags(Vec::new()),
        };
        Self { values, levels: column.optional.then(Vec::new) }
    }

    /// Adds a value. Returns its size.
    fn push(&mut self, cell: TableCell<'_>) -> usize {
        let is_known = cell != TableCell::Null;
        if let Some(levels) = &mut self.levels {
            levels.push(i16::from(is_known));
            if !is_known {
                return 2;
            }
        }
        match (&mut self.values, cell) {
            (ColumnValues::Texts(texts), TableCell::Text(text) | TableCell::Json(text)) => {
                texts.push(text.as_bytes().to_vec().into());
                return text.len() + 32;
            }
            (ColumnValues::Integers(numbers), TableCell::Integer(number)) => numbers.push(number),
            (ColumnValues::Integers(numbers), TableCell::Time(time)) => numbers.push(time.millis()),
            (ColumnValues::Integers(numbers), TableCell::Dollars(dollars)) => {
                numbers.push(dollars.micros());
            }
            (ColumnValues::Flags(flags), TableCell::Boolean(flag)) => flags.push(flag),
            // The definition of a row rules the rest out; every row must have a value here.
            (ColumnValues::Texts(texts), _) => texts.push(Vec::new().into()),
            (ColumnValues::Integers(numbers), _) => numbers.push(0),
            (ColumnValues::Flags(flags), _) => flags.push(false),
        }
        8
    }
}

/// Writes the values as a row group.
fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    columns: &mut [ColumnBuffer],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for buffer in columns {
        let Some(mut column) = group.next_column()? else { break };
        let levels = buffer.levels.as_deref();
        match &buffer.values {
            ColumnValues::Texts(values) => {
                column.typed::<ByteArrayType>().write_batch(values, levels, None)?;
            }
            ColumnValues::Integers(values) => {
                column.typed::<Int64Type>().write_batch(values, levels, None)?;
            }
            ColumnValues::Flags(values) => {
                column.typed::<BoolType>().write_batch(values, levels, None)?;
            }
        }
        column.close()?;
        match &mut buffer.values {
            ColumnValues::Texts(values) => values.clear(),
            ColumnValues::Integers(values) => values.clear(),
            ColumnValues::Flags(values) => values.clear(),
        }
        if let Some(levels) = &mut buffer.levels {
            levels.clear();
        }
    }
    group.close()?;
    Ok(())
}
