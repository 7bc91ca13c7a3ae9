//! Rows as CSV (RFC 4180 with plain line ends), with the columns of the Parquet files.

use std::io::{self, Write};

use crate::columns::{Column, Row, Value};

/// The names of the columns.
///
/// # Errors
/// If they cannot be written.
pub fn write_header(out: &mut dyn Write, columns: &[Column]) -> io::Result<()> {
    write_line(out, columns, |out, column| write_text(out, &column.name))
}

/// One line; what is not known is empty.
///
/// # Errors
/// If it cannot be written.
pub fn write_row(out: &mut dyn Write, columns: &[Column], row: &Row) -> io::Result<()> {
    write_line(out, columns, |out, column| match &column.value {
        Value::Truth(get) => write!(out, "{}", get(row)),
        Value::Text(get) => write_text(out, &get(row)),
        numbers => numbers.number(row).map_or(Ok(()), |number| write!(out, "{number}")),
    })
}

fn write_line(
    out: &mut dyn Write,
    columns: &[Column],
    field: impl Fn(&mut dyn Write, &Column) -> io::Result<()>,
) -> io::Result<()> {
    for (k, column) in columns.iter().enumerate() {
        out.write_all(if k > 0 { b"," } else { b"" })?;
        field(out, column)?;
    }
    writeln!(out)
}

fn write_text(out: &mut dyn Write, text: &str) -> io::Result<()> {
    if text.contains([',', '"', '\n', '\r']) {
        write!(out, "\"{}\"", text.replace('"', "\"\""))
    } else {
        out.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::columns;
    use crate::columns::tests::{samples, setups};

    #[test]
    fn a_row_is_a_line() {
        let rows = samples(21);
        let (columns, mut out) = (columns(setups(&rows)), Vec::new());
        write_header(&mut out, &columns).unwrap();
        write_row(&mut out, &columns, &rows[0]).unwrap();
        write_row(&mut out, &columns, &rows[20]).unwrap();
        let lines = "\
            cell,protocol,n,param_kappa,param_psi,start,faults,scheduler,rules,limit,trial,seed,steps,safe,censored,\
            last_output_change,coins_read,last_fault,leaders_after_fault,phases,phase_first leader,\
            \"phase_C_PB, with \"\"one\"\" leader=1\"\n\
            0,ppl,4294967295,,0,uniform,,clocks,,9223372036854775807,0,18446744073709551615,0,,true,0,0,\
            9223372036854775807,,[],,\n\
            2,ppl,4294967293,,2,uniform,,clocks,2000000000000000,9223372036854775807,0,18446744073709551595,\
            171798691840,171798691840,false,20,0,,,\
            \"[\"\"first leader\"\",\"\"C_PB, with \\\"\"one\\\"\" leader=1\"\"]\",20,\n";
        assert_eq!(String::from_utf8(out).unwrap(), lines);
    }
}
