//! The plain C++ that engines are measured against.

use std::path::{Path, PathBuf};
use std::process::Command;

use ringleader::protocols::ppl::Ppl;

/// Builds it with the system compiler.
pub(crate) fn build(directory: &Path) -> PathBuf {
    let (compiler, program) = (std::env::var("CXX").unwrap_or_else(|_| "c++".into()), directory.join("ppl"));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/ppl.cpp");
    let status =
        Command::new(&compiler).args(["-std=c++17", "-O3", "-march=native", "-o"]).arg(&program).arg(source).status();
    assert!(status.is_ok_and(|status| status.success()), "{compiler} could not build benches/ppl.cpp");
    program
}

/// Million interactions a second, as the C++ measures itself.
pub(crate) fn run_cpp(program: &Path, n: usize, ppl: Ppl, steps: u64, seed: u64) -> f64 {
    let arguments = [n as u64, u64::from(ppl.psi), u64::from(ppl.kappa_max), steps, seed];
    let output =
        Command::new(program).args(arguments.map(|argument| argument.to_string())).output().expect("the C++ runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let seconds = text.split_whitespace().find_map(|word| word.strip_prefix("seconds=")?.parse::<f64>().ok());
    steps as f64 / seconds.expect("the C++ prints its seconds") / 1e6
}
