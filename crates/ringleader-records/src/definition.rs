//! The definition of a sweep, as TOML. What is wrong with it is told with line and column, and all at once where that can be.
//!
//! A protocol may be a file, whose name is relative to that of the definition. When the definition is read, the texts of its files become
//! part of its own text, as a table `texts` at its end. So whatever keeps the text of a definition (records, journals, the folder of a job
//! array) can run it again without the files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use ringleader::catalogue::{Catalogue, is_file};
use ringleader::fault::{Fault, count};
use ringleader::trial::{Scheduler, Trial};
use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
use sha2::{Digest, Sha256};
use toml::Spanned;

use crate::error::Error;
use crate::files;
use crate::json::hex;
use crate::sweep::{Cell, Grid, Sweep, words};

/// A definition is a page of text, not a data file.
const MAX_BYTES: usize = 1 << 20;
/// More cells than anybody looks at.
const MAX_CELLS: u128 = 100_000;
/// The most repeats of a cell, which are in memory together when the records are written.
const MAX_REPEATS: u64 = 1_000_000;
/// The most trials; a few bytes of memory are needed for each.
const MAX_TRIALS: u64 = 20_000_000;
/// How often a cell is run if nothing is said of it.
const DEFAULT_REPEATS: u32 = 100;

/// A definition that can run, with its text.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The text, with those of the files that it names.
    pub text: String,
    /// What it asks for.
    pub sweep: Sweep,
    /// The hash of what the text means.
    pub hash: String,
    /// The protocols, those that are files among them.
    pub protocols: Catalogue,
}

/// The text of a protocol that is a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, as the definition has it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The SHA-256 of the text.
    pub hash: String,
}

impl Definition {
    /// Reads a file.
    ///
    /// # Errors
    /// If that fails, or with what is wrong.
    pub fn read(path: &Path, protocols: &Catalogue) -> Result<Self, Error> {
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::whole(files::read(path)?, protocols, Some(folder))
            .map_err(|why| Error::new(format!("{}: {why}", path.display())))
    }

    /// Makes sense of a text, and looks at every cell. It brings the texts of its files, or these are known.
    ///
    /// # Errors
    /// All that is wrong.
    pub fn parse(text: String, protocols: &Catalogue) -> Result<Self, String> {
        Self::whole(text, protocols, None)
    }

    /// The same with a folder in which its files are looked for.
    fn whole(text: String, protocols: &Catalogue, folder: Option<&Path>) -> Result<Self, String> {
        if text.len() > MAX_BYTES {
            return Err(format!("it has {} bytes; a definition has at most {MAX_BYTES}", text.len()));
        }
        let asked: Asked = toml::from_str(&text).map_err(|error| error.to_string().trim_end().to_owned())?;
        let (text, protocols) = with_files(text, &asked, protocols, folder)?;
        let line = |at: usize| 1 + text[..at.min(text.len())].matches('\n').count();
        let grids: Vec<(usize, Grid)> =
            asked.grid.iter().map(|grid| (line(grid.span().start), asked.grid(grid.get_ref()))).collect();
        let sweep = sweep(&protocols, asked.seed.0.0, &grids)?;
        if sweep.trials() > MAX_TRIALS {
            return Err(format!("it has {} trials; at most {MAX_TRIALS} are run", sweep.trials()));
        }
        let hash = hash(&sweep);
        Ok(Self { text, sweep, hash, protocols })
    }
}

/// The files whose texts a definition brings; none if it makes no sense.
#[must_use]
pub fn files_in(definition: &str) -> Vec<File> {
    let texts = toml::from_str::<Asked>(definition).ok().and_then(|asked| asked.texts).unwrap_or_default();
    texts.into_iter().map(|(name, text)| File { hash: hash_of(&text), name, text }).collect()
}

/// The hash of a text.
pub(crate) fn hash_of(text: &str) -> String {
    hex(Sha256::new().chain_update(text))
}

/// A definition with the texts of all files that it names, and the protocols with these.
fn with_files(
    mut text: String,
    asked: &Asked,
    protocols: &Catalogue,
    folder: Option<&Path>,
) -> Result<(String, Catalogue), String> {
    let mut protocols = protocols.clone();
    let named = asked.grid.iter().flat_map(|grid| &grid.get_ref().protocol.0);
    let named: BTreeSet<&String> = named.filter(|name| is_file(name)).collect();
    if let Some(texts) = &asked.texts {
        for (name, text) in texts {
            protocols = protocols.with_text(name, text)?;
        }
        return match named.iter().find(|name| !texts.contains_key(**name)) {
            Some(name) => Err(format!("{name} is not among its `texts`: a definition that brings texts brings all")),
            None => Ok((text, protocols)),
        };
    }
    let mut entries = String::new();
    for name in named {
        let own = match folder {
            Some(folder) => {
                let own = file(&folder.join(name))?;
                protocols = protocols.with_text(name, &own)?;
                Some(own.into())
            }
            None => protocols.find(name).map_err(|error| error.to_string())?.about().text.clone(),
        };
        // What is known by such a name may have no text.
        own.iter().for_each(|own: &Arc<str>| entries += &entry(name, own));
    }
    if !entries.is_empty() {
        text += &format!("\n# The files as they were when the sweep began.\n[texts]\n{entries}");
    }
    if text.len() > MAX_BYTES {
        let told = format!("a definition has at most {MAX_BYTES}, the texts of its protocols included");
        return Err(format!("it has {} bytes with its files; {told}", text.len()));
    }
    Ok((text, protocols))
}

/// The text of a file that a definition names.
fn file(path: &Path) -> Result<String, String> {
    if path.is_dir() {
        return Err(format!("{}: it is a folder; a protocol is a file", path.display()));
    }
    files::keep(path);
    files::read(path).map_err(|Error(why)| format!("{why}; a file is looked for from the folder of the definition"))
}

/// A text as TOML, as it is wherever that can be.
fn entry(name: &str, text: &str) -> String {
    // A string of JSON is one of TOML, but for the one character that JSON leaves as it is.
    let string = |text: &str| serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f");
    let strange = |c: char| c.is_control() && !['\n', '\t'].contains(&c);
    let literal = !text.contains("'''") && !text.ends_with('\'') && !text.contains(strange);
    let written = if literal { format!("'''\n{text}'''") } else { string(text) };
    format!("{} = {written} # SHA-256 {}\n", string(name), hash_of(text))
}

impl Definition {
    /// The definition of one grid, as a text that anybody could have written.
    ///
    /// # Errors
    /// All that is wrong.
    pub fn of_grid(seed: u64, grid: &Grid, protocols: &Catalogue) -> Result<Self, String> {
        Self::parse(text(seed, grid), protocols)
    }
}

/// A grid as TOML.
fn text(seed: u64, grid: &Grid) -> String {
    // A string of JSON is one of TOML.
    let string = |text: &str| serde_json::Value::from(text).to_string();
    let whole = |number: u64| if i64::try_from(number).is_ok() { number.to_string() } else { format!("\"{number}\"") };
    let list =
        |items: Vec<String>| if let [one] = &items[..] { one.clone() } else { format!("[{}]", items.join(", ")) };
    let mut lines = vec![format!("seed = {}", whole(seed)), format!("repeats = {}", grid.repeats)];
    lines.extend(["", "[[grid]]"].map(str::to_owned));
    let mut line = |name: &str, items: Vec<String>| lines.push(format!("{name} = {}", list(items)));
    line("protocol", grid.protocols.iter().map(|name| string(name)).collect());
    line("n", grid.sizes.iter().map(ToString::to_string).collect());
    if let Some(starts) = grid.starts.iter().map(|name| name.as_deref().map(string)).collect() {
        line("start", starts);
    }
    if grid.faults.iter().any(|faults| !faults.is_empty()) {
        let faults = |faults: &Vec<Fault>| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        line("faults", grid.faults.iter().map(|list| string(&faults(list))).collect());
    }
    if !grid.params.is_empty() {
        let value = |value: &Option<u64>| value.map_or_else(|| string("default"), whole);
        let pair = |(name, values): &(String, Vec<Option<u64>>)| {
            format!("{} = {}", string(name), list(values.iter().map(value).collect()))
        };
        let pairs = grid.params.iter().map(pair).collect::<Vec<_>>().join(", ");
        line("params", vec![format!("{{ {pairs} }}")]);
    }
    grid.limit.iter().for_each(|limit| line("limit", vec![whole(*limit)]));
    if grid.scheduler != Scheduler::default() {
        line("scheduler", vec![string(grid.scheduler.name())]);
    }
    if grid.phases {
        line("phases", vec!["true".into()]);
    }
    lines.join("\n") + "\n"
}

/// All cells of all grids, or all that is wrong with them.
fn sweep(protocols: &Catalogue, seed: u64, grids: &[(usize, Grid)]) -> Result<Sweep, String> {
    let count = grids.iter().fold(0_u128, |sum, (_, grid)| sum.saturating_add(grid.len()));
    if count > MAX_CELLS {
        return Err(format!("it has {count} cells; at most {MAX_CELLS} are run"));
    }
    let places = grids.iter().flat_map(|(line, grid)| grid.trials().into_iter().map(|trial| (*line, trial)));
    let places: Vec<(usize, Trial)> = places.collect();
    let asked = grids.iter().flat_map(|(_, grid)| grid.trials().into_iter().map(|trial| (trial, grid.repeats)));
    Sweep::new(protocols, seed, asked.collect()).map_err(|refused| {
        let (wrong, all) = (refused.len(), places.len());
        let line = |(k, error): &(usize, ringleader::error::Error)| {
            let (line, trial) = &places[*k];
            format!("\n  {} (grid at line {line}): {error}", words(trial))
        };
        let are = if wrong == 1 { "is" } else { "are" };
        format!(
            "{wrong} of {all} cells {are} impossible, so nothing is run:{}",
            refused.iter().map(line).collect::<String>()
        )
    })
}

impl Definition {
    /// The numbers that the cells of an older definition have here, if this one only adds cells and repeats to it.
    ///
    /// # Errors
    /// What else has changed, a line each.
    pub(crate) fn numbers_of(&self, old: &Definition) -> Result<Vec<u32>, String> {
        let here: BTreeMap<String, (u32, u32)> =
            (0..).zip(&self.sweep.cells).map(|(k, cell)| (lasting(cell), (k, cell.repeats))).collect();
        let mut changes = Vec::new();
        if self.sweep.seed != old.sweep.seed {
            changes.push(format!("\n  seed: it was {}, and is {}", old.sweep.seed, self.sweep.seed));
        }
        let number = |cell: &Cell| {
            let (number, _) = here.get(&lasting(cell)).filter(|(_, repeats)| *repeats >= cell.repeats)?;
            Some(*number)
        };
        let lost = old.sweep.cells.iter().filter(|cell| number(cell).is_none());
        changes.extend(lost.map(|cell| self.change(cell)));
        if changes.is_empty() { Ok(old.sweep.cells.iter().filter_map(number).collect()) } else { Err(changes.concat()) }
    }

    /// What became of a cell that is not here as it was.
    fn change(&self, old: &Cell) -> String {
        let identity = old.identity();
        let rest = |cell: &Cell| contract(cell)[identity.len() + 1..].to_owned();
        match self.sweep.cells.iter().find(|cell| cell.identity() == identity) {
            Some(cell) if cell.text != old.text => {
                format!("\n  {identity}: the text of {} has changed", old.setup.protocol)
            }
            Some(cell) => format!("\n  {identity}: it had {}, and has {}", rest(old), rest(cell)),
            None => format!("\n  {identity}: removed"),
        }
    }
}

/// A cell with everything that each of its rows depends on.
fn lasting(cell: &Cell) -> String {
    let phases = if cell.trial.phases { "yes" } else { "no" };
    let text = cell.text.as_ref().map_or(String::new(), |hash| format!(" text={hash}"));
    format!("{} limit={} phases={phases}{text}", cell.identity(), cell.setup.limit)
}

/// The same, with how many rows there are.
fn contract(cell: &Cell) -> String {
    format!("{} repeats={}", lasting(cell), cell.repeats)
}

fn hash(sweep: &Sweep) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("seed={}\n", sweep.seed));
    sweep.cells.iter().for_each(|cell| hash.update(contract(cell) + "\n"));
    hex(hash)
}

// --- The text -------------------------------------------------------------------------------------------------

/// The file. What stands above the grids holds for all that do not say otherwise.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    seed: One<Whole>,
    repeats: Option<One<Repeats>>,
    scheduler: Option<One<Scheduler>>,
    limit: Option<One<Whole>>,
    phases: Option<bool>,
    grid: Vec<Spanned<AskedGrid>>,
    /// The texts of protocols that are files, by their names.
    texts: Option<BTreeMap<String, String>>,
}

/// One grid. An axis is a value or a list of values.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedGrid {
    protocol: Many<String>,
    n: Many<Whole>,
    params: Option<BTreeMap<String, Many<Setting>>>,
    start: Option<Many<String>>,
    faults: Option<Many<Vec<Fault>>>,
    repeats: Option<One<Repeats>>,
    scheduler: Option<One<Scheduler>>,
    limit: Option<One<Whole>>,
    phases: Option<bool>,
}

impl Asked {
    fn grid(&self, grid: &AskedGrid) -> Grid {
        let size = |n: &Whole| usize::try_from(n.0).unwrap_or(usize::MAX);
        let params = grid.params.iter().flatten();
        let limit = grid.limit.as_ref().or(self.limit.as_ref());
        Grid {
            protocols: grid.protocol.0.clone(),
            sizes: grid.n.0.iter().map(size).collect(),
            params: params
                .map(|(name, Many(values))| (name.clone(), values.iter().map(|one| one.0).collect()))
                .collect(),
            starts: grid.start.as_ref().map_or(vec![None], |Many(names)| names.iter().cloned().map(Some).collect()),
            faults: grid.faults.as_ref().map_or(vec![Vec::new()], |Many(lists)| lists.clone()),
            scheduler: grid.scheduler.as_ref().or(self.scheduler.as_ref()).map_or(Scheduler::default(), |one| one.0),
            limit: limit.map(|One(Whole(steps))| *steps),
            phases: grid.phases.or(self.phases).unwrap_or(false),
            repeats: grid.repeats.as_ref().or(self.repeats.as_ref()).map_or(DEFAULT_REPEATS, |One(Repeats(k))| *k),
        }
    }
}

/// A value of TOML that is neither a list nor a table.
enum Scalar<'a> {
    Number(u64),
    Text(&'a str),
    Truth(bool),
}

/// Something that is written as one value.
trait FromScalar: Sized {
    /// What is allowed, in words.
    const ALLOWED: &'static str;
    fn from_scalar(scalar: Scalar<'_>) -> Option<Self>;
}

/// A number of steps, of agents, or a seed.
#[derive(Clone, Copy)]
struct Whole(u64);

impl FromScalar for Whole {
    const ALLOWED: &'static str = "a whole number of at most 2^64-1, such as 5000000 or 5e6 (beyond 2^63-1 in quotes)";
    fn from_scalar(scalar: Scalar<'_>) -> Option<Self> {
        match scalar {
            Scalar::Number(value) => Some(Self(value)),
            Scalar::Text(text) => count(text).map(Self),
            Scalar::Truth(_) => None,
        }
    }
}

struct Repeats(u32);

impl FromScalar for Repeats {
    const ALLOWED: &'static str = "a whole number, 1 to 1000000";
    fn from_scalar(scalar: Scalar<'_>) -> Option<Self> {
        let Whole(value) = Whole::from_scalar(scalar)?;
        (1..=MAX_REPEATS).contains(&value).then(|| u32::try_from(value).ok().map(Self))?
    }
}

/// The value of a parameter; `None` if it is left to the protocol.
#[derive(Clone, Copy)]
struct Setting(Option<u64>);

impl FromScalar for Setting {
    const ALLOWED: &'static str = "a whole number, true or false, or \"default\"";
    fn from_scalar(scalar: Scalar<'_>) -> Option<Self> {
        match scalar {
            Scalar::Truth(given) => Some(Self(given.then_some(1))),
            Scalar::Text("default") => Some(Self(None)),
            other => Whole::from_scalar(other).map(|Whole(value)| Self(Some(value))),
        }
    }
}

impl FromScalar for String {
    const ALLOWED: &'static str = "a name in quotes";
    fn from_scalar(scalar: Scalar<'_>) -> Option<Self> {
        match scalar {
            Scalar::Text(text) => Some(text.to_owned()),
            _ => None,
        }
    }
}

impl FromScalar for Scheduler {
    const ALLOWED: &'static str = "\"clocks\" or \"uniform\"";
    fn from_scalar(scalar: Scalar<'_>) -> Option<Self> {
        Self::named(&String::from_scalar(scalar)?).ok()
    }
}

impl FromScalar for Vec<Fault> {
    const ALLOWED: &'static str = "faults separated by `;`, each agents=K[,place=random|contiguous] or list=I+J+..., then \
                                   [,variable=NAME],at=safe|STEP; an empty text is no fault";
    fn from_scalar(scalar: Scalar<'_>) -> Option<Self> {
        let text = String::from_scalar(scalar)?;
        let faults = text.split(';').map(str::trim).filter(|_| !text.trim().is_empty());
        faults.map(|fault| fault.parse().ok()).collect()
    }
}

/// One value.
struct One<T>(T);
/// One value or a list of some.
struct Many<T>(Vec<T>);

impl<'de, T: FromScalar> Deserialize<'de> for One<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Many(mut values) = deserializer.deserialize_any(Values { list: false, kind: PhantomData })?;
        Ok(Self(values.remove(0)))
    }
}

impl<'de, T: FromScalar> Deserialize<'de> for Many<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Values { list: true, kind: PhantomData })
    }
}

struct Values<T> {
    /// Whether a list is allowed.
    list: bool,
    kind: PhantomData<T>,
}

impl<T: FromScalar> Values<T> {
    fn one<E: serde::de::Error>(scalar: Scalar<'_>, shown: impl fmt::Display) -> Result<Many<T>, E> {
        let wrong = || E::custom(format!("{shown}: allowed is {}", T::ALLOWED));
        T::from_scalar(scalar).map(|value| Many(vec![value])).ok_or_else(wrong)
    }
}

impl<'de, T: FromScalar> Visitor<'de> for Values<T> {
    type Value = Many<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = if self.list { ", or a list of these" } else { "" };
        write!(f, "{}{list}", T::ALLOWED)
    }
    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Many<T>, E> {
        match u64::try_from(value) {
            Ok(value) => Self::one(Scalar::Number(value), value),
            Err(_) => Err(E::custom(format!("{value}: allowed is {}", T::ALLOWED))),
        }
    }
    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Many<T>, E> {
        Self::one(Scalar::Number(value), value)
    }
    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Many<T>, E> {
        // 5e6 is a floating-point number to TOML; up to 2^53 these are exact.
        if value.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&value) {
            return Self::one(Scalar::Number(value as u64), value);
        }
        Err(E::custom(format!("{value}: allowed is {}", T::ALLOWED)))
    }
    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Many<T>, E> {
        Self::one(Scalar::Text(value), format!("{value:?}"))
    }
    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Many<T>, E> {
        Self::one(Scalar::Truth(value), value)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Many<T>, A::Error> {
        if !self.list {
            return Err(A::Error::custom(format!("a list: allowed is {}", T::ALLOWED)));
        }
        let mut values = Vec::new();
        while let Some(One(value)) = items.next_element()? {
            values.push(value);
        }
        if values.is_empty() {
            Err(A::Error::custom("an empty list leaves no cell; give at least one value"))
        } else {
            Ok(Many(values))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::tests::builtin;

    fn parse(text: &str) -> Result<Definition, String> {
        Definition::parse(text.to_owned(), &builtin())
    }

    #[test]
    fn a_definition_is_read() {
        let text = r#"
            seed = "18446744073709551615"
            repeats = 1e1
            [[grid]]
            protocol = ["ppl", "ppl-prime"]
            n = [8, 16]
            params = { psi = ["default", 6], unsound = [false] }
            start = ["safe", "uniform"]
            faults = ["", "agents=1,at=safe; list=3,at=7"]
            [[grid]]
            protocol = "pcl"
            n = 9
            limit = 5_000
            phases = true
            scheduler = "uniform"
            repeats = 3
        "#;
        let Definition { sweep, hash, .. } = parse(text).unwrap();
        assert_eq!((sweep.seed, sweep.cells.len(), sweep.trials(), hash.len()), (u64::MAX, 33, 323, 64));
        let last = contract(&sweep.cells[32]);
        let first = "ppl n=8 params=kappa=144,psi=3 start=safe faults= scheduler=clocks limit=";
        assert!(contract(&sweep.cells[0]).starts_with(first), "{}", contract(&sweep.cells[0]));
        assert!(last.starts_with("pcl n=9 ") && last.ends_with("scheduler=uniform limit=5000 phases=yes repeats=3"));
        assert!(sweep.cells[1].identity().contains("faults=agents=1,at=safe;list=3,at=7 "), "{:?}", sweep.cells[1]);
        let spaced = parse(&text.replace(" = ", "  =  ")).unwrap();
        assert_eq!(hash, spaced.hash, "only the meaning counts");
        assert_ne!(hash, parse(&text.replace("5_000", "5_001")).unwrap().hash);
    }

    /// They are counted before they are made, over all grids.
    #[test]
    fn too_many_cells_are_refused() {
        let many: Vec<String> = (1..=250).map(|k| k.to_string()).collect();
        let many = many.join(", ");
        let grid = format!("[[grid]]\nprotocol = \"ppl\"\nn = [{many}]\nparams.psi = [{many}]\n");
        let told = parse(&format!("seed = 1\nrepeats = 1\n{grid}{grid}")).unwrap_err();
        assert!(told.contains("it has 125000 cells; at most 100000 are run"), "{told}");
    }

    #[test]
    fn a_grid_is_written_as_a_definition() {
        let grid = Grid {
            protocols: vec!["ppl".into(), "ppl-prime".into()],
            sizes: vec![8, 16],
            params: vec![("psi".into(), vec![None, Some(5)])],
            starts: vec![Some("safe".into())],
            faults: vec![vec!["agents=1,at=safe".parse().unwrap(), "list=3,at=7".parse().unwrap()]],
            scheduler: Scheduler::Uniform,
            limit: Some(u64::MAX),
            phases: true,
            repeats: 7,
        };
        let text = text(u64::MAX, &grid);
        let asked: Asked = toml::from_str(&text).unwrap();
        assert_eq!((asked.seed.0.0, asked.grid(asked.grid[0].get_ref())), (u64::MAX, grid), "{text}");
        let least = Grid { protocols: vec!["fj".into()], sizes: vec![4], repeats: 2, ..Grid::default() };
        let least = Grid { starts: vec![None], faults: vec![vec![]], ..least };
        let same = parse("seed = 1\nrepeats = 2\n[[grid]]\nprotocol = \"fj\"\nn = 4\n").unwrap().hash;
        assert_eq!(Definition::of_grid(1, &least, &builtin()).unwrap().hash, same);
    }

    #[test]
    fn errors_have_a_place_and_say_what_is_allowed() {
        let grid = "[[grid]]\nprotocol = \"ppl\"\nn = 8\n";
        for (text, words) in [
            (String::new(), vec!["seed"]),
            ("seed = 1".into(), vec!["grid"]),
            (format!("seed = -1\n{grid}"), vec!["line 1, column 8", "-1", "2^64-1"]),
            (format!("seed = 1.5\n{grid}"), vec!["line 1, column 8", "1.5"]),
            (format!("seed = [1]\n{grid}"), vec!["line 1, column 8", "a list"]),
            (format!("seed = 1\nrepeats = 0\n{grid}"), vec!["line 2, column 11", "1 to 1000000"]),
            (format!("seed = 1\nrepeats = 4294967297\n{grid}"), vec!["line 2, column 11", "1 to 1000000"]),
            (format!("seed = 1\nsneed = 0\n{grid}"), vec!["line 2, column 1", "sneed", "repeats"]),
            (format!("seed = 1\n{grid}start = []"), vec!["line 5, column 9", "empty list"]),
            (format!("seed = 1\n{grid}start = [\"safe\", 1]"), vec!["line 5, column 18", "name"]),
            (format!("seed = 1\n{grid}faults = [\"\", \"agents=1\"]"), vec!["line 5, column 15", "agents=K"]),
            (format!("seed = 1\n{grid}scheduler = \"fair\""), vec!["line 5, column 13", "fair", "uniform"]),
            (format!("seed = 1\n{grid}params = {{ psi = \"x\" }}"), vec!["line 5, column 18", "x", "default"]),
            (format!("seed = 1\n{grid}limit = 1979-05-27"), vec!["line 5, column 9"]),
            ("seed = 1\n[[grid]\n".into(), vec!["line 2, column 8"]),
            (
                format!("seed = 1\nrepeats = 1e6\n{grid}params.psi = {:?}", (3..25).collect::<Vec<_>>()),
                vec!["22000000"],
            ),
        ] {
            let told = parse(&text).unwrap_err();
            assert!(words.iter().all(|word| told.contains(word)), "{text}\n{told}\n{words:?}");
        }
    }

    #[test]
    fn all_impossible_cells_are_named() {
        let told =
            parse("seed = 1\n\n[[grid]]\nprotocol = [\"ppl\", \"ysm\"]\nn = [2, 8]\nparams.psi = 3\n").unwrap_err();
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[0], "3 of 4 cells are impossible, so nothing is run:");
        assert_eq!(lines[1], "  ppl n=2 psi=3 (grid at line 3): n = 2: a ring has 3 to 1048576 agents");
        assert!(lines[3].contains("ysm n=8 psi=3 (grid at line 3): parameter = psi"), "{told}");
    }
}
