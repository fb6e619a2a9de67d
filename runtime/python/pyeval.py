# SPDX-License-Identifier: MIT
"""Evaluates an expression of a Python program without running it. The value is plain data, a name from
outside the program (Ref: os.system, under any alias), or a function of the program that only computes
(Func). Nothing of the program is executed: the syntax tree is read, and every step is counted."""
import _ast as ast
import builtins

import bounds
import pyconst
from pyconst import NotConst, Value
from pynames import ALIASES, IDENTIFIER, MODULE, MODULES, STARS, Bound, Func, Partial, Ref

BUILTIN_NAMES = frozenset(dir(builtins))
# The rows of pycalls.py, which is loaded on first use.
CALLS = frozenset((
    'builtins.getattr builtins.__import__ importlib.import_module importlib.__import__ '
    'builtins.__loader__.load_module imp.load_module builtins.vars builtins.globals builtins.locals '
    'builtins.eval ast.literal_eval builtins.map builtins.filter functools.reduce functools.partial '
    'operator.attrgetter operator.methodcaller').split())


def word(value):
    """VALUE if it can be a name, else NotConst."""
    if not isinstance(value, str) or not IDENTIFIER.match(value):
        raise NotConst
    return value


def shared_out(targets, values):
    """a, *b, c = values: each target with its value."""
    stars = [i for i, t in enumerate(targets) if isinstance(t, ast.Starred)]
    extra = len(values) - len(targets)
    if len(stars) > 1 or extra < -len(stars) or (extra and not stars):
        raise NotConst
    if not stars:
        return list(zip(targets, values))
    at = stars[0]
    end = at + extra + 1
    made = values[:at] + [values[at:end]] + values[end:]
    return list(zip(targets[:at] + [targets[at].value] + targets[at + 1:], made))


class Evaluator:
    def __init__(self, view):
        self.view = view
        self.work = view.work
        self.scope = None
        self.locals = None      # of the function or comprehension that is being computed
        self.shadow = []        # names that are bound to something else here
        self.stars = []         # modules of `from MODULE import *`
        self.doc = None         # the docstring of the program
        self.depth = 0
        self.line = 1
        self.inside_bound = False

    def bounded(self, work, *args):
        """Calls WORK with a part of the remaining computations. A nested call shares the part."""
        if self.inside_bound:
            return work(*args)
        saved = self.work.folds
        self.work.folds = part = min(saved, bounds.LOOP)
        self.inside_bound = True
        try:
            return work(*args)
        finally:
            self.inside_bound = False
            self.work.folds = saved - (part - max(self.work.folds, -1))

    # Names

    def lookup(self, name):
        if self.locals is not None and name in self.locals:
            return self.locals[name]
        if any(name in s for s in self.shadow):
            raise NotConst
        scope = self.scope
        while scope:
            if name in scope.count and (scope is self.scope or not scope.is_class):
                if scope is self.scope and name in scope.now:
                    return scope.now[name]
                if scope.count[name] == 1 and name in scope.once:
                    return scope.once[name]
                raise NotConst
            scope = scope.parent
        return self.unbound(name)

    def unbound(self, name):
        if name == '__builtins__':
            return Ref('builtins')
        if name == '__doc__' and self.doc is not None:
            return self.doc
        if name in BUILTIN_NAMES:
            return Ref('builtins.' + name)
        for module in self.stars:
            if module in STARS and name in STARS[module]:
                return Ref(module + '.' + name)
        if name in MODULES:
            return Ref(name)    # a piece of a program: an earlier piece may have imported it
        raise NotConst

    def attribute(self, value, name):
        if not isinstance(value, Value):
            if name == '__class__' or type(value) not in pyconst.KINDS:
                raise NotConst
            return Bound(value, name)
        if not isinstance(value, Ref):
            raise NotConst
        if name == '__self__' and value.path.startswith('builtins.'):
            return Ref('builtins', value.root)
        if name == '__builtins__':
            return Ref('builtins')
        path = value.path + '.' + name
        if path in ALIASES:
            return Ref(ALIASES[path], value.root and ALIASES[path].split('.')[0])
        if path in pyconst.CONSTANTS:
            return pyconst.CONSTANTS[path]
        if len(path) > 500:
            raise NotConst
        return Ref(path, value.root)

    def index(self, value, key):
        if not isinstance(value, Value):
            if isinstance(key, Value):
                raise NotConst
            return value[key]
        if not isinstance(value, Ref) or not isinstance(key, str) or not MODULE.match(key):
            raise NotConst
        owner, _, last = value.path.rpartition('.')
        if value.path == '<names>':
            return Ref('builtins') if key == '__builtins__' else self.lookup(key)
        if value.path == 'builtins':
            return Ref('builtins.' + key, value.root)
        if value.path == 'sys.modules':
            return Ref(key, key)
        if last == '__dict__' and owner:
            return self.attribute(Ref(owner, value.root), key)
        if last in ('__globals__', 'f_globals', 'f_builtins'):
            return Ref('builtins') if key == '__builtins__' else self.module(key)
        raise NotConst

    @staticmethod
    def module(name):
        if not isinstance(name, str) or not MODULE.match(name):
            raise NotConst
        return Ref(name, name)

    # Calls

    def apply(self, function, args, kwargs):
        if not self.work.fold():
            raise NotConst
        if isinstance(function, Bound):
            return self.weighed(pyconst.method(function.value, function.name, args, kwargs),
                                function.value, *args)
        if isinstance(function, Partial):
            return self.apply_partial(function, args, kwargs)
        if isinstance(function, Func):
            import pyrun
            return self.bounded(pyrun.call, self, function, args, kwargs)
        if not isinstance(function, Ref):
            raise NotConst
        if function.path in CALLS:
            import pycalls
            return pycalls.CALLS[function.path](self, args, kwargs)
        last = function.path.rpartition('.')[2]
        if last == '__getattribute__' and len(args) == 1:
            return self.attribute(Ref(function.path[:-17], function.root), word(args[0]))
        if last in ('get', '__getitem__', 'pop') and args:
            return self.index(Ref(function.path.rpartition('.')[0], function.root), args[0])
        if last == '__call__':
            return self.apply(Ref(function.path[:-9], function.root), args, kwargs)
        return self.weighed(pyconst.function(function.path, args, kwargs), *args)

    def weighed(self, made, *of):
        """Returns MADE, computed from OF, and counts its length. One computation is short, because all
        lengths are bounded."""
        self.work.weigh(of)
        self.work.weigh((made,))
        return made

    def apply_partial(self, p, args, kwargs):
        if p.function is not None:
            return self.apply(p.function, list(p.args) + list(args), dict(p.kwargs, **kwargs))
        made = args[0]
        for name in p.name.split('.'):
            made = self.attribute(made, name)
        return made if p.args is None else self.apply(made, p.args, p.kwargs)

    @staticmethod
    def items(value):
        if isinstance(value, Value) or not hasattr(value, '__iter__'):
            raise NotConst
        return value

    # Names that an expression binds

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            self.locals[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part, one in shared_out(target.elts, list(self.items(value))):
                self.assign(part, one)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            held = self.own(target.value.id)
            pyconst.guarded(held.__setitem__, self.value(target.slice), value)
        else:
            raise NotConst

    def own(self, name):
        """A list or dict that may be changed: a copy of the outer value."""
        value = self.lookup(name)
        if not isinstance(value, (list, dict)):
            raise NotConst
        if name not in self.locals:
            value = self.locals[name] = value.copy()
        return value

    def truth(self, node):
        value = self.value(node)
        if isinstance(value, Value):
            raise NotConst
        return bool(value)

    # Expressions

    def value(self, node):
        work, kind = self.work, type(node)
        work.steps -= bounds.COMPUTED   # as work.step() does, inlined because it is the most frequent call
        if work.steps < work.look_at:
            work.look()
        if kind is ast.Constant:
            return node.value
        if self.locals is None and getattr(node, 'unknown', False):
            raise NotConst
        known = VALUE.get(kind)
        if not known:
            raise NotConst
        try:
            return known(self, node)
        except (TypeError, ValueError, IndexError, KeyError, AttributeError, OverflowError,
                ZeroDivisionError, LookupError):
            raise NotConst from None

    def value_name(self, node):
        if not isinstance(node.ctx, ast.Load):
            raise NotConst
        ref = getattr(node, 'ref', None)
        return ref if ref is not None else self.lookup(node.id)

    def value_attribute(self, node):
        try:
            owner = self.value(node.value)
        except NotConst:
            return self.held(node)
        return self.held(node) if isinstance(owner, Func) else self.attribute(owner, node.attr)

    def held(self, node):
        """An attribute of an object of the program. PyView overrides this."""
        raise NotConst

    def value_subscript(self, node):
        return self.index(self.value(node.value), self.value(node.slice))

    def value_slice(self, node):
        return slice(*[None if p is None else self.value(p)
                       for p in (node.lower, node.upper, node.step)])

    def value_call(self, node):
        function = self.value(node.func)
        args = self.sequence(node.args)
        kwargs = {}
        for word in node.keywords:
            made = self.value(word.value)
            kwargs.update(made if word.arg is None else {word.arg: made})
        return self.apply(function, args, kwargs)

    def sequence(self, nodes):
        made = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                made.extend(self.items(self.value(node.value)))
            else:
                made.append(self.value(node))
        return pyconst.check(made)

    def binary(self, op, left, right):
        if isinstance(left, Value) or isinstance(right, Value) or not self.work.fold():
            raise NotConst
        return self.weighed(pyconst.guarded(pyconst.BINARY.get(op), left, right), left, right)

    def value_binop(self, node):
        return self.binary(type(node.op), self.value(node.left), self.value(node.right))

    def value_unary(self, node):
        made = self.value(node.operand)
        if isinstance(made, Value):
            raise NotConst
        return self.weighed(pyconst.guarded(pyconst.UNARY[type(node.op)], made))

    def value_bool(self, node):
        stop = isinstance(node.op, ast.Or)
        for part in node.values:
            made = self.value(part)
            if (True if isinstance(made, Value) else bool(made)) is stop:
                break
        return made

    def value_compare(self, node):
        left = self.value(node.left)
        for op, right in zip(node.ops, node.comparators):
            right = self.value(right)
            if isinstance(left, Value) or isinstance(right, Value):
                raise NotConst
            self.work.weigh((left, right))
            if not pyconst.guarded(pyconst.COMPARE[type(op)], left, right):
                return False
            left = right
        return True

    def value_choice(self, node):
        return self.value(node.body if self.truth(node.test) else node.orelse)

    def value_joined(self, node):
        made = [self.value(part) for part in node.values]
        return self.weighed(pyconst.guarded(pyconst.join, '', made))

    def value_formatted(self, node):
        made = self.value(node.value)
        spec = self.value(node.format_spec) if node.format_spec else ''
        if isinstance(made, Value):
            raise NotConst
        if node.conversion in (114, 97):
            made = pyconst.function('builtins.' + {114: 'repr', 97: 'ascii'}[node.conversion],
                                    [made], {})
        return pyconst.guarded(pyconst.format_value, made, spec)

    def value_list(self, node):
        return self.sequence(node.elts)

    def value_tuple(self, node):
        return tuple(self.sequence(node.elts))

    def value_set(self, node):
        return set(self.sequence(node.elts))

    def value_dict(self, node):
        made = {}
        for key, value in zip(node.keys, node.values):
            if key is None:
                made.update(self.value(value))
            else:
                made[self.value(key)] = self.value(value)
        return pyconst.check(made)

    def value_comprehension(self, node):
        made = []
        saved = self.locals
        self.locals = dict(saved or {})
        try:
            self.bounded(self.generate, node, 0, made)
        finally:
            self.locals = saved
        if isinstance(node, ast.DictComp):
            return dict(made)
        return set(made) if isinstance(node, ast.SetComp) else made

    def generate(self, node, at, made):
        if at == len(node.generators):
            if len(made) >= bounds.ITEMS or not self.work.fold():
                raise NotConst
            made.append((self.value(node.key), self.value(node.value))
                        if isinstance(node, ast.DictComp) else self.value(node.elt))
            return
        one = node.generators[at]
        for item in self.items(self.value(one.iter)):
            self.assign(one.target, item)
            if all(self.truth(test) for test in one.ifs):
                self.generate(node, at + 1, made)

    def value_lambda(self, node):
        if self.locals:
            raise NotConst      # it would need the local names
        return Func(node.args, node.body, self.scope)

    def value_walrus(self, node):
        return self.value(node.value)


VALUE = {
    ast.Name: Evaluator.value_name, ast.Attribute: Evaluator.value_attribute,
    ast.Subscript: Evaluator.value_subscript, ast.Slice: Evaluator.value_slice,
    ast.Call: Evaluator.value_call, ast.BinOp: Evaluator.value_binop,
    ast.UnaryOp: Evaluator.value_unary, ast.BoolOp: Evaluator.value_bool,
    ast.Compare: Evaluator.value_compare, ast.IfExp: Evaluator.value_choice,
    ast.JoinedStr: Evaluator.value_joined, ast.FormattedValue: Evaluator.value_formatted,
    ast.List: Evaluator.value_list, ast.Tuple: Evaluator.value_tuple, ast.Set: Evaluator.value_set,
    ast.Dict: Evaluator.value_dict, ast.ListComp: Evaluator.value_comprehension,
    ast.GeneratorExp: Evaluator.value_comprehension, ast.SetComp: Evaluator.value_comprehension,
    ast.DictComp: Evaluator.value_comprehension, ast.Lambda: Evaluator.value_lambda,
    ast.NamedExpr: Evaluator.value_walrus,
}
