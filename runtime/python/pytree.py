# SPDX-License-Identifier: MIT
"""The syntax tree of a Python program: Python's parser and functions to walk the tree. This replaces
the module ast, because loading it takes longer than reading a small program. Nothing here counts or
bounds; the callers do."""
import _ast as ast

# Fields without nodes, or with nodes that have no further meaning. They are not walked.
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
    """Kind of node: (fields with one node or None, fields with a list of nodes or None). Computed on
    the first node of a kind."""

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
    """NODE and all nodes in it, in no fixed order, without contexts and operators."""
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
    """The docstring of BODY, or None."""
    first = body[0] if body else None
    if type(first) is ast.Expr and type(first.value) is ast.Constant and \
            type(first.value.value) is str:
        return first.value.value
    return None
