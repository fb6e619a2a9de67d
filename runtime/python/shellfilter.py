# SPDX-License-Identifier: MIT
"""Programs in a pipeline that only convert text, each a row of a table. With them the reader can follow
`echo ... | base64 -d | sh`. Input and arguments are constants from hostile code, and results are
bounded before they are made. No program is ever started."""
import patterns as re
import bounds
import pyconst
import shellword
from pyconst import NotConst


def _echo(args, _):
    newline, escapes = '\n', False
    while args and re.fullmatch(r'-[neE]+', args[0]):
        newline = '' if 'n' in args[0] else newline
        escapes = 'e' in args[0] or (escapes and 'E' not in args[0])
        args = args[1:]
    text = ' '.join(args)
    return (shellword.unescape(text) if escapes else text) + newline


FORMAT = re.compile(r'%(-?\d{0,3}(?:\.\d{0,3})?)([a-zA-Z%])')


def _printf(args, _):
    if args and args[0] == '--':
        args = args[1:]
    if not args:
        raise NotConst
    form, values = shellword.unescape(args[0].replace('\\\\', '\\134')), list(args[1:])

    def one(found):
        if found.group(2) == '%':
            return '%'
        value = values.pop(0) if values else ''
        if found.group(2) == 'b':
            return shellword.unescape(value)
        if found.group(2) in 'di':
            return str(int(value or '0', 0))
        if found.group(2) in 'xXo':
            return format(int(value or '0', 0), found.group(2))
        if found.group(2) == 'c':
            return value[:1]
        return value if found.group(2) in 'sq' else found.group()
    made = FORMAT.sub(one, form)
    while values and FORMAT.search(form) and len(made) < bounds.STRING:
        left = len(values)
        made += FORMAT.sub(one, form)
        if len(values) == left:
            break
    return made


def _decoder(name, *flags):
    """base64 -d and the like."""
    def run(args, data):
        if not any(a in flags or (re.fullmatch(r'-[a-zA-Z]+', a) and 'd' in a.lower()) for a in args):
            raise NotConst
        return pyconst.function(name, [re.sub(r'\s', '', data)], {})
    return run


def _inflater(name):
    def run(args, data):
        return pyconst.function(name, [data.encode('latin-1')], {})
    return run


def _rev(args, data):
    return '\n'.join(line[::-1] for line in data.split('\n'))


def _tac(args, data):
    return '\n'.join(data.rstrip('\n').split('\n')[::-1]) + '\n'


CLASSES = {'[:lower:]': 'abcdefghijklmnopqrstuvwxyz', '[:upper:]': 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
           '[:digit:]': '0123456789', '[:space:]': ' \t\n\r\v\f'}


def _set(text):
    for name, chars in CLASSES.items():
        text = text.replace(name, chars)
    text = shellword.unescape(text)
    made, at = [], 0
    while at < len(text):
        if at + 2 < len(text) and text[at + 1] == '-' and ord(text[at]) <= ord(text[at + 2]):
            if ord(text[at + 2]) - ord(text[at]) > 300:
                raise NotConst
            made.extend(chr(c) for c in range(ord(text[at]), ord(text[at + 2]) + 1))
            at += 3
        else:
            made.append(text[at])
            at += 1
    return ''.join(made)


def _tr(args, data):
    flags = ''.join(a[1:] for a in args if a.startswith('-') and len(a) > 1)
    sets = [_set(a) for a in args if not (a.startswith('-') and len(a) > 1)]
    if 'c' in flags or 'C' in flags or not sets:
        raise NotConst
    if 'd' in flags:
        return data.translate({ord(c): None for c in sets[0]})
    if len(sets) < 2 or not sets[1]:
        raise NotConst
    return data.translate({ord(a): b for a, b in
                           zip(sets[0], sets[1] + sets[1][-1] * len(sets[0]))})


def _xxd(args, data):
    if not any('r' in a for a in args if a.startswith('-')):
        raise NotConst
    return pyconst.function('binascii.unhexlify', [re.sub(r'\s|0x', '', data)], {})


def _openssl(args, data):
    if '-d' not in args or not any('base64' in a or a == '-a' for a in args):
        raise NotConst
    return pyconst.function('base64.b64decode', [data], {})


def _cat(args, data):
    if [a for a in args if a != '-']:
        raise NotConst
    return data


def _sed(args, data):
    """s/literal/literal/ only."""
    args = [a for a in args if a not in ('-e', '-E', '-r')]
    found = re.fullmatch(r's(.)((?:(?!\1).)*)\1((?:(?!\1).)*)\1(g?)', args[0]) if len(args) == 1 else None
    if not found or re.search(r'[\\.*\[\]^$&+?(){}|]', found.group(2) + found.group(3)):
        raise NotConst
    new, old, every = found.group(3), found.group(2), found.group(4)
    return '\n'.join(pyconst.method(line, 'replace', [old, new] + ([] if every else [1]), {})
                     for line in data.split('\n'))


def _cut(args, data):
    found = re.fullmatch(r'-[cb](\d{1,6})(-?)(\d{0,6})', ''.join(args))
    if not found:
        raise NotConst
    start = int(found.group(1))
    end = int(found.group(3)) if found.group(3) else None if found.group(2) else start
    return '\n'.join(line[start - 1:end] for line in data.split('\n'))


FILTERS = {
    'echo': _echo, 'printf': _printf, 'cat': _cat, 'rev': _rev, 'tac': _tac, 'tr': _tr,
    'base64': _decoder('base64.b64decode', '-d', '--decode', '-D'),
    'gbase64': _decoder('base64.b64decode', '-d', '--decode'),
    'base32': _decoder('base64.b32decode', '-d', '--decode'), 'xxd': _xxd, 'openssl': _openssl,
    'gunzip': _inflater('gzip.decompress'), 'zcat': _inflater('gzip.decompress'),
    'gzip': _inflater('gzip.decompress'), 'bunzip2': _inflater('bz2.decompress'),
    'bzcat': _inflater('bz2.decompress'), 'xz': _inflater('lzma.decompress'),
    'unxz': _inflater('lzma.decompress'), 'sed': _sed, 'cut': _cut, 'tee': _cat,
}
SOURCES = frozenset(('echo', 'printf'))


def run(words, data):
    """The output of the program WORDS for the input DATA (None: no input)."""
    name = words[0].rsplit('/', 1)[-1]
    known = FILTERS.get(name)
    if not known or (data is None and name not in SOURCES):
        raise NotConst
    made = pyconst.guarded(known, words[1:], data)
    return made.decode('latin-1') if isinstance(made, bytes) else made


def as_text(data):
    """Text is kept as Latin-1, one character a byte; UTF-8 is decoded for display."""
    try:
        return data.encode('latin-1').decode('utf-8')
    except (UnicodeEncodeError, UnicodeDecodeError):
        return data
