//! Every message about an erroneous model, as a reviewed snapshot.

use super::{read_with, rendered};

const OTHERS: &[(&str, &str)] = &[
    ("test.cat", ""),
    ("loop.cat", "include \"round.cat\""),
    ("round.cat", "include \"loop.cat\""),
    ("broken.cat", "let a = po |"),
    ("a.cat", "let a = po"),
];

const ERRONEOUS: &[(&str, &str)] = &[
    ("character", "acyclic po $ rf"),
    ("unclosed comment", "acyclic po (* as (* inner *)"),
    ("unclosed string", "include \"cos.cat\nacyclic po"),
    ("syntax", "let x = \nlet = po\nacyclic (po | rf\nempty po as"),
    ("not a statement", "po | rf"),
    ("no cascade", "let x = po |\nlet y = x ; po\nacyclic y | z"),
    ("unbound", "acyclic po | causalty\nlet causality = po\nempty causalty"),
    ("unbound, nothing near", "acyclic qwertz"),
    ("set for relation", "acyclic W\nlet x = po ; W"),
    ("relation for set", "let x = [po]\nlet y = W * po\nlet z = range(W)"),
    ("mixed sorts", "let x = W | po\nlet y = po \\ (W & R)"),
    ("unused definitions are checked", "let unused = [po]\nlet f(x) = W ; x\nacyclic po"),
    ("function for relation", "let f(x) = x\nacyclic f\nlet y = (po, rf) | po"),
    ("not a function", "let x = po (rf)"),
    ("arity", "let f(x, y) = x | y\nacyclic f(po)\nacyclic f(po, rf, co)"),
    ("in a call", "let f(S) = po ; [S]\nlet g(x) = f(x)\nacyclic g(rf)"),
    ("missing include", "include \"nowhere.cat\""),
    ("include cycle", "include \"loop.cat\""),
    ("include of the file itself", "include \"test.cat\""),
    ("error in an included file", "include \"broken.cat\"\nacyclic a"),
    ("recursion under complement", "let rec x = po \\ y and y = rf | x ; x\nacyclic x"),
    ("recursion under complement in a function", "let f(r) = ~r & po\nlet rec x = f(x) | po"),
    ("recursive set", "let rec S = W | S"),
    ("recursive function", "let rec f(x) = f(x)"),
    ("unsupported statements", "with co from generate\nforall x in S do\nend\ndebug po"),
    ("unsupported expressions", "let x = match y with || 'A -> po end\nlet y = W ++ R"),
    ("unsupported primitive", "let x = linearisations(W, po)"),
    ("unsupported condition", "if po = rf\nacyclic po\nend"),
    (
        "procedure",
        "call nothing(po)\nprocedure p(x) =\nacyclic [x]\nend\ncall p(po, rf)\ncall p(po)",
    ),
    ("branch not taken", "if \"a\" let x = W ; po else let x = po end\nacyclic x"),
    ("same axiom name", "acyclic po as order\nacyclic rf as order"),
    (
        "too deep",
        "let x = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    ),
    (
        "too many calls",
        "let f(x) = x | po\nlet g(x) = f(f(f(f(f(f(f(f(x))))))))\nlet h(x) = g(g(g(g(g(g(g(g(x))))))))\nlet i(x) = h(h(h(h(h(h(h(h(x))))))))\nlet j(x) = i(i(i(i(i(i(i(i(x))))))))\nlet k = j(j(j(j(j(rf)))))",
    ),
];

#[test]
fn messages() {
    let mut all = String::new();
    for (what, text) in ERRONEOUS {
        let (files, result) = read_with(text, OTHERS, &[]);
        let diagnostics = match result {
            Ok(loaded) => loaded.warnings,
            Err(diagnostics) => diagnostics,
        };
        assert!(!diagnostics.is_empty(), "{what}: no message");
        all += &format!("--- {what}\n{}", rendered(&files, &diagnostics));
    }
    insta::assert_snapshot!(all);
}
