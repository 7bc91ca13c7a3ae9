//! What a text looks like as LaTeX, against what a person wrote down.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ringleader_notation::{read, typeset};

/// The LaTeX of statements in a transition, a line each.
fn set(body: &str) -> Vec<String> {
    let file = format!(
        "K = 3\nclass Agent:\n    x: span(0, 9)\n    y_z: bit\n    t: pair(maybe(span(0, 3), bit))\n    m: {{\"On\", \"Off\"}}\n\
         def f(v, c):\n    return v.x\ndef interact(l, r):\n    tmp = 0\n{body}"
    );
    let program = read("a.py", &file).unwrap_or_else(|problems| panic!("{problems}"));
    let latex = typeset::fragment(&program);
    let from = latex.find("interact").unwrap();
    let mut lines = latex[from..].lines().map(str::trim).skip(2);
    lines.by_ref().take_while(|line| *line != "\\end{algorithm}").map(str::to_owned).collect()
}

fn one(expression: &str) -> String {
    let lines = set(&format!("    tmp = {expression}\n"));
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    line.strip_prefix("$\\mathit{tmp} := ").and_then(|line| line.strip_suffix("$\\;")).unwrap_or(line).to_owned()
}

#[test]
fn expressions_are_written_as_in_papers() {
    for (text, latex) in [
        ("l.x == r.x == 1", r"l.\mathtt{x} = r.\mathtt{x} = 1"),
        (
            "l.y_z != 1 and not r.x <= 2 or l.x > 3",
            r"l.\mathtt{y\_z} \neq 1 \land \lnot (r.\mathtt{x} \leq 2) \lor l.\mathtt{x} > 3",
        ),
        ("(l.x == 1 or r.x == 1) and l.x == 2", r"(l.\mathtt{x} = 1 \lor r.\mathtt{x} = 1) \land l.\mathtt{x} = 2"),
        ("(l.x + 1) % (2 * K)", r"(l.\mathtt{x} + 1) \bmod 2 K"),
        ("l.x + 1 % K", r"l.\mathtt{x} + (1 \bmod K)"),
        ("l.x - (r.x - 1)", r"l.\mathtt{x} - (r.\mathtt{x} - 1)"),
        ("l.x - r.x - 1", r"l.\mathtt{x} - r.\mathtt{x} - 1"),
        ("(l.x + 1) * r.x", r"(l.\mathtt{x} + 1) \cdot r.\mathtt{x}"),
        ("(l.x + 1) // 2 ** K", r"\lfloor (l.\mathtt{x} + 1) / 2^{K} \rfloor"),
        ("2 ** (K + 1)", r"2^{K + 1}"),
        ("-l.x + 9", r"-l.\mathtt{x} + 9"),
        ("min(l.x, 3)", r"\min(l.\mathtt{x}, \allowbreak 3)"),
        ("abs(l.x - 3)", r"|l.\mathtt{x} - 3|"),
        ("ceil_log2(n)", r"\lceil \log_2 n \rceil"),
        ("1 if l.t[0] is None else 0", r"1 \textnormal{ if } l.\mathtt{t}[0] = \bot \textnormal{ else } 0"),
        ("l.t[1] is not None", r"l.\mathtt{t}[1] \neq \bot"),
        ("l.x in {0, K}", r"l.\mathtt{x} \in \{0, \allowbreak K\}"),
        ("l.x not in range(1, K)", r"l.\mathtt{x} \notin \{1, \dots, K - 1\}"),
        ("l.m == \"On\"", r"l.\mathtt{m} = \textnormal{\textsf{On}}"),
        ("f(l, 1) + 1", r"\textnormal{\textsf{f}}(l, \allowbreak 1) + 1"),
        (
            "any(v.x == 1 for v in (l, r)) and True",
            r"(\exists v \in (l, \allowbreak r)\colon v.\mathtt{x} = 1) \land \textnormal{\textsf{true}}",
        ),
        ("sum(i * i for i in range(K + 1) if i != 2)", r"\sum_{i \in \{0, \dots, K\},\ i \neq 2} i \cdot i"),
        ("sum(1 for v in (l, r) if v.x == 0)", r"|\{v \in (l, \allowbreak r),\ v.\mathtt{x} = 0\}|"),
        ("max(v.x for v in (l, r))", r"\max \{v.\mathtt{x} \mid v \in (l, \allowbreak r)\}"),
    ] {
        assert_eq!(one(text), latex, "{text}");
    }
}

#[test]
fn statements_keep_their_form_and_their_numbers() {
    let body = "    if l.x == 1:  # 7\n        r.x = 2  # 8\n    elif l.x == 2:  # 9-10\n        (l.x, r.x) = (r.x, l.x)\n    else:  # 11\n        \
                l.x += 1  # 12\n    for v in (l, r): v.x = 0  # 13\n    if r.x == 0:\n        assert l.x < 9\n    else:\n        if l.x == 3:\n            f(l, 2)\n";
    let expected = r"\nlset{7}\uIf{$l.\mathtt{x} = 1$}{
\nlset{8}$r.\mathtt{x} := 2$\;
}
\nlset{9-10}\uElseIf{$l.\mathtt{x} = 2$}{
$(l.\mathtt{x}, \allowbreak r.\mathtt{x}) := (r.\mathtt{x}, \allowbreak l.\mathtt{x})$\;
}
\nlset{11}\Else{
\nlset{12}$l.\mathtt{x} := l.\mathtt{x} + 1$\;
}
\nlset{13}\For{$v \in (l, \allowbreak r)$}{
$v.\mathtt{x} := 0$\;
}
\uIf{$r.\mathtt{x} = 0$}{
\textbf{assert} $l.\mathtt{x} < 9$\;
}
\Else{
\If{$l.\mathtt{x} = 3$}{
$\textnormal{\textsf{f}}(l, \allowbreak 2)$\;
}
}";
    assert_eq!(set(body).join("\n"), expected);
}

#[test]
fn declarations_say_what_there_is() {
    let text = "\"\"\"50 % of {all} & more: it's a_b\n\"\"\"\nring = undirected\npsi: Param = max(2, ceil_log2(n))\nrequire(psi < 40)\nlimit = 10 * n\nclass Agent:\n    \
                b: given(bit)\n    t: pair(maybe(span(1 - psi, -1) | span(1, psi), bit), \"A\", \"B\")\n    m: {\"x_1\", \"y\"} = \"y\"\n\
                def interact(l, r, coin: span(0, 3), there: oracle):\n    \"swap & go\"\n    pass\n";
    let program = read("my_file.py", text).unwrap_or_else(|problems| panic!("{problems}"));
    let latex = typeset::document(&program);
    for line in [
        r"\title{my\_file.py}",
        r"\caption{Parameters and variables; the ring is undirected}",
        r"\textbf{parameter} $\psi := \max(2, \allowbreak \lceil \log_2 n \rceil)$\;",
        r"\textbf{require} $\psi < 40$\;",
        r"\textbf{input} $\mathtt{b} \in \{0, 1\}$\;",
        r"\textbf{variable} $\mathtt{t} \in (\{\bot\} \cup (\{1 - \psi, \dots, -1\} \cup \{1, \dots, \psi\}) \times \{0, 1\})^{2}$\;",
        r"$\mathtt{m} \in \{\textnormal{\textsf{x\_1}}, \allowbreak \textnormal{\textsf{y}}\}$, zero is $\textnormal{\textsf{y}}$\;",
        r"swap \& go}",
        r"\textbf{coin} $\mathit{coin} \in \{0, \dots, 3\}$, uniform\;",
        r"\textbf{oracle} $\mathit{there}$\;",
        "  nothing\\;",
    ] {
        assert!(latex.contains(line), "{line} is missing:\n{latex}");
    }
    assert!(!latex.contains("limit"), "{latex}");
}

#[test]
fn tables_are_rules() {
    let text =
        "rules = {(\"A\", \"B\"): (\"C\", \"C\"), (\"C\", \"C\"): {(\"A\", \"C\"): 0.5, (\"C\", \"B\"): 0.25}}\n";
    let latex = typeset::fragment(&read("a.py", text).unwrap());
    let state = |name: &str| format!("\\textnormal{{\\textsf{{{name}}}}}");
    let pair = |a: &str, b: &str| format!("({}, \\allowbreak {})", state(a), state(b));
    let both = format!("${} \\to {}$", pair("A", "B"), pair("C", "C"));
    let chance =
        format!("{} \\textnormal{{ with }} 0.5,\\ {} \\textnormal{{ with }} 0.25", pair("A", "C"), pair("C", "B"));
    assert!(latex.contains(&both) && latex.contains(&chance), "{latex}");
}
