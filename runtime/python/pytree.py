# SPDX-License-Identifier: MIT
"""A Python program's tree: Python's own parser and the ways through what it makes. What the module
ast would do, without it: loading that costs more than reading a small program. Nothing here counts
or bounds; who walks through a tree does."""
import _ast as ast

# What a node holds that is no node, or one that says nothing more: never gone into.
LEAVES = frozenset('id ctx attr arg op ops kind level module asname conversion simple is_async '
                   'type_comment type_ignores rest kwd_attrs'.split())
MANY = frozenset('body orelse finalbody handlers targets args posonlyargs kwonlyargs defaults kw_defaults '
                 'keywords elts values keys generators ifs comparators decorator_list bases items names '
                 'cases patterns kwd_patterns type_params'.split())
VALUES = (ast.Constant, getattr(ast, 'MatchSingleton', None))
NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.Global,
         ast.Nonlocal, ast.alias) + tuple(getattr(ast, name) for name in ('MatchAs', 'MatchStar')
                                          if hasattr(ast, name))


class Inner(dict):
    """Kind of node: (fields that hold one node or none, fields that hold a list, in which None may
    be). Found when the kind is met for the first time."""

    def __missing__(self, kind):
        names = [] if kind in VALUES else [n for n in getattr(kind, '_fields', ()) if n not in LEAVES]
        if kind in NAMED:
            names = [n for n in names if n not in ('name', 'names')]
        many = [n for n in names if n in MANY and not self.is_one(kind, n)]
        made = self[kind] = tuple([n for n in names if n not in many]), tuple(many)
        return made

    @staticmethod
    def is_one(kind, name):
        return (name == 'body' and kind in (ast.Lambda, ast.IfExp, ast.Expression)) or \
            (name == 'orelse' and kind is ast.IfExp) or \
            (name == 'args' and kind in (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef))


INNER = Inner()


def parse(source, mode='exec'):
    return compile(source, '<unknown>', mode, ast.PyCF_ONLY_AST)


def walk(node, inner=INNER):
    """NODE and all that is in it, in no order to rely on; nodes that only say how, a context or an
    operator, are left out."""
    todo = [node]
    while todo:
        node = todo.pop()
        if node is None:
            continue
        yield node
        one, many = inner[type(node)]
        for name in one:
            todo.append(getattr(node, name, None))
        for name in many:
            todo += getattr(node, name, ())


def docstring(body):
    """The text at the beginning of BODY, or None."""
    first = body[0] if body else None
    if type(first) is ast.Expr and type(first.value) is ast.Constant and \
            type(first.value.value) is str:
        return first.value.value
    return None
