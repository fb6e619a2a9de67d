# SPDX-License-Identifier: MIT
"""What a name in a Python program can be, and where it is bound: the values that are no plain data,
scopes, and the names under which the same thing can be had. Read from the tree, nothing is run."""
import ast
import re

from pyconst import Value

MODULE = re.compile(r'[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z')
IDENTIFIER = re.compile(r'[A-Za-z_]\w*\Z')


class Ref(Value):
    """PATH is what it is; ROOT the module at its beginning that an expression imported, or None."""

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
    """FUNCTION (NAME: that method of whatever comes first) with ARGS before what it is given."""

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
    """COUNT: how often a name is bound in it; NOW: what it is at this place; ONCE: what it is if it
    is bound only there; MADE: the expression for such a name."""

    def __init__(self, parent, count, mutated, is_class=False):
        self.parent = parent
        self.count = count
        self.mutated = mutated
        self.is_class = is_class
        self.now = {}
        self.once = {}
        self.made = {}          # what a name is made of that is bound once, where it is not known


MUTATORS = frozenset('append extend insert pop remove reverse sort clear update setdefault popitem '
                     'add discard __setitem__'.split())
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


def _bind(count, name, times=1):
    if name:
        count[name] = count.get(name, 0) + times


def _bind_node(node, count, mutated, outer):
    kind = type(node)
    if kind is ast.Name and not isinstance(node.ctx, ast.Load):
        _bind(count, node.id)
    elif kind in (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef):
        _bind(count, node.name)
    elif kind is ast.alias:
        _bind(count, node.asname or node.name.split('.')[0])
    elif kind is ast.ExceptHandler:
        _bind(count, node.name, 2)
    elif kind is ast.Nonlocal:
        for name in node.names:
            _bind(outer, name, 2)
    elif kind is ast.Subscript and not isinstance(node.ctx, ast.Load):
        if isinstance(node.value, ast.Name):
            mutated.add(node.value.id)
    elif kind is ast.Call and isinstance(node.func, ast.Attribute):
        if isinstance(node.func.value, ast.Name) and node.func.attr in MUTATORS:
            mutated.add(node.func.value.id)
    elif hasattr(ast, 'MatchAs') and kind in (ast.MatchAs, ast.MatchStar):
        _bind(count, node.name, 2)


def bindings(body, work, outer=None, is_program=False):
    """The names that the statements of BODY bind, not looking into other scopes. What is global
    belongs to OUTER, but for a program, where all is."""
    count, mutated, globals_ = {}, set(), set()
    todo = list(body)
    while todo:
        node = todo.pop()
        work.node()
        _bind_node(node, count, mutated, outer if outer is not None else {})
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            globals_.update(node.names)
        if isinstance(node, SCOPES):
            todo.extend(getattr(node, 'decorator_list', ()))
            continue
        if isinstance(node, (ast.For, ast.AsyncFor)):
            todo.append(node.target)
        if isinstance(node, COMPREHENSIONS):
            todo.extend(g.iter for g in node.generators)
            continue
        todo.extend(ast.iter_child_nodes(node))
    for name in () if is_program else globals_:
        _bind(outer if outer is not None else {}, name, count.pop(name, 0))
    return count, mutated


# The same things under other names.
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
