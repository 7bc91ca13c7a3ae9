"""Exact majority with four states, for a clique: on a ring it can go round for ever

Strong A and B cancel each other and become weak; the strong convert the weak; of two weak ones, one gives way.
"""
rules = {
    ("A", "B"): ("a", "b"),
    ("A", "b"): ("A", "a"),
    ("B", "a"): ("B", "b"),
    ("a", "b"): ("a", "a"),
}


def output(v):
    return "A" if v.state in ("A", "a") else "B"
