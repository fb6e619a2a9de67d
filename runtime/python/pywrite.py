# SPDX-License-Identifier: MIT
"""Writes a Python tree as text, one statement a line, in the form of ast.unparse in Python 3.11. The
form does not depend on the Python that runs this. Each kind of node is a row of a table; pypattern.py
writes a node without a row (a newer one, a pattern). The text must have the same meaning as the tree,
so it has brackets where precedence needs them."""
import _ast as ast

import pystring

# Precedence of expressions, as in the grammar of Python.
(NAMED, TUPLE, YIELD, TEST, OR, AND, NOT, CMP, EXPR, XOR, BAND, SHIFT, ARITH, TERM, FACTOR, POWER,
 AWAIT, ATOM) = range(1, 19)
BINARY = {
    ast.Add: (' + ', ARITH), ast.Sub: (' - ', ARITH), ast.Mult: (' * ', TERM),
    ast.MatMult: (' @ ', TERM), ast.Div: (' / ', TERM), ast.Mod: (' % ', TERM),
    ast.FloorDiv: (' // ', TERM), ast.LShift: (' << ', SHIFT), ast.RShift: (' >> ', SHIFT),
    ast.BitOr: (' | ', EXPR), ast.BitXor: (' ^ ', XOR), ast.BitAnd: (' & ', BAND),
    ast.Pow: (' ** ', POWER),
}
UNARY = {ast.Invert: ('~', FACTOR), ast.Not: ('not ', NOT), ast.UAdd: ('+', FACTOR),
         ast.USub: ('-', FACTOR)}
COMPARE = {
    ast.Eq: ' == ', ast.NotEq: ' != ', ast.Lt: ' < ', ast.LtE: ' <= ', ast.Gt: ' > ',
    ast.GtE: ' >= ', ast.Is: ' is ', ast.IsNot: ' is not ', ast.In: ' in ', ast.NotIn: ' not in ',
}
BOOLEAN = {ast.And: (' and ', AND), ast.Or: (' or ', OR)}


def write(node):
    """The text of an expression, a simple statement, or a part of either."""
    try:
        return WRITE[type(node)](PLAIN, node, TEST)
    except KeyError:
        import pypattern
        return pypattern.write(node)


def _list(w, nodes):
    return ', '.join([WRITE[type(n)](w, n, TEST) for n in nodes])


def _items(w, nodes):
    return _list(w, nodes) + (',' if len(nodes) == 1 else '')


def _if(condition, text):
    return '(' + text + ')' if condition else text


# The place of a text. QUOTED: in the braces of an f-string, where no backslash is allowed.
PLAIN, QUOTED = False, True


# Expressions: w is the place, level the precedence of the surrounding expression


def _name(w, n, level):
    return n.id


def _constant(w, n, level):
    value = n.value
    kind = type(value)
    if kind is str:
        text = pystring.short(value) if w else repr(value)
        return 'u' + text if n.kind == 'u' else text
    if kind is float or kind is complex:
        return pystring.number(value)
    if value is ...:
        return '...'
    if kind is tuple:
        raise KeyError(kind)
    return repr(value)


def _attribute(w, n, level):
    owner = n.value
    text = WRITE[type(owner)](w, owner, ATOM)
    if type(owner) is ast.Constant and isinstance(owner.value, int):
        text += ' '         # 3.real is not valid, (3).real is
    return text + '.' + n.attr


def _call(w, n, level):
    func = n.func
    parts = [WRITE[type(a)](w, a, TEST) for a in n.args]
    for word in n.keywords:
        value = word.value
        parts.append((word.arg + '=' if word.arg is not None else '**') +
                     WRITE[type(value)](w, value, TEST))
    return WRITE[type(func)](w, func, ATOM) + '(' + ', '.join(parts) + ')'


def _keyword(w, n, level):
    return (n.arg + '=' if n.arg is not None else '**') + WRITE[type(n.value)](w, n.value, TEST)


def _subscript(w, n, level):
    key = n.slice
    text = _items(w, key.elts) if type(key) is ast.Tuple and key.elts else \
        WRITE[type(key)](w, key, TEST)
    return WRITE[type(n.value)](w, n.value, ATOM) + '[' + text + ']'


def _slice(w, n, level):
    first, last, step = [WRITE[type(p)](w, p, TEST) if p else '' for p in (n.lower, n.upper, n.step)]
    return first + ':' + last + (':' + step if n.step else '')


def _starred(w, n, level):
    return '*' + WRITE[type(n.value)](w, n.value, EXPR)


def _binary(w, n, level):
    op, own = BINARY[type(n.op)]
    right = own == POWER        # ** is right-associative
    left, last = n.left, n.right
    text = WRITE[type(left)](w, left, own + right) + op + WRITE[type(last)](w, last, own + 1 - right)
    return '(' + text + ')' if level > own else text


def _unary(w, n, level):
    op, own = UNARY[type(n.op)]
    return _if(level > own, op + WRITE[type(n.operand)](w, n.operand, own))


def _compare(w, n, level):
    text = WRITE[type(n.left)](w, n.left, CMP + 1)
    for op, value in zip(n.ops, n.comparators):
        text += COMPARE[type(op)] + WRITE[type(value)](w, value, CMP + 1)
    return _if(level > CMP, text)


def _boolean(w, n, level):
    op, own = BOOLEAN[type(n.op)]
    parts = [WRITE[type(v)](w, v, min(own + at, ATOM)) for at, v in enumerate(n.values, 1)]
    return _if(level > own, op.join(parts))


def _choice(w, n, level):
    text = WRITE[type(n.body)](w, n.body, OR) + ' if ' + WRITE[type(n.test)](w, n.test, OR) + \
        ' else ' + WRITE[type(n.orelse)](w, n.orelse, TEST)
    return _if(level > TEST, text)


def _walrus(w, n, level):
    return _if(level > NAMED, WRITE[type(n.target)](w, n.target, ATOM) + ' := ' +
               WRITE[type(n.value)](w, n.value, ATOM))


def _lambda(w, n, level):
    args = _arguments(w, n.args, TEST)
    return _if(level > TEST, 'lambda' + (' ' + args if args else '') + ': ' +
               WRITE[type(n.body)](w, n.body, TEST))


def _await(w, n, level):
    return _if(level > AWAIT, 'await ' + WRITE[type(n.value)](w, n.value, ATOM))


def _yield(w, n, level):
    value = ' ' + WRITE[type(n.value)](w, n.value, ATOM) if n.value else ''
    return _if(level > YIELD, 'yield' + value)


def _yield_from(w, n, level):
    return _if(level > YIELD, 'yield from ' + WRITE[type(n.value)](w, n.value, ATOM))


def _tuple(w, n, level):
    return _if(not n.elts or level > TUPLE, _items(w, n.elts))


def _list_display(w, n, level):
    return '[' + _list(w, n.elts) + ']'


def _set(w, n, level):
    return '{' + _list(w, n.elts) + '}' if n.elts else '{*()}'


def _dict(w, n, level):
    return '{' + ', '.join(['**' + WRITE[type(v)](w, v, EXPR) if k is None else
                            WRITE[type(k)](w, k, TEST) + ': ' + WRITE[type(v)](w, v, TEST)
                            for k, v in zip(n.keys, n.values)]) + '}'


def _for(w, n, level):
    text = (' async for ' if n.is_async else ' for ') + WRITE[type(n.target)](w, n.target, TUPLE) + \
        ' in ' + WRITE[type(n.iter)](w, n.iter, OR)
    return text + ''.join([' if ' + WRITE[type(test)](w, test, OR) for test in n.ifs])


def _comprehension(w, n, level):
    first, last = BRACKETS[type(n)]
    made = WRITE[type(n.key)](w, n.key, TEST) + ': ' + WRITE[type(n.value)](w, n.value, TEST) \
        if type(n) is ast.DictComp else WRITE[type(n.elt)](w, n.elt, TEST)
    return first + made + ''.join([_for(w, g, TEST) for g in n.generators]) + last


def _joined(w, n, level):
    if w:
        return 'f' + pystring.short(_braced(n))
    return 'f' + pystring.parts([(_braced(v), type(v) is ast.Constant) for v in n.values])


def _braced(n):
    """A part of an f-string, without quotes."""
    kind = type(n)
    if kind is ast.JoinedStr:
        return ''.join([_braced(v) for v in n.values])
    if kind is ast.Constant and type(n.value) is str:
        return n.value.replace('{', '{{').replace('}', '}}')
    if kind is ast.FormattedValue:
        return _formatted(QUOTED, n, TEST)
    raise ValueError('a part of an f-string that can be none')


def _formatted(w, n, level):
    text = WRITE[type(n.value)](QUOTED, n.value, OR)
    if '\\' in text:
        raise ValueError('a backslash in the braces of an f-string')
    return '{' + (' ' if text.startswith('{') else '') + text + \
        ('!' + chr(n.conversion) if n.conversion != -1 else '') + \
        (':' + _braced(n.format_spec) if n.format_spec else '') + '}'


# Parts of statements


def _arg(w, n, level):
    return n.arg + (': ' + WRITE[type(n.annotation)](w, n.annotation, TEST) if n.annotation else '')


def _argument(w, arg, default):
    return _arg(w, arg, TEST) + ('=' + WRITE[type(default)](w, default, TEST) if default else '')


def _arguments(w, n, level):
    names = n.posonlyargs + n.args
    defaults = [None] * (len(names) - len(n.defaults)) + n.defaults
    made = [_argument(w, a, d) for a, d in zip(names, defaults)]
    if n.posonlyargs:
        made.insert(len(n.posonlyargs), '/')
    if n.vararg or n.kwonlyargs:
        made.append('*' + (_arg(w, n.vararg, TEST) if n.vararg else ''))
    made += [_argument(w, a, d) for a, d in zip(n.kwonlyargs, n.kw_defaults)]
    if n.kwarg:
        made.append('**' + _arg(w, n.kwarg, TEST))
    return ', '.join(made)


def _with_item(w, n, level):
    return WRITE[type(n.context_expr)](w, n.context_expr, TEST) + \
        (' as ' + WRITE[type(n.optional_vars)](w, n.optional_vars, TEST) if n.optional_vars else '')


# Statements


def _expression(w, n, level):
    return WRITE[type(n.value)](w, n.value, YIELD)


def _assign(w, n, level):
    return ''.join([WRITE[type(t)](w, t, TUPLE) + ' = ' for t in n.targets]) + \
        WRITE[type(n.value)](w, n.value, TEST)


def _augment(w, n, level):
    return WRITE[type(n.target)](w, n.target, TEST) + BINARY[type(n.op)][0][:-1] + '= ' + \
        WRITE[type(n.value)](w, n.value, TEST)


def _annotate(w, n, level):
    target = WRITE[type(n.target)](w, n.target, TEST)
    return _if(not n.simple and type(n.target) is ast.Name, target) + ': ' + \
        WRITE[type(n.annotation)](w, n.annotation, TEST) + \
        (' = ' + WRITE[type(n.value)](w, n.value, TEST) if n.value else '')


def _return(w, n, level):
    return 'return ' + WRITE[type(n.value)](w, n.value, TEST) if n.value else 'return'


def _raise(w, n, level):
    if not n.exc:
        return 'raise'
    return 'raise ' + WRITE[type(n.exc)](w, n.exc, TEST) + \
        (' from ' + WRITE[type(n.cause)](w, n.cause, TEST) if n.cause else '')


def _assert(w, n, level):
    return 'assert ' + WRITE[type(n.test)](w, n.test, TEST) + \
        (', ' + WRITE[type(n.msg)](w, n.msg, TEST) if n.msg else '')


def _delete(w, n, level):
    return 'del ' + _list(w, n.targets)


def _names(word):
    return lambda w, n, level: word + ', '.join(n.names)


def _word(word):
    return lambda w, n, level: word


BRACKETS = {ast.ListComp: '[]', ast.GeneratorExp: '()', ast.SetComp: '{}', ast.DictComp: '{}'}
WRITE = {
    ast.Name: _name, ast.Constant: _constant, ast.Attribute: _attribute, ast.Call: _call,
    ast.keyword: _keyword, ast.Subscript: _subscript, ast.Slice: _slice, ast.Starred: _starred,
    ast.BinOp: _binary, ast.UnaryOp: _unary, ast.Compare: _compare, ast.BoolOp: _boolean,
    ast.IfExp: _choice, ast.NamedExpr: _walrus, ast.Lambda: _lambda, ast.Await: _await,
    ast.Yield: _yield, ast.YieldFrom: _yield_from, ast.Tuple: _tuple, ast.List: _list_display,
    ast.Set: _set, ast.Dict: _dict, ast.ListComp: _comprehension, ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension, ast.DictComp: _comprehension, ast.comprehension: _for,
    ast.JoinedStr: _joined, ast.FormattedValue: _formatted, ast.arg: _arg,
    ast.arguments: _arguments, ast.withitem: _with_item, ast.Expr: _expression,
    ast.Assign: _assign, ast.AugAssign: _augment, ast.AnnAssign: _annotate, ast.Return: _return,
    ast.Raise: _raise, ast.Assert: _assert, ast.Delete: _delete, ast.Global: _names('global '),
    ast.Nonlocal: _names('nonlocal '), ast.Pass: _word('pass'), ast.Break: _word('break'),
    ast.Continue: _word('continue'),
}
