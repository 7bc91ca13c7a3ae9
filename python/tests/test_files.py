"""The protocol files under CPython do what the recorded executions and predicates say."""
import hashlib
import json
import os
import unittest
from pathlib import Path

from ringleader.notation import load

ROOT = Path(__file__).resolve().parents[2]
PROTOCOLS = ROOT / "protocols"
PLACES = (
    os.environ.get("RINGLEADER_CONFORMANCE"),
    ROOT.parent / "shared" / "conformance",
    ROOT / "crates" / "ringleader-cli" / "tests" / "conformance",
)
CASES = next(Path(place) for place in PLACES if place and Path(place).is_dir())
FILES = {
    "P_PL": "ppl", "P_OR": "por", "P_CL": "pcl", "P_CL_derandomised": "pcl-derandomised",
    "undirected": "undirected", "undirected_derandomised": "undirected-derandomised",
}


def opened(name, n, **parameters):
    return load(PROTOCOLS / f"{name}.py", n, **parameters)


def read(protocol, state):
    """An agent of a case. Gathered bits are a list there, and a number that begins with a one in a file."""
    bits = {"bits": int("1" + "".join(map(str, state["bits"])), 2)} if "bits" in state else {}
    return protocol.read({**state, **bits})


def written(protocol, u):
    states = protocol.json(u)
    return [{**state, "bits": [int(x) for x in f"{state['bits']:b}"[1:]]} if "bits" in state else state for state in states]


def hashed(config):
    return hashlib.sha256(json.dumps(config, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class Conformance(unittest.TestCase):
    def replay(self, case):
        parameters = {name: case[name] for name in ("psi", "kappa") if name in case}
        protocol = opened(FILES[case["protocol"]], case["n"], **parameters)
        u = protocol.ring(read(protocol, state) for state in case["initial"])
        draws, hashes = iter(sum(case.get("draws", []), [])), dict(case["hashes"])
        for t, arc in enumerate(case["schedule"], 1):
            (i, j) = arc if isinstance(arc, list) else (arc, arc + 1)
            protocol.interact(u[i], u[j], *[lambda: next(draws)] * len(protocol.coins))
            if t in hashes:
                self.assertEqual(hashed(written(protocol, u)), hashes[t], f"after step {t}")
        self.assertEqual(written(protocol, u), case["final"])
        self.assertEqual(list(draws), [])
        return protocol, u

    def test_executions(self):
        seen = 0
        for path in sorted(CASES.glob("*.json")):
            case = json.loads(path.read_text())
            if isinstance(case, dict):
                with self.subTest(path.name):
                    seen += 1
                    protocol, u = self.replay(case)
                    if "final_S_PL" in case:
                        self.assertEqual(protocol.safe(u), case["final_S_PL"])
                        self.assertEqual(protocol.phases["C_PB"](u), case["final_C_PB"])
        self.assertGreater(seen, 20)

    def test_predicates(self):
        cases = json.loads((CASES / "predicates_pl.json").read_text())
        for case in cases:
            with self.subTest(case["description"]):
                ppl = opened("ppl", len(case["config"]), psi=case["psi"], unsound=1)
                u, truth = ppl.ring(map(ppl.read, case["config"])), case["truth"]
                found = {name: phase(u) for name, phase in ppl.phases.items()}
                self.assertEqual({**found, "S_PL": ppl.safe(u)}, {name: truth[name] for name in (*found, "S_PL")})
                self.assertEqual([i for i in range(ppl.n) if ppl.leader(u[i])], truth["leaders"])
        self.assertGreater(len(cases), 10)


if __name__ == "__main__":
    unittest.main()
