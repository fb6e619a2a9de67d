# SPDX-License-Identifier: MIT
"""The text of a Python program, decoded as Python does it. A wrong guess shows another program than
the one that runs: what cannot be known is told as a problem, and never guessed in silence."""
import codecs
from encodings import aliases

import patterns

COOKIE = patterns.compile(rb'[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)')
BLANK = patterns.compile(rb'[ \t\f]*(?:#|\Z)')
LINE_END = patterns.compile(rb'\r\n?|\n')
# Python's reader looks at how these begin, and at nothing behind that.
SHORT = (('utf-8', 'utf-8'), ('latin-1', 'iso-8859-1'), ('iso-8859-1', 'iso-8859-1'),
         ('iso-latin-1', 'iso-8859-1'))
SLOW = frozenset(('punycode', 'idna'))      # the longer the text, the slower each letter
# In a plain encoding it is what it seems to be.
PLAIN = bytes(range(128)).replace(b'\\', b'') + b'\\n\\u0041\\x41'


def known(name):
    """(the name of an encoding as Python's reader takes it, or None; would Python take it?). All that
    Python has are read, by its own codecs; a program may be written in any of them."""
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
    """Python refuses an encoding that it does not know: then it is only told."""
    (view.limit if valid else view.problem)(line, 'an encoding that is not read')


def encoding(data, view):
    """(name, where the line that names it ends): what a comment in the first two lines says, as
    Python reads it (PEP 263: the second counts only after a comment or nothing): utf-7 can hide a
    program in its comments, or what is none can hide one behind it."""
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
        # A program that is run is decoded after that line, one that is imported from the start.
        run = data[:after].decode('utf-8', 'replace') + data[after:].decode(name, 'replace')
        if run != text:
            view.limit(1, 'an encoding that changes the line it is named in')
        return run
    except (LookupError, UnicodeError):
        not_read(view, 1, False)
        return data.decode('utf-8', 'replace')
