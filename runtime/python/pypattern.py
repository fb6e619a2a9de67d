# SPDX-License-Identifier: MIT
"""Writes the patterns of match and case as text, like pywrite.py. It is a module of its own because
few programs have patterns. ast.unparse writes a node that has no row."""
import _ast as ast

from pywrite import ATOM, EXPR, PLAIN, TEST, WRITE


def write(node):
    try:
        return PATTERN[type(node)](node, TEST) if type(node) in PATTERN else _slow(node)
    except KeyError:
        return _slow(node)


def _slow(node):
    import ast as slow
    return slow.unparse(node)


def _list(nodes):
    return [PATTERN[type(n)](n, TEST) for n in nodes]


def _value(n, level):
    return WRITE[type(n.value)](PLAIN, n.value, TEST)


def _singleton(n, level):
    return repr(n.value)


def _sequence(n, level):
    return '[' + ', '.join(_list(n.patterns)) + ']'


def _star(n, level):
    return '*' + (n.name or '_')


def _mapping(n, level):
    made = [WRITE[type(k)](PLAIN, k, TEST) + ': ' + p for k, p in zip(n.keys, _list(n.patterns))]
    return '{' + ', '.join(made + (['**' + n.rest] if n.rest is not None else [])) + '}'


def _class(n, level):
    made = _list(n.patterns) + [a + '=' + p for a, p in zip(n.kwd_attrs, _list(n.kwd_patterns))]
    return WRITE[type(n.cls)](PLAIN, n.cls, ATOM) + '(' + ', '.join(made) + ')'


def _as(n, level):
    if n.pattern is None:
        return n.name or '_'
    text = PATTERN[type(n.pattern)](n.pattern, EXPR) + ' as ' + n.name
    return '(' + text + ')' if level > TEST else text


def _or(n, level):
    text = ' | '.join([PATTERN[type(p)](p, EXPR + 1) for p in n.patterns])
    return '(' + text + ')' if level > EXPR else text


PATTERN = {
    ast.MatchValue: _value, ast.MatchSingleton: _singleton, ast.MatchSequence: _sequence,
    ast.MatchStar: _star, ast.MatchMapping: _mapping, ast.MatchClass: _class, ast.MatchAs: _as,
    ast.MatchOr: _or,
} if hasattr(ast, 'MatchValue') else {}
