"""Reads texts, separated by NUL, and writes a line for each: CPython's tree, or `error`. What is empty is left out."""
import ast, struct, sys, warnings

HIDDEN = {"ctx", "type_comment", "type_ignores", "kind", "simple", "level"}
START_ONLY = (ast.arg, ast.keyword)  # of these, only the start is a place of a name


def place(node, lines):
    if isinstance(node, ast.alias) or not hasattr(node, "lineno"):
        return ""
    column = lambda line, offset: len(lines[line - 1][:offset].decode()) + 1
    start = f" {node.lineno}:{column(node.lineno, node.col_offset)}"
    if isinstance(node, START_ONLY):
        return start
    return f"{start}-{node.end_lineno}:{column(node.end_lineno, node.end_col_offset)}"


def constant(value):
    if isinstance(value, str):
        return "s" + value.encode().hex()
    if isinstance(value, float):
        return "f" + struct.pack(">d", value).hex()
    return str(value)


def dump(node, lines):
    if isinstance(node, ast.Constant):
        return f"(Constant{place(node, lines)} {constant(node.value)})"
    if isinstance(node, list):
        return "[" + " ".join(dump(item, lines) for item in node) + "]"
    if not isinstance(node, ast.AST):
        return str(node)
    fields = [(k, v) for k, v in ast.iter_fields(node) if k not in HIDDEN and v is not None and v != []]
    return f"({type(node).__name__}{place(node, lines)}" + "".join(f" {k}={dump(v, lines)}" for k, v in fields) + ")"


def tree(text):
    try:
        return dump(ast.parse(text), text.encode().split(b"\n"))
    except (SyntaxError, ValueError):
        return "error"


warnings.simplefilter("ignore")
texts = sys.stdin.buffer.read().decode().split("\0")
sys.stdout.write("\n".join(map(tree, texts)))
