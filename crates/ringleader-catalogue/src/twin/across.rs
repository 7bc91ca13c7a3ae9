//! States from the form in Rust to the text and back.
//!
//! Variables come in the same order and their values, too. Only an array of bits in a text may be one number in Rust. The bits of a variable are
//! together in a state of a text, so what they are for each value, and back, are tables where values are few.

use ringleader::value::Value;
use ringleader::variables::{Domain, Variable, Variables};
use ringleader_notation::setting::State as Packed;

/// More values than this have no table.
const TABLED: u64 = 1 << 12;

/// All variables of a protocol, with what they are in its text.
pub(super) struct Across<S>(Vec<Crossing<S>>);

/// A variable and its twins, several if it is an array there.
struct Crossing<S> {
    rust: Variable<S>,
    twins: Vec<Variable<Packed>>,
    table: Option<Table>,
}

/// The values of a variable in both forms.
struct Table {
    values: Vec<Value>,
    bits: Vec<u64>,
    /// Where its bits are in a state of the text.
    word: usize,
    shift: u32,
    mask: u64,
    /// The number of the value that bits are.
    numbers: Vec<u16>,
}

impl<S: Copy + Default + 'static> Across<S> {
    /// `None` if the variables are not the same.
    pub(super) fn new(rust: Variables<S>, twins: Variables<Packed>) -> Option<Self> {
        let mut twins = twins.0.into_iter();
        let all = rust.0.into_iter().map(|rust| Crossing::new(rust, &mut twins)).collect::<Option<_>>()?;
        twins.next().is_none().then_some(Self(all))
    }

    /// The state of the text.
    pub(super) fn there(&self, state: &S) -> Packed {
        let mut packed = Packed::default();
        self.0.iter().for_each(|crossing| crossing.there(state, &mut packed));
        packed
    }

    /// The state in Rust.
    pub(super) fn back(&self, packed: &Packed) -> S {
        let mut state = S::default();
        self.0.iter().for_each(|crossing| crossing.back(packed, &mut state));
        state
    }
}

impl<S: Copy + 'static> Crossing<S> {
    fn new(rust: Variable<S>, twins: &mut impl Iterator<Item = Variable<Packed>>) -> Option<Self> {
        let (size, first) = (rust.domain.size(), twins.next()?);
        let mut own = vec![first];
        if own[0].domain.size() != size {
            let bits = size.ilog2() as usize;
            own.extend(twins.take(bits - 1));
            let is_array = own.len() == bits && own.iter().all(|twin| twin.domain == Domain::BIT);
            (size.is_power_of_two() && is_array).then_some(())?;
        }
        let mut crossing = Self { rust, twins: own, table: None };
        crossing.table = (size <= TABLED).then(|| Table::new(&crossing)).flatten();
        Some(crossing)
    }

    /// Writes value number `k`.
    fn put(&self, k: u64, packed: &mut Packed) {
        match &self.twins[..] {
            [twin] => twin.put(packed, &twin.domain.nth(k)),
            bits => bits.iter().enumerate().for_each(|(c, bit)| bit.put(packed, &(k >> c & 1).into())),
        }
    }

    /// The number of the value that is there.
    fn number(&self, packed: &Packed) -> u64 {
        let number = |twin: &Variable<Packed>| twin.domain.index(&twin.get(packed)).unwrap_or(0);
        match &self.twins[..] {
            [twin] => number(twin),
            bits => bits.iter().enumerate().fold(0, |k, (c, bit)| k | number(bit) << c),
        }
    }

    fn there(&self, state: &S, packed: &mut Packed) {
        let k = self.rust.domain.index(&self.rust.get(state)).unwrap_or(0);
        match &self.table {
            Some(table) => packed.0[table.word] |= table.bits[k as usize],
            None => self.put(k, packed),
        }
    }

    fn back(&self, packed: &Packed, state: &mut S) {
        match &self.table {
            Some(table) => self.rust.put(state, table.value(packed)),
            None => self.rust.put(state, &self.rust.domain.nth(self.number(packed))),
        }
    }
}

impl Table {
    /// `None` if the bits of the values are not within one word, or too many.
    fn new<S: Copy + 'static>(crossing: &Crossing<S>) -> Option<Self> {
        let size = crossing.rust.domain.size();
        let states: Vec<Packed> = (0..size)
            .map(|k| {
                let mut packed = Packed::default();
                crossing.put(k, &mut packed);
                packed
            })
            .collect();
        let used = states.iter().fold([0; 2], |used, state| [used[0] | state.0[0], used[1] | state.0[1]]);
        let word = usize::from(used[0] == 0);
        if used[1 - word] != 0 || used[word] == 0 {
            return None;
        }
        let shift = used[word].trailing_zeros();
        let width = u64::BITS - used[word].leading_zeros() - shift;
        if width > TABLED.ilog2() {
            return None;
        }
        let mut numbers = vec![0; 1 << width];
        states.iter().enumerate().for_each(|(k, state)| numbers[(state.0[word] >> shift) as usize] = k as u16);
        let values = (0..size).map(|k| crossing.rust.domain.nth(k)).collect();
        let bits = states.iter().map(|state| state.0[word]).collect();
        Some(Self { values, bits, word, shift, mask: (1 << width) - 1, numbers })
    }

    fn value(&self, packed: &Packed) -> &Value {
        &self.values[usize::from(self.numbers[(packed.0[self.word] >> self.shift & self.mask) as usize])]
    }
}
