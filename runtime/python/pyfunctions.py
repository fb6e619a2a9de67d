# SPDX-License-Identifier: MIT
"""Functions of Python's library that can be computed for constants: they decode, unpack and join. Each
is a row of a table. pyconst.py loads this module when the first one is called. The arguments are
hostile: no function may return more than the maximum of a string, or take long."""
import _operator as operator

import bounds
import patterns
import pybuiltins
from pyconst import NotConst, add, mult


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
    """Decompresses up to the maximum of a string. More (a bomb) is not a constant."""
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
        data = patterns.sub(rb'%([0-9a-fA-F]{2})', lambda m: bytes([int(m.group(1), 16)]),
                      text.encode('utf-8'))
        return data.decode(pybuiltins.codec(encoding), errors)
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
    """A dict of code points for texts; 256 bytes for bytes."""
    if args and isinstance(args[0], bytes):
        return bytes.maketrans(*args)
    return str.maketrans(*args)


def _unescape(value):
    import html
    if len(value) > 65536:
        raise NotConst
    return html.unescape(value)


# Letters, escapes and sets, one of them repeated: another pattern could take exponential time.
SIMPLE = patterns.compile(r'(?:[^\\()\[\]{}*+?|^$]|\\[^0-9]|\[[^\[\]\\]+\])+')


def _pattern(name):
    def run(pattern, *args):
        text = args[-1 if name != 'sub' else 1]
        plain = patterns.sub(r'(?<!\\)[*+?]', '', pattern, count=1)
        if len(pattern) > 256 or len(text) > 4096 or not SIMPLE.fullmatch(plain) or \
                len(args) != 1 + (name == 'sub'):
            raise NotConst
        if name == 'sub' and (not isinstance(args[0], str) or '\\' in args[0] or len(args[0]) > 256):
            raise NotConst
        return getattr(patterns.compile(pattern), name)(*args)
    return run


def _shlex(value, comments=False):
    import shlex
    if len(value) > 4096:
        raise NotConst          # quadratic
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
    'binascii.hexlify': _hexlify, 'codecs.decode': pybuiltins.decode, 'codecs.encode': pybuiltins.encode,
    'zlib.decompress': _inflate(15), 'gzip.decompress': _inflate(31),
    'bz2.decompress': _bunzip, 'lzma.decompress': _unxz, 'urllib.parse.unquote': _unquote(False),
    'urllib.parse.unquote_plus': _unquote(True), 'urllib.unquote': _unquote(False),
    'html.unescape': _unescape, 'json.loads': _loads, 'builtins.bytes.fromhex': _fromhex,
    'builtins.bytearray.fromhex': _fromhex, 'builtins.str.maketrans': _maketrans,
    'builtins.bytes.maketrans': _maketrans, 'operator.add': add, 'operator.concat': add,
    'operator.xor': operator.xor, 'operator.sub': operator.sub, 'operator.mul': mult,
    'operator.getitem': lambda a, b: a[b], 'os.path.join': _join_path, 'posixpath.join': _join_path,
    'builtins.dict.fromkeys': lambda keys, value=None: dict.fromkeys(keys, value),
    'builtins.int.from_bytes': lambda v, byteorder='big', signed=False: int.from_bytes(
        v, byteorder, signed=signed), 'sys.intern': lambda v: v, 'shlex.split': _shlex,
    're.sub': _pattern('sub'), 're.split': _pattern('split'), 're.findall': _pattern('findall'),
}
