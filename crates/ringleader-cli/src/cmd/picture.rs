//! The ring in the terminal: a band of agents, wrapped so that it fits 80 columns, leader first.

use std::io::{self, Write};

use ringleader::lab::Population;
use ringleader::protocol::PictureRow;

use crate::text::{faint, good, strong};

/// Agents in a row: with labels it stays within 80 columns.
const ACROSS: usize = 64;
/// Rings up to this size are shown whole.
const WHOLE: usize = 512;
/// Of larger rings this many agents are shown.
const PART: usize = 256;

/// Draws the ring, from the leader clockwise where there is one.
pub(crate) fn draw(out: &mut dyn Write, population: &dyn Population) -> io::Result<()> {
    let (n, lanes) = (population.ring().n(), population.picture());
    let first = population.leaders().first().copied().unwrap_or(0);
    let shown = if n <= WHOLE { n } else { PART };
    for start in (0..shown).step_by(ACROSS) {
        let agents: Vec<usize> = (start..(start + ACROSS).min(shown)).map(|i| (first + i) % n).collect();
        writeln!(out, "{}", faint(format!("{:>8} u_{}", "", agents[0])))?;
        for (k, lane) in lanes.iter().enumerate() {
            // A lane with nothing in it would only push the others apart.
            if k > 0 && is_empty(lane, &agents) {
                continue;
            }
            let cells: String = agents.iter().map(|&i| lane.cells[i]).collect();
            writeln!(out, "{} {}", faint(format!("{:>8}", lane.name)), highlight(&cells))?;
        }
    }
    if shown < n {
        writeln!(out, "{}", faint(format!("         ... {} more agents", n - shown)))?;
    }
    legend(out, &lanes)
}

fn is_empty(lane: &PictureRow, agents: &[usize]) -> bool {
    agents.iter().all(|&i| [' ', '.'].contains(&lane.cells[i]))
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

fn legend(out: &mut dyn Write, lanes: &[PictureRow]) -> io::Result<()> {
    for lane in lanes.iter().filter(|lane| !is_empty(lane, &(0..lane.cells.len()).collect::<Vec<_>>())) {
        writeln!(out, "{} {}", strong(format!("{:>8}", lane.name)), faint(lane.legend))?;
    }
    Ok(())
}
