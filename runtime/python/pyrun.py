# SPDX-License-Identifier: MIT
"""A function or a loop of a Python program that does nothing but compute, followed statement by
statement. What it changes is only a table of names here; whatever would be more than that is no
constant, and every statement counts. Expressions are pyeval's."""
import ast

import bounds
import pyconst
from pyconst import NotConst, Value
from pynames import Jump, Returned


def shared_out(targets, values):
    """a, *b, c = values: each of them with its own."""
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


class Runner:
    """Half of an Evaluator, which has the names, the values and the bounds."""

    def run_function(self, function, args, kwargs):
        if self.depth >= 4 * bounds.DEPTH:
            raise NotConst
        inner = self.arguments(function.args, args, kwargs)
        saved = self.scope, self.locals, self.shadow
        self.depth += 1
        self.scope, self.locals, self.shadow = function.scope, inner, []
        try:
            if isinstance(function.body, list):
                self.run(function.body)
                return None
            return self.value(function.body)
        except Returned as result:
            return result.args[0]
        except Jump:
            raise NotConst from None
        finally:
            self.scope, self.locals, self.shadow = saved
            self.depth -= 1

    def arguments(self, spec, args, kwargs):
        names = [a.arg for a in getattr(spec, 'posonlyargs', []) + spec.args]
        inner = dict(zip(names, args))
        if len(args) > len(names) and not spec.vararg:
            raise NotConst
        if spec.vararg:
            inner[spec.vararg.arg] = tuple(args[len(names):])
        for name, default in zip(names[::-1], spec.defaults[::-1]):
            if name not in inner and name not in kwargs:
                inner[name] = self.value(default)
        for arg, default in zip(spec.kwonlyargs, spec.kw_defaults):
            if default is not None and arg.arg not in kwargs:
                inner[arg.arg] = self.value(default)
        inner.update(kwargs)
        if any(name not in inner for name in names):
            raise NotConst
        return inner

    def run(self, body):
        for node in body:
            if not self.work.fold():
                raise NotConst
            step = RUN.get(type(node))
            if not step:
                raise NotConst
            step(self, node)

    def run_assign(self, node):
        value = self.value(node.value)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            self.assign(target, value)

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
        """A list or dict that may be changed: a copy of what is known from before."""
        value = self.lookup(name)
        if not isinstance(value, (list, dict)):
            raise NotConst
        if name not in self.locals:
            value = self.locals[name] = value.copy()
        return value

    def run_augment(self, node):
        if not isinstance(node.target, ast.Name):
            raise NotConst
        made = self.binary(type(node.op), self.lookup(node.target.id), self.value(node.value))
        self.locals[node.target.id] = made

    def run_expr(self, node):
        call = node.value
        if isinstance(call, ast.Constant):
            return
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and
                isinstance(call.func.value, ast.Name) and
                call.func.attr in ('append', 'extend', 'reverse', 'insert')):
            raise NotConst
        held = self.own(call.func.value.id)
        args = [self.value(a) for a in call.args]
        if len(held) > bounds.ITEMS:
            raise NotConst
        pyconst.guarded(getattr(held, call.func.attr), *args)

    def run_for(self, node):
        if node.orelse:
            raise NotConst
        for item in self.items(self.value(node.iter)):
            self.assign(node.target, item)
            if self.run_body(node.body):
                break

    def run_while(self, node):
        if node.orelse:
            raise NotConst
        while self.truth(node.test):
            if self.run_body(node.body):
                break

    def run_body(self, body):
        """True: it is left for good."""
        try:
            self.run(body)
        except Jump as jump:
            return jump.args[0]
        return False

    def truth(self, node):
        value = self.value(node)
        if isinstance(value, Value):
            raise NotConst
        return bool(value)

    def run_if(self, node):
        self.run(node.body if self.truth(node.test) else node.orelse)

    def run_return(self, node):
        raise Returned(self.value(node.value) if node.value else None)

    def run_break(self, node):
        raise Jump(True)

    def run_continue(self, node):
        raise Jump(False)

    def run_pass(self, node):
        pass


RUN = {
    ast.Assign: Runner.run_assign, ast.AnnAssign: Runner.run_assign,
    ast.AugAssign: Runner.run_augment, ast.Expr: Runner.run_expr, ast.For: Runner.run_for,
    ast.While: Runner.run_while, ast.If: Runner.run_if, ast.Return: Runner.run_return,
    ast.Break: Runner.run_break, ast.Continue: Runner.run_continue,
    ast.Pass: Runner.run_pass,
}
