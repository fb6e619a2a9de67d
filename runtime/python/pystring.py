# SPDX-License-Identifier: MIT
"""Strings and numbers as a Python program would have them, where repr() is not enough: in the braces
of an f-string no backslash may be, and the parts of one must all do with the same quotes."""

SINGLE = ("'", '"')
TRIPLE = ('"""', "'''")
QUOTES = SINGLE + TRIPLE
INFINITE = '1e309'      # too large for a float


def number(value):
    """There is no literal for what is infinite, or no number."""
    return repr(value).replace('inf', INFINITE).replace('nan', '(%s-%s)' % (INFINITE, INFINITE))


def _escaped(text, all_blanks):
    """All that cannot be printed; tabs and the ends of lines where ALL_BLANKS."""
    if text.isprintable() and '\\' not in text:
        return text
    return ''.join([c if (c.isprintable() and c != '\\') or (c in '\n\t' and not all_blanks) else
                    c.encode('unicode_escape').decode('ascii') for c in text])


def literal(text, quotes=QUOTES, all_blanks=False):
    """(TEXT as it is between quotes, those of QUOTES that can be around it), few escapes in it."""
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
    """With no backslash in it, if that can be."""
    made, quotes = literal(text)
    return quotes[0] + made + quotes[0]


def parts(all_parts):
    """An f-string of (text, is it constant), in quotes that fit all of them."""
    made, quotes = [], QUOTES
    for text, constant in all_parts:
        part, fit = literal(text, quotes, constant)
        if not set(fit) & set(quotes):
            return "'''" + ''.join([repr('"' + t)[2:-1] for t, _ in all_parts]) + "'''"
        made.append(part)
        quotes = fit
    return quotes[0] + ''.join(made) + quotes[0]
