// The scenes of the lessons. Each text was written beside the picture that its link gives, and speaks of its agents
// by number: whoever changes a protocol or a start looks at them again.

const QUIET = "hide=tokenB,tokenW,signalR,signalB,bullet,shield";
const WAR_ONLY = "hide=segments,last,tokenB,tokenW,signalR";

/** @type {{ title: string, text: string, link: string }[]} */
export const SCENES = [
  {
    title: "The goal: one leader, and a ring that proves it",
    text: "Agent 0 is the only leader. Every other agent knows its distance from the leader modulo 2 psi (dist), so each run of psi = 6 agents forms a segment, alternately black and white. The bits written into the agents of a segment, lowest first, spell its ID: 27, then 28, 29 and so on clockwise, each one more than the last. Only the first and the last segment, next to the leader, may have any ID.",
    link: `#protocol=ppl&n=48&start=safe&seed=1&step=20500&${QUIET}`,
  },
  {
    title: "Embedding: without a leader there is a flaw",
    text: "There is no leader here. The distances fit all the way round, and the IDs count from 0 to 7, but then 7 is followed by 0. There are fewer segments than 2^psi, so IDs that always grow by one can never close the circle: a ring without a leader has a flaw somewhere. All agents are in detection mode (squares): they are looking for it.",
    link: "#protocol=ppl&n=48&start=wrong-id&seed=1&step=0",
  },
  {
    title: "Tokens carry the bits of the next ID",
    text: "A token adds one to the ID of a segment, bit by bit, and brings each bit to the next segment. The white token of agent 47, which is selected, took its bit from agent 45: 7 + 1 = 8, whose bit number 3 is 1, with no carry. It is moving right to agent 3 (dotted). In construction mode it would write its bit there; in detection mode it compares. Then it goes back left for the next bit.",
    link: "#protocol=ppl&n=48&start=wrong-id&seed=1&step=2000&agent=47",
  },
  {
    title: "Detection: the flaw makes a leader",
    text: "The token has hit its target. It brings 1, but agent 3 has the bit 0 and is in detection mode: it has just become a leader (Lines 19 and 20), with a shield and a live bullet. “Last interaction” shows what changed. A wrong distance would have been found in the same way (Lines 5 and 6).",
    link: "#protocol=ppl&n=48&start=wrong-id&seed=1&step=2121&agent=3",
  },
  {
    title: "Signals: a leader holds the clocks down",
    text: "Whenever the leader, agent 3, interacts with its right neighbour, it sends a resetting signal (blue rays). The first one has reached agent 25. All clocks behind it are 0 again, and those agents are back in construction mode (discs); agents that no signal has reached are still in detection mode (squares).",
    link: "#protocol=ppl&n=48&start=wrong-id&seed=1&step=2871",
  },
  {
    title: "The lottery: clocks that tick rarely enough",
    text: "Without a leader there are no signals, and the clocks rise: the darker the disc, the later its clock. In hits, an agent counts its consecutive interactions with its left neighbour; one with the right neighbour resets hits to 0. Only psi = 5 in a row advance the clock by one, which takes about 2^psi tries. Agent 22 is the first to reach kappa = 12 (240 by default) and enters detection mode. A signal loses its TTL by the same lottery, so stale signals die out.",
    link: "#protocol=ppl&n=24&kappa=12&start=leaderless&seed=1&step=5310&agent=22",
  },
  {
    title: "Bullets and shields: leaders kill each other",
    text: "All 24 agents began as leaders; 8 are left. A live bullet (full) has just moved from agent 21 to agent 22, a leader without a shield, and killed it. A leader that fires a live bullet raises its shield, one that fires a dummy (hollow) drops it, and a fair coin decides which. A leader fires again only when a bullet-absence signal (‹) tells it that its last bullet is gone.",
    link: `#protocol=ppl&n=24&start=all-leaders&seed=1&step=268&agent=22&${WAR_ONLY}`,
  },
  {
    title: "The last duel",
    text: "A live bullet has hit agent 14 while its shield was down: agent 0 is now the only leader. It is shielded, because the last bullet it fired was live. That is why the leaders cannot all die: the one whose live bullet kills is itself shielded.",
    link: `#protocol=ppl&n=24&start=all-leaders&seed=1&step=2540&agent=14&${WAR_ONLY}`,
  },
  {
    title: "Safe for ever",
    text: "One leader was not the end. Since step 2,540 the distances, the last segment and the IDs have been repaired; otherwise some agent might one day have found a flaw and become another leader. Now the ring is in S_PL, which no interaction leaves: agent 0 is the leader for ever. The bars below show when each phase held.",
    link: "#protocol=ppl&n=24&start=all-leaders&seed=1&step=3762",
  },
  {
    title: "The adversary strikes",
    text: "Six agents in a row, 9 to 14, were given random values, and four of them are leaders now. Self-stabilizing means that this does not matter. Press “Next event”, which now stops only at “safe”: one leader is left again, though not necessarily the same one. Try worse: corrupt more agents, edit them by hand, or choose who interacts.",
    link: "#protocol=ppl&n=24&start=all-leaders&seed=1&edits=[{%22step%22:3762,%22corrupt%22:6,%22place%22:%22contiguous%22,%22variable%22:null,%22seed%22:%221%22}]&step=3762&events=safe",
  },
  {
    title: "Undirected rings: which way is right?",
    text: "Without left and right, agents tell their neighbours apart by colour, and each points at one of them (arrowheads). Runs of agents that point the same way meet head to head at the bars: at agents 22 and 23, and at agents 29 and 30. A strong head (full arrowhead) wins and turns the other round, which then becomes strong; so the heads at agents 23 and 29 push on. In the end all agree, and P_PL can run.",
    link: "#protocol=por&n=32&start=uniform&seed=2&step=200",
  },
];
