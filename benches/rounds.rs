//! What benchmarks share: the processor's own time, and contestants that alternate round by round, so that whatever the machine does to one
//! it does to the other.

use std::sync::LazyLock;
use std::time::Instant;

/// So many rounds count; one before them warms up.
pub(crate) const ROUNDS: u64 = 5;

/// A name, and million interactions a second with a seed.
pub(crate) type Contestant<'a> = (String, Box<dyn Fn(u64) -> f64 + 'a>);

/// Seconds that this thread has had of a processor where the system tells them (Linux), else seconds since the first call.
pub(crate) fn now() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    // Who yields is told up to that moment, and not only up to the last tick of the scheduler.
    std::thread::yield_now();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds as f64 / 1e9)
}

/// Median and spread of all contestants, and the median of their ratios to the first within a round.
pub(crate) fn compare(title: &str, contestants: &[Contestant<'_>]) {
    let rounds: Vec<Vec<f64>> =
        (0..=ROUNDS).map(|round| contestants.iter().map(|(_, run)| run(round)).collect()).collect();
    let rounds = &rounds[1..];
    let ratio = format!("ratio to {}", contestants[0].0);
    println!("\n{title}\n  {:20} {:>8} {:>17} {ratio:>20}", "", "median", "least - most");
    for (k, (name, _)) in contestants.iter().enumerate() {
        let speeds = sorted(rounds.iter().map(|round| round[k]));
        let ratios = sorted(rounds.iter().map(|round| round[k] / round[0]));
        let (least, most) = (speeds[0], speeds[speeds.len() - 1]);
        let spread = format!("{least:.1} - {most:.1}");
        println!("  {name:20} {:8.1} {spread:>17} {:20.2}", speeds[speeds.len() / 2], ratios[ratios.len() / 2]);
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}
