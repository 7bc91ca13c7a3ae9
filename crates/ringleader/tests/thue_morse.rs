//! Writers of Thue-Morse that go on to write what does not belong there make a configuration unsafe, however far off that is.

use ringleader::protocol::Protocol;
use ringleader::protocols::thue_morse::{Cell, Link, Pen, State, ThueMorse};

/// A leader at peace, the string 0110 1001 1001, and a list of writer cells from an agent on: where its mark and its head are.
fn is_safe(from: usize, cells: usize, mark: Option<usize>, head: (usize, Pen)) -> bool {
    let bits = [0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1];
    let mut ring = bits.map(|x| State { x, ..State::default() });
    ring[0].leader = 1;
    for k in 0..cells {
        let link = |linked: bool| if linked { Link::Same } else { Link::Open };
        let pen = if head.0 == k { head.1 } else { Pen::None };
        let (left, right) = (link(k > 0), link(k + 1 < cells));
        ring[from + k].writer = Some(Cell { left, right, mark: mark == Some(k), end: false, head: pen });
    }
    ThueMorse.is_safe(&ring)
}

#[test]
fn a_writer_is_followed_to_its_first_wrong_bit() {
    assert!(is_safe(0, 0, None, (0, Pen::None)), "no list at all");
    // O(b) writes 1 - b, then the next bit is doubled: 0 becomes 01.
    assert!(is_safe(0, 1, Some(0), (0, Pen::O(0))));
    assert!(!is_safe(0, 1, Some(0), (0, Pen::O(1))), "a 0 where a 1 belongs");
    assert!(is_safe(11, 1, Some(0), (0, Pen::O(1))), "the leader is next: nothing is written");
    // B goes back to the mark, and the bit after that is doubled at the end of the list.
    assert!(is_safe(0, 4, Some(1), (3, Pen::B)), "bit 2 becomes bits 4 and 5, bit 3 bits 6 and 7");
    assert!(
        !is_safe(0, 4, Some(0), (3, Pen::B)),
        "bit 1 becomes bits 4 and 5, which is right, but bit 2 not bits 6 and 7"
    );
    assert!(!is_safe(0, 4, Some(2), (3, Pen::B)), "bit 3 does not become bits 4 and 5");
    assert!(is_safe(0, 4, None, (3, Pen::B)), "without a mark nothing is written");
}
