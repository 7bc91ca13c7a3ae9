//! Runs against a naive replay: a session that is stepped from the start, one interaction after another.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ringleader::catalogue::Catalogue;
use ringleader::ring::Interaction;
use ringleader::schedule::AnySchedule;
use ringleader::session::{Session, Step};
use ringleader::trial::{Initial, Trial};
use ringleader::value::Value;
use ringleader_catalogue::{Entries, builtin};
use ringleader_records::case::Case;
use ringleader_records::case::execution::{Course, Execution, config};
use ringleader_records::json;

use crate::description::{Description, Plan};
use crate::frame::frame;
use crate::run::{Ask, Run};
use crate::runs::Runs;
use crate::turn::Turn;
use crate::{Library, Server, export};

/// Time enough, whatever the machine.
const LONG: Duration = Duration::from_secs(3600);

fn library() -> Library {
    Library::from(catalogue())
}

fn catalogue() -> Catalogue {
    Entries::new(&builtin()).unwrap().catalogue()
}

fn plan(description: &str) -> Plan {
    Description::read(description.as_bytes()).unwrap().plan(&library()).ok().unwrap()
}

fn open(protocol: &str, n: usize, start: &str, seed: u64) -> Box<dyn Session> {
    let from = Some(Initial::Named(start.into()));
    catalogue().open(&Trial { from, ..Trial::new(protocol, n, seed) }).unwrap()
}

/// What is to be seen after some number of interactions.
struct Seen {
    config: Value,
    hash: String,
    safe: bool,
    phases: Vec<bool>,
    /// The interaction before.
    last: Option<Step>,
}

/// The configurations after 0 to `steps` interactions. `edit` changes the session at a step, and may name the next interaction.
fn naive(
    session: &mut dyn Session,
    steps: u64,
    mut edit: impl FnMut(u64, &mut dyn Session) -> Option<(Interaction, u64)>,
) -> Vec<Seen> {
    let (mut seen, mut last) = (Vec::new(), None);
    for at in 0..=steps {
        let by_hand = edit(at, session);
        let (config, hash, phases) = (config(session), json::hash(session), session.phases());
        seen.push(Seen { config, hash, safe: session.is_safe(), phases, last: last.take() });
        if at == steps {
            break;
        }
        let schedule = by_hand.map(|(e, coin)| std::mem::replace(session.schedule(), AnySchedule::once(e, coin)));
        last = session.step().ok();
        if let Some(schedule) = schedule {
            *session.schedule() = schedule;
        }
    }
    seen
}

/// Goes to a step and compares the frame.
fn check(run: &mut Run, seen: &[Seen], step: usize) {
    let ask = Ask { from: step as u64, steps: 0, time: LONG, until: Vec::new() };
    let found = run.go(&ask, &mut Turn::alone(LONG)).unwrap();
    compare(&frame(run, &found, true), seen, step);
}

fn compare(frame: &Value, seen: &[Seen], step: usize) {
    let now = &seen[step];
    let field = |name: &str| frame.get(name).unwrap();
    assert_eq!(field("step"), &step.into());
    assert_eq!(field("hash"), &now.hash.as_str().into(), "step {step}");
    assert_eq!(field("safe"), &now.safe.into(), "step {step}");
    let (Value::Map(phases), Value::Map(columns)) = (field("phases"), field("columns")) else { panic!("{frame}") };
    assert_eq!(phases.iter().map(|(_, holds)| holds == &true.into()).collect::<Vec<_>>(), now.phases, "step {step}");
    let Value::List(agents) = &now.config else { panic!("{}", now.config) };
    for (name, column) in columns {
        let expected: Vec<Value> = agents.iter().map(|agent| agent.get(name).unwrap().clone()).collect();
        assert_eq!(column, &expected.into(), "step {step}, {name}");
    }
    let last = |name: &str| field("last").get(name).cloned();
    let Some(Step { interaction, before, events, coin, .. }) = &now.last else { return assert_eq!(last("by"), None) };
    assert_eq!(last("initiator"), Some(interaction.initiator.into()), "step {step}");
    assert_eq!(last("responder"), Some(interaction.responder.into()), "step {step}");
    assert_eq!(last("before"), Some(before.to_vec().into()), "step {step}");
    assert_eq!(last("events"), Some(events.clone().into()), "step {step}");
    assert_eq!(last("draw"), Some(coin.map(|coin| vec![coin / 16, coin % 16]).into()), "step {step}");
}

/// Looks at every step, forwards, backwards and in leaps.
fn compare_all(run: &mut Run, seen: &[Seen]) {
    let last = seen.len() - 1;
    (0..=last).for_each(|step| check(run, seen, step));
    (0..=last).rev().step_by(7).for_each(|step| check(run, seen, step));
    (0..60).for_each(|k| check(run, seen, k * 7919 % seen.len()));
    // Rows of the whole run are its snapshots, those of a part are computed.
    for (from, to) in [(0, last), (last / 3, last / 3 + 40)] {
        let rows = run.rows((from as u64, to as u64), 41, &mut Turn::alone(LONG), json::hash).unwrap();
        assert!(rows.len() >= 41, "{} rows", rows.len());
        rows.iter().for_each(|(at, hash)| assert_eq!(*hash, seen[*at as usize].hash, "row {at}"));
    }
}

/// Exports the run at some steps, and replays what was exported.
fn compare_exports(run: &mut Run, seen: &[Seen]) {
    for step in [0, 1, seen.len() / 2, seen.len() - 1] {
        check(run, seen, step);
        let text = export::case(run, &mut Turn::alone(LONG)).unwrap();
        let mut case: Case = serde_json::from_slice(&text).unwrap();
        let trial = case.trial(&catalogue(), None, &Default::default()).unwrap();
        let mut session = catalogue().open(&trial).unwrap();
        let (schedule, steps) = case.schedule(session.described()).unwrap();
        *session.schedule() = schedule;
        let replayed = naive(session.as_mut(), steps, |at, session| {
            let faults = case.faults.iter().filter(|fault| fault.step == at);
            faults.for_each(|fault| session.set_agents(&fault.agents).unwrap());
            None
        });
        assert_eq!(replayed.len(), step + 1);
        assert!(replayed.iter().zip(seen).all(|(one, other)| one.hash == other.hash), "to step {step}");
        assert!(case.hashes.unwrap().iter().all(|(at, hash)| *hash == seen[*at as usize].hash), "to step {step}");
    }
}

const DESCRIBED: &str = r#"{"protocol": "undirected", "n": 9, "start": "uniform", "seed": "4", "edits": [
    {"step": 700, "corrupt": 9, "seed": "18446744073709551615"},
    {"step": 20, "interact": [4, 3], "coin": 77},
    {"step": 20, "agent": 3, "state": {"c1": 2}},
    {"step": 21, "interact": [8, 0], "coin": 200},
    {"step": 300, "corrupt": 4, "place": "contiguous", "variable": "dir", "seed": 5}]}"#;

/// The same edits, made by hand.
fn described(at: u64, session: &mut dyn Session) -> Option<(Interaction, u64)> {
    let ring = session.described().ring;
    let sides: u64 = session.described().dice.iter().product();
    match at {
        20 => {
            let Value::Map(mut agent) = session.agent(3) else { panic!() };
            agent.iter_mut().filter(|(name, _)| name == "c1").for_each(|(_, value)| *value = 2_u8.into());
            session.set_agents(&[(3, Value::Map(agent))]).unwrap();
            return Some((ring.between(4, 3).unwrap(), 77 % sides));
        }
        21 => return Some((ring.between(8, 0).unwrap(), 200 % sides)),
        300 => drop(session.strike(&"agents=4,place=contiguous,variable=dir,at=0".parse().unwrap(), 5).unwrap()),
        700 => drop(session.strike(&"agents=9,at=0".parse().unwrap(), u64::MAX).unwrap()),
        _ => {}
    }
    None
}

#[test]
fn a_run_with_edits_is_what_a_naive_replay_sees() {
    let seen = naive(open("undirected", 9, "uniform", 4).as_mut(), 1_500, described);
    assert!(seen.iter().flat_map(|one| &one.last).any(|step| step.coin.is_some()));
    let mut run = Run::new(plan(DESCRIBED), None).unwrap();
    compare_all(&mut run, &seen);
    compare_exports(&mut run, &seen);
    for (step, by) in [(20, "clocks"), (21, "hand"), (22, "hand"), (23, "clocks")] {
        check(&mut run, &seen, step);
        assert_eq!(run.last.as_ref().unwrap().1, by, "step {step}");
    }
    // Without the last edits, what was computed before them is kept, and the rest is new.
    let fewer = DESCRIBED.replace(r#"{"step": 700, "corrupt": 9, "seed": "18446744073709551615"},"#, "");
    let seen =
        naive(open("undirected", 9, "uniform", 4).as_mut(), 1_500, |at, one| (at < 700).then(|| described(at, one))?);
    run.replan(plan(&fewer)).unwrap();
    assert_eq!(run.furthest, 700);
    compare_all(&mut run, &seen);
}

#[test]
fn events_are_sought_where_a_naive_replay_sees_them() {
    let description = r#"{"n": 16, "start": "uniform", "seed": 3, "edits": [
        {"step": 40, "interact": [15, 0]}, {"step": 90, "corrupt": 16, "seed": 1}]}"#;
    let seen = naive(open("ppl", 16, "uniform", 3).as_mut(), 2_000, |at, session| {
        if at == 90 {
            session.strike(&"agents=16,at=0".parse().unwrap(), 1).unwrap();
        }
        (at == 40).then(|| (session.described().ring.e(15), 0))
    });
    let mut run = Run::new(plan(description), None).unwrap();
    for wanted in ["leader killed", "mode changed"] {
        let happens = |one: &Seen| one.last.as_ref().is_some_and(|last| last.events.iter().any(|name| name == wanted));
        let expected: Vec<usize> = (0..seen.len()).filter(|&step| happens(&seen[step])).collect();
        assert!(expected.len() > 3, "{wanted}: {expected:?}");
        let mut from = 0;
        for step in expected {
            let ask = Ask { from, steps: 2_000 - from, time: LONG, until: vec![wanted.into()] };
            let found = run.go(&ask, &mut Turn::alone(LONG)).unwrap();
            compare(&frame(&mut run, &found, true), &seen, step);
            assert_eq!(found.event.as_deref(), Some(wanted));
            from = step as u64;
        }
    }
}

#[test]
fn a_recording_with_faults_and_coins_is_what_was_recorded_and_then_follows_its_seed() {
    recording(&[50, 200]);
    recording(&[]);
}

/// A recording of a run that was struck at these steps.
fn recording(struck: &[u64]) {
    const RECORDED: usize = 400;
    let mut session = open("pcl", 8, "one-color", 11);
    let first = session.duplicate();
    let mut written = Vec::new();
    let mut seen = naive(session.as_mut(), RECORDED as u64, |at, session| {
        if struck.contains(&at) {
            written.push((at, session.strike(&"agents=5,at=0".parse().unwrap(), at).unwrap()));
        }
        None
    });
    let steps = || seen.iter().flat_map(|one| &one.last);
    let interactions: Vec<Interaction> = steps().map(|step| step.interaction).collect();
    let coins: Vec<u64> = steps().filter_map(|step| step.coin).collect();
    assert!(coins.len() > 2, "{coins:?}");
    let course = Course::Recorded(&interactions, &coins);
    let faults = written.iter().map(|(at, states)| (*at, states.as_slice())).collect();
    let mut case = Vec::new();
    Execution { faults, ..Execution::new(first.as_ref(), session.as_ref(), course) }.write(&mut case).unwrap();
    let description = format!(r#"{{"seed": 5, "scheduler": "uniform", "case": {}}}"#, String::from_utf8(case).unwrap());

    let scheduler = ringleader::trial::Scheduler::Uniform;
    *session.schedule() = AnySchedule::new(scheduler, session.described().ring, 5);
    let last = seen.pop().unwrap().last;
    let mut after = naive(session.as_mut(), 100, |_, _| None);
    after[0].last = last;
    seen.append(&mut after);

    let mut run = Run::new(plan(&description), None).unwrap();
    assert_eq!(run.recorded, Some(RECORDED as u64));
    compare_all(&mut run, &seen);
    compare_exports(&mut run, &seen);
    for (step, by, end) in
        [(RECORDED - 1, "recorded", true), (RECORDED, "recorded", false), (RECORDED + 1, "uniform", false)]
    {
        check(&mut run, &seen, step);
        assert_eq!((run.last.as_ref().unwrap().1, run.end()), (by, end.then_some(RECORDED as u64)), "step {step}");
    }
}

#[test]
fn the_first_protocol_of_any_list_is_shown_by_default() {
    let all = catalogue();
    let last = Catalogue::of(all.0.iter().rev().take(1).cloned().collect());
    let plan = Description::default().plan(&last.clone().into()).ok().unwrap();
    assert_eq!(plan.first.described().about.name, last.0[0].about().name);
    assert!(Description::default().check(&Catalogue::of(Vec::new()).into()).is_err());
    let wrong = Description { n: Some(2), ..Description::default() };
    assert!(wrong.check(&all.into()).unwrap_err().0.contains("3 to 16384"));
}

#[test]
fn runs_take_what_they_count_and_make_do_with_it() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let description = |seed: u64| format!(r#"{{"n": 256, "seed": {seed}}}"#);
    let bytes = Description::read(description(1).as_bytes()).unwrap().bytes().unwrap();
    // Room for three runs that have just begun.
    let runs = Runs::within(3 * bytes + (64 << 10));
    let add = |seed: u64| {
        let room = runtime.block_on(runs.room(bytes)).unwrap();
        runs.add(seed.to_string(), Run::new(plan(&description(seed)), Some(room)).unwrap());
    };
    let known = |seeds: &[u64]| seeds.iter().all(|seed| runs.get(&seed.to_string()).is_some());
    (1..=3).for_each(add);
    assert!(known(&[2, 3, 1]) && runs.left() < bytes);
    let frame_at = |run: &mut Run, step| {
        let ask = Ask { from: step, steps: 0, time: LONG, until: Vec::new() };
        let found = run.go(&ask, &mut Turn::alone(LONG)).unwrap();
        frame(run, &found, true)
    };
    let go = |seed: u64, step| frame_at(&mut runs.get(&seed.to_string()).unwrap().try_lock().unwrap(), step);
    let snapshots = |seed: u64| runs.get(&seed.to_string()).unwrap().try_lock().unwrap().most_snapshots();
    // However far they go, nobody is forgotten for snapshots.
    let (far, near) = (400_000, 123_456);
    let there = go(3, far);
    assert!(known(&[2, 1, 3]) && snapshots(3) == 16);
    // The oldest goes when a new one comes.
    add(4);
    assert!(!known(&[2]) && known(&[1, 4, 3]));
    runs.forget("1");
    runs.forget("4");
    // With more room there are more snapshots, which are given back for new ones; what is seen is the same.
    go(3, 2 * far);
    assert!(snapshots(3) > 16 && runs.left() < 3 * bytes, "{}", snapshots(3));
    (5..=6).for_each(add);
    assert!(known(&[5, 6, 3]) && snapshots(3) == 16);
    let mut free = Run::new(plan(&description(3)), None).unwrap();
    assert_eq!(frame_at(&mut free, far).get("hash"), there.get("hash"));
    assert!(free.snapshots.items.len() > 64);
    assert_eq!(go(3, near).get("hash"), frame_at(&mut free, near).get("hash"));
    let one = runs.get("3").unwrap();
    // What is in use is given back when it no longer is.
    assert!(runs.get("3").is_some());
    let waits = std::thread::scope(|scope| {
        let waits = scope.spawn(|| drop(add_all(&runs, 3 * bytes)));
        while runs.get("3").is_some() {
            std::thread::yield_now();
        }
        drop(one);
        waits.join()
    });
    waits.unwrap();
    assert!(runs.left() >= 3 * bytes);
}

/// Takes all the room that there is, when it can be had.
fn add_all(runs: &Arc<Runs>, bytes: usize) -> crate::runs::Room {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(runs.room(bytes)).unwrap()
}

#[test]
fn the_server_answers_until_it_is_told_to_stop() {
    let server = Server::bind(library(), &Description { n: Some(9), ..Description::default() }, 0).unwrap();
    let (port, stop) = (server.port(), Arc::new(AtomicBool::new(false)));
    let stopped = stop.clone();
    let served = std::thread::spawn(move || server.serve(&|| stopped.load(Ordering::SeqCst)));
    let ask = |request: &str, body: &str| -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let length = body.len();
        let head = format!("Host: localhost:{port}\r\nConnection: close\r\nContent-Type: application/json");
        write!(stream, "{request} HTTP/1.1\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        let answer = std::io::read_to_string(stream).unwrap();
        serde_json::from_str::<json::Json>(answer.split_once("\r\n\r\n").unwrap().1).unwrap().0
    };
    assert_eq!(ask("GET /api/opening", "").get("n"), Some(&9_u8.into()));
    let seen = naive(open("undirected", 9, "uniform", 4).as_mut(), 30, described);
    let Some(Value::Text(id)) = ask("POST /api/runs", DESCRIBED).get("id").cloned() else { panic!("no run") };
    // A slow machine needs several requests.
    let mut frames = std::iter::repeat_with(|| ask(&format!("GET /api/runs/{id}/frame?from=30&hash=1"), ""));
    compare(&frames.find(|frame| frame.get("behind") == Some(&false.into())).unwrap(), &seen, 30);
    let config = ask(&format!("GET /api/runs/{id}/config?step=21"), "");
    assert_eq!(config.get("config"), Some(&seen[21].config));
    assert!(ask("GET /api/runs/0/frame", "").get("error").is_some());
    stop.store(true, Ordering::SeqCst);
    served.join().unwrap().unwrap();
}
