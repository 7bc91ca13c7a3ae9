"""The notation of protocol files for CPython: the names that a file imports, and `load`, which runs one.

    protocol = load("protocols/fj.py", 8, delay=3)
    u = protocol.start("two_leaders")
    protocol.interact(u[0], u[1], True)
    print(protocol.safe(u), protocol.json(u))
"""
import ast
import functools
import itertools
import math
import random

__all__ = [
    "Param", "array", "bit", "ceil_log2", "closed", "directed", "given", "inputs", "maybe", "mirrored", "n", "oracle",
    "pair", "phase", "promise", "randint", "require", "span", "start", "unchanged", "undirected",
]

(directed, undirected, mirrored, unchanged) = ("directed", "undirected", "mirrored", "unchanged")
Param = int
n = 3  # for a file that is merely imported, and for linters; `load` gives the number of agents
randint = random.randint


def ceil_log2(x):
    return (x - 1).bit_length()


def require(condition, message):
    if not condition:
        raise AssertionError(message)


# --- Domains --------------------------------------------------------------------------------------------------


class Domain:
    """Finitely many values in an order: those of some ranges and tuples, one after the other."""

    given = False

    def __init__(self, *parts):
        self.parts = parts

    def __iter__(self):
        return itertools.chain(*self.parts)

    def __contains__(self, value):
        return any(value in part for part in self.parts)

    def __or__(self, other):
        return Domain(*self.parts, *domain(other).parts)

    @property
    def size(self):
        return sum(len(part) for part in self.parts)

    def pick(self):
        k = random.randrange(self.size)
        for part in self.parts:
            if k < len(part):
                return part[k]
            k -= len(part)

    def checked(self, value):
        """The value as it is stored: truths are numbers, and what is outside is an error."""
        value = int(value) if isinstance(value, bool) else value
        if value not in self:
            raise ValueError(f"{value!r} is outside the domain")
        return value


class Product(Domain):
    """Tuples with a part of each domain, the last changing fastest."""

    def __iter__(self):
        return itertools.product(*self.parts)

    def __contains__(self, value):
        fits = isinstance(value, (tuple, list)) and len(value) == len(self.parts)
        return fits and all(x in part for x, part in zip(value, self.parts))

    @property
    def size(self):
        return math.prod(part.size for part in self.parts)

    def pick(self):
        return tuple(part.pick() for part in self.parts)

    def checked(self, value):
        return tuple(part.checked(x) for x, part in zip(super().checked(value), self.parts))


class Maybe(Domain):
    """`None`, then the values of a domain."""

    def __iter__(self):
        return itertools.chain((None,), self.parts[0])

    def __contains__(self, value):
        return value is None or value in self.parts[0]

    @property
    def size(self):
        return 1 + self.parts[0].size

    def pick(self):
        return self.parts[0].pick() if random.randrange(self.size) else None

    def checked(self, value):
        return None if value is None else self.parts[0].checked(value)


class Array(Product):
    """Several values of one domain, which are read and written one by one."""

    names = ()


class Oracle(Domain):
    """Tells whether there is a leader; "no" only after `delay` steps without one. `oracle` is the one without delay."""

    delay = 0

    def __call__(self, delay):
        other = Oracle(*self.parts)
        other.delay = delay
        return other

    def pick(self):
        raise TypeError("the answer of the oracle must be given")


def domain(values):
    """Sets of a file that is merely imported have lost their order."""
    return values if isinstance(values, Domain) else Domain(tuple(sorted(values)))


def span(low, high):
    return Domain(range(low, high + 1))


def maybe(*domains):
    return Maybe(domain(domains[0]) if len(domains) == 1 else Product(*map(domain, domains)))


def array(size, values, *names):
    made = Array(*(domain(values),) * size)
    made.names = names
    return made


def pair(values, *names):
    return array(2, values, *names)


def given(values):
    made = domain(values)
    made = made.__class__(*made.parts)
    made.given = True
    return made


bit = span(0, 1)
oracle = Oracle((False, True))


# --- Functions by kind ----------------------------------------------------------------------------------------


def _kind(kind):
    def mark(function):
        function.kinds = (kind, *getattr(function, "kinds", ()))
        return function
    return mark


(start, phase, closed, promise, inputs) = map(_kind, ("start", "phase", "closed", "promise", "inputs"))


# --- Agents and rings -----------------------------------------------------------------------------------------


class Agent:
    """The state of an agent; every store is checked."""

    def __init__(self, protocol, values):
        self.__dict__["protocol"] = protocol
        for name in protocol.variables:
            setattr(self, name, values[name])

    def __setattr__(self, name, value):
        if name not in self.protocol.variables:
            raise AttributeError(f"there is no variable {name}")
        values = self.protocol.variables[name]
        stored = self.protocol.stored(name, values, value)
        if not isinstance(values, Array):
            self.__dict__[name] = stored
        elif name in self.__dict__:
            # In place: whoever is about to write one of them writes to these.
            list.__setitem__(self.__dict__[name], slice(None), stored)
        else:
            self.__dict__[name] = Cells(self.protocol, name, stored)


class Cells(list):
    """The values of a `pair` or an `array`."""

    def __init__(self, protocol, name, values):
        super().__init__(values)
        self.protocol, self.name = protocol, name

    def __setitem__(self, k, value):
        part = self.protocol.variables[self.name].parts[0]
        super().__setitem__(k, self.protocol.stored(self.name, part, value))


class Ring(list):
    """Agents in a circle."""

    def __getitem__(self, i):
        return super().__getitem__(i % len(self))


class Input:
    """A coin or an answer of the oracle; what it is is found out when it is read."""

    def __init__(self, values, source):
        self.values, self.source, self.read = values, source, False

    def __call__(self):
        if not self.read:
            value = self.source() if callable(self.source) else self.source
            self.value, self.read = self.values.checked(value), True
        return self.value


class Unit(Domain):
    """The coin of a rule table: a number from 0 up to 1."""

    def __contains__(self, value):
        return 0 <= value < 1

    def pick(self):
        return random.random()


# --- Protocols ------------------------------------------------------------------------------------------------


class Reader(ast.NodeTransformer):
    """What CPython would read otherwise: sets keep their order, parameters may be given, coins are drawn when they are read, and an
    array that is read as a whole is a value."""

    coins = ()

    def visit_ImportFrom(self, node):
        return None

    def visit_Set(self, node):
        self.generic_visit(node)
        return self.call("__set__", *node.elts)

    def visit_Attribute(self, node):
        self.generic_visit(node)
        return self.call("__whole__", node) if isinstance(node.ctx, ast.Load) else node

    def visit_Subscript(self, node):
        # An element is read, or written, where it stands.
        if isinstance(node.value, ast.Attribute):
            node.value.value, node.slice = self.visit(node.value.value), self.visit(node.slice)
            return node
        return self.generic_visit(node)

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.annotation, ast.Name) and node.annotation.id == "Param":
            default = ast.parse("lambda: 0", mode="eval").body
            default.body = node.value
            node.value = self.call("__parameter__", ast.Constant(node.target.id), default)
        return node

    def visit_FunctionDef(self, node):
        self.coins = [argument.arg for argument in node.args.args[2:]] if node.name == "interact" else ()
        self.generic_visit(node)
        self.coins = ()
        return node

    def visit_Name(self, node):
        return self.call(node.id) if node.id in self.coins else node

    @staticmethod
    def call(name, *arguments):
        return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def load(source, n, **parameters):
    """The protocol of a file, which is given by its path or its text, on a ring of n agents."""
    text = source if isinstance(source, str) and "\n" in source else open(source, encoding="utf-8").read()
    return Protocol(ast.parse(text), n, parameters)


class Protocol:
    """A protocol on n agents: what its file says, by kind."""

    def __init__(self, tree, n, parameters):
        self.n, self.parameters, self.writable = n, {}, "everything"
        self.summary = (ast.get_docstring(tree) or "").split("\n")[0]
        names = {name: globals()[name] for name in __all__}
        names.update(n=n, __set__=lambda *values: Domain(values), __parameter__=lambda *one: self.parameter(parameters, *one))
        names.update(__whole__=lambda value: tuple(value) if isinstance(value, Cells) else value)
        tree = ast.fix_missing_locations(Reader().visit(tree))
        exec(compile(tree, "protocol", "exec", dont_inherit=True, optimize=0), names)
        require(self.parameters.keys() >= parameters.keys(), f"the parameters are {', '.join(self.parameters)}")
        self.names = names
        self.variables, self.zero, self.transition = self.states() if "Agent" in names else self.table()
        self.coins = {name: x for name, x in self.transition.__annotations__.items() if not isinstance(x, Oracle)}
        self.directed = names.get("ring", directed if "Agent" in names else undirected) == directed
        (self.safe, self.leader, self.output) = map(self.reading, map(names.get, ("safe", "leader", "output")))
        (self.starts, self.phases, self.claims) = map(self.called, ("start", "phase", "closed"))
        (self.promise, self.inputs) = (next(iter(self.called(kind).values()), None) for kind in ("promise", "inputs"))

    def parameter(self, given, name, default):
        self.parameters[name] = given[name] if name in given else default()
        return self.parameters[name]

    def states(self):
        variables = {name: domain(values) for name, values in self.names["Agent"].__annotations__.items()}
        zero = {name: vars(self.names["Agent"]).get(name, next(iter(values))) for name, values in variables.items()}
        return variables, zero, self.names["interact"]

    def table(self):
        (rules,) = (x for name, x in self.names.items() if isinstance(x, dict) and not name.startswith("__"))
        rules = {states: result if isinstance(result, dict) else {result: 1} for states, result in rules.items()}
        otherwise = self.names.get("otherwise", mirrored)
        if otherwise == mirrored:
            swapped = {(b, a): {(d, c): p for (c, d), p in result.items()} for (a, b), result in rules.items()}
            rules = {**swapped, **rules}

        def interact(l, r, coin: Unit()):
            result = rules.get((l.state, r.state))
            if result is None:
                return otherwise(l, r) if callable(otherwise) else None
            left = 0 if len(result) == 1 and 1 in result.values() else coin()
            for after, probability in result.items():
                left -= probability
                if left < 0:
                    (l.state, r.state) = after
                    return

        listed = (state for states, result in rules.items() for both in (states, *result) for state in both)
        states = tuple(self.names.get("states", dict.fromkeys(listed)))
        return {"state": Domain(states)}, {"state": states[0]}, interact

    # --- Functions by kind

    def called(self, kind):
        wrap = self.changing if kind == "start" else self.reading
        marked = ((name, f) for name, f in self.names.items() if kind in getattr(f, "kinds", ()))
        return {name: wrap(function) for name, function in marked}

    def reading(self, function):
        return function and self.within("nothing", function)

    def changing(self, function):
        return function and self.within("everything", function)

    def within(self, writable, function):
        @functools.wraps(function)
        def within(*arguments):
            before, self.writable = self.writable, writable
            try:
                return function(*arguments)
            finally:
                self.writable = before
        return within

    def stored(self, name, values, value):
        if self.writable == "nothing" or self.writable == "variables" and self.variables[name].given:
            raise AttributeError(f"{name} must not be written here")
        try:
            return values.checked(value)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None

    # --- Configurations and steps

    def agent(self, **values):
        return Agent(self, {**self.zero, **values})

    def ring(self, agents):
        return Ring(agents)

    def start(self, name):
        """A start of the file, or `zero` or `uniform`."""
        u = Ring(self.agent() for _ in range(self.n))
        if name == "uniform" and name not in self.starts:
            for v, (variable, values) in itertools.product(u, self.variables.items()):
                setattr(v, variable, values.pick())
        elif name != "zero":
            self.starts[name](u)
        return u

    def interact(self, l, r, *sources):
        """One interaction. Coins and the oracle's answer are given in order, as values or as functions that are called when they
        are read; coins that are not given are drawn. Tells the coins that were read."""
        wanted = self.transition.__annotations__
        sources = itertools.chain(sources, (values.pick for values in list(wanted.values())[len(sources):]))
        read = {name: Input(values, source) for (name, values), source in zip(wanted.items(), sources)}
        self.within("variables", self.transition)(l, r, *read.values())
        return {name: one.value for name, one in read.items() if one.read and not isinstance(one.values, Oracle)}

    # --- JSON

    def entries(self, name):
        """The names in JSON of the parts of a `pair` or an `array`."""
        values = self.variables[name]
        return values.names or [f"{name}{k}" for k in range(len(values.parts))]

    def json(self, x):
        """An agent as a dictionary, a ring as a list of them."""
        if isinstance(x, Ring):
            return [self.json(v) for v in x]
        state = {}
        for name, values in self.variables.items():
            value = getattr(x, name)
            state.update(zip(self.entries(name), value) if isinstance(values, Array) else {name: value})
        return {name: list(value) if isinstance(value, tuple) else value for name, value in state.items()}

    def read(self, state):
        """An agent from a dictionary."""
        plain = {name: tuple(value) if isinstance(value, list) else value for name, value in state.items()}
        arrays = [name for name, values in self.variables.items() if isinstance(values, Array)]
        return self.agent(**{
            name: tuple(plain[entry] for entry in self.entries(name)) if name in arrays else plain[name]
            for name in self.variables
        })
