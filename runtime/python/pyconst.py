# SPDX-License-Identifier: MIT
"""Computing with constants: the operators, methods and functions whose result depends on nothing
but their arguments, each by its name in a table. The arguments come from hostile code: the size of
a result is known or bounded before it is made. What is not in a table is not computed."""
import ast
import operator
import re

import bounds


# Never taken for a value that is no constant: it is told that the reader could not take it.
TOO_MUCH = (bounds.Stop, MemoryError, RecursionError)


class NotConst(Exception):
    """No constant, or too large a one."""


class Value:
    """No plain data: it has no text, and is equal to nothing that could be asked about."""

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


WIDTH = 999             # of one formatted value: three digits
SCALARS = (str, bytes, int, float, bool, type(None), complex)


def check(value):
    """VALUE, if it is small enough."""
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


def _size(value):
    return len(value) if hasattr(value, '__len__') else 1


def _mult(a, b):
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


def _percent(a, b):
    """A width could ask for gigabytes."""
    if isinstance(a, (str, bytes)):
        text = a if isinstance(a, str) else a.decode('latin-1')
        if re.search(r'%[^a-zA-Z%]*(\*|\d{4})', text) or text.count('%') * WIDTH > bounds.STRING:
            raise NotConst
        if isinstance(b, tuple) and sum(_size(x) for x in b) + len(a) > bounds.STRING:
            raise NotConst
    return a % b


def _add(a, b):
    if hasattr(a, '__len__') and hasattr(b, '__len__') and len(a) + len(b) > bounds.STRING:
        raise NotConst
    return a + b


BINARY = {
    ast.Add: _add, ast.Sub: operator.sub, ast.Mult: _mult, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: _percent, ast.Pow: _power, ast.LShift: _shift,
    ast.RShift: operator.rshift, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.BitAnd: operator.and_,
}
UNARY = {ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Invert: operator.invert,
         ast.Not: operator.not_}
COMPARE = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}


def _items(value):
    if isinstance(value, range) and len(value) > bounds.ITEMS:
        raise NotConst
    return value


def _range(*args):
    made = range(*args)
    if len(made) > bounds.ITEMS:
        raise NotConst
    return list(made)


def _int(value=0, base=None):
    if isinstance(value, (str, bytes)) and len(value) > 4000:
        raise NotConst
    return int(value) if base is None else int(value, base)


def _str(value='', encoding=None, errors='strict'):
    if encoding is not None or isinstance(value, bytes):
        return _decode(value, encoding or 'utf-8', errors)
    if not isinstance(value, SCALARS):
        raise NotConst
    return str(value)


def _bytes(value=b'', encoding=None, errors='strict'):
    if isinstance(value, str):
        return _encode(value, encoding, errors)
    if isinstance(value, int) and value > bounds.STRING:
        raise NotConst
    return bytes(value)


def format_value(value, spec=''):
    if re.search(r'\d{4}', spec) or not isinstance(value, SCALARS):
        raise NotConst
    return format(value, spec)


def _scalar(value):
    if not isinstance(value, SCALARS):
        raise NotConst
    return value


def _sum(value, start=0):
    total = start
    if len(value) > 1000 and not isinstance(start, int):
        raise NotConst          # it would be copied as often
    for item in value:
        total = check(_add(total, item))
    return total


BUILTINS = {
    'chr': chr, 'ord': ord, 'len': len, 'int': _int, 'str': _str, 'bytes': _bytes,
    'bytearray': _bytes, 'list': lambda v=(): list(_items(v)), 'tuple': lambda v=(): tuple(_items(v)),
    'reversed': lambda v: list(reversed(v)),
    'sorted': lambda v, reverse=False: sorted(v, reverse=reverse), 'range': _range,
    'zip': lambda *a: list(zip(*a)), 'enumerate': lambda v, start=0: list(enumerate(v, start)),
    'sum': _sum, 'min': min, 'max': max, 'abs': abs, 'hex': hex, 'oct': oct, 'bin': bin,
    'divmod': divmod, 'ascii': lambda v: ascii(_scalar(v)), 'repr': lambda v: repr(_scalar(v)),
    'format': format_value, 'dict': lambda *a, **k: dict(*a, **k), 'set': lambda v=(): set(v),
    'bool': bool,
    'float': float, 'slice': slice, 'iter': list, 'memoryview': _bytes,
    'frozenset': lambda v=(): set(v),
}

# Names of codecs that turn bytes to text or text to text without growing it much.
CODECS = {'utf8', 'utf-8', 'ascii', 'latin1', 'latin-1', 'iso-8859-1', 'utf-16', 'utf16', 'utf-32',
          'utf-16le', 'utf-16be', 'utf-16-le', 'utf-16-be', 'cp1252', 'cp437', 'unicode_escape',
          'unicode-escape', 'raw_unicode_escape', 'utf_8', 'utf-7', 'cp500',
          'cp037', 'utf-8-sig', 'us-ascii'}


def _codec(name):
    return str(name).lower().replace(' ', '-')


def _decode(value, encoding='utf-8', errors='strict'):
    name = _codec(encoding)
    if name in CODECS and isinstance(value, bytes):
        return value.decode(name, errors)
    if name in CODECS and isinstance(value, str) and 'escape' in name:
        return value.encode('latin-1').decode(name, errors)
    if name.replace('_', '').replace('-', '') == 'rot13' and isinstance(value, str):
        return value.translate(ROT13)
    return _transform(value, name)


def _transform(value, name):
    made = TRANSFORMS.get(name.replace('-', '_'))
    if not made:
        raise NotConst
    return made(value.encode('latin-1') if isinstance(value, str) else value)


def _encode(value, encoding='utf-8', errors='strict'):
    name = _codec(encoding)
    if name in CODECS and isinstance(value, str):
        return value.encode(name, errors)
    if name.replace('_', '').replace('-', '') == 'rot13' and isinstance(value, str):
        return value.translate(ROT13)
    raise NotConst


_UP, _LOW = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'
ROT13 = str.maketrans(_UP + _LOW, _UP[13:] + _UP[:13] + _LOW[13:] + _LOW[:13])


def _as_bytes(value):
    return value.encode('latin-1') if isinstance(value, str) else bytes(value)


def _base64(value, altchars=None, validate=False):
    import binascii
    data = _as_bytes(value)
    if altchars:
        data = data.translate(bytes.maketrans(_as_bytes(altchars), b'+/'))
    return binascii.a2b_base64(data)


def _urlsafe(value):
    return _base64(_as_bytes(value).translate(bytes.maketrans(b'-_', b'+/')))


def _radix(name):
    def decode(value, *args, **kwargs):
        import base64
        if len(value) > bounds.STRING // 8:
            raise NotConst      # base85 is slow
        return getattr(base64, name)(_as_bytes(value), *args, **kwargs)
    return decode


def _inflate(wbits):
    """At most as much as a string may have: a bomb is no constant."""
    def decode(value, *args, **kwargs):
        import zlib
        window = args[0] if args else kwargs.get('wbits', wbits)
        worker = zlib.decompressobj(window)
        made = worker.decompress(value, bounds.STRING + 1)
        if not worker.eof:
            raise NotConst
        return made
    return decode


def _bunzip(value):
    import bz2
    worker = bz2.BZ2Decompressor()
    made = worker.decompress(value, bounds.STRING + 1)
    if not worker.eof:
        raise NotConst
    return made


def _unxz(value, *_):
    import lzma
    worker = lzma.LZMADecompressor(memlimit=32 << 20)
    made = worker.decompress(value, bounds.STRING + 1)
    if not worker.eof:
        raise NotConst
    return made


def _unhex(value, *_):
    return bytes.fromhex(value if isinstance(value, str) else value.decode('ascii'))


def _unquote(plus):
    def decode(value, encoding='utf-8', errors='replace'):
        text = value if isinstance(value, str) else value.decode('latin-1')
        text = text.replace('+', ' ') if plus else text
        data = re.sub(rb'%([0-9a-fA-F]{2})', lambda m: bytes([int(m.group(1), 16)]),
                      text.encode('utf-8'))
        return data.decode(_codec(encoding), errors)
    return decode


def _hexlify(value, *_):
    return bytes(value).hex().encode()


def _b64encode(value, *_):
    import binascii
    return binascii.b2a_base64(value, newline=False)


def _fromhex(value):
    return bytes.fromhex(value)


def _join_path(*parts):
    return '/'.join(p.rstrip('/') if p != '/' else '' for p in parts[:-1]) + '/' + parts[-1] \
        if len(parts) > 1 and not any(p.startswith('/') for p in parts[1:]) else parts[-1]


def _maketrans(*args):
    """A dict of the characters' numbers, for texts; 256 bytes for bytes."""
    if args and isinstance(args[0], bytes):
        return bytes.maketrans(*args)
    return str.maketrans(*args)


def _unescape(value):
    import html
    if len(value) > 65536:
        raise NotConst
    return html.unescape(value)


# Letters, escapes and sets, one of them repeated: what is more could take for ever.
SIMPLE = re.compile(r'(?:[^\\()\[\]{}*+?|^$]|\\[^0-9]|\[[^\[\]\\]+\])+')


def _pattern(name):
    def run(pattern, *args):
        text = args[-1 if name != 'sub' else 1]
        plain = re.sub(r'(?<!\\)[*+?]', '', pattern, count=1)
        if len(pattern) > 256 or len(text) > 4096 or not SIMPLE.fullmatch(plain) or \
                len(args) != 1 + (name == 'sub'):
            raise NotConst
        if name == 'sub' and (not isinstance(args[0], str) or '\\' in args[0] or len(args[0]) > 256):
            raise NotConst
        return getattr(re, name)(pattern, *args)
    return run


def _shlex(value, comments=False):
    import shlex
    if len(value) > 4096:
        raise NotConst          # it is slow
    return shlex.split(value, comments)


def _loads(value):
    import json
    return json.loads(value)


TRANSFORMS = {
    'base64': _base64, 'base64_codec': _base64, 'hex': _unhex, 'hex_codec': _unhex,
    'zlib': _inflate(15), 'zlib_codec': _inflate(15), 'zip': _inflate(15), 'bz2': _bunzip,
    'bz2_codec': _bunzip,
}
FUNCTIONS = {
    'base64.b64decode': _base64, 'base64.standard_b64decode': _base64,
    'base64.urlsafe_b64decode': _urlsafe, 'base64.decodebytes': _base64,
    'base64.decodestring': _base64, 'base64.b32decode': _radix('b32decode'),
    'base64.b16decode': _radix('b16decode'), 'base64.b85decode': _radix('b85decode'),
    'base64.a85decode': _radix('a85decode'), 'base64.b64encode': _b64encode,
    'binascii.a2b_base64': _base64, 'binascii.unhexlify': _unhex, 'binascii.a2b_hex': _unhex,
    'binascii.hexlify': _hexlify, 'codecs.decode': _decode, 'codecs.encode': _encode,
    'zlib.decompress': _inflate(15), 'gzip.decompress': _inflate(31),
    'bz2.decompress': _bunzip, 'lzma.decompress': _unxz, 'urllib.parse.unquote': _unquote(False),
    'urllib.parse.unquote_plus': _unquote(True), 'urllib.unquote': _unquote(False),
    'html.unescape': _unescape, 'json.loads': _loads, 'builtins.bytes.fromhex': _fromhex,
    'builtins.bytearray.fromhex': _fromhex, 'builtins.str.maketrans': _maketrans,
    'builtins.bytes.maketrans': _maketrans, 'operator.add': _add, 'operator.concat': _add,
    'operator.xor': operator.xor, 'operator.sub': operator.sub, 'operator.mul': _mult,
    'operator.getitem': lambda a, b: a[b], 'os.path.join': _join_path, 'posixpath.join': _join_path,
    'builtins.dict.fromkeys': lambda keys, value=None: dict.fromkeys(keys, value),
    'builtins.int.from_bytes': lambda v, byteorder='big', signed=False: int.from_bytes(
        v, byteorder, signed=signed), 'sys.intern': lambda v: v, 'shlex.split': _shlex,
    're.sub': _pattern('sub'), 're.split': _pattern('split'), 're.findall': _pattern('findall'),
}
CONSTANTS = {
    'string.ascii_letters': _LOW + _UP, 'string.ascii_lowercase': _LOW,
    'string.ascii_uppercase': _UP, 'string.digits': '0123456789',
    'string.hexdigits': '0123456789abcdefABCDEF', 'string.octdigits': '01234567',
    'string.punctuation': '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 'string.whitespace': ' \t\n\r\x0b\x0c',
    'string.printable': '0123456789' + _LOW + _UP + '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\x0b\x0c',
    'os.sep': '/', 'os.linesep': '\n', 'os.extsep': '.', 'os.curdir': '.', 'os.pardir': '..',
    'os.pathsep': ':', 'os.devnull': '/dev/null', 'os.name': 'posix',
}


def join(glue, items):
    items = list(items)
    if sum(len(x) for x in items) + len(glue) * len(items) > bounds.STRING:
        raise NotConst
    return glue.join(items)


def _replace(text, old, new, count=-1):
    times = text.count(old) if old else len(text) + 1
    if times * max(len(new) - len(old), 0) + len(text) > bounds.STRING:
        raise NotConst
    return text.replace(old, new, count)


def _pad(name):
    def pad(text, width, *args):
        if width > bounds.STRING:
            raise NotConst
        return getattr(text, name)(width, *args)
    return pad


def _translate(text, table, *args):
    if isinstance(table, dict) and any(isinstance(v, str) and len(v) > 4 for v in table.values()):
        raise NotConst
    return text.translate(table, *args)


def _str_format(text, *args, **kwargs):
    """Only what names a place or a word: a field can reach into objects."""
    fields = text.count('{')
    if re.search(r':[^{}]*\d{4}|\{[^{}]*(\{|\.)', text) or fields * WIDTH > bounds.STRING:
        raise NotConst
    values = list(args) + list(kwargs.values())
    if not all(isinstance(v, SCALARS) for v in values):
        raise NotConst
    longest = max([_size(v) for v in values] + [0])
    if fields * longest + len(text) > bounds.STRING:
        raise NotConst
    return text.format(*args, **kwargs)


def _method(name):
    return lambda value, *args, **kwargs: getattr(value, name)(*args, **kwargs)


def _to_bytes(value, length=1, byteorder='big', signed=False):
    if length > bounds.STRING:
        raise NotConst
    return value.to_bytes(length, byteorder, signed=signed)


PLAIN = ('lower upper strip lstrip rstrip title capitalize swapcase casefold split rsplit splitlines '
         'partition rpartition startswith endswith find rfind index rindex count removeprefix '
         'removesuffix isdigit isalpha').split()
METHODS = {
    str: dict({n: _method(n) for n in PLAIN}, join=join, replace=_replace, format=_str_format,
              encode=_encode, translate=_translate, zfill=_pad('zfill'), ljust=_pad('ljust'),
              rjust=_pad('rjust'), center=_pad('center'), __add__=_add, __mul__=_mult,
              __getitem__=lambda v, i: v[i], __str__=lambda v: v, __mod__=_percent,
              __format__=format_value, __len__=len),
    bytes: dict({n: _method(n) for n in PLAIN if n not in ('casefold',)}, join=join,
                replace=_replace, decode=_decode, translate=_translate, __add__=_add, __mul__=_mult,
                __getitem__=lambda v, i: v[i], tobytes=lambda v: v,
                hex=lambda v, *a: v.hex(*a)),
    list: {'index': lambda v, x: v.index(x), 'count': lambda v, x: v.count(x),
           'copy': lambda v: list(v), '__getitem__': lambda v, i: v[i], '__add__': _add},
    tuple: {'index': lambda v, x: v.index(x), 'count': lambda v, x: v.count(x),
            '__getitem__': lambda v, i: v[i]},
    dict: {'get': lambda v, k, d=None: v.get(k, d), 'keys': lambda v: list(v),
           'values': lambda v: list(v.values()), 'items': lambda v: list(v.items()),
           '__getitem__': lambda v, k: v[k], 'copy': lambda v: dict(v)},
    int: {'to_bytes': _to_bytes, 'bit_length': lambda v: v.bit_length(),
          '__add__': _add, '__xor__': operator.xor, '__sub__': operator.sub},
}


def guarded(function, *args, **kwargs):
    """Whatever goes wrong in there: no constant."""
    try:
        return check(function(*args, **kwargs))
    except TOO_MUCH:
        raise
    except Exception:
        raise NotConst from None


def method(value, name, args, kwargs):
    table = METHODS.get(type(value))
    if not table or name not in table:
        raise NotConst
    return guarded(table[name], value, *args, **kwargs)


def function(path, args, kwargs):
    made = FUNCTIONS.get(path)
    if made is None and path.startswith('builtins.'):
        name = path[9:]
        kind, _, verb = name.partition('.')
        if verb and kind in ('str', 'bytes', 'list', 'dict', 'int') and args:
            return method(args[0], verb, args[1:], kwargs)
        made = BUILTINS.get(name)
    if made is None:
        raise NotConst
    return guarded(made, *args, **kwargs)
