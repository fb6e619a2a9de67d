# SPDX-License-Identifier: MIT
"""Computes with constants: operators, methods and functions whose result depends only on their
arguments. Each is a row of a table, here or in pybuiltins.py and pyfunctions.py; a function without a
row is not computed. The arguments come from hostile code, so the size of a result is known or bounded
before it is made."""
import _ast as ast

import bounds
import patterns


# Not an error of the code: reported as a part that the reader could not read.
TOO_MUCH = (bounds.Stop, MemoryError, RecursionError)


class NotConst(Exception):
    """The value is not a constant, or too large."""


class Value:
    """A value that is not plain data. It has no text and is not equal to any constant."""

    def __repr__(self):
        raise NotConst

    __str__ = __repr__

    def __format__(self, spec):
        raise NotConst

    def __eq__(self, other):
        raise NotConst

    def __bool__(self):
        raise NotConst

    __hash__ = object.__hash__


WIDTH = 999             # length of one formatted value: three digits
SCALARS = (str, bytes, int, float, bool, type(None), complex)


def check(value):
    """VALUE, or NotConst if it is too large."""
    kind = type(value)
    if kind is str or kind is bytes or kind is bytearray:
        if len(value) > bounds.STRING:
            raise NotConst
        return bytes(value) if kind is bytearray else value
    if kind is int:
        if value.bit_length() > bounds.NUMBER_BITS:
            raise NotConst
        return value
    if kind in SCALARS or kind is slice or isinstance(value, Value):
        return value
    if kind in (list, tuple, set, frozenset, dict):
        if len(value) > bounds.ITEMS:
            raise NotConst
        return value
    raise NotConst


def size(value):
    return len(value) if hasattr(value, '__len__') else 1


def mult(a, b):
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if isinstance(a, int):
        a, b = b, a
    if isinstance(b, int) and hasattr(a, '__len__'):
        if len(a) * max(b, 0) > (bounds.STRING if isinstance(a, (str, bytes)) else bounds.ITEMS):
            raise NotConst
    return a * b


def _power(a, b):
    if isinstance(a, int) and isinstance(b, int):
        if not 0 <= b <= bounds.NUMBER_BITS or a.bit_length() * b > bounds.NUMBER_BITS:
            raise NotConst
    return a ** b


def _shift(a, b):
    if not 0 <= b <= bounds.NUMBER_BITS:
        raise NotConst
    return a << b


def percent(a, b):
    """A width could ask for gigabytes."""
    if isinstance(a, (str, bytes)):
        text = a if isinstance(a, str) else a.decode('latin-1')
        if patterns.search(r'%[^a-zA-Z%]*(\*|\d{4})', text) or text.count('%') * WIDTH > bounds.STRING:
            raise NotConst
        if isinstance(b, tuple) and sum(size(x) for x in b) + len(a) > bounds.STRING:
            raise NotConst
    return a % b


def add(a, b):
    if hasattr(a, '__len__') and hasattr(b, '__len__') and len(a) + len(b) > bounds.STRING:
        raise NotConst
    return a + b


BINARY = {
    ast.Add: add, ast.Sub: lambda a, b: a - b, ast.Mult: mult, ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b, ast.Mod: percent, ast.Pow: _power, ast.LShift: _shift,
    ast.RShift: lambda a, b: a >> b, ast.BitOr: lambda a, b: a | b, ast.BitXor: lambda a, b: a ^ b,
    ast.BitAnd: lambda a, b: a & b,
}
UNARY = {ast.UAdd: lambda a: +a, ast.USub: lambda a: -a, ast.Invert: lambda a: ~a,
         ast.Not: lambda a: not a}
COMPARE = {
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b,
    ast.Is: lambda a, b: a is b, ast.IsNot: lambda a, b: a is not b,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}


def format_value(value, spec=''):
    if patterns.search(r'\d{4}', spec) or not isinstance(value, SCALARS):
        raise NotConst
    return format(value, spec)


def join(glue, items):
    items = list(items)
    if sum(len(x) for x in items) + len(glue) * len(items) > bounds.STRING:
        raise NotConst
    return glue.join(items)


UPPER, LOWER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'
CONSTANTS = {
    'string.ascii_letters': LOWER + UPPER, 'string.ascii_lowercase': LOWER,
    'string.ascii_uppercase': UPPER, 'string.digits': '0123456789',
    'string.hexdigits': '0123456789abcdefABCDEF', 'string.octdigits': '01234567',
    'string.punctuation': '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 'string.whitespace': ' \t\n\r\x0b\x0c',
    'string.printable': '0123456789' + LOWER + UPPER + '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\x0b\x0c',
    'os.sep': '/', 'os.linesep': '\n', 'os.extsep': '.', 'os.curdir': '.', 'os.pardir': '..',
    'os.pathsep': ':', 'os.devnull': '/dev/null', 'os.name': 'posix',
}
KINDS = frozenset((str, bytes, list, tuple, dict, int))       # types with methods
# The rows of pybuiltins.py and pyfunctions.py. These modules are loaded on first use.
BUILTINS = frozenset((
    'chr ord len int str bytes bytearray list tuple reversed sorted range zip enumerate sum min '
    'max abs hex oct bin divmod ascii repr format dict set bool float slice iter memoryview '
    'frozenset').split())
FUNCTIONS = frozenset((
    'base64.b64decode base64.standard_b64decode base64.urlsafe_b64decode base64.decodebytes '
    'base64.decodestring base64.b32decode base64.b16decode base64.b85decode base64.a85decode '
    'base64.b64encode binascii.a2b_base64 binascii.unhexlify binascii.a2b_hex binascii.hexlify '
    'codecs.decode codecs.encode zlib.decompress gzip.decompress bz2.decompress lzma.decompress '
    'urllib.parse.unquote urllib.parse.unquote_plus urllib.unquote html.unescape json.loads '
    'builtins.bytes.fromhex builtins.bytearray.fromhex builtins.str.maketrans '
    'builtins.bytes.maketrans operator.add operator.concat operator.xor operator.sub operator.mul '
    'operator.getitem os.path.join posixpath.join builtins.dict.fromkeys builtins.int.from_bytes '
    'sys.intern shlex.split re.sub re.split re.findall').split())


def guarded(function, *args, **kwargs):
    """The result of a computation; any error means that it is not a constant."""
    try:
        return check(function(*args, **kwargs))
    except TOO_MUCH:
        raise
    except Exception:
        raise NotConst from None


def method(value, name, args, kwargs):
    import pybuiltins
    table = pybuiltins.METHODS.get(type(value))
    if not table or name not in table:
        raise NotConst
    return guarded(table[name], value, *args, **kwargs)


def function(path, args, kwargs):
    if path in FUNCTIONS:
        import pyfunctions
        return guarded(pyfunctions.FUNCTIONS[path], *args, **kwargs)
    if not path.startswith('builtins.'):
        raise NotConst
    name = path[9:]
    kind, _, verb = name.partition('.')
    if verb and kind in ('str', 'bytes', 'list', 'dict', 'int') and args:
        return method(args[0], verb, args[1:], kwargs)
    if name not in BUILTINS:
        raise NotConst
    import pybuiltins
    return guarded(pybuiltins.BUILTINS[name], *args, **kwargs)
