//! Rows as Parquet, without arrow. Reading and writing keep a bounded number of rows in memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use crate::columns::{Column, LEADERS, PARAM, PHASE, Row, Value};
use crate::contain::contained;
use crate::error::{Error, brief};
use crate::files;
use crate::meta::Meta;
use crate::outcome::{Outcome, Phases};
use crate::pages;
use crate::seal::{self, Sealing};
use crate::sweep::Setup;

/// The most rows that are written together, and kept in memory until then.
const GROUP: usize = 1 << 16;
/// How many rows are read together.
const BATCH: usize = 1 << 12;
/// How a Parquet file begins and ends.
const MAGIC: [u8; 4] = *b"PAR1";
/// The longest that a file may say of itself: some 4 KiB for each group of rows. The reader makes room for a list before it reads
/// it, some hundred bytes for each of this.
const MAX_FOOTER: u32 = 1 << 24;
/// The name of the pair that holds the seal.
const SEAL: &str = "ringleader.seal";

// --- Writing --------------------------------------------------------------------------------------------------

fn schema(columns: &[Column]) -> Result<TypePtr, ParquetError> {
    let field = |column: &Column| {
        let (repetition, kind, meaning) = match column.value {
            Value::Whole(_) => (Repetition::REQUIRED, Physical::INT64, None),
            Value::Seed(_) => (Repetition::REQUIRED, Physical::INT64, Some(LogicalType::integer(64, false))),
            Value::Perhaps(_) | Value::Param(_) | Value::Phase(_) => (Repetition::OPTIONAL, Physical::INT64, None),
            Value::Truth(_) => (Repetition::REQUIRED, Physical::BOOLEAN, None),
            Value::Text(_) => (Repetition::REQUIRED, Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(&column.name, kind).with_repetition(repetition);
        field.with_logical_type(meaning).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("trial").with_fields(fields).build().map(Arc::new)
}

/// Writes rows into a file, which is there when all are on disk and not before. Gives their number.
///
/// # Errors
/// If a row is an error, or something cannot be written.
pub fn write(
    path: &Path,
    meta: &Meta,
    columns: &[Column],
    rows: impl Iterator<Item = Result<Row, Error>>,
) -> Result<u64, Error> {
    let mut count = 0;
    files::write(path, |out| {
        let mut out = Sealing::new(out);
        count = write_groups(&mut out, meta, columns, rows)?;
        out.finish()
    })?;
    Ok(count)
}

fn write_groups(
    out: impl Write + Send,
    meta: &Meta,
    columns: &[Column],
    rows: impl Iterator<Item = Result<Row, Error>>,
) -> io::Result<u64> {
    // The seal comes last, so that it is found near the end of the file.
    let pairs = meta.pairs().into_iter().chain([(SEAL, seal::blank())]);
    let pairs = pairs.map(|(key, value)| KeyValue::new(key.to_owned(), value)).collect();
    // Seeds are all different, so a dictionary of them is work for nothing.
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_column_dictionary_enabled("seed".into(), false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_key_value_metadata(Some(pairs));
    let schema = schema(columns).map_err(as_io)?;
    let mut writer = SerializedFileWriter::new(out, schema, Arc::new(properties.build())).map_err(as_io)?;
    let (mut count, mut group) = (0, Vec::new());
    for row in rows {
        group.push(row.map_err(io::Error::other)?);
        count += 1;
        if group.len() == GROUP {
            write_group(&mut writer, columns, &std::mem::take(&mut group)).map_err(as_io)?;
        }
    }
    if !group.is_empty() {
        write_group(&mut writer, columns, &group).map_err(as_io)?;
    }
    writer.close().map_err(as_io)?;
    Ok(count)
}

fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    columns: &[Column],
    rows: &[Row],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for column in columns {
        let numbers = || rows.iter().map(|row| column.value.number(row));
        match &column.value {
            Value::Truth(get) => put::<BoolType, W>(&mut group, rows.iter().map(get), None),
            Value::Text(get) => put::<ByteArrayType, W>(&mut group, rows.iter().map(|row| (&*get(row)).into()), None),
            Value::Seed(_) => put::<Int64Type, W>(&mut group, numbers().flatten().map(u64::cast_signed), None),
            Value::Whole(_) => put::<Int64Type, W>(&mut group, numbers().flatten().map(signed), None),
            Value::Perhaps(_) | Value::Param(_) | Value::Phase(_) => {
                let present: Vec<i16> = numbers().map(|number| number.is_some().into()).collect();
                put::<Int64Type, W>(&mut group, numbers().flatten().map(signed), Some(&present))
            }
        }?;
    }
    group.close().map(drop)
}

/// No number of steps is ever that great.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn put<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: impl Iterator<Item = T::T>,
    present: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let too_few = || ParquetError::General("more columns than the schema has".into());
    let mut writer = group.next_column()?.ok_or_else(too_few)?;
    writer.typed::<T>().write_batch(&values.collect::<Vec<_>>(), present, None)?;
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
///
/// # Errors
/// If it holds no records, or is damaged.
pub fn metadata(path: &Path) -> Result<Meta, Error> {
    open(path).map(|(.., meta)| meta)
}

/// The rows of several files, one after the other. All files are looked at before the first row is given.
///
/// # Errors
/// If one of them holds no records, or is damaged.
pub fn read(paths: &[PathBuf]) -> Result<impl Iterator<Item = Result<Row, Error>> + use<>, Error> {
    let files: Vec<Rows> = paths.iter().map(|path| Rows::open(path)).collect::<Result<_, _>>()?;
    Ok(files.into_iter().flatten())
}

/// The cells of several files, in the order of their rows; one may be there more than once.
///
/// # Errors
/// If one of the files cannot be read.
pub fn setups(paths: &[PathBuf]) -> Result<Vec<Arc<Setup>>, Error> {
    let mut setups: Vec<Arc<Setup>> = Vec::new();
    for row in read(paths)? {
        let Row { setup, .. } = row?;
        if setups.last().is_none_or(|last| !Arc::ptr_eq(last, &setup)) {
            setups.push(setup);
        }
    }
    Ok(setups)
}

/// What the Parquet reader makes of a file. The seal vouches for what was written, not for who wrote it, and the reader panics on
/// some files that nobody would write by accident.
fn decoded<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    contained(read).unwrap_or_else(|panic| Err(wrong(format!("its contents make no sense ({panic})"))))
}

/// Opens a file once it is known that it is whole.
fn open(path: &Path) -> Result<(File, SerializedFileReader<File>, Meta), Error> {
    let bad = |why: &str| Error::new(format!("cannot read {}: {}", path.display(), brief(why)));
    let mut file = File::open(path).map_err(|error| bad(&error.to_string()))?;
    check_whole(&mut file).map_err(|why| bad(&why))?;
    let again = file.try_clone().map_err(|error| bad(&error.to_string()))?;
    let reader = decoded(|| SerializedFileReader::new(again)).map_err(|error| bad(&error.to_string()))?;
    let about = reader.metadata().file_metadata();
    let get = |name: &str| {
        let pairs = about.key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == name)?.value.clone()
    };
    let meta = Meta::from_pairs(get).map_err(|why| bad(&why))?;
    Ok((file, reader, meta))
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
        Some(true) if footer(file).map_err(failed)? > MAX_FOOTER => {
            Err(format!("what it says of itself is longer than {} MiB", MAX_FOOTER >> 20))
        }
        Some(true) => Ok(()),
        Some(false) => Err("it is damaged: its contents do not match their SHA-256".into()),
        None => Err("it holds no records of ringleader, or it is damaged".into()),
    }
}

/// How long what a file says of itself is.
fn footer(file: &mut File) -> io::Result<u32> {
    let mut length = [0; 4];
    file.seek(SeekFrom::End(-8))?;
    file.read_exact(&mut length)?;
    Ok(u32::from_le_bytes(length))
}

/// The rows of one file, a few thousand of them in memory at a time.
struct Rows {
    path: PathBuf,
    file: File,
    reader: SerializedFileReader<File>,
    names: Vec<String>,
    group: usize,
    /// How many rows of the group are still to be read.
    left: usize,
    columns: Vec<ColumnReader>,
    /// The cell of the last row, which is nearly always that of the next.
    last: Option<(u32, Arc<Setup>)>,
    batch: std::vec::IntoIter<Row>,
    failed: bool,
}

impl Rows {
    fn open(path: &Path) -> Result<Self, Error> {
        let (file, reader, _) = open(path)?;
        let fields = reader.metadata().file_metadata().schema().get_fields();
        let names = fields.iter().map(|field| field.name().to_owned()).collect();
        let (path, columns, batch) = (path.to_owned(), Vec::new(), Vec::new().into_iter());
        Ok(Self { path, file, reader, names, group: 0, left: 0, columns, last: None, batch, failed: false })
    }

    /// Reads on; false at the end of the file.
    fn refill(&mut self) -> Result<bool, ParquetError> {
        while self.left == 0 {
            if self.group == self.reader.num_row_groups() {
                return Ok(false);
            }
            let group = self.reader.get_row_group(self.group)?;
            let rows = u64::try_from(group.metadata().num_rows())?;
            group.metadata().columns().iter().try_for_each(|column| pages::check(&self.file, column, rows))?;
            self.columns = (0..self.names.len()).map(|k| group.get_column_reader(k)).collect::<Result<_, _>>()?;
            self.left = usize::try_from(rows)?;
            self.group += 1;
        }
        let count = self.left.min(BATCH);
        let values = self.columns.iter_mut().map(|column| Values::read(column, count)).collect::<Result<_, _>>()?;
        let rows = Batch { names: &self.names, values }.rows(count, &mut self.last)?;
        self.left -= count;
        self.batch = rows.into_iter();
        Ok(true)
    }
}

impl Iterator for Rows {
    type Item = Result<Row, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(row) = self.batch.next() {
            return Some(Ok(row));
        }
        if self.failed {
            return None;
        }
        match decoded(|| self.refill()) {
            Ok(true) => self.batch.next().map(Ok),
            Ok(false) => None,
            Err(error) => {
                self.failed = true;
                let why = brief(&error.to_string());
                Some(Err(Error::new(format!("cannot read {}: {why}", self.path.display()))))
            }
        }
    }
}

/// Some values of a column; truths are 0 and 1.
enum Values {
    Numbers(Vec<Option<u64>>),
    Texts(Vec<Option<ByteArray>>),
}

impl Values {
    fn read(column: &mut ColumnReader, count: usize) -> Result<Self, ParquetError> {
        Ok(match column {
            ColumnReader::Int32ColumnReader(column) => {
                Self::Numbers(take(column, count, |v| v.cast_unsigned().into())?)
            }
            ColumnReader::Int64ColumnReader(column) => Self::Numbers(take(column, count, i64::cast_unsigned)?),
            ColumnReader::BoolColumnReader(column) => Self::Numbers(take(column, count, u64::from)?),
            ColumnReader::ByteArrayColumnReader(column) => Self::Texts(take(column, count, |text| text)?),
            _ => return Err(wrong("a column has a type that records do not have")),
        })
    }
}

/// The next values of a column; `None` where there is none.
fn take<T: DataType, V>(
    column: &mut ColumnReaderImpl<T>,
    count: usize,
    value: impl Fn(T::T) -> V,
) -> Result<Vec<Option<V>>, ParquetError> {
    let (mut values, mut present) = (Vec::with_capacity(count), Vec::with_capacity(count));
    column.read_records(count, Some(&mut present), None, &mut values)?;
    // A column without gaps has no levels.
    if present.is_empty() {
        present.resize(values.len(), 1);
    }
    if present.len() != count || present.iter().filter(|&&level| level > 0).count() != values.len() {
        return Err(wrong(format!("a column ends early: {} values where {count} should be", present.len())));
    }
    let mut values = values.into_iter().map(value);
    Ok(present.into_iter().map(|level| if level > 0 { values.next() } else { None }).collect())
}

fn wrong(why: impl Into<String>) -> ParquetError {
    ParquetError::General(why.into())
}

/// A value that every row has.
fn there<V>(value: Option<V>) -> Result<V, ParquetError> {
    value.ok_or_else(|| wrong("a column has gaps where every row needs a value"))
}

/// Some rows, column by column.
struct Batch<'a> {
    names: &'a [String],
    values: Vec<Values>,
}

impl Batch<'_> {
    fn find(&self, name: &str) -> Option<&Values> {
        self.names.iter().position(|known| known == name).map(|k| &self.values[k])
    }

    fn numbers(&self, name: &str) -> Result<&[Option<u64>], ParquetError> {
        match self.find(name) {
            Some(Values::Numbers(values)) => Ok(values),
            _ => Err(wrong(format!("its columns are not those of records: no numbers {name}"))),
        }
    }

    fn text(&self, name: &str, k: usize) -> Result<&str, ParquetError> {
        match self.find(name) {
            Some(Values::Texts(values)) => there(values[k].as_ref())?.as_utf8(),
            _ => Err(wrong(format!("its columns are not those of records: no texts {name}"))),
        }
    }

    fn rows(&self, count: usize, last: &mut Option<(u32, Arc<Setup>)>) -> Result<Vec<Row>, ParquetError> {
        let (cell, trial, seed) = (self.numbers("cell")?, self.numbers("trial")?, self.numbers("seed")?);
        let (steps, safe, censored) = (self.numbers("steps")?, self.numbers("safe")?, self.numbers("censored")?);
        let (change, coins) = (self.numbers("last_output_change")?, self.numbers("coins_read")?);
        let (last_fault, old) = (self.numbers("last_fault")?, self.is_old());
        let leaders = self.find(LEADERS).map(|_| self.numbers(LEADERS)).transpose()?;
        let mut phases: (Option<Arc<Setup>>, Vec<&[Option<u64>]>) = (None, Vec::new());
        let mut rows = Vec::with_capacity(count);
        for k in 0..count {
            let cell = small(there(cell[k])?)?;
            let setup = match last {
                Some((known, setup)) if *known == cell => setup.clone(),
                _ => last.insert((cell, self.setup(k)?.into())).1.clone(),
            };
            if phases.0.as_ref().is_none_or(|known| !Arc::ptr_eq(known, &setup)) {
                phases = (Some(setup.clone()), self.phases(&setup)?);
            }
            let outcome = Outcome {
                cell,
                trial: small(there(trial[k])?)?,
                seed: there(seed[k])?,
                steps: there(steps[k])?,
                safe: safe[k],
                censored: there(censored[k])? != 0,
                last_output_change: there(change[k])?,
                coins_read: there(coins[k])?,
                last_fault: last_fault[k],
                leaders_after_fault: leaders.and_then(|leaders| leaders[k]),
                phases: if old {
                    old_phases(self.text("phases", k)?)?
                } else {
                    setup.phases.iter().zip(&phases.1).map(|(name, steps)| (name.clone(), steps[k])).collect()
                },
            };
            rows.push(Row { setup, outcome });
        }
        Ok(rows)
    }

    /// Whether the rows have format 1.
    fn is_old(&self) -> bool {
        self.names.iter().any(|name| name == "params")
    }

    /// The columns of the phases of a cell; in format 1 they have none.
    fn phases(&self, setup: &Setup) -> Result<Vec<&[Option<u64>]>, ParquetError> {
        let names = setup.phases.iter().filter(|_| !self.is_old());
        names.map(|name| self.numbers(&format!("{PHASE}{name}"))).collect()
    }

    /// What row k says of its cell.
    fn setup(&self, k: usize) -> Result<Setup, ParquetError> {
        let text = |name: &str| self.text(name, k).map(str::to_owned);
        let number = |name: &str| there(self.numbers(name)?[k]);
        let (params, rules, phases) = if self.is_old() {
            let phases = old_phases(self.text("phases", k)?)?;
            (old_params(self.text("params", k)?)?, 0, phases.into_iter().map(|(name, _)| name).collect())
        } else {
            let rules = self.text("rules", k)?;
            let known = if rules.is_empty() { Ok(0) } else { u64::from_str_radix(rules, 16) };
            let phases: Result<Vec<String>, _> = serde_json::from_str(self.text("phases", k)?);
            let phases = phases.map_err(|error| wrong(format!("column phases: {error}")))?;
            let known = known.map_err(|_| wrong(format!("column rules holds {rules:?}")))?;
            (self.params(k)?, known, phases.into_iter().map(Arc::from).collect())
        };
        Ok(Setup {
            protocol: text("protocol")?,
            n: small(number("n")?)?,
            params,
            start: text("start")?,
            faults: text("faults")?,
            scheduler: text("scheduler")?,
            rules,
            limit: number("limit")?,
            phases,
        })
    }

    fn params(&self, k: usize) -> Result<Vec<(String, u64)>, ParquetError> {
        let names = self.names.iter().filter_map(|name| name.strip_prefix(PARAM));
        let value = |name: &str| Ok(self.numbers(&format!("{PARAM}{name}"))?[k].map(|value| (name.to_owned(), value)));
        names.filter_map(|name| value(name).transpose()).collect()
    }
}

fn small(number: u64) -> Result<u32, ParquetError> {
    u32::try_from(number).map_err(|_| wrong(format!("{number} is no number of a cell, of a trial or of agents")))
}

/// The parameters `k=v,k=v` of format 1.
fn old_params(text: &str) -> Result<Vec<(String, u64)>, ParquetError> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    let wrong = |one| wrong(format!("{one:?} among the parameters {text:?} is not of the form name=number"));
    text.split(',').filter(|one| !one.is_empty()).map(|one| pair(one).ok_or_else(|| wrong(one))).collect()
}

/// The phases `name=step,name=step` of format 1, where a name may hold commas: it ends before a number or nothing.
fn old_phases(text: &str) -> Result<Phases, ParquetError> {
    let (mut phases, mut name) = (Vec::new(), String::new());
    for part in text.split(',').filter(|_| !text.is_empty()) {
        name += part;
        match name.rsplit_once('=').map(|(name, step)| (Arc::from(name), step.is_empty(), step.parse().ok())) {
            Some((phase, unreached, step)) if unreached || step.is_some() => {
                phases.push((phase, step));
                name.clear();
            }
            _ => name.push(','),
        }
    }
    if name.is_empty() { Ok(phases) } else { Err(wrong(format!("the phases {text:?} are not of the form name=step"))) }
}

#[cfg(test)]
mod tests {
    use ringleader::random::{Stream, index, stream};

    use super::*;
    use crate::columns::columns;
    use crate::columns::tests::{samples, setups};
    use crate::meta::tests::sample;

    fn place(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("ringleader-{}-{name}", std::process::id()))
    }

    fn written(name: &str, count: u32) -> PathBuf {
        let (path, rows) = (place(name), samples(count));
        let columns = columns(setups(&rows));
        assert_eq!(write(&path, &sample(), &columns, rows.into_iter().map(Ok)).unwrap(), u64::from(count));
        path
    }

    fn all(paths: &[PathBuf]) -> Result<Vec<Row>, Error> {
        read(paths)?.collect()
    }

    #[test]
    fn rows_read_back_over_groups_and_files() {
        let (none, one, many) = (written("none", 0), written("one", 1), written("many", 70_000));
        assert_eq!(metadata(&many).unwrap(), sample());
        assert_eq!(all(std::slice::from_ref(&many)).unwrap(), samples(70_000));
        let three = [one.clone(), none.clone(), one.clone()];
        assert_eq!(all(&three).unwrap(), [samples(1), samples(1)].concat());
        assert_eq!(super::setups(std::slice::from_ref(&many)).unwrap().len(), 7000);
        [none, one, many].iter().for_each(|path| std::fs::remove_file(path).unwrap());
    }

    /// What other programs see: signed integers, but for seeds, which need all 64 bits.
    #[test]
    fn integers_are_signed_but_for_seeds() {
        let schema = schema(&columns(setups(&samples(20)))).unwrap();
        for field in schema.get_fields() {
            let unsigned = field.get_basic_info().logical_type_ref() == Some(&LogicalType::integer(64, false));
            assert_eq!(unsigned, field.name() == "seed", "{}", field.name());
            assert!(unsigned || ![Physical::INT32, Physical::INT96].contains(&field.get_physical_type()));
        }
    }

    #[test]
    fn phases_of_format_1_are_read_whatever_their_names() {
        let read = |text: &str| {
            let phases = old_phases(text).map_err(|error| error.to_string())?;
            Ok::<_, String>(phases.iter().map(|(name, step)| format!("{name}:{step:?}")).collect::<Vec<_>>())
        };
        assert_eq!(read(""), Ok(vec![]));
        assert_eq!(read("first leader=0,S_PL="), Ok(vec!["first leader:Some(0)".into(), "S_PL:None".into()]));
        let odd = "one=12,C_PB, with exactly one leader=,x=y, z=7";
        let names = ["one:Some(12)", "C_PB, with exactly one leader:None", "x=y, z:Some(7)"];
        assert_eq!(read(odd), Ok(names.map(str::to_owned).to_vec()));
        assert!(read("C_PB, with").unwrap_err().contains("name=step"));
        assert!(old_params("psi").is_err() && old_params("a=1,b=2").is_ok_and(|params| params.len() == 2));
    }

    fn complaint(path: &Path) -> String {
        metadata(path).map_or_else(|error| error.to_string(), |_| String::new())
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

    /// The seal keeps accidents out, not people: whatever is written into a file and sealed again, it is read or refused.
    #[test]
    fn a_forged_file_is_refused_without_a_panic() {
        let (path, rows) = (place("forged"), samples(100));
        let meta = Meta { machine: "any".into(), ..sample() };
        write(&path, &meta, &columns(setups(&rows)), rows.into_iter().map(Ok)).unwrap();
        let (whole, mut random) = (std::fs::read(&path).unwrap(), stream(1, Stream::Start));
        let mut draw = |below: usize| index(&mut random, below);
        let (mut panics, mut refused) = (0, 0);
        for _ in 0..4000 {
            let mut bytes = whole.clone();
            for _ in 0..=draw(3) {
                // What the file says of itself is at its end, and of more weight than its values.
                let first = if draw(2) == 0 { 0 } else { bytes.len() - 3000 };
                let at = first + draw(bytes.len() - first);
                bytes[at] = [draw(256) as u8, bytes[at] ^ (1 << draw(8)), 0, 0x7f, 0xff][draw(5)];
            }
            seal::tests::reseal(&mut bytes);
            std::fs::write(&path, &bytes).unwrap();
            let told = all(std::slice::from_ref(&path)).map_or_else(|error| error.to_string(), |_| String::new());
            panics += usize::from(told.contains("make no sense ("));
            refused += usize::from(!told.is_empty());
        }
        assert!(panics > 0 && refused > 2000, "{panics} panics, {refused} refused: forge something worse");
        std::fs::remove_file(&path).unwrap();
    }

    /// Memory that cannot be had would end the process, so it must not be asked for.
    #[test]
    fn what_asks_for_too_much_is_refused_before_it_is_read() {
        let path = written("greedy", 100);
        let whole = std::fs::read(&path).unwrap();
        // The first page is the dictionary of the numbers of cells, which says that it is 8 KiB.
        assert_eq!([whole[4], whole[5], whole[6], whole[8] & 0x80], [0x15, 4, 0x15, 0], "no dictionary of this size");
        let footer = whole.len() - 8;
        for (at, bytes, told) in
            [(7, &[0xfe, 0x7f][..], "a page makes no sense"), (footer, &[0, 0, 0, 2], "longer than 16 MiB")]
        {
            let mut forged = whole.clone();
            forged[at..at + bytes.len()].copy_from_slice(bytes);
            seal::tests::reseal(&mut forged);
            std::fs::write(&path, &forged).unwrap();
            let refused = all(std::slice::from_ref(&path)).unwrap_err().to_string();
            assert!(refused.contains(told), "{refused}");
        }
        std::fs::remove_file(&path).unwrap();
    }

    /// The greatest length is allowed; this file has no room for it, which its reader finds out.
    #[test]
    fn what_is_said_of_a_file_may_be_as_long_as_is_allowed() {
        let path = written("boundary", 100);
        let mut forged = std::fs::read(&path).unwrap();
        for (length, too_long) in [(MAX_FOOTER, false), (MAX_FOOTER + 1, true)] {
            let at = forged.len() - 8;
            forged[at..at + 4].copy_from_slice(&length.to_le_bytes());
            seal::tests::reseal(&mut forged);
            std::fs::write(&path, &forged).unwrap();
            let told = complaint(&path);
            assert!(!told.is_empty() && told.contains("longer than 16 MiB") == too_long, "{told}");
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn an_error_among_the_rows_leaves_no_file() {
        let path = place("broken");
        let columns = columns(setups(&samples(3)));
        let rows = samples(3).into_iter().map(Ok).chain([Err(Error::new("no more"))]);
        assert!(write(&path, &sample(), &columns, rows).is_err_and(|error| error.to_string().contains("no more")));
        assert!(!path.exists());
    }
}
