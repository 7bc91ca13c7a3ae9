//! Rows as Parquet, without arrow. Reading and writing keep a bounded number of rows in memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::TypePtr;

use crate::files;
use crate::stop::Stop;
use crate::store::meta::Meta;
use crate::store::row::{Access, COLUMNS, Column, Row};
use crate::store::seal::{self, Sealing};

/// The most rows that are written together, and kept in memory until then.
const GROUP: usize = 1 << 16;
/// How many rows are read together.
const BATCH: usize = 1 << 12;
/// How a Parquet file begins and ends.
const MAGIC: [u8; 4] = *b"PAR1";
/// The name of the pair that holds the seal.
const SEAL: &str = "ringleader.seal";

impl Access {
    /// The type of the column in the schema language of Parquet.
    fn kind(&self) -> [&'static str; 3] {
        match self {
            Self::Small(..) => ["REQUIRED", "INT32", "(INTEGER(32,false))"],
            Self::Large(..) => ["REQUIRED", "INT64", "(INTEGER(64,false))"],
            Self::Perhaps(..) => ["OPTIONAL", "INT64", "(INTEGER(64,false))"],
            Self::Flag(..) => ["REQUIRED", "BOOLEAN", ""],
            Self::Text(..) => ["REQUIRED", "BYTE_ARRAY", "(STRING)"],
        }
    }
}

fn schema() -> Result<TypePtr, ParquetError> {
    let field = |column: &Column| {
        let [repetition, kind, meaning] = column.access.kind();
        format!("{repetition} {kind} {} {meaning};", column.name)
    };
    Ok(Arc::new(parse_message_type(&format!("message trial {{ {} }}", COLUMNS.iter().map(field).collect::<String>()))?))
}

// --- Writing --------------------------------------------------------------------------------------------------

/// Writes rows into a file, which is there when all are on disk and not before. Gives their number.
pub(crate) fn write(path: &Path, meta: &Meta, rows: impl Iterator<Item = Result<Row, Stop>>) -> Result<u64, Stop> {
    let mut count = 0;
    files::write(path, |out| {
        count = write_to(out, meta, rows)?;
        Ok(())
    })?;
    Ok(count)
}

fn write_to<W: Write + Seek + Send>(
    out: W,
    meta: &Meta,
    rows: impl Iterator<Item = Result<Row, Stop>>,
) -> io::Result<u64> {
    let mut out = Sealing::new(out);
    let count = write_groups(&mut out, meta, rows)?;
    out.finish()?;
    Ok(count)
}

fn write_groups(out: impl Write + Send, meta: &Meta, rows: impl Iterator<Item = Result<Row, Stop>>) -> io::Result<u64> {
    // The seal comes last, so that it is found near the end of the file.
    let pairs = meta.pairs().into_iter().chain([(SEAL, seal::blank())]);
    let pairs = pairs.map(|(key, value)| KeyValue::new(key.to_owned(), value)).collect();
    // Seeds are all different, so a dictionary of them is work for nothing.
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_column_dictionary_enabled("seed".into(), false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_key_value_metadata(Some(pairs));
    let mut writer =
        SerializedFileWriter::new(out, schema().map_err(as_io)?, Arc::new(properties.build())).map_err(as_io)?;
    let (mut count, mut group) = (0, Vec::new());
    for row in rows {
        group.push(row.map_err(|stop| io::Error::other(stop.message()))?);
        count += 1;
        if group.len() == GROUP {
            write_group(&mut writer, &std::mem::take(&mut group)).map_err(as_io)?;
        }
    }
    if !group.is_empty() {
        write_group(&mut writer, &group).map_err(as_io)?;
    }
    writer.close().map_err(as_io)?;
    Ok(count)
}

fn write_group<W: Write + Send>(writer: &mut SerializedFileWriter<W>, rows: &[Row]) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for column in &COLUMNS {
        match column.access {
            Access::Small(get, _) => put::<Int32Type, W>(&mut group, rows, |row| get(row).cast_signed()),
            Access::Large(get, _) => put::<Int64Type, W>(&mut group, rows, |row| get(row).cast_signed()),
            Access::Flag(get, _) => put::<BoolType, W>(&mut group, rows, get),
            Access::Text(get, _) => put::<ByteArrayType, W>(&mut group, rows, |row| get(row).as_str().into()),
            Access::Perhaps(get, _) => put_some(&mut group, rows, get),
        }?;
    }
    group.close().map(drop)
}

fn put<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[Row],
    get: impl Fn(&Row) -> T::T,
) -> Result<(), ParquetError> {
    let values: Vec<T::T> = rows.iter().map(get).collect();
    put_values::<T, W>(group, &values, None)
}

fn put_some<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[Row],
    get: fn(&Row) -> Option<u64>,
) -> Result<(), ParquetError> {
    let values: Vec<i64> = rows.iter().filter_map(get).map(u64::cast_signed).collect();
    let present: Vec<i16> = rows.iter().map(|row| i16::from(get(row).is_some())).collect();
    put_values::<Int64Type, W>(group, &values, Some(&present))
}

fn put_values<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    present: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let too_few = || ParquetError::General("more columns than the schema has".into());
    let mut writer = group.next_column()?.ok_or_else(too_few)?;
    writer.typed::<T>().write_batch(values, present, None)?;
    writer.close()
}

/// A full disk is reported as such, not as an error of the format.
fn as_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => source.downcast::<io::Error>().map_or_else(io::Error::other, |error| *error),
        error => io::Error::other(error),
    }
}

// --- Reading --------------------------------------------------------------------------------------------------

/// What a file says of its rows.
pub(crate) fn metadata(path: &Path) -> Result<Meta, Stop> {
    open(path).map(|(_, meta)| meta)
}

/// The rows of several files, one after the other. All files are looked at before the first row is given.
pub(crate) fn read(paths: &[PathBuf]) -> Result<impl Iterator<Item = Result<Row, Stop>> + use<>, Stop> {
    let files: Vec<Rows> = paths.iter().map(|path| Rows::open(path)).collect::<Result<_, _>>()?;
    Ok(files.into_iter().flatten())
}

/// Opens a file once it is known that it is whole.
fn open(path: &Path) -> Result<(SerializedFileReader<File>, Meta), Stop> {
    let bad = |why: &str| Stop::Bad(format!("cannot read {}: {why}", path.display()));
    let mut file = File::open(path).map_err(|error| bad(&error.to_string()))?;
    check_whole(&mut file).map_err(|why| bad(&why))?;
    let reader = SerializedFileReader::new(file).map_err(|error| bad(&error.to_string()))?;
    let about = reader.metadata().file_metadata();
    let get = |name: &str| {
        let pairs = about.key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == name)?.value.clone()
    };
    let meta = Meta::from_pairs(get).map_err(|why| bad(&why))?;
    let schema = schema().map_err(|error| bad(&error.to_string()))?;
    if *about.schema() != *schema {
        return Err(bad("its columns are not those of records"));
    }
    Ok((reader, meta))
}

fn check_whole(file: &mut File) -> Result<(), String> {
    let failed = |error: io::Error| error.to_string();
    if file.metadata().is_ok_and(|meta| meta.is_dir()) {
        return Err("it is a directory".into());
    }
    let (mut first, mut last) = ([0; 4], [0; 4]);
    let ends = file.read_exact(&mut first).and_then(|()| file.seek(SeekFrom::End(-4)));
    if ends.is_err() || first != MAGIC {
        return Err("it is not a Parquet file".into());
    }
    file.read_exact(&mut last).map_err(failed)?;
    if last != MAGIC {
        return Err("it is cut off: the end of a Parquet file is missing".into());
    }
    match seal::is_whole(file).map_err(failed)? {
        Some(true) => Ok(()),
        Some(false) => Err("it is damaged: its contents do not match their SHA-256".into()),
        None => Err("it holds no records of ringleader, or it is damaged".into()),
    }
}

/// The rows of one file, a few thousand of them in memory at a time.
struct Rows {
    path: PathBuf,
    reader: SerializedFileReader<File>,
    group: usize,
    /// How many rows of the group are still to be read.
    left: usize,
    columns: Vec<ColumnReader>,
    batch: std::vec::IntoIter<Row>,
    failed: bool,
}

impl Rows {
    fn open(path: &Path) -> Result<Self, Stop> {
        let (reader, _) = open(path)?;
        let (columns, batch) = (Vec::new(), Vec::new().into_iter());
        Ok(Self { path: path.to_owned(), reader, group: 0, left: 0, columns, batch, failed: false })
    }

    /// Reads on; false at the end of the file.
    fn refill(&mut self) -> Result<bool, ParquetError> {
        while self.left == 0 {
            if self.group == self.reader.num_row_groups() {
                return Ok(false);
            }
            let group = self.reader.get_row_group(self.group)?;
            self.columns = (0..COLUMNS.len()).map(|k| group.get_column_reader(k)).collect::<Result<_, _>>()?;
            self.left = usize::try_from(group.metadata().num_rows())?;
            self.group += 1;
        }
        let count = self.left.min(BATCH);
        let mut rows = vec![Row::default(); count];
        for (column, reader) in COLUMNS.iter().zip(&mut self.columns) {
            fill(&mut rows, column, reader)?;
        }
        self.left -= count;
        self.batch = rows.into_iter();
        Ok(true)
    }
}

impl Iterator for Rows {
    type Item = Result<Row, Stop>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(row) = self.batch.next() {
            return Some(Ok(row));
        }
        if self.failed {
            return None;
        }
        match self.refill() {
            Ok(true) => self.batch.next().map(Ok),
            Ok(false) => None,
            Err(error) => {
                self.failed = true;
                Some(Err(Stop::Bad(format!("cannot read {}: {error}", self.path.display()))))
            }
        }
    }
}

/// Sets one column of rows.
fn fill(rows: &mut [Row], column: &Column, reader: &mut ColumnReader) -> Result<(), ParquetError> {
    match (&column.access, reader) {
        (Access::Small(_, set), ColumnReader::Int32ColumnReader(reader)) => take(rows, reader, |row, value| {
            set(row, value.cast_unsigned());
            Ok(())
        }),
        (Access::Large(_, set), ColumnReader::Int64ColumnReader(reader)) => take(rows, reader, |row, value| {
            set(row, value.cast_unsigned());
            Ok(())
        }),
        (Access::Flag(_, set), ColumnReader::BoolColumnReader(reader)) => take(rows, reader, |row, value| {
            set(row, *value);
            Ok(())
        }),
        (Access::Text(_, set), ColumnReader::ByteArrayColumnReader(reader)) => take(rows, reader, |row, value| {
            set(row, text(value)?);
            Ok(())
        }),
        (Access::Perhaps(_, set), ColumnReader::Int64ColumnReader(reader)) => take_some(rows, reader, *set),
        _ => Err(ParquetError::General(format!("column {} has another type", column.name))),
    }
}

fn text(value: &ByteArray) -> Result<String, ParquetError> {
    Ok(value.as_utf8()?.to_owned())
}

fn take<T: DataType>(
    rows: &mut [Row],
    reader: &mut ColumnReaderImpl<T>,
    set: impl Fn(&mut Row, &T::T) -> Result<(), ParquetError>,
) -> Result<(), ParquetError> {
    let mut values = Vec::with_capacity(rows.len());
    reader.read_records(rows.len(), None, None, &mut values)?;
    enough(rows.len(), values.len())?;
    rows.iter_mut().zip(&values).try_for_each(|(row, value)| set(row, value))
}

fn take_some(
    rows: &mut [Row],
    reader: &mut ColumnReaderImpl<Int64Type>,
    set: fn(&mut Row, Option<u64>),
) -> Result<(), ParquetError> {
    let (mut values, mut present) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    reader.read_records(rows.len(), Some(&mut present), None, &mut values)?;
    enough(rows.len(), present.len())?;
    enough(present.iter().filter(|&&level| level > 0).count(), values.len())?;
    let mut values = values.into_iter().map(i64::cast_unsigned);
    for (row, level) in rows.iter_mut().zip(present) {
        set(row, if level > 0 { values.next() } else { None });
    }
    Ok(())
}

fn enough(wanted: usize, found: usize) -> Result<(), ParquetError> {
    if wanted == found {
        return Ok(());
    }
    Err(ParquetError::General(format!("a column ends early: {found} values where {wanted} should be")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::meta::tests::sample;
    use crate::store::row::tests::samples;

    fn place(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("ringleader-{}-{name}", std::process::id()))
    }

    fn written(name: &str, count: u32) -> PathBuf {
        let path = place(name);
        assert_eq!(write(&path, &sample(), samples(count).into_iter().map(Ok)).unwrap(), u64::from(count));
        path
    }

    fn all(paths: &[PathBuf]) -> Result<Vec<Row>, Stop> {
        read(paths)?.collect()
    }

    #[test]
    fn rows_read_back_over_groups_and_files() {
        let (none, one, many) = (written("none", 0), written("one", 1), written("many", 70_000));
        assert_eq!(metadata(&many).unwrap(), sample());
        assert_eq!(all(std::slice::from_ref(&many)).unwrap(), samples(70_000));
        let three = [one.clone(), none.clone(), one.clone()];
        assert_eq!(all(&three).unwrap(), [samples(1), samples(1)].concat());
        [none, one, many].iter().for_each(|path| std::fs::remove_file(path).unwrap());
    }

    fn complaint(path: &Path) -> String {
        metadata(path).map_or_else(|stop| stop.message().to_owned(), |_| String::new())
    }

    #[test]
    fn cut_off_and_foreign_files_are_refused() {
        let path = written("cut", 100);
        let whole = std::fs::read(&path).unwrap();
        for length in (5..whole.len()).step_by(13) {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(complaint(&path).contains("cut off"), "{length} bytes: {}", complaint(&path));
        }
        std::fs::write(&path, "seed = 1").unwrap();
        assert!(complaint(&path).contains("not a Parquet file"));
        std::fs::write(&path, "PAR1").unwrap();
        assert!(complaint(&path).contains("no records"));
        std::fs::remove_file(&path).unwrap();
        assert!(complaint(&place("nowhere")).contains("cannot read"));
        assert!(complaint(&std::env::temp_dir()).contains("a directory"));
    }

    #[test]
    fn any_changed_byte_is_found_out() {
        let path = written("damaged", 100);
        let whole = std::fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(13) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x5a;
            std::fs::write(&path, &bytes).unwrap();
            assert!(!complaint(&path).is_empty(), "byte {at} of {}", whole.len());
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn an_error_among_the_rows_leaves_no_file() {
        let path = place("broken");
        let rows = samples(3).into_iter().map(Ok).chain([Err(Stop::Bad("no more".into()))]);
        assert!(matches!(write(&path, &sample(), rows), Err(Stop::Bad(told)) if told.contains("no more")));
        assert!(!path.exists());
    }
}
