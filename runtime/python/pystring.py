# SPDX-License-Identifier: MIT
"""Literals of strings and numbers where repr() is not enough: the braces of an f-string may not have a
backslash, and all its parts must use the same quotes."""

SINGLE = ("'", '"')
TRIPLE = ('"""', "'''")
QUOTES = SINGLE + TRIPLE
INFINITE = '1e309'      # too large for a float


def number(value):
    """A number. Infinity and NaN have no literal."""
    return repr(value).replace('inf', INFINITE).replace('nan', '(%s-%s)' % (INFINITE, INFINITE))


def _escaped(text, all_blanks):
    """Escapes what cannot be printed; with ALL_BLANKS also tabs and newlines."""
    if text.isprintable() and '\\' not in text:
        return text
    return ''.join([c if (c.isprintable() and c != '\\') or (c in '\n\t' and not all_blanks) else
                    c.encode('unicode_escape').decode('ascii') for c in text])


def literal(text, quotes=QUOTES, all_blanks=False):
    """(TEXT between quotes, the QUOTES that can be around it) with few escapes."""
    made = _escaped(text, all_blanks)
    fit = [q for q in quotes if q not in made and (len(q) == 3 or '\n' not in made)]
    if not fit:
        made = repr(text)
        return made[1:-1], [next((q for q in quotes if made[0] in q), made[0])]
    if made:
        fit.sort(key=lambda q: q[0] == made[-1])
        if fit[0][0] == made[-1]:
            made = made[:-1] + '\\' + made[-1]
    return made, fit


def short(text):
    """A literal without a backslash, if possible."""
    made, quotes = literal(text)
    return quotes[0] + made + quotes[0]


def parts(all_parts):
    """An f-string of parts (text, is it constant?), in quotes that fit all of them."""
    made, quotes = [], QUOTES
    for text, constant in all_parts:
        part, fit = literal(text, quotes, constant)
        if not set(fit) & set(quotes):
            return "'''" + ''.join([repr('"' + t)[2:-1] for t, _ in all_parts]) + "'''"
        made.append(part)
        quotes = fit
    return quotes[0] + ''.join(made) + quotes[0]
