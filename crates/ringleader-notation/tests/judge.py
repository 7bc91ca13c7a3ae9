"""Reads protocols and cases, separated by NUL, and writes a line for each case: what CPython makes of it.

A protocol is `text`, `n`, `parameters`, and then cases until an empty one: `interact`, the two agents, the coins and the answer of
the oracle in the order of the arguments; or the name of a function and the agents that it takes, one or all.
"""
import json
import sys
import traceback

from ringleader.notation import Cells, Oracle, load


def shown(value):
    """A value as the notation writes it."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (tuple, Cells)):
        return "(" + ", ".join(map(shown, value)) + (",)" if len(value) == 1 else ")")
    return str(value)


def written(protocol, agents):
    return json.dumps([protocol.json(v) for v in agents], separators=(",", ":"))


def interact(protocol, agents, values):
    (l, r) = map(protocol.read, agents)
    coins = protocol.interact(l, r, *values)
    return f"{'drawn ' if coins else ''}{written(protocol, (l, r))}"


def start(protocol, name):
    return written(protocol, protocol.start(name))


def ask(protocol, name, agents):
    function = protocol.names[name]
    agents = [protocol.read(agent) for agent in agents]
    return shown(protocol.reading(function)(protocol.ring(agents) if len(agents) > 1 else agents[0]))


def answer(protocol, case):
    (name, *rest) = json.loads(case)
    try:
        if name == "interact":
            return interact(protocol, *rest)
        return start(protocol, rest[0]) if name == "start" else ask(protocol, name, *rest)
    except Exception:
        frames = traceback.extract_tb(sys.exc_info()[2])
        lines = [frame.lineno for frame in frames if frame.filename == "protocol"]
        if not lines:
            raise
        return f"fault {lines[-1]}"


parts = iter(sys.stdin.buffer.read().decode().split("\0"))
for text in parts:
    protocol = load(text, int(next(parts)), **json.loads(next(parts)))
    for case in iter(lambda: next(parts), ""):
        print(answer(protocol, case))
