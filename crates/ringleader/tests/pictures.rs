//! Pictures and segments of small rings, drawn by hand.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ringleader::params::Params;
use ringleader::portrait::{LabelledSegment, PictureRow};
use ringleader::protocol::Protocol;
use ringleader::protocols::por::{self, Por};
use ringleader::protocols::ppl::{self, Mode, Ppl, Token};
use ringleader::protocols::undirected::{self, Undirected};
use ringleader::protocols::ysm::{self, Ysm};
use ringleader::ring::{Orientation, Ring};

fn shown(rows: &[PictureRow]) -> Vec<(&str, String)> {
    rows.iter().map(|row| (&*row.name, row.cells.iter().collect())).collect()
}

fn segments(of: Vec<LabelledSegment>) -> Vec<(usize, usize, String, bool)> {
    of.into_iter().map(|part| (part.start, part.length, part.label, part.dark)).collect()
}

/// psi = 2, so that segments have two agents: their IDs are 1, 2, 3 and 0.
fn ring_of_eight() -> Vec<ppl::State> {
    let bits = [1, 0, 0, 1, 1, 1, 0, 0];
    let mut ring: Vec<ppl::State> =
        (0..8).map(|i| ppl::State { dist: i % 4, b: bits[usize::from(i)], ..Default::default() }).collect();
    (ring[0].leader, ring[0].shield, ring[0].bullet) = (1, 1, 1);
    ring[1].token[ppl::BLACK] = Some(Token { pos: 2, bit: 0, carry: 0 });
    ring[3].token[ppl::WHITE] = Some(Token { pos: -1, bit: 0, carry: 0 });
    (ring[2].bullet, ring[2].shield, ring[3].bullet) = (2, 1, 1);
    (ring[4].mode, ring[5].signal_r) = (Mode::Detect, 1);
    ring
}

#[test]
fn a_ring_of_ppl_is_drawn_as_it_is() {
    let (ppl, ring) = (Ppl { psi: 2, kappa_max: 8 }, ring_of_eight());
    let rows = [
        ("ring", "L.|.|.|."),
        ("ids", "1 2 3 0 "),
        ("black", ".>......"),
        ("white", "...<...."),
        ("war", "@.*o...."),
        ("mode", "....dr.."),
    ];
    assert_eq!(shown(&ppl.picture(&ring)), rows.map(|(name, cells)| (name, cells.to_owned())));
    let parts = [(0, 2, "1", true), (2, 2, "2", false), (4, 2, "3", true), (6, 2, "0", false)];
    assert_eq!(segments(ppl.segments(&ring)), parts.map(|(at, length, id, dark)| (at, length, id.to_owned(), dark)));
}

/// The same ring, as all agents point right, and its mirror image, in which they point left.
#[test]
fn a_mirror_image_is_drawn_mirrored() {
    let colors = [0, 0, 1, 1, 2, 2, 3, 3];
    let to_the_right = |i: usize| colors[(i + 1) % 8];
    let agent = |(i, pl)| {
        let mut agent = undirected::State { pl, dir: to_the_right(i), ..Default::default() };
        agent.cl.color = colors[i];
        agent
    };
    let right: Vec<undirected::State> = ring_of_eight().into_iter().enumerate().map(agent).collect();
    let left: Vec<undirected::State> = right.iter().rev().copied().collect();
    let params = Params::default().with("psi", 3);
    let protocol = Undirected::new(Ring::new(8, Orientation::Undirected).unwrap(), &params).unwrap();
    let (forth, back) = (protocol.picture(&right), protocol.picture(&left));

    let named = |rows: &[PictureRow], name: &str| rows.iter().find(|row| row.name == *name).cloned();
    assert!(named(&forth, "ids").is_some() && named(&back, "ids").is_none(), "digits cannot be mirrored");
    assert_eq!(forth.len(), back.len() + 1);
    let turned = |&cell: &char| match cell {
        '<' => '>',
        '>' => '<',
        other => other,
    };
    for row in back {
        let mirrored: String = row.cells.iter().rev().map(turned).collect();
        let expected: String = named(&forth, &row.name).unwrap().cells.into_iter().collect();
        assert_eq!(mirrored, expected, "{}", row.name);
    }
    let mirrored = protocol.segments(&left).into_iter().map(|part| {
        let start = (0..8).find(|start| (start + part.start + part.length) % 8 == 0).unwrap();
        LabelledSegment { start, ..part }
    });
    assert_eq!(mirrored.collect::<Vec<_>>(), protocol.segments(&right));
}

#[test]
fn ysm_marks_what_does_not_follow_from_the_left() {
    let agent = |dist| ysm::State { dist, ..Default::default() };
    let leader = ysm::State { leader: 1, ..Default::default() };
    let ring = |config: &[ysm::State]| shown(&Ysm { bound: 4 }.picture(config))[0].1.clone();
    assert_eq!(ring(&[agent(3), leader, agent(1), agent(2)]), ".L..");
    assert_eq!(ring(&[agent(2), leader, agent(1), agent(3)]), "?L.?");
}

/// 0 to 2 point right, 3 to 5 left: 2 and 3 are heads, and of the strong agents only 1 is none.
#[test]
fn obstacles_are_strong_and_no_heads() {
    let colors = [0, 0, 1, 1, 2, 2];
    let agent = |i: usize| {
        let (left, right) = (colors[(i + 5) % 6], colors[(i + 1) % 6]);
        let dir = if i < 3 { right } else { left };
        por::State { color: colors[i], c1: left, c2: right, dir, strong: [0, 1, 1, 0, 0, 0][i] }
    };
    let ring: Vec<por::State> = (0..6).map(agent).collect();
    let facts = Por::with_colors(3).facts(&ring);
    let obstacles = facts.iter().find(|(name, _)| name == "obstacles").unwrap();
    assert_eq!(obstacles.1, vec![1_usize].into());
    let parts = [(0, 3, "right", true), (3, 3, "left", false)];
    let found = segments(Por::with_colors(3).segments(&ring));
    assert_eq!(found, parts.map(|(at, length, way, dark)| (at, length, way.to_owned(), dark)));
    let rows = [("color", "001122"), ("dir", ">>><<<"), ("strong", ".ss...")];
    assert_eq!(shown(&Por::with_colors(3).picture(&ring)), rows.map(|(name, cells)| (name, cells.to_owned())));
}
