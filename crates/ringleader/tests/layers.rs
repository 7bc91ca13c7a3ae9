//! The modules of the library are layers: what is below knows nothing of what is above.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// For each module of the library, those that it names outside of its tests and comments.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The modules that some code names.
fn named(code: &str) -> impl Iterator<Item = String> {
    let code = code.split("#[cfg(test)]\nmod ").next().unwrap_or(code);
    let code = code.split("#[cfg(test)]\npub(crate) mod ").next().unwrap_or(code);
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let ends = |name: &str| name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    lines.flat_map(move |line| line.split("crate::").skip(1).map(move |name| name[..ends(name)].to_string()))
}

fn read(path: &Path, module: &str, graph: &mut Graph) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| read(&entry.unwrap().path(), module, graph));
    } else {
        let names = named(&fs::read_to_string(path).unwrap()).filter(|name| name != module).collect::<Vec<_>>();
        graph.entry(module.to_string()).or_default().extend(names);
    }
}

fn library() -> Graph {
    let mut graph = Graph::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_string_lossy().into_owned();
        if module != "lib" {
            read(&path, &module, &mut graph);
        }
    }
    graph
}

/// What is left when modules that name no other one, or that no other one names, are taken away until there are none.
fn cycles(mut graph: Graph) -> Vec<String> {
    loop {
        let named: BTreeSet<String> = graph.values().flatten().cloned().collect();
        let outer = |(module, names): (&String, &BTreeSet<String>)| {
            let alone = !named.contains(module) || names.iter().all(|name| !graph.contains_key(name));
            alone.then(|| module.clone())
        };
        let outer: Vec<String> = graph.iter().filter_map(outer).collect();
        if outer.is_empty() {
            return graph.into_keys().collect();
        }
        outer.iter().for_each(|module| drop(graph.remove(module)));
    }
}

/// The plain data of a trial, which engines and schedules name, and its run, which names them, are still one module.
const KNOWN: [&str; 3] = ["engine", "schedule", "trial"];

#[test]
fn no_module_is_above_itself() {
    let graph = library();
    assert!(graph.len() > 15 && graph["engine"].contains("schedule"), "{graph:?}");
    assert_eq!(cycles(graph), KNOWN);
}

#[test]
fn engines_and_schedules_know_no_protocol() {
    let graph = library();
    for module in ["circuit", "clocks", "engine", "schedule", "simd"] {
        assert!(
            !graph[module].contains("protocols") && !graph[module].contains("lab"),
            "{module}: {:?}",
            graph[module]
        );
    }
    assert!(!graph["schedule"].contains("engine"));
}

#[test]
fn canary_a_cycle_is_seen() {
    let graph = |edges: &[(&str, &str)]| {
        edges.iter().fold(Graph::new(), |mut graph, (from, to)| {
            graph.entry((*from).into()).or_default().insert((*to).into());
            graph
        })
    };
    assert_eq!(cycles(graph(&[("a", "b"), ("b", "c"), ("c", "d")])), [""; 0]);
    assert_eq!(cycles(graph(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")])), ["b", "c", "d"]);
    assert_eq!(named("use crate::ring::Ring;\n// crate::lab\n#[cfg(test)]\nmod tests { use crate::lab; }").count(), 1);
}
