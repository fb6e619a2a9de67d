# SPDX-License-Identifier: MIT
"""Rewrites one expression of a Python program in place: a constant becomes its value, an alias becomes
the real name, and an indirect access becomes a direct one. Code that the expression would run (eval,
a shell line) and its effects are kept for the caller. A part that is not understood must never be
left out."""
import _ast as ast

import bounds
import pyeffects
from pyconst import NotConst, Value
from pyeval import Evaluator
from pynames import COMPREHENSIONS, Bound, Func, Partial, Ref
from pytree import INNER, walk

PLAIN = (str, bytes, int, float, bool, type(None), complex)
CONTAINERS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
RUNS_CODE = frozenset(('exec', 'eval', 'compile', 'code.InteractiveInterpreter', 'execfile'))
INLINES = 50            # maximum of calls of functions of the program that are shown with their arguments
ORIGIN_SIZE = 100       # maximum of expressions that define a name
FILLING = 256           # maximum length of a repetition that is written in full
HIGHER = frozenset(('map', 'filter'))


def is_plain(value, depth=0):
    if isinstance(value, PLAIN):
        return True
    if depth > 3 or not isinstance(value, (list, tuple, set, dict)) or len(value) > 256:
        return False
    if isinstance(value, dict):
        return all(is_plain(k, depth + 1) and is_plain(v, depth + 1) for k, v in value.items())
    return all(is_plain(v, depth + 1) for v in value)


class Rewriter(Evaluator):
    def __init__(self, view):
        super().__init__(view)
        self.effects = view.effects
        self.dynamic = []       # names of modules in this statement that stand for an __import__
        self.inner = []         # (language, code, line) that this statement would run
        self.extra = []         # expressions that this statement would evaluate
        self.strings = []       # (text, line) in this statement
        self.inlines = INLINES
        self.inlining = 0
        self.room = 0           # names that may still be followed
        self.started = 0        # calls so far that run code or start a program

    def expr(self, node):
        """Returns the rewritten NODE. NODE itself may have changed."""
        if node is None:
            return None
        work, kind = self.work, type(node)
        work.steps -= bounds.NODE       # as work.node() does, inlined because it is the most frequent call
        if work.steps < work.look_at:
            work.look()
        self.line = getattr(node, 'lineno', self.line)
        if kind is ast.Constant:
            self.keep_string(node.value)
            return node
        mark = len(self.strings)
        special = SPECIAL_FORMS.get(kind)
        if special:
            special(self, node)
        elif kind is not ast.Name:
            self.children(node)
        try:
            value = self.value(node)
        except NotConst:
            made = self.simplify(node)
            if self.locals is None:
                made.unknown = True
            return made
        return self.literal(value, node, mark)

    def children(self, node):
        one, many = INNER[type(node)]
        for name in one:
            child = getattr(node, name, None)
            if isinstance(child, ast.expr):
                setattr(node, name, self.expr(child))
        for name in many:
            child = getattr(node, name, ())
            if child:
                child[:] = [self.expr(c) if isinstance(c, ast.expr) else self.other(c)
                            for c in child]

    def other(self, node):
        """A node that is not an expression itself, such as a keyword of a call."""
        if isinstance(node, ast.AST):
            self.children(node)
        return node

    # Names that are bound to something else here

    def comprehension(self, node):
        names = {n.id for g in node.generators for n in walk(g.target)
                 if isinstance(n, ast.Name)}
        node.generators[0].iter = self.expr(node.generators[0].iter)
        self.shadow.append(names)
        for i, one in enumerate(node.generators):
            if i:
                one.iter = self.expr(one.iter)
            one.ifs = [self.expr(test) for test in one.ifs]
        for name in ('elt', 'key', 'value'):
            if hasattr(node, name):
                setattr(node, name, self.expr(getattr(node, name)))
        self.shadow.pop()

    def lambda_(self, node):
        a = node.args
        self.defaults(a)
        names = {x.arg for x in getattr(a, 'posonlyargs', []) + a.args + a.kwonlyargs +
                 [v for v in (a.vararg, a.kwarg) if v]}
        self.shadow.append(names)
        node.body = self.expr(node.body)
        self.shadow.pop()

    def defaults(self, a):
        a.defaults = [self.expr(d) for d in a.defaults]
        a.kw_defaults = [self.expr(d) if d is not None else None for d in a.kw_defaults]

    def call_form(self, node):
        """The function is rewritten last, because only its name may be known."""
        node.args[:] = [self.expr(a) for a in node.args]
        for word in node.keywords:
            word.value = self.expr(word.value)
        node.func = self.expr(node.func)
        self.calls(node)

    # Values as expressions

    def literal(self, value, node, mark=None):
        if isinstance(node, ast.NamedExpr):
            if self.locals is None and self.scope:
                self.scope.now[node.target.id] = value
            return node
        evaluated = isinstance(node, ast.Call) and self.path(node.func) == 'eval'
        if isinstance(value, Ref):
            if evaluated:
                self.extra.append(node)         # its result is used, and the call is shown
            return self.name(value, node)
        if evaluated:
            return node
        if isinstance(value, Value):
            if isinstance(value, Bound) and not isinstance(node, (ast.Attribute, ast.Name)):
                return ast.Attribute(ast.Constant(value.value), value.name, ast.Load())
            return node
        if isinstance(node, CONTAINERS) or not is_plain(value) or self.is_filling(value, node):
            return node
        if isinstance(value, (str, bytes)):
            if len(value) > bounds.SHOWN and isinstance(node, ast.Name):
                return node
            if mark is not None:
                del self.strings[mark:]         # those of the expression that it replaces
            self.keep_string(value)
        elif isinstance(value, (list, tuple, set, dict)) and isinstance(node, ast.Name):
            return node
        return self.constant(value)

    @staticmethod
    def is_filling(value, node):
        """'A' * 1000000, bytearray(1000000): known, but too long to write."""
        if not isinstance(value, (str, bytes, list, tuple)) or len(value) <= FILLING:
            return False
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            return True
        return isinstance(node, ast.Call) and isinstance(value, (str, bytes)) and \
            not value.strip(value[:1])

    def constant(self, value):
        if isinstance(value, (list, tuple)):
            kind = ast.List if isinstance(value, list) else ast.Tuple
            return kind([self.constant(v) for v in value], ast.Load())
        if isinstance(value, set):
            items = sorted(value, key=repr)
            return ast.Set([self.constant(v) for v in items]) if items else \
                ast.Call(ast.Name('set', ast.Load()), [], [])
        if isinstance(value, dict):
            return ast.Dict([self.constant(k) for k in value],
                            [self.constant(v) for v in value.values()])
        return ast.Constant(value)

    def name(self, ref, node):
        """A name with dots. In the second form of a statement it becomes an import."""
        if ref.path.startswith('<'):
            return node
        made = ast.Name(ref.dotted(), ast.Load())
        made.ref = ref
        made.lineno = self.line
        if ref.root:
            self.dynamic.append((made, ref.as_import()))
            self.effects.add('import', ref.root, self.line)
        return made

    def keep_string(self, value):
        if isinstance(value, bytes) and len(value) < 10000:
            value = value.decode('latin-1')
        if isinstance(value, str) and len(value) > 3:
            self.strings.append((value, self.line))

    def tell_strings(self):
        for text, line in self.strings:
            pyeffects.string(self.effects, text, line)
        self.strings = []

    # Expressions that are not constant but can be simplified

    def simplify(self, node):
        form = SIMPLER.get(type(node))
        return form(self, node) if form else node

    def simpler_call(self, node):
        path = self.path(node.func)
        if path == 'getattr' and len(node.args) >= 2 and not node.keywords:
            name = pyeffects.text_of(node.args[1])
            if name is not None and name.isidentifier():
                return self.again(ast.Attribute(node.args[0], name, ast.Load()))
        if isinstance(node.func, ast.Attribute) and node.func.attr in ('__getattribute__', '__call__'):
            import pystarts
            return pystarts.method(self, node)
        try:
            function = self.value(node.func)
        except NotConst:
            return node
        if isinstance(function, Partial):
            import pystarts
            return pystarts.unfold(self, function, node)
        if isinstance(function, Func):
            self.inline(function, node)
        return node

    def again(self, node):
        """Rewrites a new node, because it may be constant now."""
        node.lineno = self.line
        try:
            return self.literal(self.value(node), node)
        except NotConst:
            return node

    def inline(self, function, node):
        """For a function of one expression: the code that it would run with these arguments."""
        body = function.body
        if isinstance(body, list):
            real = [s for s in body if not (isinstance(s, ast.Expr) and
                                            isinstance(s.value, ast.Constant))]
            body = real[0].value if len(real) == 1 and isinstance(real[0], (ast.Expr, ast.Return)) \
                else None
        if body is None or not (node.args or node.keywords) or self.inlines <= 0 or self.inlining > 3:
            return
        import pystarts
        pystarts.inline(self, function, body, node)

    def simpler_subscript(self, node):
        """x.__dict__['y'] and vars(x)['y'] are x.y."""
        key = pyeffects.text_of(node.slice)
        owner = node.value
        if isinstance(owner, ast.Attribute) and owner.attr == '__dict__':
            owner = owner.value
        elif isinstance(owner, ast.Attribute) and owner.attr == '__globals__' and key:
            self.effects.add('dynamic', owner.attr, self.line)
            ref = Ref('builtins') if key == '__builtins__' else Ref(key, key)
            return self.name(ref, node) if key.isidentifier() else node
        elif isinstance(owner, ast.Call) and self.path(owner.func) == 'vars' and len(owner.args) == 1:
            owner = owner.args[0]
        elif self.path(owner) == 'os.environ':
            self.effects.add('env', key or '(computed)', self.line)
            return node
        else:
            return self.simpler_names(node, key)
        if key is None or not key.isidentifier() or not isinstance(node.ctx, ast.Load):
            return node
        return self.again(ast.Attribute(owner, key, ast.Load()))

    def simpler_names(self, node, key):
        """globals()['x'] is x, known or not."""
        owner = node.value
        if not (isinstance(owner, ast.Call) and not owner.args and
                self.path(owner.func) in ('globals', 'locals', 'vars')):
            return node
        if key is None:
            self.effects.add('dynamic', self.path(owner.func), self.line)
            return node
        return ast.Name(key, node.ctx) if key.isidentifier() else node

    def simpler_add(self, node):
        """x + 'a' + 'b' is x + 'ab'."""
        left, right = node.left, node.right
        if isinstance(node.op, ast.Add) and isinstance(right, ast.Constant) and \
                isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add) and \
                isinstance(left.right, ast.Constant):
            try:
                node.right = ast.Constant(self.binary(ast.Add, left.right.value, right.value))
                node.left = left.left
            except NotConst:
                pass
        return node

    def simpler_joined(self, node):
        """Joins adjacent constant parts of an f-string: f'{a}{"b"}c'."""
        made = []
        for part in node.values:
            try:
                text = self.value(part)
            except NotConst:
                made.append(part)
                continue
            if made and isinstance(made[-1], ast.Constant) and isinstance(text, str):
                made[-1] = ast.Constant(made[-1].value + text)
            else:
                made.append(ast.Constant(text))
        node.values = made
        return node

    def simpler_attribute(self, node):
        if node.attr in pyeffects.DYNAMIC_ATTRIBUTES:
            self.effects.add('dynamic', node.attr, self.line)
        return node

    # Effects of calls

    def path(self, node):
        ref = getattr(node, 'ref', None)
        return ref.dotted() if ref is not None else ''

    def calls(self, node):
        path = self.path(node.func)
        line = getattr(node, 'lineno', self.line)
        started = pyeffects.call(self.effects, path, node, line)
        self.started += bool(started) or path in RUNS_CODE
        if started or path in RUNS_CODE or path in HIGHER:
            import pystarts
            pystarts.follow(self, started, path, node, line)

    @staticmethod
    def is_small(node):
        return all(i < ORIGIN_SIZE for i, _ in enumerate(walk(node)))

    def origin(self, name):
        """The expression of NAME, if it is bound once and has no known value."""
        scope = self.scope
        while scope:
            if name in scope.count:
                return scope.made.get(name) if scope.count[name] == 1 else None
            scope = scope.parent
        return None


SPECIAL_FORMS = {kind: Rewriter.comprehension for kind in COMPREHENSIONS}
SPECIAL_FORMS[ast.Lambda] = Rewriter.lambda_
SPECIAL_FORMS[ast.Call] = Rewriter.call_form
SIMPLER = {
    ast.Call: Rewriter.simpler_call, ast.Subscript: Rewriter.simpler_subscript,
    ast.BinOp: Rewriter.simpler_add, ast.JoinedStr: Rewriter.simpler_joined,
    ast.Attribute: Rewriter.simpler_attribute,
}
