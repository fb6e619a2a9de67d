# SPDX-License-Identifier: MIT
"""The built-in functions and the methods of plain data that can be computed for constants, each a row
of a table. pyconst.py loads this module when the first one is called. The size of a result is known
or bounded before it is made."""
import _operator as operator

import bounds
import patterns
from pyconst import (LOWER, SCALARS, UPPER, WIDTH, NotConst, add, check, format_value, join, mult, percent,
                     size)


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
        return decode(value, encoding or 'utf-8', errors)
    if not isinstance(value, SCALARS):
        raise NotConst
    return str(value)


def _bytes(value=b'', encoding=None, errors='strict'):
    if isinstance(value, str):
        return encode(value, encoding, errors)
    if isinstance(value, int) and value > bounds.STRING:
        raise NotConst
    return bytes(value)


def _scalar(value):
    if not isinstance(value, SCALARS):
        raise NotConst
    return value


def _sum(value, start=0):
    total = start
    if len(value) > 1000 and not isinstance(start, int):
        raise NotConst          # the text would be copied as often
    for item in value:
        total = check(add(total, item))
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

# Codecs from bytes to text or from text to text whose result is not much longer.
CODECS = {'utf8', 'utf-8', 'ascii', 'latin1', 'latin-1', 'iso-8859-1', 'utf-16', 'utf16', 'utf-32',
          'utf-16le', 'utf-16be', 'utf-16-le', 'utf-16-be', 'cp1252', 'cp437', 'unicode_escape',
          'unicode-escape', 'raw_unicode_escape', 'utf_8', 'utf-7', 'cp500',
          'cp037', 'utf-8-sig', 'us-ascii'}


def codec(name):
    return str(name).lower().replace(' ', '-')


def decode(value, encoding='utf-8', errors='strict'):
    name = codec(encoding)
    if name in CODECS and isinstance(value, bytes):
        return value.decode(name, errors)
    if name in CODECS and isinstance(value, str) and 'escape' in name:
        return value.encode('latin-1').decode(name, errors)
    if name.replace('_', '').replace('-', '') == 'rot13' and isinstance(value, str):
        return value.translate(ROT13)
    return _transform(value, name)


def _transform(value, name):
    import pyfunctions
    made = pyfunctions.TRANSFORMS.get(name.replace('-', '_'))
    if not made:
        raise NotConst
    return made(value.encode('latin-1') if isinstance(value, str) else value)


def encode(value, encoding='utf-8', errors='strict'):
    name = codec(encoding)
    if name in CODECS and isinstance(value, str):
        return value.encode(name, errors)
    if name.replace('_', '').replace('-', '') == 'rot13' and isinstance(value, str):
        return value.translate(ROT13)
    raise NotConst


ROT13 = str.maketrans(UPPER + LOWER, UPPER[13:] + UPPER[:13] + LOWER[13:] + LOWER[:13])


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
    """Only fields with a number or a name, because a field can reach into objects."""
    fields = text.count('{')
    if patterns.search(r':[^{}]*\d{4}|\{[^{}]*(\{|\.)', text) or fields * WIDTH > bounds.STRING:
        raise NotConst
    values = list(args) + list(kwargs.values())
    if not all(isinstance(v, SCALARS) for v in values):
        raise NotConst
    longest = max([size(v) for v in values] + [0])
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
              encode=encode, translate=_translate, zfill=_pad('zfill'), ljust=_pad('ljust'),
              rjust=_pad('rjust'), center=_pad('center'), __add__=add, __mul__=mult,
              __getitem__=lambda v, i: v[i], __str__=lambda v: v, __mod__=percent,
              __format__=format_value, __len__=len),
    bytes: dict({n: _method(n) for n in PLAIN if n not in ('casefold',)}, join=join,
                replace=_replace, decode=decode, translate=_translate, __add__=add, __mul__=mult,
                __getitem__=lambda v, i: v[i], tobytes=lambda v: v,
                hex=lambda v, *a: v.hex(*a)),
    list: {'index': lambda v, x: v.index(x), 'count': lambda v, x: v.count(x),
           'copy': lambda v: list(v), '__getitem__': lambda v, i: v[i], '__add__': add},
    tuple: {'index': lambda v, x: v.index(x), 'count': lambda v, x: v.count(x),
            '__getitem__': lambda v, i: v[i]},
    dict: {'get': lambda v, k, d=None: v.get(k, d), 'keys': lambda v: list(v),
           'values': lambda v: list(v.values()), 'items': lambda v: list(v.items()),
           '__getitem__': lambda v, k: v[k], 'copy': lambda v: dict(v)},
    int: {'to_bytes': _to_bytes, 'bit_length': lambda v: v.bit_length(),
          '__add__': add, '__xor__': operator.xor, '__sub__': operator.sub},
}
