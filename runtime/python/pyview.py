# SPDX-License-Identifier: MIT
"""The code view of a Python program: one statement a line, with rewritten expressions, and after each
statement the code that it would run, in the same form. Each statement is handled by itself, so that
an error of the reader costs that statement only. The program is parsed by Python's own parser and
never executed, compiled or imported."""
import _ast as ast

import bounds
import pytree
from pyconst import TOO_MUCH, NotConst
from pyeval import shared_out
from pynames import Func, Ref, Scope, bindings, bound
from pyrewrite import PLAIN, Rewriter
from pysurvey import Survey
from pytree import walk
from pywrite import write

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While, ast.AsyncWith, ast.AsyncFor) + \
    ((ast.TryStar,) if hasattr(ast, 'TryStar') else ())


def _number(value):
    """Writes a number. Python refuses to write a long one in decimals, so it is written in hex."""
    return hex(value) if isinstance(value, int) and value.bit_length() > 4096 else None


def unparse(node):
    try:
        return write(node)
    except ValueError:
        long = [n for n in walk(node) if isinstance(n, ast.Constant) and _number(n.value)]
        for part in long:
            part.value = _Word(_number(part.value))
        if long:
            return write(node)
        import ast as slow
        return slow.unparse(node)       # a newer Python may accept it


class _Word:
    """A node that is written as its text."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


class PythonView(Rewriter):
    def __init__(self, view, source):
        super().__init__(view)
        self.lines = source.split('\n')
        self.walrus = ':=' in source    # can an expression bind a name?
        self.imported = set()
        self.survey = Survey()
        self.top = None         # the scope of the program
        self.attributes = {}    # the values of attributes that are set once
        self.offset = None      # the line of all nodes, for code inside a string

    # Statements

    def program(self, body):
        count, mutated = bindings(body, self.work, None, True)
        self.survey.read(body, self.work)
        for function in self.survey.functions if self.survey.has_outer else ():
            bindings(function.body, self.work, count)
        self.scope = self.top = Scope(None, count, mutated)
        self.doc = pytree.docstring(body)
        self.known_once(body)
        self.block(body, 0)

    def piece(self, body, offset):
        """Shows statements that begin OFFSET lines later, as a continuation of the last piece."""
        for node in body:
            for part in walk(node):
                if hasattr(part, 'lineno'):
                    part.lineno += offset
                    part.end_lineno = (part.end_lineno or 0) + offset
        count, mutated = bindings(body, self.work)
        for name, times in count.items():
            self.scope.count[name] = self.scope.count.get(name, 0) + times
        self.scope.mutated |= mutated
        self.known_once(body)
        self.block(body, 0)

    def known_once(self, body):
        """A name that is bound once is known everywhere, also before the statement that binds it. Those
        that depend on a later name are tried again at the end."""
        todo, later, at = list(body), [], 0
        while at < len(todo):
            node = todo[at]
            at += 1
            self.work.node()
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                later += [] if self.learn(node) else [node]
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self.learn_import(node, self.scope.once)
            elif isinstance(node, FUNCTIONS):
                self.scope.once[node.name] = Func(node.args, node.body, self.scope)
            elif isinstance(node, BLOCKS):
                for name in ('body', 'orelse', 'finalbody'):
                    todo.extend(getattr(node, name, ()))
                for handler in getattr(node, 'handlers', ()):
                    todo.extend(handler.body)
            elif type(node).__name__ == 'Match':
                todo.extend(part for case in node.cases for part in case.body)
        for node in later:
            self.work.node()
            self.learn(node)

    def learn(self, node):
        """Learns the value that NODE assigns. False if it is not known."""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [t.id for t in targets if isinstance(t, ast.Name) and
                 self.owner(t.id).count.get(t.id) == 1]
        parts = [t for t in targets if isinstance(t, ast.Tuple)]
        if not names and not parts:
            return True
        try:
            value = self.value(node.value)
        except NotConst:
            return False
        for name in names:
            self.keep(self.owner(name).once, name, value, False)
        for target in parts:
            self.spread(self.scope.once, target, value, False)
        return True

    def owner(self, name):
        """The scope that an assignment to NAME here belongs to."""
        return self.scope if name in self.scope.count or not self.top else self.top

    def keep(self, where, name, value, here):
        """HERE: later changes of the value are followed, so a list may be kept."""
        if isinstance(value, (list, dict, set)):
            if not here and name in self.scope.mutated:
                return
            value = value.copy()
        where[name] = value

    def spread(self, where, target, value, here):
        try:
            pairs = shared_out(target.elts, list(value)) if isinstance(value, (list, tuple)) else []
        except NotConst:
            pairs = []
        for part, one in pairs:
            if isinstance(part, ast.Name) and (here or self.scope.count.get(part.id) == 1):
                self.keep(where, part.id, one, here)

    def learn_import(self, node, where):
        if isinstance(node, ast.Import):
            for a in node.names:
                top = a.name.split('.')[0]
                where[a.asname or top] = Ref(a.name if a.asname else top)
        elif not node.level:
            for a in node.names:
                if a.name == '*':
                    self.stars.append(node.module)
                    continue
                try:
                    made = self.attribute(Ref(node.module), a.name)
                except NotConst:
                    continue
                where[a.asname or a.name] = made

    def held(self, node):
        """self.x if only one statement sets x; f.__doc__."""
        owner = getattr(node.value, 'id', None)
        if node.attr == '__doc__' and self.survey.docs.get(owner) is not None:
            return self.survey.docs[owner]
        if not isinstance(node.ctx, ast.Load) or not self.is_own(node.value):
            raise NotConst
        if node.attr not in self.attributes:
            self.attributes[node.attr] = NotConst       # its expression may contain it
            self.attributes[node.attr] = self.set_once(node.attr)
        if self.attributes[node.attr] is NotConst:
            raise NotConst
        return self.attributes[node.attr]

    def is_own(self, node):
        if isinstance(node, ast.Name):
            made = self.origin(node.id)
            return node.id in ('self', 'cls') or node.id in self.survey.classes or \
                (made is not None and isinstance(made, ast.Call) and self.is_own(made))
        return isinstance(node, ast.Call) and getattr(node.func, 'id', None) in self.survey.classes

    def set_once(self, name):
        node = self.survey.set_once(name)
        if node is None:
            return NotConst
        saved = self.scope, self.locals, self.shadow
        self.scope, self.locals, self.shadow = self.top, None, [self.survey.local]
        try:
            value = self.value(node)
        except NotConst:
            return NotConst
        finally:
            self.scope, self.locals, self.shadow = saved
        return value if isinstance(value, PLAIN + (Ref,)) else NotConst

    def block(self, body, indent):
        for node in body:
            self.statement(node, indent)

    def statement(self, node, indent):
        if self.offset is None:
            self.line = node.lineno
        self.dynamic, self.inner, self.extra = [], [], []
        try:
            STATEMENTS.get(type(node), PythonView.simple)(self, node, indent)
        except bounds.Stop:
            raise
        except Exception as e:      # an error of the reader costs this statement, not the view
            self.raw(node, indent, type(e).__name__)

    def raw(self, node, indent, why):
        """Shows the source of a statement that cannot be rewritten, so that it is not left out."""
        self.view.limit(self.line, 'a statement could not be rewritten (%s)' % why)
        if self.offset is None:
            for text in self.lines[node.lineno - 1:(node.end_lineno or node.lineno)]:
                self.view.text.line(indent, text.strip())

    def put(self, indent, make, head=False):
        """MAKE returns the text of a statement; it is called again with imports as expressions. Code
        that belongs to the statement follows it; for a HEAD, after which a block begins, it precedes."""
        dynamic, extra, inner = self.dynamic, self.extra, self.inner
        self.dynamic, self.extra, self.inner = [], [], []
        self.tell_strings()
        for name, _ in dynamic:
            if name.ref.root not in self.imported:
                self.imported.add(name.ref.root)
                self.view.text.line(indent, 'import ' + name.ref.root)
        texts = [lambda e=e: unparse(e) for e in extra]
        texts.insert(len(texts) if head else 0, make)
        if head:
            self.nest(inner, indent)
        for text in texts:
            self.view.text.line(indent, text())
        if dynamic:
            kept = [(name, name.id) for name, _ in dynamic]
            for name, other in dynamic:
                name.id = other
            for text in texts:
                self.view.dynamic.line(indent, text())
            for name, plain in kept:
                name.id = plain
        if not head:
            self.nest(inner, indent)

    def nest(self, inner, indent):
        for one in inner:
            self.nested(one, indent)

    def nested(self, one, indent):
        import nested
        saved = self.offset
        line = self.line if saved is None else saved
        if self.view.depth >= bounds.DEPTH or not self.work.nest():
            self.view.limit(line, 'code in code in code: more than is read')
            return
        self.view.depth += 1
        try:
            nested.show(self, one, indent)
        finally:
            self.view.depth -= 1
            self.offset = saved

    def inside(self, code, line, indent):
        """Shows Python code in a string as if it were here."""
        if isinstance(code, bytes):
            import pydecode
            code = pydecode.decode(code, self.view)
        try:
            self.work.parse(code)
            body = pytree.parse(code.strip()).body
            self.walrus = self.walrus or ':=' in code
        except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
            if not isinstance(e, SyntaxError):
                self.view.too_much(line, e)
            self.view.text.line(indent, ' '.join(code.split()))
            return
        self.offset = line
        self.line = line
        for name in bound(body, self.work, True):
            self.scope.count.setdefault(name, 1)
        for node in body:
            for part in walk(node):
                if hasattr(part, 'lineno'):
                    part.lineno = line
        self.known_once(body)
        self.block(body, indent)

    def simple(self, node, indent):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and \
                isinstance(node.value.value, str):
            return              # a docstring
        self.children(node)
        if isinstance(node, ast.Delete):
            self.after(node)
        self.put(indent, lambda: unparse(node))

    def assignment(self, node, indent):
        if node.value is not None:
            node.value = self.expr(node.value)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        known, value = node.value is not None, None
        try:
            value = self.value(node.value) if known else None
        except NotConst:
            known = False
        for target in targets:
            if isinstance(target, ast.Name):
                self.forget([target.id])
                if known:
                    self.keep(self.scope.now, target.id, value, True)
                elif self.scope.count.get(target.id) == 1 and node.value is not None and \
                        self.is_small(node.value):
                    self.scope.made[target.id] = node.value
            elif isinstance(target, (ast.Tuple, ast.List)):
                self.forget(bound([target], self.work, self.walrus))
                if known:
                    self.spread(self.scope.now, target, value, True)
            else:
                self.store(target, value if known else None)
        if getattr(node, 'annotation', None) is not None:
            node.annotation = self.expr(node.annotation)
        self.put(indent, lambda: unparse(node))

    def store(self, target, value):
        """x.y = v, x[y] = v."""
        self.children(target)
        owner = getattr(target, 'value', None)
        if isinstance(target, ast.Subscript) and isinstance(owner, ast.Name):
            held = self.scope.now.get(owner.id)
            if isinstance(held, (list, dict)) and value is not None:
                try:
                    held[self.value(target.slice)] = value
                    return
                except (NotConst, TypeError, IndexError, ValueError):
                    pass
            self.forget([owner.id])

    def augment(self, node, indent):
        node.value = self.expr(node.value)
        if isinstance(node.target, ast.Name):
            name = node.target.id
            try:
                self.scope.now[name] = self.binary(type(node.op), self.scope.now[name],
                                                   self.value(node.value))
            except (NotConst, KeyError):
                self.forget([name])
        else:
            self.children(node.target)
        self.put(indent, lambda: unparse(node))

    def expression(self, node, indent):
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and \
                isinstance(call.func.value, ast.Name):
            self.mutate(call, call.func.value.id)
        self.simple(node, indent)

    def mutate(self, call, name):
        """l.append(x), if l is known."""
        if name not in self.scope.now or not isinstance(self.scope.now[name], (list, dict, set)):
            return
        import pyrun
        self.locals = {}
        try:
            pyrun.run_expr(self, ast.Expr(call))
            self.scope.now.update(self.locals)
        except (NotConst, TypeError, ValueError):
            if name in self.scope.mutated:
                self.forget([name])
        finally:
            self.locals = None

    def forget(self, names):
        for name in names:
            self.scope.now.pop(name, None)

    def imports(self, node, indent):
        self.learn_import(node, self.scope.now)
        if isinstance(node, ast.ImportFrom):
            module = '.' * node.level + (node.module or '')
            self.effects.add('import', module, self.line)
            text = 'from %s import %s' % (module, ', '.join(a.name for a in node.names))
        else:
            for a in node.names:
                self.imported.add(a.name)
                self.effects.add('import', a.name, self.line)
            text = 'import ' + ', '.join(a.name for a in node.names)
        for a in node.names:
            top = (node.module or '') if isinstance(node, ast.ImportFrom) else a.name
            if top == 'ctypes' or top.startswith('ctypes.'):
                self.effects.add('dynamic', 'ctypes', self.line)
        self.put(indent, lambda: text)

    # Compound statements

    def branch(self, indent, head, body, make=None):
        self.put(indent, make or (lambda: head), True)
        before = dict(self.scope.now)
        self.inner_block(body, indent + 1)
        self.scope.now = before

    def inner_block(self, body, indent):
        size = len(self.view.text.parts)
        self.block(body, indent)
        if len(self.view.text.parts) == size:
            self.view.text.line(indent, 'pass')

    def after(self, node):
        self.forget(bound([node], self.work, self.walrus))

    def if_(self, node, indent, word='if'):
        node.test = self.expr(node.test)
        self.branch(indent, '', node.body, lambda: '%s %s:' % (word, unparse(node.test)))
        rest = node.orelse
        if len(rest) == 1 and isinstance(rest[0], ast.If):
            self.dynamic, self.inner, self.extra = [], [], []
            self.if_(rest[0], indent, 'elif')
        elif rest:
            self.branch(indent, 'else:', rest)
        if word == 'if':
            self.after(node)

    def loop(self, node, indent):
        if not isinstance(node, ast.While):
            node.iter = self.expr(node.iter)
        simulated = self.simulate(node)
        kept, self.scope.now = self.scope.now, dict(self.scope.now)
        self.after(node)
        if isinstance(node, ast.While):
            node.test = self.expr(node.test)
            make = lambda: 'while %s:' % unparse(node.test)     # noqa: E731
        else:
            word = 'async for' if isinstance(node, ast.AsyncFor) else 'for'
            make = lambda: '%s %s in %s:' % (word, unparse(node.target), unparse(node.iter))  # noqa
        self.branch(indent, '', node.body, make)
        if node.orelse:
            self.branch(indent, 'else:', node.orelse)
        self.scope.now = kept
        if not simulated:
            self.after(node)

    def simulate(self, node):
        """A loop that only computes: its results are known afterwards."""
        if node.orelse or isinstance(node, ast.AsyncFor):
            return False
        self.locals = {}
        try:
            self.value(node.test if isinstance(node, ast.While) else node.iter)
            import pyrun
            self.bounded(pyrun.run_while if isinstance(node, ast.While) else pyrun.run_for, self, node)
            self.scope.now.update(self.locals)
            return True
        except (NotConst, TypeError, ValueError):
            return False
        except TOO_MUCH:
            raise
        except Exception:
            return False
        finally:
            self.locals = None

    def with_(self, node, indent):
        for item in node.items:
            item.context_expr = self.expr(item.context_expr)
        self.forget(bound([i.optional_vars for i in node.items], self.work, self.walrus))
        word = 'async with ' if isinstance(node, ast.AsyncWith) else 'with '
        self.branch(indent, '', node.body,
                    lambda: word + ', '.join(unparse(i) for i in node.items) + ':')
        self.after(node)

    def try_(self, node, indent):
        self.branch(indent, 'try:', node.body)
        for handler in node.handlers:
            handler.type = self.expr(handler.type)
            self.forget([handler.name])
            head = 'except' + (' ' + unparse(handler.type) if handler.type else '') + \
                (' as ' + handler.name if handler.name else '') + ':'
            self.branch(indent, head, handler.body)
        if node.orelse:
            self.branch(indent, 'else:', node.orelse)
        if node.finalbody:
            self.branch(indent, 'finally:', node.finalbody)
        self.after(node)
        for part in node.body:
            if isinstance(part, (ast.Import, ast.ImportFrom)):
                self.learn_import(part, self.scope.now)

    def match(self, node, indent):
        node.subject = self.expr(node.subject)
        self.put(indent, lambda: 'match %s:' % unparse(node.subject), True)
        self.after(node)
        for case in node.cases:
            case.guard = self.expr(case.guard)
            head = 'case ' + unparse(case.pattern) + \
                (' if ' + unparse(case.guard) if case.guard else '') + ':'
            self.branch(indent + 1, head, case.body)
        self.after(node)

    def define(self, node, indent):
        for i, decorator in enumerate(node.decorator_list):
            made = self.expr(decorator)
            self.put(indent, lambda made=made: '@' + unparse(made))
        if isinstance(node, ast.ClassDef):
            node.bases = [self.expr(b) for b in node.bases]
            for word in node.keywords:
                word.value = self.expr(word.value)
            words = [unparse(b) for b in node.bases + node.keywords]
            head = 'class %s%s:' % (node.name, '(%s)' % ', '.join(words) if words else '')
        else:
            self.defaults(node.args)
            word = 'async def' if isinstance(node, ast.AsyncFunctionDef) else 'def'
            node.returns = self.expr(node.returns)
            head = '%s %s(%s)%s:' % (word, node.name, unparse(node.args),
                                     ' -> ' + unparse(node.returns) if node.returns else '')
        self.put(indent, lambda: head, True)
        self.scoped(node, indent)

    def scoped(self, node, indent):
        count, mutated = bindings(node.body, self.work)
        args = getattr(node, 'args', None)
        if args:
            for a in getattr(args, 'posonlyargs', []) + args.args + args.kwonlyargs + \
                    [v for v in (args.vararg, args.kwarg) if v]:
                count[a.arg] = count.get(a.arg, 0) + 2
        known = self.never_given(node) if args else {}
        for name in known:
            count[name] -= 1
        outer, self.scope = self.scope, Scope(self.scope, count, mutated, not args)
        self.scope.once.update(known)
        self.known_once(node.body)
        self.inner_block(node.body, indent + 1)
        self.scope = outer
        self.forget([node.name])
        if args and self.scope.count.get(node.name) == 1:
            self.scope.now[node.name] = Func(node.args, node.body, self.scope)


    def never_given(self, node):
        """The values of the parameters of a function that is always called without arguments."""
        if not self.survey.never_given(node.name):
            return {}
        args, made = node.args, {}
        names = getattr(args, 'posonlyargs', []) + args.args
        pairs = list(zip(names[::-1], args.defaults[::-1])) + list(zip(args.kwonlyargs, args.kw_defaults))
        for name, default in pairs:
            try:
                value = self.value(default) if default is not None else None
            except NotConst:
                continue
            if isinstance(value, (str, bytes, int, Ref)):
                made[name.arg] = value
        return made


STATEMENTS = {
    ast.Assign: PythonView.assignment, ast.AnnAssign: PythonView.assignment,
    ast.AugAssign: PythonView.augment, ast.Expr: PythonView.expression,
    ast.Import: PythonView.imports, ast.ImportFrom: PythonView.imports, ast.If: PythonView.if_,
    ast.For: PythonView.loop, ast.AsyncFor: PythonView.loop, ast.While: PythonView.loop,
    ast.With: PythonView.with_, ast.AsyncWith: PythonView.with_, ast.Try: PythonView.try_,
    ast.FunctionDef: PythonView.define, ast.AsyncFunctionDef: PythonView.define,
    ast.ClassDef: PythonView.define,
}
if hasattr(ast, 'TryStar'):
    STATEMENTS[ast.TryStar] = PythonView.try_
if hasattr(ast, 'Match'):
    STATEMENTS[ast.Match] = PythonView.match
