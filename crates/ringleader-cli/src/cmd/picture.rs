//! The ring in the terminal: a band of agents, wrapped so that it fits 80 columns, leader first.

use std::io::{self, Write};

use ringleader::portrait::PictureRow;
use ringleader::session::Session;

use crate::text::{faint, good, strong};

/// Agents in a row: with labels it stays within 80 columns.
const ACROSS: usize = 64;
/// Rings up to this size are shown whole.
const WHOLE: usize = 512;
/// Of larger rings this many agents are shown.
const PART: usize = 256;

/// Draws the ring, from the leader clockwise where there is one.
pub(crate) fn draw(out: &mut dyn Write, session: &dyn Session) -> io::Result<()> {
    let (n, rows) = (session.described().ring.n(), session.picture());
    let first = session.leaders().first().copied().unwrap_or(0);
    let shown = if n <= WHOLE { n } else { PART };
    for start in (0..shown).step_by(ACROSS) {
        let agents: Vec<usize> = (start..(start + ACROSS).min(shown)).map(|i| (first + i) % n).collect();
        writeln!(out, "{}", faint(format!("{:>8} u_{}", "", agents[0])))?;
        for (k, row) in rows.iter().enumerate() {
            // A row with nothing in it would only push the others apart.
            if k > 0 && is_empty(row, &agents) {
                continue;
            }
            let cells: String = agents.iter().map(|&i| row.cells[i]).collect();
            writeln!(out, "{} {}", faint(format!("{:>8}", row.name)), highlight(&cells))?;
        }
    }
    if shown < n {
        writeln!(out, "{}", faint(format!("         ... {} more agents", n - shown)))?;
    }
    legend(out, &rows)
}

fn is_empty(row: &PictureRow, agents: &[usize]) -> bool {
    agents.iter().all(|&i| [' ', '.'].contains(&row.cells[i]))
}

fn highlight(cells: &str) -> String {
    let cell = |cell: char| match cell {
        'L' => good(cell),
        '.' => faint(cell),
        '*' | '!' => crate::text::alarm(cell),
        _ => cell.to_string(),
    };
    cells.chars().map(cell).collect()
}

fn legend(out: &mut dyn Write, rows: &[PictureRow]) -> io::Result<()> {
    for row in rows.iter().filter(|row| !is_empty(row, &(0..row.cells.len()).collect::<Vec<_>>())) {
        writeln!(out, "{} {}", strong(format!("{:>8}", row.name)), faint(&row.legend))?;
    }
    Ok(())
}
