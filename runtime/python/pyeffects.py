# SPDX-License-Identifier: MIT
"""The effects of a Python program, from the names that it calls and its strings. A new function is a
row of a table. Only the text is read: an effect that depends on a value at run time is reported as
dynamic."""
import _ast as ast

import patterns

# The first words of names of the network.
NETWORK = frozenset('socket ssl requests httpx aiohttp urllib urllib2 urllib3 http ftplib smtplib '
                    'poplib imaplib telnetlib paramiko xmlrpc websocket websockets pycurl '
                    'socketserver boto3 fabric scapy nntplib asyncssh grpc zmq dns'.split())
NETWORK_NOT = ('urllib.parse', 'http.HTTPStatus', 'http.cookies', 'urllib.error', 'socket.AF_',
               'socket.SOCK_')
DYNAMIC = frozenset((
    'eval exec compile __import__ execfile importlib.import_module importlib.reload runpy.run_path '
    'runpy.run_module pickle.loads pickle.load pickle.Unpickler cPickle.loads _pickle.loads '
    'dill.loads dill.load cloudpickle.loads joblib.load marshal.loads marshal.load shelve.open '
    'yaml.load yaml.unsafe_load jsonpickle.decode types.FunctionType types.CodeType '
    'types.ModuleType code.interact code.InteractiveInterpreter codeop.compile_command '
    'torch.load numpy.load pandas.read_pickle imp.load_source imp.load_module ctypes.CDLL '
    'ctypes.cdll.LoadLibrary ctypes.PyDLL ctypes.CFUNCTYPE ctypes.memmove mmap.mmap sys.settrace '
    'importlib.util.spec_from_file_location os.memfd_create').split())
DYNAMIC_ATTRIBUTES = frozenset('__subclasses__ __globals__ __mro__ __code__ __reduce__ f_globals '
                               '__bases__ co_code'.split())
# The first argument: a shell line, a program (followed by all its words, or by all but its name), or
# either.
SHELL, PROGRAM, ARGUMENTS, EITHER = 'shell', 'program', 'arguments', 'either'
STARTS = {
    'os.system': SHELL, 'os.popen': SHELL, 'os.popen2': SHELL, 'os.popen3': SHELL,
    'os.popen4': SHELL, 'subprocess.getoutput': SHELL, 'subprocess.getstatusoutput': SHELL,
    'commands.getoutput': SHELL, 'commands.getstatusoutput': SHELL, 'popen2.popen2': SHELL,
    'asyncio.create_subprocess_shell': SHELL, 'os.startfile': PROGRAM, 'pty.spawn': PROGRAM,
    'asyncio.create_subprocess_exec': ARGUMENTS, 'os.posix_spawn': PROGRAM,
    'os.posix_spawnp': PROGRAM, 'subprocess.run': EITHER, 'subprocess.call': EITHER,
    'subprocess.check_call': EITHER, 'subprocess.check_output': EITHER, 'subprocess.Popen': EITHER,
    'pexpect.spawn': SHELL, 'pexpect.run': SHELL, 'sh.Command': ARGUMENTS,
}
STARTS.update({'os.exec' + s: PROGRAM for s in ('l', 'le', 'lp', 'lpe', 'v', 've', 'vp', 'vpe')})
SPAWNS = frozenset('os.spawn' + s for s in ('l', 'le', 'lp', 'lpe', 'v', 've', 'vp', 'vpe'))
WRITES = frozenset((
    'os.remove os.unlink os.rmdir os.removedirs os.mkdir os.makedirs os.chmod os.chown os.truncate '
    'os.symlink os.link os.mkfifo os.utime shutil.rmtree os.rename os.replace os.renames '
    'shutil.move shutil.copy shutil.copyfile shutil.copy2 shutil.copytree shutil.chown').split())
READS = frozenset((
    'os.listdir os.scandir os.walk os.stat os.lstat os.readlink os.access os.chdir glob.glob '
    'glob.iglob os.path.exists os.path.isfile os.path.isdir os.path.getsize linecache.getline '
    'sqlite3.connect configparser.read numpy.loadtxt pandas.read_csv zipfile.ZipFile tarfile.open '
    'fileinput.input').split())
BOTH = frozenset('os.rename os.replace os.renames shutil.move shutil.copy shutil.copyfile '
                 'shutil.copy2 shutil.copytree os.link os.symlink'.split())
METHODS = {'write_text': 'write', 'write_bytes': 'write', 'read_text': 'read',
           'read_bytes': 'read', 'unlink': 'write', 'rmdir': 'write', 'mkdir': 'write',
           'touch': 'write', 'iterdir': 'read', 'glob': 'read'}
PATHS = frozenset(('pathlib.Path', 'pathlib.PosixPath', 'pathlib.PurePath'))
ENV = frozenset(('os.getenv', 'os.environ.get', 'os.environ.pop', 'os.environ.setdefault',
                 'os.putenv', 'os.unsetenv', 'os.getenvb', 'os.environ.__getitem__'))
CONNECTS = frozenset(('connect', 'connect_ex', 'create_connection', 'sendto', 'bind'))

URL = patterns.compile(r'[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s\'"<>\\^`{|}]{1,500}')
ADDRESS = patterns.compile(r'(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?![\d.])')
PATH = patterns.compile(r'(?:~|/|\.\./|\$\{?\w+\}?/|[A-Za-z]:\\)[^\s\'"*?<>|;:,()]{2,300}\Z')


def text_of(node):
    value = getattr(node, 'value', None) if isinstance(node, ast.Constant) else None
    if isinstance(value, bytes):
        return value.decode('latin-1')
    return value if isinstance(value, str) else None


def string(effects, text, line):
    """A string of the program."""
    if '://' in text[:100000]:
        for found in list(URL.finditer(text[:100000]))[:64]:
            effects.add('host', found.group(), line)
    elif '.' in text and len(text) < 10000:
        for found in list(ADDRESS.finditer(text))[:64]:
            effects.add('host', found.group(), line)
    if text[:1] in ('/', '~', '.') and len(text) < 400 and PATH.match(text) and '//' not in text:
        effects.add('path', text, line)


def first(node, *names):
    """The first argument, by position or by name."""
    if node.args:
        return node.args[0]
    for word in node.keywords:
        if word.arg in names:
            return word.value
    return None


def keyword(node, name):
    for word in node.keywords:
        if word.arg == name:
            return word.value
    return None


def words(node):
    """The words of a constant list, or None."""
    if isinstance(node, (ast.List, ast.Tuple)) and node.elts:
        return [text_of(e) for e in node.elts]
    return None


def _open(effects, node, line):
    mode = text_of(node.args[1]) if len(node.args) > 1 else text_of(keyword(node, 'mode'))
    path = text_of(first(node, 'file', 'path'))
    kind = 'write' if any(c in (mode or 'r') for c in 'wax+') else 'read'
    effects.add(kind, path if path is not None else '(computed)', line)


def _path_method(effects, node, line):
    kind = METHODS.get(node.func.attr)
    made = node.func.value
    if kind and isinstance(made, ast.Call) and getattr(made.func, 'id', '') in PATHS:
        path = text_of(first(made))
        if path:
            effects.add(kind, path, line)


def _connect(effects, node, line):
    for arg in node.args[:3]:
        host = text_of(arg.elts[0]) if isinstance(arg, ast.Tuple) and len(arg.elts) == 2 else None
        if host is None:
            continue
        port = arg.elts[1].value if isinstance(arg.elts[1], ast.Constant) else '?'
        effects.add('host', '%s:%s' % (host or '*', port), line)
        effects.add('network', node.func.attr, line)


def _files(effects, path, node, line):
    if path == 'open' or path == 'os.open':
        return _open(effects, node, line)
    kind = 'write' if path in WRITES else 'read' if path in READS else None
    if not kind:
        return None
    for i, arg in enumerate(node.args[:2 if path in BOTH else 1]):
        text = text_of(arg)
        copied = path.startswith('shutil.copy') and i == 0
        effects.add('read' if copied else kind, text if text is not None else '(computed)', line)
    return None


def call(effects, path, node, line):
    """Notes the effects of a call of PATH ('' if unknown). Returns the code that is passed to a shell
    or a program as (kind, node), or None."""
    if isinstance(node.func, ast.Attribute):
        if node.func.attr in CONNECTS:
            _connect(effects, node, line)
        _path_method(effects, node, line)
    if not path:
        return None
    if path in DYNAMIC or path.startswith('ctypes.'):
        effects.add('dynamic', path, line)
    if path.split('.')[0] in NETWORK and not path.startswith(NETWORK_NOT):
        effects.add('network', path, line)
    if path in ENV and node.args:
        effects.add('env', text_of(node.args[0]) or '(computed)', line)
    _files(effects, path, node, line)
    if path in STARTS:
        return STARTS[path], first(node, 'args', 'cmd', 'command', 'path')
    if path in SPAWNS and len(node.args) > 1:
        return PROGRAM, node.args[1]
    return None
