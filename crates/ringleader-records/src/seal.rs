//! A seal on a file: the SHA-256 of all its bytes, kept inside it, with zeros in the place of its own digits.
//!
//! A file that was cut off or changed is found out before anything in it is believed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use sha2::{Digest, Sha256};

use crate::json::hex;

const MARK: &[u8] = b"sha256:";
const DIGITS: usize = 64;
/// The seal is that near to the end of a file.
const TAIL: usize = 4096;

/// The seal of a file that is not complete.
pub(crate) fn blank() -> String {
    format!("sha256:{}", "0".repeat(DIGITS))
}

/// A writer that computes the seal on the way.
pub(crate) struct Sealing<W> {
    out: W,
    hash: Sha256,
    length: u64,
    tail: Vec<u8>,
}

impl<W: Write + Seek> Sealing<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, hash: Sha256::new(), length: 0, tail: Vec::new() }
    }

    /// Puts the seal into the place of the blank one, which has been written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let at = find(&self.tail).ok_or_else(|| io::Error::other("no place for the seal"))?;
        self.out.seek(SeekFrom::Start(self.length - (self.tail.len() - at) as u64))?;
        self.out.write_all(hex(self.hash).as_bytes())?;
        self.out.flush()
    }
}

impl<W: Write> Write for Sealing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.hash.update(&bytes[..count]);
        self.length += count as u64;
        self.tail.extend_from_slice(&bytes[count.saturating_sub(TAIL)..count]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        Ok(count)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether the seal of a file is right; `None` if there is none. The file is read from its beginning to its end.
pub(crate) fn is_whole(file: &mut File) -> io::Result<Option<bool>> {
    let length = file.seek(SeekFrom::End(0))?;
    let start = file.seek(SeekFrom::Start(length.saturating_sub(TAIL as u64)))?;
    let mut tail = Vec::new();
    file.take(TAIL as u64).read_to_end(&mut tail)?;
    let Some(at) = find(&tail) else { return Ok(None) };
    let seal = tail[at..at + DIGITS].to_vec();
    tail[at..at + DIGITS].fill(b'0');
    file.rewind()?;
    let mut hash = Sha256::new();
    io::copy(&mut file.take(start), &mut Hashed(&mut hash))?;
    hash.update(&tail);
    Ok(Some(hex(hash).as_bytes() == seal))
}

/// Where the digits of the last seal begin.
fn find(tail: &[u8]) -> Option<usize> {
    let at = tail.windows(MARK.len()).rposition(|window| window == MARK)? + MARK.len();
    tail.get(at..at + DIGITS)?.iter().all(u8::is_ascii_hexdigit).then_some(at)
}

struct Hashed<'a>(&'a mut Sha256);

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Makes the seal right, if there is a place for it.
    pub(crate) fn reseal(bytes: &mut [u8]) {
        let start = bytes.len().saturating_sub(TAIL);
        let Some(at) = find(&bytes[start..]).map(|at| start + at) else { return };
        bytes[at..at + DIGITS].fill(b'0');
        let seal = hex(Sha256::new_with_prefix(&*bytes));
        bytes[at..at + DIGITS].copy_from_slice(seal.as_bytes());
    }
}
