# SPDX-License-Identifier: MIT
"""Interprets functions and loops of a Python program that only compute, statement by statement. e is
the evaluator (pyeval.py), which computes expressions and counts the work. Any other statement raises
NotConst. The module is loaded on first use."""
import _ast as ast

import bounds
import pyconst
from pyconst import NotConst
from pynames import Jump, Returned


def call(e, function, args, kwargs):
    if e.depth >= 4 * bounds.DEPTH:
        raise NotConst
    inner = arguments(e, function.args, args, kwargs)
    saved = e.scope, e.locals, e.shadow
    e.depth += 1
    e.scope, e.locals, e.shadow = function.scope, inner, []
    try:
        if isinstance(function.body, list):
            run(e, function.body)
            return None
        return e.value(function.body)
    except Returned as result:
        return result.args[0]
    except Jump:
        raise NotConst from None
    finally:
        e.scope, e.locals, e.shadow = saved
        e.depth -= 1


def arguments(e, spec, args, kwargs):
    names = [a.arg for a in getattr(spec, 'posonlyargs', []) + spec.args]
    inner = dict(zip(names, args))
    if len(args) > len(names) and not spec.vararg:
        raise NotConst
    if spec.vararg:
        inner[spec.vararg.arg] = tuple(args[len(names):])
    for name, default in zip(names[::-1], spec.defaults[::-1]):
        if name not in inner and name not in kwargs:
            inner[name] = e.value(default)
    for arg, default in zip(spec.kwonlyargs, spec.kw_defaults):
        if default is not None and arg.arg not in kwargs:
            inner[arg.arg] = e.value(default)
    inner.update(kwargs)
    if any(name not in inner for name in names):
        raise NotConst
    return inner


def run_for(e, node):
    if node.orelse:
        raise NotConst
    for item in e.items(e.value(node.iter)):
        e.assign(node.target, item)
        if _body(e, node.body):
            break


def run_while(e, node):
    if node.orelse:
        raise NotConst
    while e.truth(node.test):
        if _body(e, node.body):
            break


def run(e, body):
    for node in body:
        if not e.work.fold():
            raise NotConst
        step = RUN.get(type(node))
        if not step:
            raise NotConst
        step(e, node)


def _assign(e, node):
    value = e.value(node.value)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        e.assign(target, value)


def _augment(e, node):
    if not isinstance(node.target, ast.Name):
        raise NotConst
    made = e.binary(type(node.op), e.lookup(node.target.id), e.value(node.value))
    e.locals[node.target.id] = made


def run_expr(e, node):
    call = node.value
    if isinstance(call, ast.Constant):
        return
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and
            isinstance(call.func.value, ast.Name) and
            call.func.attr in ('append', 'extend', 'reverse', 'insert')):
        raise NotConst
    held = e.own(call.func.value.id)
    args = [e.value(a) for a in call.args]
    if len(held) > bounds.ITEMS:
        raise NotConst
    pyconst.guarded(getattr(held, call.func.attr), *args)


def _body(e, body):
    """Runs the body of a loop. True if break has ended the loop."""
    try:
        run(e, body)
    except Jump as jump:
        return jump.args[0]
    return False


def _if(e, node):
    run(e, node.body if e.truth(node.test) else node.orelse)


def _return(e, node):
    raise Returned(e.value(node.value) if node.value else None)


def _break(e, node):
    raise Jump(True)


def _continue(e, node):
    raise Jump(False)


def _pass(e, node):
    pass


RUN = {
    ast.Assign: _assign, ast.AnnAssign: _assign,
    ast.AugAssign: _augment, ast.Expr: run_expr, ast.For: run_for,
    ast.While: run_while, ast.If: _if, ast.Return: _return,
    ast.Break: _break, ast.Continue: _continue,
    ast.Pass: _pass,
}
