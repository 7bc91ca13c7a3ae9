"""What `ringleader check` should say of small rings, by brute force in CPython: every configuration, every interaction.

Reads lines `path n`, and writes for each what it finds as a line of JSON. Nothing here knows the program: the meaning of a file is
CPython's, and safety is Definition 1 taken literally (the largest set with one leader, if there are leaders, in which no output changes).
"""
import itertools
import json
import sys

from ringleader.notation import Oracle, Unit, load


class Ring:
    """A protocol on n agents, its states numbered."""

    def __init__(self, path, n):
        self.protocol, self.n = load(path, n), n
        names, domains = zip(*self.protocol.variables.items())
        self.values = [dict(zip(names, values)) for values in itertools.product(*domains)]
        self.numbers = {self.key(values): k for k, values in enumerate(self.values)}
        self.outputs = [self.output(self.agent(k)) for k in range(len(self.values))]
        self.arcs = [(i, (i + 1) % n) for i in range(n)]
        if not self.protocol.directed:
            self.arcs += [(j, i) for (i, j) in self.arcs]
        self.steps = {}

    def agent(self, k):
        return self.protocol.agent(**self.values[k])

    def ring(self, config):
        return self.protocol.ring(map(self.agent, config))

    @staticmethod
    def key(values):
        return json.dumps([list(x) if isinstance(x, (tuple, list)) else x for x in values.values()])

    def number(self, agent):
        return self.numbers[self.key({name: vars(agent)[name] for name in self.protocol.variables})]

    def output(self, agent):
        if self.protocol.leader:
            return bool(self.protocol.leader(agent))
        whole = {name: vars(agent)[name] for name in self.protocol.variables}
        return self.protocol.output(agent) if self.protocol.output else self.key(whole)

    def pair(self, a, b, led):
        """What two agents in these states may become."""
        if (a, b, led) not in self.steps:
            wanted = self.protocol.transition.__annotations__.values()
            drawn = itertools.product(*(inputs(values, led) for values in wanted))
            self.steps[a, b, led] = {self.after(a, b, one) for one in drawn}
        return self.steps[a, b, led]

    def after(self, a, b, drawn):
        (l, r) = (self.agent(a), self.agent(b))
        self.protocol.interact(l, r, *drawn)
        return self.number(l), self.number(r)

    def successors(self, config):
        led = any(self.protocol.leader and self.outputs[k] for k in config)
        for (i, j) in self.arcs:
            for (a, b) in self.pair(config[i], config[j], led):
                after = list(config)
                (after[i], after[j]) = (a, b)
                yield tuple(after)

    def accepted(self, config):
        return self.protocol.inputs is None or self.protocol.inputs(self.ring(config))

    def led_by_one(self, config):
        return not self.protocol.leader or sum(self.outputs[k] for k in config) == 1

    def output_of(self, config):
        return [self.outputs[k] for k in config]


def inputs(values, led):
    if isinstance(values, Oracle):
        return [led]
    return [k / 128 for k in range(128)] if isinstance(values, Unit) else list(values)


def largest(ring, after):
    """The largest set of configurations with one leader that is closed and in which no output changes."""
    def stays(config):
        return ring.led_by_one(config) and all(ring.output_of(config) == ring.output_of(other) for other in after[config])
    kept = {config for config in after if stays(config)}
    while True:
        leaving = {config for config in kept if not after[config] <= kept}
        if not leaving:
            return kept
        kept -= leaving


def reaching(after, target):
    before = {config: [] for config in after}
    for config, others in after.items():
        for other in others:
            before[other].append(config)
    (found, pending) = (set(target), list(target))
    while pending:
        for config in before[pending.pop()]:
            if config not in found:
                found.add(config)
                pending.append(config)
    return found


def check(path, n):
    ring = Ring(path, n)
    every = filter(ring.accepted, itertools.product(range(len(ring.values)), repeat=n))
    after = {config: set(ring.successors(config)) for config in every}
    (protocol, most) = (ring.protocol, largest(ring, after))
    safe = {config for config in after if protocol.safe(ring.ring(config))} if protocol.safe else most
    promised = {config for config in after if protocol.promise is None or protocol.promise(ring.ring(config))}
    closed = all(after[config] <= safe for config in safe)
    led = all(map(ring.led_by_one, safe))
    constant = all(ring.output_of(config) == ring.output_of(other) for config in safe for other in after[config])
    lost = promised - reaching(after, safe)
    verdict = "holds" if led and closed and constant and not lost else "fails"
    return dict(configurations=len(after), safe=len(safe), largest=len(most), verdict=verdict)


for line in sys.stdin:
    (path, size) = line.rsplit(None, 1)
    print(json.dumps(check(path, int(size))), flush=True)
