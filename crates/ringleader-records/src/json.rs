//! Plain data as JSON text, and back.
//!
//! There is one way to write it: keys sorted, no white space. The hash of a configuration is SHA-256 of that text.

use std::fmt;
use std::io::{self, Write};

use ringleader::session::Session;
use ringleader::value::Value;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use sha2::{Digest, Sha256};

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

/// A value as it is read.
#[derive(PartialEq)]
pub struct Json(pub Value);

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Json)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
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
        while let Some(Json(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let mut map = Vec::new();
        while let Some((key, Json(value))) = pairs.next_entry::<String, Json>()? {
            map.push((key, value));
        }
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
}
