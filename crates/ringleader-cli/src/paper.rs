//! The numbered statements of the paper, and what the laboratory has for each: plain data. Numbers are those that LaTeX gives them. Names
//! are the paper's labels, or ours where it has none. What is ours and not the paper's comes last, under where the paper is nearest to it.

/// A statement.
pub(crate) struct Statement {
    /// Its kind and number, or the place of what has none.
    pub(crate) title: &'static str,
    pub(crate) name: &'static str,
    /// What it says, in our words.
    pub(crate) says: &'static str,
    pub(crate) evidence: &'static [Evidence],
}

/// What there is for a statement.
pub(crate) struct Evidence {
    pub(crate) how: How,
    /// For which rings, and with which reservation; or why there is nothing.
    pub(crate) what: &'static str,
    /// The command that shows it, unless there is none.
    pub(crate) command: &'static str,
}

/// How something is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Proven,
    Sharp,
    Refuted,
    Exact,
    Sampled,
    Evaluated,
    Not,
}

impl How {
    pub(crate) const ALL: [Self; 7] =
        [Self::Proven, Self::Sharp, Self::Refuted, Self::Exact, Self::Sampled, Self::Evaluated, Self::Not];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Sharp => "sharp",
            Self::Refuted => "refuted",
            Self::Exact => "exact",
            Self::Sampled => "sampled",
            Self::Evaluated => "evaluated",
            Self::Not => "not addressed",
        }
    }

    pub(crate) fn about(self) -> &'static str {
        match self {
            Self::Proven => "for all configurations of these rings, by a SAT solver",
            Self::Sharp => "proven that less would not do, or that an assumption is needed",
            Self::Refuted => "wrong as it stands, with a witness",
            Self::Exact => "computed, without sampling",
            Self::Sampled => "seen in random executions; no proof",
            Self::Evaluated => "a definition that `inspect` or `check` applies to configurations",
            Self::Not => "nothing, and why",
        }
    }
}

impl Evidence {
    /// The claims that its command decides.
    pub(crate) fn claims(&self) -> impl Iterator<Item = &'static str> {
        let words = self.command.strip_prefix("ringleader prove ").unwrap_or_default();
        words.split(' ').take_while(|word| !word.is_empty() && !word.starts_with('-'))
    }
}

impl Statement {
    pub(crate) fn claims(&self) -> impl Iterator<Item = &'static str> {
        self.evidence.iter().flat_map(Evidence::claims)
    }

    /// Whether the paper numbers it.
    pub(crate) fn is_numbered(&self) -> bool {
        KINDS.iter().any(|kind| self.number(kind).is_some())
    }

    fn number(&self, kind: &str) -> Option<&'static str> {
        self.title.strip_prefix(kind)?.strip_prefix(' ')
    }

    /// Whether these words name it: its title, its number alone, its name, or a claim that decides it.
    fn is_called(&self, words: &str) -> bool {
        let numbered = KINDS.iter().any(|kind| self.number(kind) == Some(words));
        numbered
            || same_name(self.title, words)
            || self.has_name(words)
            || self.claims().any(|claim| same_name(claim, words))
    }

    fn has_name(&self, words: &str) -> bool {
        same_name(self.name, words)
    }
}

const KINDS: [&str; 7] = ["Definition", "Lemma", "Theorem", "Corollary", "Remark", "Note", "Claim"];

/// The statements that these words name; those named so themselves come before those with a claim of this name.
pub(crate) fn called(words: &str) -> Vec<&'static Statement> {
    let named: Vec<_> = STATEMENTS.iter().filter(|statement| statement.has_name(words)).collect();
    if named.is_empty() { STATEMENTS.iter().filter(|statement| statement.is_called(words)).collect() } else { named }
}

/// Whether two names are the same but for case, spaces, hyphens and underscores.
pub(crate) fn same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.chars().filter(|c| !" -_".contains(*c)).collect::<String>().to_lowercase();
    plain(one) == plain(other)
}

const fn of(how: How, what: &'static str, command: &'static str) -> Evidence {
    Evidence { how, what, command }
}

const fn not(why: &'static str) -> Evidence {
    of(How::Not, why, "")
}

const WAR: &str = "n = 3..24, every psi and kappa_max";
const TOKENS: &str = "ringleader inspect paper/witnesses/good-creates-none-n4-psi3.json";
const ORIENTED: &str = "ringleader inspect paper/witnesses/disappear-once-n6.json";
const COLOURED: &str = "ringleader inspect paper/witnesses/pcl-two-hop-closed-n3.json";

/// All of them, in the order of the paper.
pub(crate) const STATEMENTS: &[Statement] = &[
    Statement {
        title: "Definition 1",
        name: "ss-le",
        says: "a configuration is safe if one agent outputs L and outputs never change again; a protocol elects a leader if it becomes safe with probability 1 from everywhere",
        evidence: &[
            of(
                How::Evaluated,
                "all safe configurations are found, and whether they are reached, for protocols with few states",
                "ringleader check fj --n 3..5",
            ),
            of(
                How::Proven,
                "S_PL is not all of the safe configurations: n = 4..8, psi = 2, 3",
                "ringleader prove safe-more --n 4..8 --psi 2..3",
            ),
        ],
    },
    Statement {
        title: "Definition 2",
        name: "occurs",
        says: "a sequence of interactions occurs within so many steps if they come in this order, others between them or not",
        evidence: &[not(
            "a notion of the analysis; the words of Lemmas 4, 15 and 18 are played with nothing in between",
        )],
    },
    Statement {
        title: "Lemma 1",
        name: "base",
        says: "a sequence of l interactions occurs within n l steps in expectation, and with high probability within 2n(l + 4c log n)",
        evidence: &[of(
            How::Exact,
            "the tail of the number of steps, which is the same for every sequence: n = 3..12, 16, 24, 32, 48, 64, ten lengths up to 89, c = 1..3",
            "cargo test --package ringleader-verify a_sequence_occurs_as_soon_as_lemma_base_says",
        )],
    },
    Statement {
        title: "Lemma 2",
        name: "whp_expected",
        says: "a bound on the time with high probability is one in expectation",
        evidence: &[not("a general argument about probabilities")],
    },
    Statement {
        title: "Theorem 1",
        name: "main",
        says: "P_PL elects a leader on directed rings within O(n^2 log n) steps, with high probability and in expectation, with polylog(n) states",
        evidence: &[
            of(
                How::Proven,
                "with probability 1: n = 9..16, psi = 4..7, kappa_max = 1",
                "ringleader prove convergence --n 9..16 --psi 4..7",
            ),
            of(How::Proven, "n = 5..8, psi = 3..6, kappa_max = 1", "ringleader prove convergence --n 5..8 --psi 3..6"),
            of(How::Proven, "n = 3..4, psi = 2..5, kappa_max = 1", "ringleader prove convergence --n 3..4 --psi 2..5"),
            of(
                How::Proven,
                "n = 3..8, psi = 2..4, kappa_max = 1, 2, except n = 8, psi = 2, where n = psi 2^psi",
                "ringleader prove convergence --n 3..8 --psi 2..4 --kappa 1..2",
            ),
            of(
                How::Proven,
                "with probability 1: every n that is no multiple of psi 2^psi, psi = 2..31, every kappa_max, by the reduction `words`",
                "ringleader prove every-convergence --psi 2..31",
            ),
            of(
                How::Sharp,
                "its facts need a signal at a leader that is killed, and last = 0 where tokens move: psi = 2..5",
                "ringleader prove every-kill-shielded every-window-last --psi 2..5",
            ),
            of(
                How::Sharp,
                "where n = psi 2^psi a ring may stay without a leader for ever: psi = 2",
                "ringleader prove convergence-unsound --psi 2",
            ),
            of(
                How::Exact,
                "expected steps from no leader: n = 3, psi = 2, kappa_max = 1",
                "ringleader exact ppl --n 3 --psi 2 --kappa 1",
            ),
            of(How::Exact, "the number of states", "ringleader list --n 1024"),
            of(How::Sampled, "how the time grows, from several starts", "ringleader table1"),
            of(
                How::Sampled,
                "P(T > 64 n^2 log2 n) <= 1/n, constants that were chosen before the trials: n = 8, 16, ..., 256, from three starts, 66,000 trials, with confidence 0.95 for all at once",
                "cargo test --package ringleader-records --features sweeps the_theorem_holds_with_high_probability",
            ),
        ],
    },
    Statement {
        title: "Lemma 3",
        name: "impossible",
        says: "a configuration without a leader is not perfect",
        evidence: &[
            of(
                How::Proven,
                "n = 3..26, psi = 2, 3, except where psi 2^psi divides n, which 2^psi >= n excludes",
                "ringleader prove impossible --n 3..26 --psi 2..3",
            ),
            of(How::Sharp, "it fails at n = psi 2^psi: psi = 2, 3", "ringleader prove impossible-unsound --psi 2..3"),
        ],
    },
    Statement {
        title: "Definition 3",
        name: "invalid",
        says: "a token is valid if its target is where a trajectory by dist would have it",
        evidence: &[of(How::Evaluated, "`valid` of every token", TOKENS)],
    },
    Statement {
        title: "Note 1",
        name: "invalid",
        says: "invalid tokens do not matter: Line 12 deletes them before anything else is done with tokens",
        evidence: &[not("seen from the place of Line 12; no claim is about it")],
    },
    Statement {
        title: "Note 2",
        name: "good",
        says: "in good configurations no token makes a leader in the first or the last segment",
        evidence: &[of(
            How::Refuted,
            "psi = 3, n = 4..8: a token that is in the first segment from the start makes a second leader; right for psi = 2; no theorem needs it",
            "ringleader prove good-creates-none --n 4..8 --psi 3",
        )],
    },
    Statement {
        title: "Definition 4",
        name: "token_complete",
        says: "a token completes its trajectory when it has moved 2psi^2 - 2psi + 1 times",
        evidence: &[not("a notion of Lemma 4, whose claim counts these moves")],
    },
    Statement {
        title: "Lemma 4",
        name: "complete",
        says: "2psi sweeps right and left over two segments make a new token complete its trajectory",
        evidence: &[
            of(
                How::Proven,
                "psi = 2..4, for the sweeps with nothing in between",
                "ringleader prove complete --psi 2..4",
            ),
            of(How::Sharp, "2psi - 1 sweeps are not enough: psi = 2..4", "ringleader prove complete-tight --psi 2..4"),
        ],
    },
    Statement {
        title: "Lemma 5",
        name: "keep_construction",
        says: "with a leader the ring soon comes to a set from which all agents stay in construction mode for long, with high probability",
        evidence: &[
            of(
                How::Exact,
                "in one interaction signals and clocks do what the lottery game says: psi = 2..4, kappa_max = 1..4, all clocks, signals and hits",
                "cargo test --package ringleader-verify an_interaction_is_a_flip_for_both",
            ),
            of(
                How::Exact,
                "(i), events (B) and (C) and the clocks meanwhile, with kappa_max = 48psi: n = 3, 4, 5, 8, 16, ..., 512; event (A) is Lemma 1",
                "cargo test --package ringleader-verify a_signal_comes_round",
            ),
            of(
                How::Exact,
                "(ii), with kappa_max = 48psi, whatever the hits: n = 3..8, 16, 32",
                "cargo test --package ringleader-verify construction_is_kept",
            ),
        ],
    },
    Statement {
        title: "Lemma 6",
        name: "enter_detection",
        says: "within O(n^2 log n) steps there is a leader, or all agents detect until there is one, with high probability",
        evidence: &[
            of(
                How::Proven,
                "once no signal is left and all clocks are at kappa_max, all detect until there is one: n = 3..8, psi = 2..4, kappa_max = 1..3",
                "ringleader prove detecting --n 3..8 --psi 2..4 --kappa 1..3",
            ),
            of(
                How::Refuted,
                "a step of its proof, \"it is clear\" that they do if all are in detection mode and no signal is left: an agent that has not interacted yet may have mode = Detect beside any clock; the lemma is not touched, since the step is made after all clocks have run out",
                "ringleader prove detecting-clear --n 3 --psi 2",
            ),
            of(
                How::Sampled,
                "the step of the first leader, which bounds it from above",
                "ringleader run --n 64 --start stale-signals --seed 1",
            ),
        ],
    },
    Statement {
        title: "Definition 5",
        name: "lottery",
        says: "the lottery game: a round is won by k heads in a row and lost by a tail",
        evidence: &[of(
            How::Exact,
            "the number of sequences of flips with so many wins, counted, against all sequences played one by one",
            "cargo test --package ringleader-verify the_game_is_counted_right",
        )],
    },
    Statement {
        title: "Lemma 7",
        name: "upper_wl",
        says: "fewer than 8ck wins in 4ck 2^k flips, with high probability",
        evidence: &[of(
            How::Exact,
            "with probability at least 1 - 2^-ck: k = 1..10, c = 1, and for k = 2..6 also c = 6, which Lemma 5 uses",
            "cargo test --package ringleader-verify upper_wl_holds",
        )],
    },
    Statement {
        title: "Lemma 8",
        name: "lower_wl",
        says: "more than 8ck wins in 64ck 2^k flips, with high probability",
        evidence: &[of(
            How::Exact,
            "with probability at least 1 - 2^-ck: k = 1..10, c = 1, and for k = 2..6 also c = 6, as in Lemma 9 with kappa_max = 48psi",
            "cargo test --package ringleader-verify lower_wl_holds",
        )],
    },
    Statement {
        title: "Lemma 9",
        name: "absorbed",
        says: "every resetting signal is gone within O(n^2 kappa_max) steps, with high probability",
        evidence: &[
            of(
                How::Exact,
                "within 8n kappa_max 2^psi steps but for a chance of 1/n^2, with kappa_max = 48psi, whatever the hits: n = 3..8",
                "cargo test --package ringleader-verify a_signal_is_gone_in_time",
            ),
            of(
                How::Exact,
                "a signal lives n kappa_max (2^psi - 1) steps in expectation: also by the chain of P'_PL, n = 3, psi = 2, kappa_max = 1",
                "cargo test --package ringleader-verify a_signal_lives_as_long_as_the_game_says",
            ),
        ],
    },
    Statement {
        title: "Lemma 10",
        name: "never_kill",
        says: "a peaceful bullet never kills the only leader",
        evidence: &[
            of(How::Proven, WAR, "ringleader prove never_kill --n 3..24"),
            of(
                How::Proven,
                "every n, psi = 2..31, every kappa_max, by the reduction `rest`",
                "ringleader prove every-never_kill --psi 2..31",
            ),
            of(How::Sharp, "not of other bullets", "ringleader prove every-never_kill-any --psi 2..5"),
        ],
    },
    Statement {
        title: "Lemma 11",
        name: "new_live_bullet",
        says: "every newly fired live bullet is peaceful",
        evidence: &[
            of(How::Proven, WAR, "ringleader prove new_live_bullet --n 3..24"),
            of(
                How::Proven,
                "every n, psi = 2..31, every kappa_max, by the reduction `rest`",
                "ringleader prove every-new_live_bullet --psi 2..31",
            ),
        ],
    },
    Statement {
        title: "Lemma 12",
        name: "once_peaceful",
        says: "a peaceful bullet stays peaceful",
        evidence: &[
            of(How::Proven, WAR, "ringleader prove once_peaceful --n 3..24"),
            of(
                How::Proven,
                "every n, psi = 2..31, every kappa_max, by the reduction `rest`",
                "ringleader prove every-once_peaceful --psi 2..31",
            ),
        ],
    },
    Statement {
        title: "Lemma 13",
        name: "cpb_closed",
        says: "C_PB is closed",
        evidence: &[
            of(How::Proven, WAR, "ringleader prove cpb_closed --n 3..24"),
            of(
                How::Proven,
                "every n, psi = 2..31, every kappa_max, by the reduction `rest`",
                "ringleader prove every-cpb_closed --psi 2..31",
            ),
        ],
    },
    Statement {
        title: "Corollary 1",
        name: "cpb_cnz",
        says: "from C_PB on there is always a leader",
        evidence: &[
            of(
                How::Proven,
                "with Lemma 13, since C_PB asks for a leader: n = 3..24",
                "ringleader prove cpb_closed --n 3..24",
            ),
            of(How::Sharp, "C_PB is not all of C_NZ: n = 3..12", "ringleader prove cpb-strict --n 3..12"),
        ],
    },
    Statement {
        title: "Definition 6",
        name: "correct",
        says: "a token is correct if its bit and carry are those of the ID of its segment plus 1",
        evidence: &[of(
            How::Evaluated,
            "`correct` of every token for which it is defined",
            "ringleader inspect paper/witnesses/needed-no-risky-n7-psi3.json",
        )],
    },
    Statement {
        title: "Remark 1",
        name: "correct",
        says: "the bit of a correct token is the one of the ID plus 1",
        evidence: &[of(
            How::Sampled,
            "both forms of the definition agree on 20,000 configurations",
            "cargo test --package ringleader one_pass_forms_equal_their_definitions",
        )],
    },
    Statement {
        title: "Remark 2",
        name: "get_incorrect",
        says: "in C_DL a correct token becomes incorrect only when the ID of its segment changes",
        evidence: &[not("inside S_PL it is part of Lemma 14; by itself no claim is about it")],
    },
    Statement {
        title: "Definition 7",
        name: "risky",
        says: "a token is risky if it moves right and its way to the target lies in the first segment",
        evidence: &[of(How::Evaluated, "`risky` of every token", TOKENS)],
    },
    Statement {
        title: "Definition 8",
        name: "srl",
        says: "S_PL: C_DL, no risky token, consecutive IDs, and correct tokens",
        evidence: &[
            of(How::Evaluated, "`S_PL`, and which condition is broken where", TOKENS),
            of(
                How::Proven,
                "it has a member, which is perfect: n up to 512, psi = 4, 9",
                "ringleader prove safe-not-empty --n 3,16,64,128,256,512 --psi 4,9",
            ),
            of(
                How::Sharp,
                "each condition is needed once zeta >= 3: n = 7, 8, psi = 2, 3",
                "ringleader prove needed-peaceful needed-one-leader needed-dist needed-last needed-no-risky needed-ids needed-correct-tokens --n 7..8 --psi 2..3",
            ),
            of(
                How::Refuted,
                "where zeta = 1 and S_0 is the whole ring, as Section 3.2 has it, S_PL is not reached from some configurations: n = 3, 4, psi = 4..7",
                "ringleader prove literal-trap --n 3..4 --psi 4..7",
            ),
        ],
    },
    Statement {
        title: "Lemma 14",
        name: "safe",
        says: "S_PL is closed, and its configurations are safe",
        evidence: &[
            of(
                How::Proven,
                "psi = 2..7, all n = 3..min(7psi, 44), also n > 2^psi, every kappa_max",
                "ringleader prove safe --n 3..44 --psi 2..7 --most-psi 7",
            ),
            of(
                How::Proven,
                "also with S_0 the whole ring where zeta = 1: n = 3..6, psi = 2..7",
                "ringleader prove safe-literal --n 3..6 --psi 2..7",
            ),
            of(
                How::Proven,
                "every n, psi = 2..31, every kappa_max, by the reduction `places`",
                "ringleader prove every-safe --psi 2..31",
            ),
            of(
                How::Sharp,
                "its question about two neighbours needs no-risky, correct tokens and IDs: psi = 2..5",
                "ringleader prove every-safe-risky every-safe-tokens every-safe-ids --psi 2..5",
            ),
        ],
    },
    Statement {
        title: "Lemma 15",
        name: "get_peaceful",
        says: "after two sweeps to the right every live bullet is gone or peaceful",
        evidence: &[
            of(
                How::Proven,
                "n = 3..24, every psi and kappa_max, for the sweeps with nothing in between",
                "ringleader prove get_peaceful --n 3..24",
            ),
            of(How::Sharp, "one sweep is not enough: n = 3", "ringleader prove get_peaceful-once --n 3"),
            of(
                How::Proven,
                "every n, psi = 2..31, every kappa_max, by the reduction `trail`, whatever occurs in between",
                "ringleader prove every-get_peaceful --psi 2..31",
            ),
            of(How::Sharp, "its facts need trails without signals", "ringleader prove every-trail-signals --psi 2..5"),
        ],
    },
    Statement {
        title: "Lemma 16",
        name: "cpb",
        says: "P_PL enters C_PB within O(n^2 log n) steps, with high probability",
        evidence: &[of(How::Sampled, "the step of C_PB", "ringleader run --n 64 --start live-bullets --seed 1")],
    },
    Statement {
        title: "Lemma 17",
        name: "lone",
        says: "from C_PB, P'_PL comes to one leader within O(n^2 log n) steps, with high probability",
        evidence: &[
            of(
                How::Exact,
                "expected steps of EliminateLeaders alone, from every configuration: n = 4",
                "ringleader exact elim --n 4 --start every --until at-most-one-leader",
            ),
            of(How::Sampled, "EliminateLeaders alone", "ringleader run --protocol elim --n 64 --trials 100 --seed 1"),
        ],
    },
    Statement {
        title: "Lemma 18",
        name: "srl_variant",
        says: "from C_PB, P'_PL enters S_PL within O(n^2 log n) steps, with high probability",
        evidence: &[
            of(
                How::Proven,
                "the word of its proof, with nothing in between, leads there from C_PB with one leader, given Lemma 13: n = 3..8, psi = 2, 3",
                "ringleader prove srl_variant --n 3..8 --psi 2..3",
            ),
            of(
                How::Sharp,
                "the part of the word against risky tokens is needed: n = 4..6, psi = 3",
                "ringleader prove srl_variant-no-risky-part --n 4..6 --psi 3",
            ),
            of(How::Sampled, "the step of S_PL", "ringleader run --protocol ppl-prime --n 64 --start tokens --seed 1"),
        ],
    },
    Statement {
        title: "Lemma 19",
        name: "srl",
        says: "from C_PB, P_PL enters S_PL within O(n^2 log n) steps for a large enough kappa_max, with high probability",
        evidence: &[of(
            How::Sampled,
            "the step of S_PL; with probability 1 it is part of Theorem 1",
            "ringleader run --n 64 --start two-leaders --seed 1",
        )],
    },
    Statement {
        title: "Definition 9",
        name: "ro",
        says: "a ring is oriented if colours differ at distance 2, all agents point one way, and none ever changes that",
        evidence: &[of(How::Evaluated, "`two_hop_colored`, `oriented`", ORIENTED)],
    },
    Statement {
        title: "Note 3",
        name: "memory",
        says: "P_OR may assume a two-hop colouring and that agents know their neighbours' colours",
        evidence: &[
            of(How::Evaluated, "`two_hop_colored`, `memory_correct`", ORIENTED),
            of(
                How::Sampled,
                "the steps of red-free and memory in the composition",
                "ringleader run --protocol undirected --n 16 --kappa 8 --seed 1",
            ),
        ],
    },
    Statement {
        title: "Lemma 20",
        name: "obstacle",
        says: "an agent becomes an obstacle only when it loses a head-to-head interaction and its segment disappears",
        evidence: &[of(How::Proven, "n = 3..12, 16 colours", "ringleader prove obstacle --n 3..12")],
    },
    Statement {
        title: "Theorem 2",
        name: "ssro",
        says: "P_OR orients the ring within O(n^2 log n) steps, with high probability and in expectation, with O(1) states",
        evidence: &[
            of(
                How::Proven,
                "with probability 1, colours and memory given, by words with nothing in between: n = 3..6",
                "ringleader prove por-convergence --n 3..6",
            ),
            of(How::Proven, "oriented configurations stay so: n = 3..12", "ringleader prove por-oriented --n 3..12"),
            of(
                How::Exact,
                "expected steps from two segments: n = 4",
                "ringleader exact por --n 4 --start two-segments",
            ),
            of(How::Sampled, "the time", "ringleader run --protocol por --n 64 --trials 100 --seed 1"),
            of(
                How::Proven,
                "with probability 1, and oriented configurations stay so: every n, by the reduction `arrows`",
                "ringleader prove every-por-convergence",
            ),
            of(How::Sharp, "a strong responder may win", "ringleader prove every-por-initiator"),
        ],
    },
    Statement {
        title: "Claim 1",
        name: "disappear",
        says: "of any four consecutive segments one disappears within O(n^2) steps, with high probability",
        evidence: &[
            of(
                How::Proven,
                "while the word of its proof occurs, whatever occurs in between, one of the four disappears if the two in the middle have no obstacle; not how soon: n = 3..8",
                "ringleader prove disappear --n 3..8",
            ),
            of(How::Sharp, "half of the word is not enough: n = 6", "ringleader prove disappear-once --n 6"),
        ],
    },
    Statement {
        title: "Theorem 3",
        name: "undirected",
        says: "the composition elects a leader on undirected rings within O(n^2 log n) steps with polylog(n) states",
        evidence: &[
            of(
                How::Proven,
                "with probability 1 from everywhere, and for ever: every n that is no multiple of psi 2^psi, psi = 2..31, 16 colours; how the layers act on one another for kappa_max = 1, 2, 3, 48psi, the rest for every kappa_max; by the reduction `layers`",
                "ringleader prove every-undirected --psi 2..31",
            ),
            of(How::Sampled, "the time", "ringleader run --protocol undirected --n 16 --seed 1"),
            of(How::Exact, "the number of states", "ringleader list --n 1024"),
        ],
    },
    Statement {
        title: "Lemma 21",
        name: "chernoff",
        says: "Chernoff bounds for sums of independent Poisson trials",
        evidence: &[not("cited from a textbook")],
    },
    Statement {
        title: "Note 4",
        name: "derandomize",
        says: "P_CL can take its random bits from who is the initiator",
        evidence: &[of(
            How::Sampled,
            "the time of P_CL with such bits",
            "ringleader run --protocol pcl-derandomised --n 64 --trials 100 --seed 1",
        )],
    },
    Statement {
        title: "Definition 10",
        name: "color-conflict",
        says: "agents at distance 2 with the same colour have a colour conflict",
        evidence: &[of(How::Evaluated, "`two_hop_colored`: there is none", COLOURED)],
    },
    Statement {
        title: "Definition 11",
        name: "stamp-conflict",
        says: "neighbours have a stamp conflict if their colours and stamps match crosswise but for the bit",
        evidence: &[of(How::Evaluated, "as a part of `red`", COLOURED)],
    },
    Statement {
        title: "Definition 12",
        name: "red",
        says: "an agent is red if it, or its two neighbours with each other, has a conflict",
        evidence: &[of(How::Evaluated, "`red`, `red_free`", COLOURED)],
    },
    Statement {
        title: "Lemma 22",
        name: "red_increase",
        says: "a blue agent becomes red only when a stamp conflict is detected",
        evidence: &[
            of(How::Proven, "n = 3..12, 16 colours", "ringleader prove red_increase --n 3..12"),
            of(How::Proven, "every n, 16 colours, by the reduction `near`", "ringleader prove every-red_increase"),
        ],
    },
    Statement {
        title: "Lemma 23",
        name: "red_decrease",
        says: "while an agent is red, within O(n) expected steps there is a recolouring or there are fewer red agents",
        evidence: &[
            of(
                How::Proven,
                "both halves of its proof, but for how soon: three interactions detect a colour conflict, whatever others do; without one, a stamp conflict is detected or fewer agents are red: n = 3..12",
                "ringleader prove red_decrease --n 3..12",
            ),
            of(How::Proven, "every n, 16 colours, by the reduction `near`", "ringleader prove every-red_decrease"),
        ],
    },
    Statement {
        title: "Theorem 4",
        name: "two-hop",
        says: "P_CL makes a two-hop colouring that stays within O(n^2) expected steps, with O(1) states",
        evidence: &[
            of(
                How::Proven,
                "red-free configurations stay so, and a recolouring without colour conflict makes both agents blue: n = 3..12, 16 colours",
                "ringleader prove pcl-red-free recolour --n 3..12",
            ),
            of(
                How::Sharp,
                "a two-hop colouring alone, whatever the stamps, does not stay: n = 3",
                "ringleader prove pcl-two-hop-closed --n 3",
            ),
            of(How::Exact, "expected steps from one colour: n = 3", "ringleader exact pcl --n 3 --start one-color"),
            of(How::Sampled, "the time", "ringleader run --protocol pcl --n 64 --trials 100 --seed 1"),
            of(
                How::Proven,
                "recolouring, and that red-free configurations stay so: every n, 16 colours, by the reduction `near`",
                "ringleader prove every-recolour every-pcl-red-free",
            ),
            of(
                How::Proven,
                "with probability 1: every n, 16 colours, by the reduction `fresh`",
                "ringleader prove every-pcl-convergence",
            ),
        ],
    },
    Statement {
        title: "Section 4.1",
        name: "cpb-lone",
        says: "C_PB with one leader is not closed, as the text says",
        evidence: &[of(How::Proven, "n = 3..5, psi = 2, 3", "ringleader prove cpb-lone-closed --n 3..5 --psi 2..3")],
    },
    Statement {
        title: "Algorithm 4",
        name: "one-kappa",
        says: "in one interaction kappa_max = 1 stands for every kappa_max (ours)",
        evidence: &[of(How::Proven, "psi = 2..7, kappa_max = 2, 3, 48psi", "ringleader prove one-kappa --psi 2..7")],
    },
    Statement {
        title: "Algorithms 1-7",
        name: "texts",
        says: "the circuits on which all of this is decided do what the texts of the protocols say (ours)",
        evidence: &[
            of(
                How::Proven,
                "P_PL and P'_PL: psi = 2..10, kappa_max = 1, 2, 3, 48psi",
                "ringleader prove ppl-text ppl-prime-text --psi 2..10",
            ),
            of(How::Proven, "P_OR and P_CL: 3 to 16 colours", "ringleader prove por-text pcl-text --n 3..16"),
            of(How::Proven, "[YSM21]: N = 3..24", "ringleader prove ysm-text --n 3..24"),
        ],
    },
    Statement {
        title: "[YSM21]",
        name: "ysm",
        says: "our reading of it: its safe set is closed and is reached with probability 1 (ours)",
        evidence: &[
            of(How::Proven, "closed: n = 3..12", "ringleader prove ysm-safe --n 3..12"),
            of(How::Proven, "with probability 1: n = 3..6", "ringleader prove ysm-convergence --n 3..6"),
            of(How::Sharp, "not closed whatever the distances: n = 3", "ringleader prove ysm-distances --n 3"),
        ],
    },
];
