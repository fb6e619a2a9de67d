# SPDX-License-Identifier: MIT
#
# holds.py [--print] FILE EXPRESSION...: the file is one line, one JSON value, `r` in the expressions. Each must
# be true; with --print, the value of each is printed. An error in an expression, also a member that is not
# there, is a failure. Every assertion starts this program, and the package json takes longer to import than all
# the rest: the scanner inside it is enough.
import _json
import sys


def not_json(word):
    raise ValueError(word + " is not JSON")


class Rules:
    strict, object_hook, object_pairs_hook, memo = True, None, None, {}
    parse_float, parse_int, parse_constant = float, int, staticmethod(not_json)


arguments = sys.argv[1:]
prints = arguments[:1] == ["--print"]
path, *expressions = arguments[prints:]
assert expressions, "no expression"
with open(path, encoding="utf-8", newline="") as file:
    text = file.read()
try:
    r, end = _json.make_scanner(Rules)(text, 0)
except StopIteration:
    sys.exit("no JSON")
assert text.count("\n") == 1 and text[end:] == "\n", "one line"
names = {"r": r, "text": text}
for expression in expressions:
    for module in ("base64", "json"):
        if module + "." in expression:
            names[module] = __import__(module)
    value = eval(expression, names)
    if prints:
        print(value)
    elif not value:
        sys.exit("not so: " + expression)
