//! Plain data as JSON text, and back.
//!
//! There is one way to write it: keys sorted, no white space. The hash of a configuration is SHA-256 of that text. And there is one way
//! to read it: a text is looked through before anything of it is kept, and refused if an object has a key twice, or if what it
//! says would take more memory than it may.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};

use ringleader::session::Session;
use ringleader::value::Value;
use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};
use sha2::{Digest, Sha256};

use crate::error::{Error, brief};

/// Writes a value, keys sorted and without white space.
///
/// # Errors
/// If it cannot be written.
pub fn write(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    match value {
        Value::List(items) => write_list(out, items, write),
        Value::Map(pairs) => {
            let mut pairs: Vec<&(String, Value)> = pairs.iter().collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            out.write_all(b"{")?;
            for (k, (key, value)) in pairs.into_iter().enumerate() {
                out.write_all(if k > 0 { b"," } else { b"" })?;
                serde_json::to_writer(&mut *out, key)?;
                out.write_all(b":")?;
                write(out, value)?;
            }
            out.write_all(b"}")
        }
        Value::Text(text) => Ok(serde_json::to_writer(out, text)?),
        Value::Real(number) => Ok(serde_json::to_writer(out, number)?),
        scalar => write!(out, "{scalar}"),
    }
}

/// Writes a list, one item after the other.
///
/// # Errors
/// If it cannot be written.
pub fn write_list<T>(
    out: &mut dyn Write,
    items: impl IntoIterator<Item = T>,
    mut write_item: impl FnMut(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"[")?;
    for (k, item) in items.into_iter().enumerate() {
        out.write_all(if k > 0 { b"," } else { b"" })?;
        write_item(out, item)?;
    }
    out.write_all(b"]")
}

/// Writes a value and ends the line.
///
/// # Errors
/// If it cannot be written.
pub fn write_line(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    write(out, value)?;
    writeln!(out)
}

/// Writes the configuration of a session.
///
/// # Errors
/// If it cannot be written.
pub fn write_config(out: &mut dyn Write, session: &dyn Session) -> io::Result<()> {
    write_list(out, 0..session.described().ring.n(), |out, i| write(out, &session.agent(i)))
}

/// The hash of a configuration, in hexadecimal.
#[must_use]
pub fn hash(session: &dyn Session) -> String {
    let mut hasher = Hasher::default();
    let written = write_config(&mut hasher, session);
    debug_assert!(written.is_ok(), "hashing does no input or output");
    hasher.hex()
}

/// A hash in hexadecimal.
pub(crate) fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Takes in what is written, for its hash.
#[derive(Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// The hash in hexadecimal.
    #[must_use]
    pub fn hex(self) -> String {
        hex(self.0)
    }
}

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a text says, unless an object in it has a key twice, or it would take more than so many bytes of memory; the values of these
/// keys stay text, which is not counted.
///
/// # Errors
/// What is wrong, and where.
pub fn read<T: DeserializeOwned>(text: &[u8], most: usize, texts: &[&str]) -> Result<T, Error> {
    let told = |error: serde_json::Error| {
        let (text, place) = (error.to_string(), format!(" at line {} column {}", error.line(), error.column()));
        Error::new(text.strip_suffix(&place).map_or_else(|| brief(&text), |text| brief(text) + &place))
    };
    let (left, mut reading) = (Cell::new(most), serde_json::Deserializer::from_slice(text));
    Survey { left: &left, most, texts }.deserialize(&mut reading).map_err(told)?;
    serde_json::from_slice(text).map_err(told)
}

/// Goes through a text and keeps nothing of it.
#[derive(Clone, Copy)]
struct Survey<'a> {
    /// How many bytes of memory are left for what follows.
    left: &'a Cell<usize>,
    most: usize,
    /// The keys whose values stay text.
    texts: &'a [&'a str],
}

impl Survey<'_> {
    /// What a value takes at most, and what a key takes beside it; lists and objects keep no room free.
    const VALUE: usize = 48;
    const KEY: usize = 64;

    fn take<E: serde::de::Error>(self, bytes: usize) -> Result<(), E> {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.ok_or_else(|| E::custom(format!("it says more than fits into {} MiB", self.most >> 20)))?);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Survey<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.take(Self::VALUE)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Survey<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.take(text.len())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Self { texts: &[], ..self })?.is_some() {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<(), A::Error> {
        let (mut keys, free) = (BTreeSet::new(), Cell::new(usize::MAX));
        while let Some(key) = pairs.next_key::<String>()? {
            self.take(Self::KEY + key.len())?;
            let left = if self.texts.contains(&&*key) { &free } else { self.left };
            pairs.next_value_seed(Survey { left, texts: &[], most: self.most })?;
            if let Some(key) = keys.replace(key) {
                return Err(A::Error::custom(format!("the key {:?} is there twice", brief(&key))));
            }
        }
        Ok(())
    }
}

/// A value as it is read.
#[derive(PartialEq)]
pub struct Json(pub Value);

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        AtMost(&Cell::new(usize::MAX)).deserialize(deserializer)
    }
}

/// A value that holds at most so many values, itself included.
pub(crate) struct AtMost<'a>(pub(crate) &'a Cell<usize>);

impl<'de> DeserializeSeed<'de> for AtMost<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let left = self.0.get().checked_sub(1).ok_or_else(|| D::Error::custom("more values than any state has"))?;
        self.0.set(left);
        deserializer.deserialize_any(AnyValue(self.0)).map(Json)
    }
}

struct AnyValue<'a>(&'a Cell<usize>);

impl<'de> Visitor<'de> for AnyValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Json(item)) = items.next_element_seed(AtMost(self.0))? {
            list.push(item);
        }
        list.shrink_to_fit();
        Ok(Value::List(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let mut map = Vec::new();
        while let Some(key) = pairs.next_key()? {
            let Json(value) = pairs.next_value_seed(AtMost(self.0))?;
            map.push((key, value));
        }
        map.shrink_to_fit();
        Ok(Value::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_reads_back_with_sorted_keys() {
        let text = r#"{"b":[1,-2,null,true,0.5],"a":{"é\"":"x"}}"#;
        let Json(value) = serde_json::from_str(text).unwrap();
        let mut out = Vec::new();
        write(&mut out, &value).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"a":{"é\"":"x"},"b":[1,-2,null,true,0.5]}"#);
    }

    fn complaint(text: &str, most: usize) -> String {
        read::<Json>(text.as_bytes(), most, &["text"]).map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn a_key_that_is_there_twice_is_refused_wherever_it_is() {
        assert_eq!(complaint(r#"{"a":{"b":1},"b":[{"a":1},{"a":2}]}"#, 10_000), "");
        for text in [r#"{"a":1,"b":2,"a":1}"#, r#"[[{"b":{"a":1,"a":null}}]]"#, r#"{"a":1,"\u0061":1}"#] {
            let told = complaint(text, 10_000);
            assert!(told.contains(r#"the key "a" is there twice at line 1 column "#), "{told}");
        }
    }

    #[test]
    fn what_would_take_too_much_memory_is_refused() {
        let zeros = format!("[{}0]", "0,".repeat(9999));
        assert_eq!(complaint(&zeros, 1 << 20), "");
        assert!(complaint(&zeros, 1 << 18).contains("more than fits into 0 MiB at line 1"));
        assert_eq!(complaint(&format!(r#"{{"text":{zeros}}}"#), 1 << 10), "");
        assert!(!complaint(&format!(r#"[{{"text":{zeros}}}]"#), 1 << 10).is_empty());
        assert!(complaint(&format!("[{:?}]", "x".repeat(1 << 20)), 1 << 20).contains("fits into 1 MiB"));
        // An object, and a key of 60 bytes with its value.
        let key = format!(r#"{{"{}":0}}"#, "k".repeat(60));
        assert_eq!(complaint(&key, 48 + 64 + 60 + 48), "");
        assert!(!complaint(&key, 48 + 64 + 60 + 47).is_empty());
    }

    #[test]
    fn what_is_wrong_is_told_in_a_line() {
        let text = format!("[1,\n{:?}]", "x".repeat(1 << 20));
        let told = read::<Vec<u8>>(text.as_bytes(), 1 << 22, &[]).unwrap_err().to_string();
        assert!(
            told.starts_with("invalid type: string \"xxx") && told.ends_with(" at line 2 column 1048578"),
            "{told}"
        );
        assert!(told.len() < 250 && told.contains("..."), "{told}");
    }
}
