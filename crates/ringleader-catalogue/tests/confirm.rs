//! Confirmation by others: Storm solves the exported chains. The test installs it, which takes a minute and a network, so it runs
//! only when asked, as `scripts/check` does: `cargo test -p ringleader-catalogue --test confirm -- --ignored`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use ringleader::params::Params;
use ringleader_catalogue::{Entries, builtin};
use ringleader_verify::exact::ask::{Begin, Export, Question, Until};

fn workshop(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {text}{errors}");
    text.into_owned()
}

/// The worst and the mean of all configurations, by Storm.
const STORM: &str = r#"
import stormpy, sys
asked = 'R{"steps"}=? [F "safe"]'
if sys.argv[1].endswith(".drn"):
    model, formula = stormpy.build_model_from_drn(sys.argv[1]), stormpy.parse_properties(asked)
else:
    program = stormpy.parse_prism_program(sys.argv[1])
    formula = stormpy.parse_properties(asked, program)
    model = stormpy.build_model(program, formula)
values = list(stormpy.model_checking(model, formula[0]).get_value_vector())
print(max(values), sum(values) / len(values))
"#;

#[test]
#[ignore = "installs stormpy with pip"]
fn storm_finds_the_same_expectations() {
    let directory = workshop("storm");
    let python = directory.join("venv/bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(directory.join("venv")));
    }
    run(Command::new(&python).args(["-m", "pip", "install", "-q", "stormpy"]));
    std::fs::write(directory.join("storm.py"), STORM).unwrap();
    let (none, few) = (Params::default(), Params::default().with("colors", 3));
    let entries = Entries::new(&builtin()).unwrap();
    let cases = [
        ("elim", 3, &none, Until::AtMostOneLeader),
        ("fj", 3, &none, Until::Safe),
        ("fj", 4, &none, Until::Safe),
        ("pcl", 3, &few, Until::Safe),
    ];
    let formats = [(Export::Prism, "pm"), (Export::Drn, "drn")];
    for ((protocol, n, params, until), (format, ending)) in
        cases.into_iter().flat_map(|case| formats.map(|one| (case, one)))
    {
        let question = Question {
            start: Begin::Named("every"),
            seed: 0,
            until,
            rotate: false,
            rename: false,
            most: 1_000_000,
            quantiles: 0,
        };
        let mut model = Vec::new();
        let entry = entries.find(protocol).unwrap();
        let found = entry.exact(n, params, &question, Some((format, &mut model)), &()).unwrap().unwrap();
        let path = directory.join(format!("{protocol}-{n}.{ending}"));
        std::fs::write(&path, model).unwrap();
        let text = run(Command::new(&python).arg(directory.join("storm.py")).arg(&path));
        let values: Vec<f64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
        let ours = [found.worst.unwrap().0, found.mean];
        for (storm, ours) in values.iter().zip(ours) {
            assert!((storm - ours).abs() < 1e-4 * ours, "{protocol}, n {n}: Storm {storm}, ours {ours}");
        }
    }
}
