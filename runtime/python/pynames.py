# SPDX-License-Identifier: MIT
"""Names of a Python program: the values that are not plain data, scopes with their bindings, and
aliases of the same function. All of it is read from the tree; nothing is run."""
import _ast as ast

import bounds
import patterns
from pyconst import Value
from pytree import Inner

MODULE = patterns.compile(r'[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z')
IDENTIFIER = patterns.compile(r'[A-Za-z_]\w*\Z')


class Ref(Value):
    """A name from outside the program. PATH is its full name; ROOT is the module at its beginning, if
    an expression imported it, or None."""

    def __init__(self, path, root=None):
        self.path = path
        self.root = root

    def dotted(self):
        return self.path[9:] if self.path.startswith('builtins.') else self.path

    def as_import(self):
        return "__import__('%s')%s" % (self.root, self.path[len(self.root):])


class Bound(Value):
    """A method of plain data."""

    def __init__(self, value, name):
        self.value = value
        self.name = name


class Partial(Value):
    """functools.partial: FUNCTION, or the method NAME of the first argument, with ARGS first."""

    def __init__(self, function, name, args, kwargs):
        self.function = function
        self.name = name
        self.args = args
        self.kwargs = kwargs


class Func(Value):
    def __init__(self, args, body, scope):
        self.args = args
        self.body = body
        self.scope = scope


class Returned(Exception):
    pass


class Jump(Exception):
    pass


class Scope:
    """COUNT: how often a name is bound; NOW: its value at this place; ONCE: its value if it is bound
    only once; MADE: the expression of such a name."""

    def __init__(self, parent, count, mutated, is_class=False):
        self.parent = parent
        self.count = count
        self.mutated = mutated
        self.is_class = is_class
        self.now = {}
        self.once = {}
        self.made = {}          # the expression of a name that is bound once and has no known value


MUTATORS = frozenset('append extend insert pop remove reverse sort clear update setdefault popitem '
                     'add discard __setitem__'.split())
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


NOTHING = (), ()
# The fields in which names are bound: not those of another scope, and the target of a loop twice,
# because a loop binds it repeatedly.
OWN = Inner({kind: ((), ('decorator_list',)) for kind in SCOPES})
OWN[ast.Lambda] = NOTHING
OWN.update({kind: ((), ('generators',)) for kind in COMPREHENSIONS})
OWN[ast.comprehension] = ('iter',), ()
OWN[ast.For] = OWN[ast.AsyncFor] = ('target', 'target', 'iter'), ('body', 'orelse')


class Statements(dict):
    """For a program without walrus, in which no expression binds a name."""

    def __missing__(self, kind):
        return NOTHING


BINDING = Statements({
    ast.Assign: ((), ('targets',)), ast.Delete: ((), ('targets',)), ast.AugAssign: (('target',), ()),
    ast.AnnAssign: (('target',), ()), ast.If: ((), ('body', 'orelse')),
    ast.While: ((), ('body', 'orelse')), ast.For: (('target', 'target'), ('body', 'orelse')),
    ast.AsyncFor: (('target', 'target'), ('body', 'orelse')), ast.With: ((), ('items', 'body')),
    ast.AsyncWith: ((), ('items', 'body')), ast.withitem: (('optional_vars',), ()),
    ast.Try: ((), ('body', 'handlers', 'orelse', 'finalbody')), ast.ExceptHandler: ((), ('body',)),
    ast.Import: ((), ('names',)), ast.ImportFrom: ((), ('names',)), ast.Tuple: ((), ('elts',)),
    ast.List: ((), ('elts',)), ast.Starred: (('value',), ()),
})
if hasattr(ast, 'TryStar'):
    BINDING[ast.TryStar] = BINDING[ast.Try]
if hasattr(ast, 'Match'):
    BINDING.update({
        ast.Match: ((), ('cases',)), ast.match_case: (('pattern',), ('body',)),
        ast.MatchAs: (('pattern',), ()), ast.MatchOr: ((), ('patterns',)),
        ast.MatchSequence: ((), ('patterns',)), ast.MatchMapping: ((), ('patterns',)),
        ast.MatchClass: ((), ('patterns', 'kwd_patterns')),
    })


class Bindings:
    """Counts the names that statements bind, without those of inner scopes."""

    def __init__(self, outer):
        self.count = {}
        self.mutated = set()
        self.globals = set()
        self.outer = outer if outer is not None else {}

    @staticmethod
    def add(count, name, times=1):
        if name:
            count[name] = count.get(name, 0) + times

    def name(self, node):
        if type(node.ctx) is not ast.Load:
            self.count[node.id] = self.count.get(node.id, 0) + 1

    def definition(self, node):
        self.add(self.count, node.name)

    def alias(self, node):
        self.add(self.count, node.asname or node.name.split('.')[0])

    def twice(self, node):
        self.add(self.count, node.name, 2)

    def nonlocal_(self, node):
        for name in node.names:
            self.add(self.outer, name, 2)
        self.globals.update(node.names)

    def global_(self, node):
        self.globals.update(node.names)

    def subscript(self, node):
        if type(node.ctx) is not ast.Load and isinstance(node.value, ast.Name):
            self.mutated.add(node.value.id)

    def call(self, node):
        func = node.func
        if type(func) is ast.Attribute and func.attr in MUTATORS and isinstance(func.value, ast.Name):
            self.mutated.add(func.value.id)

    def read(self, body, work, inner):
        todo, done = list(body), 0
        while todo:
            node = todo.pop()
            kind = type(node)
            done += 1
            see = BIND.get(kind)
            if see:
                see(self, node)
            one, many = inner[kind]
            for name in one:
                todo.append(getattr(node, name, None))
            for name in many:
                todo += getattr(node, name, ())
        work.step(bounds.NODE * done)


BIND = {
    ast.Name: Bindings.name, ast.FunctionDef: Bindings.definition,
    ast.AsyncFunctionDef: Bindings.definition, ast.ClassDef: Bindings.definition,
    ast.alias: Bindings.alias, ast.ExceptHandler: Bindings.twice, ast.Nonlocal: Bindings.nonlocal_,
    ast.Global: Bindings.global_, ast.Subscript: Bindings.subscript, ast.Call: Bindings.call,
}
if hasattr(ast, 'MatchAs'):
    BIND[ast.MatchAs] = BIND[ast.MatchStar] = Bindings.twice


def bindings(body, work, outer=None, is_program=False):
    """(how often the statements of BODY bind each name, the names that they modify). Global names
    belong to OUTER; in a program all names are global."""
    made = Bindings(outer)
    made.read(body, work, OWN)
    for name in () if is_program else made.globals:
        made.add(made.outer, name, made.count.pop(name, 0))
    return made.count, made.mutated


def bound(body, work, walrus):
    """The names that BODY binds. With WALRUS also those in its expressions."""
    made = Bindings(None)
    made.read(body, work, OWN if walrus else BINDING)
    return [name for name in made.count if name not in made.globals]


# Aliases of the same function.
ALIASES = {
    'os.sys': 'sys', 'builtins.__builtins__': 'builtins', 'posix.system': 'os.system',
    'posix.popen': 'os.popen', 'posix.execv': 'os.execv', 'nt.system': 'os.system',
    'subprocess.os': 'os', 'shutil.os': 'os', 'platform.os': 'os', 'platform.subprocess': 'subprocess',
    'importlib.sys': 'sys', 'pathlib.os': 'os', 'tempfile._os': 'os', 'random._os': 'os',
    'glob.os': 'os', 'logging.os': 'os', 'inspect.os': 'os', 'codecs.sys': 'sys',
    'warnings.sys': 'sys', 'io.open': 'builtins.open', 'codecs.builtins': 'builtins',
    'codecs.open': 'builtins.open', 'builtins.file': 'builtins.open',
}
MODULES = frozenset('os sys subprocess base64 socket ctypes pickle marshal importlib builtins codecs '
                    'zlib binascii requests urllib shutil pty runpy types'.split())
STARS = {
    'os': frozenset('system popen execl execle execlp execv execve execvp execvpe spawnl spawnv '
                    'environ getenv remove unlink rename listdir walk fork dup2 kill chmod'.split()),
    'subprocess': frozenset('run call Popen check_call check_output getoutput '
                            'getstatusoutput PIPE'.split()),
    'base64': frozenset('b64decode b32decode b16decode b85decode a85decode urlsafe_b64decode '
                        'decodebytes'.split()),
    'socket': frozenset('socket create_connection AF_INET SOCK_STREAM'.split()),
    'ctypes': frozenset('CDLL cdll windll memmove CFUNCTYPE'.split()),
    'pickle': frozenset('loads load'.split()), 'marshal': frozenset('loads load'.split()),
    'importlib': frozenset(['import_module']), 'shutil': frozenset('rmtree move copy'.split()),
    'zlib': frozenset(['decompress']), 'binascii': frozenset('unhexlify a2b_base64'.split()),
    'urllib.request': frozenset('urlopen urlretrieve Request'.split()),
}
