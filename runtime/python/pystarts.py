# SPDX-License-Identifier: MIT
"""Calls that run code or start a program. The code is kept for the statement of the call, also if it
reaches the call indirectly. Equivalent calls are simplified: partial(f, a)(b) is f(a, b). r is the
rewriter (pyrewrite.py), which loads this module on first use."""
import _ast as ast

import pyeffects
from pyconst import NotConst
from pyrewrite import HIGHER, RUNS_CODE, is_plain
from pytree import walk

ORIGINS = 4             # maximum of names that are followed to their expressions in a row
ORIGINS_ALL = 64        # and in one expression


def clone(node, work, line):
    """A copy of a tree, placed at LINE. Rewriting changes a tree, so copy one that is needed again."""
    if isinstance(node, list):
        return [clone(n, work, line) for n in node]
    if not isinstance(node, ast.AST):
        return node
    work.node()
    made = type(node)(**{name: clone(getattr(node, name), work, line) for name in node._fields
                         if hasattr(node, name)})
    made.lineno = line
    if hasattr(node, 'ref'):
        made.ref = node.ref
    return made


def follow(r, started, path, node, line):
    """Follows NODE, a call of PATH. STARTED is the result of pyeffects.call."""
    if (started or path in RUNS_CODE) and node.args:
        _with_origin(r, node)
    if started:
        _starts(r, started[0], started[1], node, line)
    elif path in RUNS_CODE and node.args:
        _runs(r, node.args[0], path, line)
    elif path in HIGHER and len(node.args) > 1 and r.path(node.args[0]):
        _each(r, node, line)


def method(r, node):
    name = pyeffects.text_of(node.args[0]) if node.args else None
    if node.func.attr == '__call__':
        made = ast.Call(node.func.value, node.args, node.keywords)
        made.lineno = r.line
        r.calls(made)
        return made
    if name is not None and name.isidentifier() and len(node.args) == 1:
        return r.again(ast.Attribute(node.func.value, name, ast.Load()))
    return node


def unfold(r, partial, node):
    """partial(f, a)(b) is f(a, b), methodcaller('m', a)(x) is x.m(a)."""
    args, words = list(node.args), list(node.keywords)
    if partial.function is None:
        if partial.args is None or not args:
            return node
        func = ast.Attribute(args.pop(0), partial.name, ast.Load())
        if not is_plain(partial.args) or not is_plain(partial.kwargs):
            return node
        func = r.again(func)
    else:
        func = r.literal(partial.function, node.func)
        if func is node.func or not is_plain(partial.args) or not is_plain(partial.kwargs):
            return node
    made = ast.Call(func, [r.constant(a) for a in partial.args] + args,
                    [ast.keyword(k, r.constant(v)) for k, v in partial.kwargs.items()] + words)
    made.lineno = r.line
    r.calls(made)
    return made


def inline(r, function, body, node):
    """The code that BODY, the only expression of FUNCTION, would run with the arguments of NODE."""
    import pyrun
    try:
        inner = pyrun.arguments(r, function.args, r.sequence(node.args),
                                {w.arg: r.value(w.value) for w in node.keywords if w.arg})
    except NotConst:
        return
    r.inlines -= 1
    saved = r.locals, r.scope, r.shadow
    r.locals, r.scope, r.shadow = inner, function.scope, []
    r.inlining += 1
    before = r.started
    try:
        made = r.expr(clone(body, r.work, r.line))
        if r.started > before:
            r.extra.append(made)
    finally:
        r.locals, r.scope, r.shadow = saved
        r.inlining -= 1


def _with_origin(r, node):
    """x = decode(y); exec(x) is also shown as exec(decode(y))."""
    names = [n.id for n in walk(node.args[0]) if isinstance(n, ast.Name)]
    if not any(r.origin(name) is not None for name in names) or r.inlines <= 0:
        return
    r.inlines -= 1
    r.room = ORIGINS_ALL
    first = _substitute(r, clone(node.args[0], r.work, r.line), 0)
    r.extra.append(ast.Call(node.func, [first] + node.args[1:], node.keywords))


def _substitute(r, node, depth):
    if isinstance(node, ast.Name):
        made = r.origin(node.id) if depth < ORIGINS else None
        r.room -= 1
        if made is None or r.room < 0:
            return node
        return _substitute(r, clone(made, r.work, r.line), depth + 1)
    for name in node._fields:
        child = getattr(node, name, None)
        if isinstance(child, ast.expr):
            setattr(node, name, _substitute(r, child, depth))
        elif isinstance(child, list):
            child[:] = [_substitute(r, c, depth) if isinstance(c, ast.AST) else c for c in child]
    return node


def _each(r, node, line):
    """map(os.system, ['a', 'b']) calls os.system('a') and os.system('b')."""
    words = pyeffects.words(node.args[1])
    if words is None:
        return
    for word in [w for w in words if w is not None][:16]:
        made = ast.Call(node.args[0], [ast.Constant(word)], [])
        made.lineno = line
        r.calls(made)
        r.extra.append(made)


def _runs(r, node, path, line):
    if isinstance(node, ast.Call) and r.path(node.func) == 'compile' and node.args:
        return              # already kept
    code = getattr(node, 'value', None) if isinstance(node, ast.Constant) else None
    if isinstance(code, (str, bytes)):
        r.inner.append(('python', code, line))


def _words(r, node):
    """The words of a list, under any name, with None for an unknown word; or None."""
    try:
        made = r.value(node)
    except NotConst:
        return pyeffects.words(node)
    if not isinstance(made, (list, tuple)) or not made or \
            not all(isinstance(w, (str, bytes)) for w in made):
        return pyeffects.words(node)
    return [w if isinstance(w, str) else w.decode('latin-1') for w in made]


def _starts(r, kind, node, call, line):
    if node is None:
        return
    words = _words(r, node)
    shell = pyeffects.keyword(call, 'shell')
    is_shell = kind == pyeffects.SHELL or (
        kind == pyeffects.EITHER and isinstance(shell, ast.Constant) and bool(shell.value))
    if words:
        program = pyeffects.text_of(pyeffects.keyword(call, 'executable'))
        words[0] = program if program and not is_shell else words[0]
        r.effects.add('program', words[0] or '(computed)', line)
        r.inner.append(('words', ['sh', '-c'] + words if is_shell else words, line))
        return
    text = pyeffects.text_of(node)
    if text is None:
        first = _first_word(node)
        r.effects.add('program', first or '(computed)', line)
    elif is_shell:
        r.inner.append(('bash', text, line))
    else:
        r.effects.add('program', text.split()[0] if text.split() else text, line)
        rest = call.args[call.args.index(node) + 1:] if node in call.args else []
        _starts_with(r, kind, text, rest, line)


def _starts_with(r, kind, program, rest, line):
    """os.execlp('nc', 'nc', '-e'): the words of the program follow its name."""
    args = (_words(r, rest[0]) if rest else None) or [pyeffects.text_of(a) for a in rest]
    if kind == pyeffects.PROGRAM and args:
        r.inner.append(('words', [program] + args[1:], line))
    elif kind == pyeffects.ARGUMENTS and args:
        r.inner.append(('words', [program] + args, line))


def _first_word(node):
    """The first word of 'curl ' + url or f'curl {url}'."""
    while isinstance(node, ast.BinOp):
        node = node.left
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]
    text = pyeffects.text_of(node)
    return text.split()[0] if text and text.split() else None
