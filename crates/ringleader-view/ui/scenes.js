// The scenes of the lessons. Each text was written beside the picture that its link gives, and speaks of its agents
// by number: whoever changes a protocol or a start looks at them again.

const QUIET = "hide=tokenB,tokenW,signalR,signalB,bullet,shield";
const WAR_ONLY = "hide=segments,last,tokenB,tokenW,signalR";

/** @type {{ title: string, text: string, link: string }[]} */
export const SCENES = [
  {
    title: "The goal: one leader, and a ring that proves it",
    text: "Agent 0 is the only leader. Everybody else knows its distance to it modulo 2 psi (dist), so every psi = 6 agents form a segment, black and white in turn. The bits written into the agents of a segment, the lowest first, spell its ID: 27, then 28, 29 and so on, clockwise, each one more than the last. Only the first and the last segment, beside the leader, may have any ID.",
    link: `#protocol=ppl&n=48&start=safe&seed=1&step=20500&${QUIET}`,
  },
  {
    title: "Embedding: without a leader there is a flaw",
    text: "Nobody is a leader here. The distances fit all around, and the IDs count from 0 to 7; but then 0 follows 7. There are fewer segments than 2^psi, so IDs that always grow by one can never close the circle: a ring without a leader has a flaw somewhere. All agents are in detection mode (squares): they look for it.",
    link: "#protocol=ppl&n=48&start=wrong-id&seed=1&step=0",
  },
  {
    title: "Tokens carry the bits of the next ID",
    text: "A token adds one to the ID of a segment, bit by bit, and brings each bit to the next segment. The white token of agent 47, which is selected, took its bit from agent 45: 7 + 1 = 8, whose bit number 3 is 1, and no carry. It moves right to agent 3 (dotted). In construction mode it would write its bit there; in detection mode it compares. Then it goes back left for the next bit.",
    link: "#protocol=ppl&n=48&start=wrong-id&seed=1&step=2000&agent=47",
  },
  {
    title: "Detection: the flaw makes a leader",
    text: "The token has hit its target. It brings 1, but agent 3 has the bit 0 and is in detection mode: it has just become a leader (Lines 19 and 20), with a shield and a live bullet. “Last interaction” tells what changed. A wrong distance would have been found in the same way (Lines 5 and 6).",
    link: "#protocol=ppl&n=48&start=wrong-id&seed=1&step=2121&agent=3",
  },
  {
    title: "Signals: a leader holds the clocks down",
    text: "Whenever the leader, agent 3, interacts with its right neighbour it sends a resetting signal (blue rays). The first one has come to agent 25. All clocks on its way are 0 again, and these agents are back in construction mode (discs); those that no signal has reached still detect (squares).",
    link: "#protocol=ppl&n=48&start=wrong-id&seed=1&step=2871",
  },
  {
    title: "The lottery: clocks that tick rarely enough",
    text: "No leader, no signal: clocks rise, and darker discs are later. An agent counts in hits its interactions with its left neighbour; one with the right neighbour sets hits to 0. It takes psi = 5 in a row to move the clock by one, the luck of about 2^psi tries. Agent 22 is the first to reach kappa = 12 (by default it is 240) and goes into detection mode. A signal loses its TTL by the same lottery, so stale signals die out.",
    link: "#protocol=ppl&n=24&kappa=12&start=leaderless&seed=1&step=5310&agent=22",
  },
  {
    title: "Bullets and shields: leaders kill each other",
    text: "All 24 agents began as leaders; 8 are left. A live bullet (full) has just come from agent 21 to agent 22, a leader without a shield, and killed it. Whoever fires a live bullet is shielded; whoever fires a dummy (hollow) drops the shield, and which of the two is a fair coin. A leader fires again only when a bullet-absence signal (‹) tells it that its last bullet is gone.",
    link: `#protocol=ppl&n=24&start=all-leaders&seed=1&step=268&agent=22&${WAR_ONLY}`,
  },
  {
    title: "The last duel",
    text: "A live bullet has met agent 14 without its shield: agent 0 is the only leader. It is shielded, for it fired a live bullet last. That is why not all leaders can die: the one whose live bullet kills is shielded itself.",
    link: `#protocol=ppl&n=24&start=all-leaders&seed=1&step=2540&agent=14&${WAR_ONLY}`,
  },
  {
    title: "Safe for ever",
    text: "One leader was not the end. From step 2,540 to here distances, the last segment and the IDs had to be put right, else some agent might one day have found a flaw and made another leader. Now the ring is in S_PL, which no interaction leaves: agent 0 leads for ever. The bars below show when each phase held.",
    link: "#protocol=ppl&n=24&start=all-leaders&seed=1&step=3762",
  },
  {
    title: "The adversary strikes",
    text: "Six agents in a row, 9 to 14, got random values, and four of them are leaders now. Self-stabilizing means that it does not matter. Press “Next event”, which stops at “safe” only: a leader is left again, though it need not be the same one. Try worse: corrupt more agents, edit them by hand, or choose who interacts.",
    link: "#protocol=ppl&n=24&start=all-leaders&seed=1&edits=[{%22step%22:3762,%22corrupt%22:6,%22place%22:%22contiguous%22,%22variable%22:null,%22seed%22:%221%22}]&step=3762&events=safe",
  },
  {
    title: "Undirected rings: which way is right?",
    text: "Without left and right, agents know their neighbours by colour, and each points at one of them (arrowheads). Runs of agents that point the same way meet head to head at the bars, at agents 22 and 23 and at agents 29 and 30. A strong head (full arrowhead) wins and turns the other round, which is strong then: so the heads of agents 23 and 29 push on. In the end all agree, and P_PL can run.",
    link: "#protocol=por&n=32&start=uniform&seed=2&step=200",
  },
];
