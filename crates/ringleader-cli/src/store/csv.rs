//! Rows as CSV (RFC 4180 with plain line ends), with the columns of the Parquet files.

use std::io::{self, Write};

use crate::store::row::{Access, COLUMNS, Column, Row};

/// The names of the columns.
pub(crate) fn write_header(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS.each_ref().map(|column| column.name).join(","))
}

/// One line; what is not known is empty.
pub(crate) fn write_row(out: &mut impl Write, row: &Row) -> io::Result<()> {
    for (k, column) in COLUMNS.iter().enumerate() {
        out.write_all(if k > 0 { b"," } else { b"" })?;
        write_field(out, column, row)?;
    }
    writeln!(out)
}

fn write_field(out: &mut impl Write, column: &Column, row: &Row) -> io::Result<()> {
    match column.access {
        Access::Small(get, _) => write!(out, "{}", get(row)),
        Access::Large(get, _) => write!(out, "{}", get(row)),
        Access::Flag(get, _) => write!(out, "{}", get(row)),
        Access::Perhaps(get, _) => get(row).map_or(Ok(()), |value| write!(out, "{value}")),
        Access::Text(get, _) => write_text(out, get(row)),
    }
}

fn write_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    if text.contains([',', '"', '\n', '\r']) {
        write!(out, "\"{}\"", text.replace('"', "\"\""))
    } else {
        out.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::row::tests::samples;

    #[test]
    fn a_row_is_a_line() {
        let mut out = Vec::new();
        write_header(&mut out).unwrap();
        write_row(&mut out, &samples(1)[0]).unwrap();
        let odd = Row { params: "a\"b".into(), ..samples(2)[1].clone() };
        write_row(&mut out, &odd).unwrap();
        let lines = "\
            cell,protocol,n,params,start,faults,scheduler,trial,seed,limit,steps,safe,censored,last_output_change,\
            coins_read,phases,last_fault\n\
            0,ppl,4294967295,\"kappa=0,psi=6\",uniform,,clocks,0,18446744073709551615,18446744073709551615,0,,true,\
            0,0,\"first leader=0,S_PL=\",18446744073709551615\n\
            0,ppl,4294967294,\"a\"\"b\",uniform,\"agents=1,at=safe;list=1+2,at=7\",clocks,1,18446744073709551614,\
            18446744073709551615,8589934592,8589934592,false,1,0,,\n";
        assert_eq!(String::from_utf8(out).unwrap(), lines);
    }
}
