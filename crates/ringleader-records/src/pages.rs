//! What the pages of a column say of themselves, looked at before the Parquet reader believes it: a few bytes could ask it for
//! as much memory as there is.
//!
//! Records are only ever written in one way, so that what is allowed is little: pages of the first kind with plain values or a dictionary,
//! whose sizes and counts are such as Snappy and the number of rows allow.

use std::io::{self, Read};

use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;

/// The longest header of a page.
const MAX_HEADER: u64 = 1 << 16;
/// Snappy makes 64 bytes of three at most.
const MOST_UNPACKED: u64 = 22;
/// The deepest nesting within a header.
const MAX_DEPTH: u8 = 8;

/// Kinds of pages, and ways to write values, as Parquet numbers them.
const DATA: u64 = 0;
const DICTIONARY: u64 = 2;
const PLAIN: u64 = 0;
const OLD_DICTIONARY: u64 = 2;
const RUNS: u64 = 3;
const INDICES: u64 = 8;
/// Kinds of fields, as Thrift numbers them.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const INTEGER: u8 = 5;
const LONG: u8 = 6;
const BINARY: u8 = 8;
const STRUCT: u8 = 12;

/// Refuses a column whose pages ask for more than they can hold.
pub(crate) fn check<R: ChunkReader>(file: &R, column: &ColumnChunkMetaData, rows: u64) -> Result<(), ParquetError> {
    let (mut at, length) = column.byte_range();
    let end = at.checked_add(length).filter(|&end| end <= file.len()).ok_or_else(|| wrong("a column has no end"))?;
    while at < end {
        let mut header = Header { bytes: file.get_read(at)?.take((end - at).min(MAX_HEADER)), length: 0 };
        let page = header.page()?;
        at += header.length;
        if !page.is_plausible(rows) || page.packed > end - at {
            return Err(wrong(format!("a page makes no sense: {page:?}")));
        }
        at += page.packed;
    }
    Ok(())
}

fn wrong(why: impl Into<String>) -> ParquetError {
    ParquetError::General(why.into())
}

/// What a page says of itself, as far as it matters.
#[derive(Debug, Default)]
struct Page {
    kind: u64,
    unpacked: u64,
    packed: u64,
    values: u64,
    encodings: [u64; 3],
}

impl Page {
    fn is_plausible(&self, rows: u64) -> bool {
        let [values, first, second] = self.encodings;
        let fits = self.unpacked / MOST_UNPACKED <= self.packed + 1;
        fits && match self.kind {
            DATA => {
                self.values <= rows
                    && [PLAIN, OLD_DICTIONARY, RUNS, INDICES].contains(&values)
                    && [first, second] == [RUNS; 2]
            }
            // A value takes a byte at least.
            DICTIONARY => self.values <= self.unpacked && [PLAIN, OLD_DICTIONARY].contains(&values),
            _ => false,
        }
    }
}

/// A header on its way, in the compact form of Thrift.
struct Header<R> {
    bytes: R,
    length: u64,
}

impl<R: Read> Header<R> {
    fn page(&mut self) -> io::Result<Page> {
        let mut page = Page::default();
        self.fields(|header, number, kind| match (number, kind) {
            (1, INTEGER) => header.integer().map(|kind| page.kind = kind),
            (2, INTEGER) => header.integer().map(|unpacked| page.unpacked = unpacked),
            (3, INTEGER) => header.integer().map(|packed| page.packed = packed),
            // The header of data and that of a dictionary begin alike.
            (5 | 7, STRUCT) => header.fields(|header, number, kind| match (number, kind) {
                (1, INTEGER) => header.integer().map(|values| page.values = values),
                (2..=4, INTEGER) => header.integer().map(|encoding| page.encodings[number as usize - 2] = encoding),
                _ => header.skip(kind, 0),
            }),
            (4, INTEGER) => header.skip(kind, 0),
            _ => Err(nonsense()),
        })?;
        Ok(page)
    }

    /// The fields of a struct, whose numbers rise.
    fn fields(&mut self, mut take: impl FnMut(&mut Self, u8, u8) -> io::Result<()>) -> io::Result<()> {
        let mut number = 0_u8;
        loop {
            let byte = self.byte()?;
            if byte == 0 {
                return Ok(());
            }
            let (ahead, kind) = (byte >> 4, byte & 15);
            number = number.checked_add(ahead).filter(|_| ahead > 0).ok_or_else(nonsense)?;
            take(self, number, kind)?;
        }
    }

    fn skip(&mut self, kind: u8, depth: u8) -> io::Result<()> {
        match kind {
            TRUE | FALSE => Ok(()),
            INTEGER | LONG => self.varint().map(drop),
            BINARY => (0..self.varint()?).try_for_each(|_| self.byte().map(drop)),
            STRUCT if depth < MAX_DEPTH => self.fields(|header, _, kind| header.skip(kind, depth + 1)),
            _ => Err(nonsense()),
        }
    }

    /// A number that is not negative; those that are are the odd ones.
    fn integer(&mut self) -> io::Result<u64> {
        Some(self.varint()?).filter(|number| number % 2 == 0).map(|number| number / 2).ok_or_else(nonsense)
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(nonsense())
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.bytes.read_exact(&mut byte)?;
        self.length += 1;
        Ok(byte[0])
    }
}

fn nonsense() -> io::Error {
    io::Error::other("the header of a page is none of records")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(bytes: &[u8]) -> io::Result<Page> {
        Header { bytes, length: 0 }.page()
    }

    #[test]
    fn headers_are_read_and_what_asks_for_too_much_is_refused() {
        // 20 values by indices into a dictionary, in 10 bytes that are 12.
        let header = [0x15, 0, 0x15, 24, 0x15, 20, 0x2c, 0x15, 40, 0x15, 16, 0x15, 6, 0x15, 6, 0, 0];
        let read = page(&header).unwrap();
        assert_eq!((read.kind, read.unpacked, read.packed, read.values, read.encodings), (0, 12, 10, 20, [8, 3, 3]));
        assert!(read.is_plausible(20) && !read.is_plausible(19));
        let with = |change: fn(&mut Page)| {
            let mut page = page(&header).unwrap();
            change(&mut page);
            page.is_plausible(20)
        };
        assert!(
            !with(|page| page.unpacked = 1 << 30) && !with(|page| page.encodings[0] = 6) && !with(|page| page.kind = 3)
        );
        assert!(with(|page| (page.kind, page.encodings, page.values) = (2, [0; 3], 12)));
        assert!(!with(|page| (page.kind, page.encodings, page.values) = (2, [0; 3], 13)));
        for (k, byte) in [(0, 0x05), (1, 1), (6, 0x1c), (6, 0x3c), (6, 0x5c), (16, 0x15)] {
            let mut other = header;
            other[k] = byte;
            assert!(page(&other).is_err(), "byte {k}");
        }
        // The least and greatest values, as others write them, are passed over.
        let least = [&header[..15], &[0x1c, 0x11, 0x18, 2, b'a', b'b', 0, 0, 0]].concat();
        assert_eq!(page(&least).unwrap().encodings, [8, 3, 3]);
        let deep = [0x15, 0, 0x4c, 0x5c].into_iter().chain([0x1c; 40]).collect::<Vec<u8>>();
        assert!(page(&deep).is_err() && page(&[0x15, 255, 255, 255, 255, 255, 255]).is_err());
    }
}
