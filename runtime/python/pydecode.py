# SPDX-License-Identifier: MIT
"""Decodes the text of a Python program as Python does. A wrong guess would show another program than
the one that runs, so an unknown encoding is reported and never guessed silently."""
import codecs
from encodings import aliases

import patterns

COOKIE = patterns.compile(rb'[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)')
BLANK = patterns.compile(rb'[ \t\f]*(?:#|\Z)')
LINE_END = patterns.compile(rb'\r\n?|\n')
# Python compares only the beginning of these names.
SHORT = (('utf-8', 'utf-8'), ('latin-1', 'iso-8859-1'), ('iso-8859-1', 'iso-8859-1'),
         ('iso-latin-1', 'iso-8859-1'))
SLOW = frozenset(('punycode', 'idna'))      # slower for each character of a longer text
# In these encodings ASCII text decodes to itself.
PLAIN = bytes(range(128)).replace(b'\\', b'') + b'\\n\\u0041\\x41'


def known(name):
    """(the name of an encoding as Python normalises it, or None; does Python accept it?). A program may
    use any encoding that Python has, and Python's codecs decode it."""
    name = name.decode('ascii', 'replace').lower().replace('_', '-')
    for short, taken in SHORT:
        if name == short or name.startswith(short + '-'):
            return taken, True
    listed = name.replace('-', '_') in set(aliases.aliases) | set(aliases.aliases.values())
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return None, listed
    text = getattr(found, '_is_text_encoding', True)
    return (found.name, True) if text and found.name not in SLOW else (None, text)


def not_read(view, line, valid):
    """Python refuses a program with an unknown encoding, so that is only reported."""
    (view.limit if valid else view.problem)(line, 'an encoding that is not read')


def encoding(data, view):
    """(name, end of its line): the encoding in a comment in the first two lines, as in PEP 263. The
    second line counts only after a comment or an empty line. This matters because utf-7 can hide a
    program in comments."""
    start = 0
    for number in (1, 2):
        found = LINE_END.search(data, start)
        end, after = found.span() if found else (len(data), len(data))
        line = data[start:end]
        cookie = COOKIE.match(line)
        if cookie:
            name, valid = known(cookie.group(1))
            if name is None:
                not_read(view, number, valid)
            return name or 'utf-8', after
        if not BLANK.match(line):
            break
        start = after
    return 'utf-8', 0


def decode(data, view):
    marked = data.startswith(b'\xef\xbb\xbf')
    data = data[3:] if marked else data
    name, after = encoding(data, view)
    if marked and name != 'utf-8':
        view.problem(1, 'two encodings')
        name = 'utf-8'
    try:
        text = data.decode(name, 'replace')
        if PLAIN.decode(name, 'replace') == PLAIN.decode('ascii'):
            return text
        # Python decodes a main program after that line, and a module from its start.
        run = data[:after].decode('utf-8', 'replace') + data[after:].decode(name, 'replace')
        if run != text:
            view.limit(1, 'an encoding that changes the line it is named in')
        return run
    except (LookupError, UnicodeError):
        not_read(view, 1, False)
        return data.decode('utf-8', 'replace')
