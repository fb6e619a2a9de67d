# SPDX-License-Identifier: MIT
"""Which names a Python program uses, and how: what the C side (src/flow/plain.c) holds against its lists
of what is plain. Only facts, from the tree as the program was written; nothing here decides. A name counts
as whatever any place of the program binds it to, in whatever order: who says less would have to be right
about what happens when.

A fact is a line of text, "LINE KIND HOW NAME". KIND:
  i  the module that is imported          *  the module that all names are taken of
  f  what "from" takes of a module        m  a chain of attributes that begins at an import
  n  a name of Python's own, or of nobody  a  an attribute of anything else
  o  one that the program itself sets     w  a keyword of a call
  x  something in words
  p  a program that a list of words begins with, of which others are computed
HOW: v it is a value, g asked by a key that is constant, s set by one, e set by a key or to a value that is
computed, c called with one constant and keywords, b called with constants first and more behind them, a
called with nothing but constants, the first of which is no keyword and the others are, A with others, l
called with such a list of words alone, t called with what names a function and cannot come from data, k
called otherwise. Of a keyword: v, or t. Keywords whose names may come from data, and places so far behind that
their names are forgotten, are one called **.
"""
import _ast as ast
import builtins

from pytree import parse, walk

ROWS = 16384            # different facts
NAME = 200              # characters of a name, which a chain may be
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
PLACES = 10             # of a call, whose meanings anybody knows
NAMING = {'MatchAs': 'name', 'MatchStar': 'name', 'MatchMapping': 'rest', 'TypeVar': 'name',
          'ParamSpec': 'name', 'TypeVarTuple': 'name'}
FUNCTION_AT = {'NamedAgg': 1, 'pivot_table': 3, 'crosstab': 5}     # a keyword that is given by its place
BY_NAME = {'getattr': 'v', 'setattr': 's', 'delattr': 's'}


class TooMany(Exception):
    pass


def is_constant(node):
    """Nothing of it is computed."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(is_constant(e) for e in node.elts)
    return isinstance(node, ast.Constant)


def is_all_constant(node):
    if type(node) is ast.Dict:
        return all(k is not None and is_constant(k) for k in node.keys) and all(map(is_all_constant, node.values))
    return is_constant(node)


def may_be_file(call, called):
    """x.use(name), x.context(name): of what is no single word matplotlib reads a file; x.rc_context(x, name)."""
    if 'rc_context' in called:
        return len(call.args) > 1 or any(w.arg == 'fname' for w in call.keywords)
    if not called & {'use', 'context'}:
        return False
    given = call.args[:1] + [w.value for w in call.keywords if w.arg in ('style', 'name')]
    names = [n for g in given for n in (g.elts if isinstance(g, (ast.Tuple, ast.List)) else [g])]
    return any(isinstance(n, ast.Constant) and not str(n.value).replace('-', '_').isidentifier() for n in names)


def how_called(call, called):
    """By what comes first, if nothing else can come before it or say how it is taken. CALLED: its names."""
    words = [w for w in call.keywords if w.arg is None or (w.arg == 'shell' and not is_constant(w.value))]
    if words or any(isinstance(a, ast.Starred) for a in call.args):
        return 'k'
    first = call.args[0] if call.args else None
    if may_be_file(call, called):
        return 'k'
    if all(map(is_all_constant, call.args)) and all(is_all_constant(w.value) for w in call.keywords):
        return 'a' if len(call.args) == 1 or not (call.args or call.keywords) else 'A'
    if first is None:
        return 'k' if call.keywords else 'c'
    if is_constant(first):
        return 'c' if len(call.args) == 1 else 'b'
    shell = any(w.arg == 'shell' and w.value.value for w in call.keywords)
    return 'l' if program_of(first) and not shell and len(call.args) == 1 else 'k'


def program_of(node):
    """The first word of a list of them, if it is constant; or None."""
    if isinstance(node, (ast.Tuple, ast.List)) and node.elts and isinstance(node.elts[0], ast.Constant) and \
            not any(isinstance(e, ast.Starred) for e in node.elts):
        return node.elts[0].value if isinstance(node.elts[0].value, str) else None
    return None


class Uses:
    def __init__(self, body, work):
        self.work = work
        self.body = body
        self.facts = {}
        self.bound = set()      # by anything but an import
        self.set = set()        # attributes
        self.defined = {}       # name: in how many places it is a function's
        self.stored = {}        # name: in how many others it is bound
        self.imported = {}      # name: paths
        self.outer = set()      # names that a function binds for others
        self.words = set()      # names of a function's **words
        self.dicts = set()      # names of dicts whose keys are known
        self.how = {}           # of nodes, by what they are in
        self.done = set()       # nodes that were told with what they are in

    def tell(self, node, kind, how, name):
        key = kind, how, name
        if key in self.facts:
            return
        if len(self.facts) == ROWS or len(name) > NAME:
            raise TooMany('more than %d names, or one of more than %d characters' % (ROWS, NAME))
        self.facts[key] = getattr(node, 'lineno', 1)

    def nodes(self):
        for statement in self.body:
            for node in walk(statement):
                self.work.node()
                yield node

    # First: what names are

    def survey(self):
        for node in self.nodes():
            kind = type(node)
            if kind is ast.Name:
                if type(node.ctx) is not ast.Load:
                    self.bound.add(node.id)
                    self.stored[node.id] = True
            elif kind is ast.Attribute:
                if type(node.ctx) is not ast.Load:
                    self.set.add(node.attr)
            elif kind is ast.arg:
                self.bound.add(node.arg)
                self.stored[node.arg] = True
            elif kind is ast.arguments and node.kwarg:
                self.words.add(node.kwarg.arg)
            elif kind in (ast.Import, ast.ImportFrom):
                self.learn(node)
            elif kind in (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler):
                self.bound.add(node.name)
                (self.stored if kind is ast.ExceptHandler else self.defined)[node.name] = True
            elif kind.__name__ in NAMING:
                self.bound.add(getattr(node, NAMING[kind.__name__]))
                self.stored[getattr(node, NAMING[kind.__name__])] = True
            if kind is ast.ClassDef:
                self.look_in_class(node)
            elif kind in (ast.Global, ast.Nonlocal):
                self.outer.update(node.names)

    def learn(self, node):
        for alias in node.names:
            if isinstance(node, ast.Import):
                path = alias.name if alias.asname else alias.name.partition('.')[0]
                self.tell(node, 'i', 'v', alias.name)
                self.imported.setdefault(alias.asname or path, set()).add(path)
                continue
            module = '.' * node.level + (node.module or '')
            self.tell(node, 'i', 'v', module)
            if alias.name == '*':
                self.tell(node, '*', 'v', module)
                continue
            path = module + '.' + alias.name
            self.tell(node, 'f', 'v', path)
            self.imported.setdefault(alias.asname or alias.name, set()).add(path)

    def look_in_class(self, node):
        """A module would be an attribute of it."""
        todo = list(node.body)
        while todo:
            part = todo.pop()
            self.work.node()
            if isinstance(part, (ast.Import, ast.ImportFrom)):
                self.tell(part, 'x', 'v', 'an import in a class')
            elif isinstance(part, ast.stmt) and not isinstance(part, SCOPES):
                for name in ('body', 'orelse', 'finalbody', 'handlers', 'cases'):
                    todo += getattr(part, name, ())
            elif isinstance(part, ast.ExceptHandler) or type(part).__name__ == 'match_case':
                todo += part.body

    # Then: where they are used. What a node is in comes before it.

    def look(self):
        for node in self.nodes():
            visit = VISITS.get(type(node))
            if visit and id(node) not in self.done:
                visit(self, node)

    def chain(self, node):
        """(the paths it may be, its nodes) of a name that an import binds, with its attributes."""
        names, nodes = [], []
        while type(node) is ast.Attribute:
            self.work.node()
            names.append(node.attr)
            nodes.append(node)
            node = node.value
        nodes.append(node)
        if type(node) is not ast.Name or node.id not in self.imported:
            return (), nodes
        rest = ''.join('.' + name for name in reversed(names))
        return sorted(path + rest for path in self.imported[node.id]), nodes

    def how_of(self, node, name=None, paths=('',)):
        """Of a NAME that may be more than one thing nobody else can tell either what is called."""
        how = self.how.get(id(node)) or ('v' if type(node.ctx) is ast.Load else 's')
        sure = name is None or (len(paths) == 1 and name.id not in self.bound and
                                name.id not in self.outer)
        return how if sure or how == 's' else 'v'

    def attribute(self, node):
        paths, nodes = self.chain(node)
        for path in paths:
            self.tell(node, 'm', self.how_of(node, nodes[-1], paths), path)
        if paths:
            self.done.update(map(id, nodes))
        else:
            self.object(node, self.how_of(node), node.attr)

    def object(self, node, how, name):
        own = name in self.set or name in self.bound
        self.tell(node, 'o' if own else 'a', how, name)

    def name(self, node):
        paths = sorted(self.imported.get(node.id, ()))
        for path in paths if type(node.ctx) is ast.Load else ():
            self.tell(node, 'm', self.how_of(node, node, paths), path)
        if type(node.ctx) is ast.Load and node.id not in self.imported and \
                (node.id not in self.bound or hasattr(builtins, node.id)):
            self.tell(node, 'n', self.how.get(id(node), 'v'), node.id)

    def is_function(self, node, depth=0):
        """It names one, by what the program says: constants, lambdas, functions that are nothing else."""
        self.work.node()
        kind = type(node)
        if kind is ast.Constant or kind is ast.Lambda or depth > 8:
            return depth <= 8
        if kind in (ast.List, ast.Tuple, ast.Set):
            return all(self.is_function(e, depth + 1) for e in node.elts)
        if kind is ast.Dict:
            return all(k is not None for k in node.keys) and all(self.is_function(v, depth + 1) for v in node.values)
        if kind is ast.DictComp:
            return self.is_function(node.value, depth + 1)
        if kind is ast.Name:
            known = node.id in self.defined or node.id in self.imported or hasattr(builtins, node.id)
            return known and node.id not in self.stored
        if kind is ast.Attribute:
            own = node.attr in self.defined and node.attr not in self.set
            return own or bool(self.chain(node)[0]) or \
                (type(node.value) is ast.Name and hasattr(builtins, node.value.id) and self.is_function(node.value))
        return False

    def is_named(self, node):
        """x=(column, function), as an aggregate of a table has it."""
        if type(node) is ast.Tuple and len(node.elts) == 2:
            node = node.elts[1]
        is_call = type(node) is ast.Call and self.chain(node.func)[0]
        return bool(is_call) or self.is_function(node)

    def names_function(self, call):
        if any(w.arg is None for w in call.keywords) or any(isinstance(a, ast.Starred) for a in call.args):
            return False
        if call.args:
            return self.is_function(call.args[0])
        return all(self.is_named(w.value) for w in call.keywords)

    def is_known(self, node, depth=0):
        """**node: its keys are the program's own, and keywords of some call of it."""
        self.work.node()
        if type(node) is ast.Dict:
            return all(type(k) is ast.Constant if k is not None else depth < 8 and self.is_known(v, depth + 1)
                       for k, v in zip(node.keys, node.values))
        if type(node) is ast.Call and type(node.func) is ast.Name and node.func.id == 'dict':
            return not node.args and depth < 8 and all(w.arg or self.is_known(w.value, depth + 1)
                                                       for w in node.keywords)
        return type(node) is ast.Name and node.id in self.dicts

    def learn_dicts(self):
        """Names that are a function's **words, or are bound to such dicts alone, and are handed on as words. Whoever
        does something else with one than to ask or set a constant of it may do anything."""
        made, held, asked, spread = {}, {}, set(), set()
        for node in self.nodes():
            kind = type(node)
            if kind is ast.Assign and len(node.targets) == 1 and type(node.targets[0]) is ast.Name:
                made.setdefault(node.targets[0].id, []).append(node.value)
                asked.add(id(node.targets[0]))
            elif kind is ast.Call:
                words = [w.value for w in node.keywords if w.arg is None and type(w.value) is ast.Name]
                spread.update(w.id for w in words)
                asked.update(map(id, words))
                if type(node.func) is ast.Attribute and node.func.attr in ('get', 'setdefault', 'pop', 'copy') and \
                        all(map(is_constant, node.args[:1])):
                    asked.add(id(node.func.value))
            elif kind is ast.Subscript and type(node.slice) is ast.Constant and type(node.value) is ast.Name:
                asked.add(id(node.value))
                if type(node.ctx) is not ast.Load:
                    held.setdefault(node.value.id, []).append(node.slice)
        spread -= {n.id for n in self.nodes() if type(n) is ast.Name and id(n) not in asked}
        for name in spread:
            if name in self.words or (name in made and all(map(self.is_known, made[name]))):
                self.dicts.add(name)
        for name in self.dicts:
            for value in made.get(name, ()):
                self.tell_keys(value, value)
            for key in held.get(name, ()):
                self.tell_word(key, key.value, False)

    def tell_word(self, node, name, is_function):
        self.tell(node, 'w', 't' if is_function else 'v', name if type(name) is str and name.isidentifier() else '?')

    def tell_keys(self, node, value):
        for key, item in zip(value.keys, value.values) if type(value) is ast.Dict else ():
            if key is not None:
                self.tell_word(node, key.value, self.is_function(item))

    def call(self, node):
        paths = self.chain(node.func)[0]
        called = {p.rpartition('.')[2] for p in paths} or {getattr(node.func, 'attr', '')}
        how = self.how[id(node.func)] = how_called(node, called)
        is_words = how == 'l' and bool(paths)   # of a module, which may start them
        if how in ('k', 'l') and not is_words and self.names_function(node):
            how = self.how[id(node.func)] = 't'
        if how == 'l':
            self.tell(node, 'p', 'v', ' '.join(program_of(node.args[0]).split()) or '?')
        if len(node.args) > PLACES and (paths or type(node.func) is ast.Attribute):
            self.tell(node, 'w', 'v', '**')
        at = min([FUNCTION_AT[name] for name in called if name in FUNCTION_AT], default=len(node.args))
        for given in node.args[at:at + 2]:      # one more where the table itself is given first
            self.tell_word(node, 'aggfunc', self.is_function(given))
        for word in node.keywords:
            if word.arg == 'env':
                self.variables(node, word.value)
            elif word.arg is None:
                self.spread(node, word.value)
            else:
                self.tell_word(node, word.arg, self.is_function(word.value))
        if type(node.func) is ast.Name and node.func.id not in self.bound and \
                node.func.id not in self.imported:
            self.builtin(node, node.func.id)

    def spread(self, node, value):
        """f(**value)."""
        if not self.is_known(value):
            self.tell(node, 'w', 'v', '**')
        self.tell_keys(node, value)

    def variables(self, node, value):
        """Of what is started: as if they were set before."""
        if type(value) is ast.Constant:
            return
        if type(value) is not ast.Dict or not all(type(k) is ast.Constant and type(k.value) is str
                                                  for k in value.keys) or \
                not all(map(is_constant, value.values)):
            self.tell(node, 'w', 'v', 'env')
            return
        for key in value.keys:
            self.tell(node, 'm', 's', 'os.environ.' + (key.value if key.value.isidentifier() else '?'))

    def builtin(self, node, name):
        """getattr and the like by a constant are attributes; what is asked by hasattr is not touched. A type
        is asked for by one argument, and made by three."""
        if len(node.args) < 2 or node.keywords or any(type(a) is ast.Starred for a in node.args):
            if name == 'type' and (len(node.args) != 1 or node.keywords):
                self.tell(node, 'x', 'v', 'a type that is made')
            return
        paths, nodes = self.chain(node.args[0])
        what = node.args[1].value if type(node.args[1]) is ast.Constant else None
        if name == 'type':
            self.tell(node, 'x', 'v', 'a type that is made')
        elif name == 'hasattr' and paths:
            self.done.update(map(id, nodes))
        elif name in BY_NAME and type(what) is str and what.isidentifier():
            self.done.add(id(node.func))
            for path in paths:
                self.tell(node, 'm', BY_NAME[name], path + '.' + what)
            if paths:
                self.done.update(map(id, nodes))
            else:
                self.tell(node, 'a', BY_NAME[name], what)

    def subscript(self, node):
        """x[k] = v, of something that a module has: the key is told as another name of it."""
        paths, nodes = self.chain(node.value)
        key = node.slice.value if type(node.slice) is ast.Constant else None
        is_read = type(node.ctx) is ast.Load
        if not paths or (is_read and type(key) is not str):
            return
        for path in paths:
            if is_read:
                self.tell(node, 'm', 'g', path)
            elif type(key) is str and (key.isidentifier() or path.endswith('.rcParams')):
                self.tell(node, 'm', 's', '%s.%s' % (path, key if key.isidentifier() else '?'))
            else:
                self.tell(node, 'm', 'e', path)
        self.done.update(map(id, nodes))

    def assign(self, node):
        """What a module has is set to something computed, or nobody knows to what."""
        targets = node.targets if type(node) is ast.Assign else [node.target]
        known = type(node) is ast.Assign and is_constant(node.value) and \
            not any(isinstance(t, (ast.Tuple, ast.List)) for t in targets)
        for part in [] if known else [p for t in targets for p in walk(t)]:
            self.work.node()
            for path in self.chain(part.value)[0] if type(part) is ast.Subscript else ():
                self.tell(node, 'm', 'e', path)

    def match_class(self, node):
        for name in node.kwd_attrs:
            self.object(node, 'v', name)

    def show(self):
        self.survey()
        self.learn_dicts()
        self.look()
        return ''.join('%d %s%s %s\n' % (line, kind, how, name)
                       for (kind, how, name), line in sorted(self.facts.items(), key=lambda f: f[1]))


VISITS = {ast.Attribute: Uses.attribute, ast.Name: Uses.name, ast.Call: Uses.call,
          ast.Subscript: Uses.subscript, ast.Assign: Uses.assign, ast.AugAssign: Uses.assign,
          ast.AnnAssign: Uses.assign, ast.For: Uses.assign, ast.AsyncFor: Uses.assign,
          ast.comprehension: Uses.assign}
if hasattr(ast, 'MatchClass'):
    VISITS[ast.MatchClass] = Uses.match_class


def show(view, source):
    """The facts of a program that Python can read; None: it cannot, or they are too many."""
    view.work.parse(source)
    try:
        return Uses(parse(source).body, view.work).show()
    except (SyntaxError, ValueError, RecursionError, MemoryError, TooMany):
        return None
