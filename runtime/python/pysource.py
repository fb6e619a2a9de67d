# SPDX-License-Identifier: MIT
"""Parses the source of a Python program with Python's own parser: as a whole, block by block if it is
large, and piece by piece if it is not valid for this version. A part that cannot be parsed is
reported with its line, and the rest is shown."""
import patterns
import pytree
from pynames import Scope
from pyview import PythonView

CHUNK = 40              # maximum of lines that are tried together if a program cannot be parsed
TRIES = 20000           # maximum of such pieces
WHOLE = 400000          # maximum length of a program that is parsed at once
BLOCK = 100000          # length of the blocks of a larger one
# Errors of a line that no further line can correct.
HOPELESS = patterns.compile(r'invalid syntax$|Missing parentheses in call to|multiple exception types must')
CONTINUES = patterns.compile(r'(else|elif|except|finally|case)\b')


def read(source, line):
    """The first lines of SOURCE."""
    rest = source.split('\n', line)[line:] if line else []
    return source[:len(source) - len(rest[0])] if rest else source


def parse(view, source):
    """(body, None), or (None, (line, words))."""
    view.work.skim(source)
    try:
        return pytree.parse(source).body, None
    except SyntaxError as e:
        view.work.parse(read(source, e.lineno))
        return None, (e.lineno or 0, e.msg or 'invalid syntax')
    except (RecursionError, MemoryError, ValueError) as e:
        view.work.parse(source)
        view.too_much(0, e)
        return None, view.limited


def dedented(lines):
    """A piece from inside a block, without the indentation that all its lines share."""
    full = [line for line in lines if line.strip()]
    first = full[0] if full else ''
    margin = first[:len(first) - len(first.lstrip())]
    if not margin or not all(line.startswith(margin) for line in full):
        return None
    return [line[len(margin):] for line in lines]


def at_margin(line):
    """True if a statement of the program could begin there."""
    return bool(line) and (line[0].isalpha() or line[0] in '_@') and not CONTINUES.match(line)


def large(lines):
    """(first line, lines) of the blocks of a large program, cut where statements seem to begin. The
    tree of the whole program would not fit into memory."""
    start, size = 0, 0
    for at, line in enumerate(lines):
        if size > BLOCK and at_margin(line):
            yield start, lines[start:at]
            start, size = at, 0
        size += len(line) + 1
    yield start, lines[start:]


def piece(view, lines, at, tries):
    """(end, tree or None, number of attempts): the shortest run of lines from AT that is Python."""
    tried = 0
    for end in range(at + 1, min(at + CHUNK, len(lines)) + 1):
        if end < len(lines) and lines[end][:1] in ' \t':
            continue
        if tried == tries:
            return at, None, tried
        tried += 1
        view.work.node()
        body, problem = parse(view, '\n'.join(lines[at:end]))
        if body is not None:
            return end, body, tried
        if problem[0] < end - at and HOPELESS.match(problem[1]):
            break
    return at + 1, None, tried


def pieces(view, lines, first):
    """The parts of an invalid program that can be parsed, as (language, code or tree, first line). A
    part is a run of lines that begins at the margin. Another version of Python may accept the rest."""
    at, tries = 0, TRIES
    while at < len(lines) and tries > 0:
        if not lines[at].strip() or lines[at][:1] in ' \t#':
            at += 1
            continue
        if lines[at][0] in '!%':
            yield 'bash', lines[at].lstrip('!%'), at
            at += 1
            continue
        end, body, tried = piece(view, lines, at, tries)
        tries -= tried
        if body is not None:
            yield 'python', body, at
        at = end
    if at < len(lines):
        view.limit(first + at + 1, 'no valid program, and more than %d pieces of it' % TRIES)


def show_pieces(view, made, lines, first):
    """True if a part of it could be read."""
    done = False
    for language, part, at in pieces(view, lines, first):
        done = True
        if language == 'python':
            made.piece(part, first + at)
            continue
        made.line = made.offset = first + at + 1
        made.nested(('bash', part, made.line), 0)
        made.offset = None
    return done


def begin(view, source=''):
    made = PythonView(view, source)
    made.scope = Scope(None, {}, set())
    return made


def go_on(made, source, first):
    """Shows SOURCE as a continuation of what MADE has seen. FIRST lines of the document are before it.
    True if a part of it could be read."""
    lines = source.split('\n')
    lines = dedented(lines) or lines
    made.lines = [''] * first + lines
    body, problem = parse(made.view, '\n'.join(lines))
    if body is not None:
        made.piece(body, first)
        return True
    made.view.problem(problem[0] and problem[0] + first, problem[1])
    return show_pieces(made.view, made, lines, first)


def show(view, source):
    """True if a part of it could be read."""
    made = begin(view, source)
    if len(source) <= WHOLE:
        body, problem = parse(view, source)
        moved = dedented(made.lines) if body is None else None
        if moved:
            made.lines = moved
            body, problem = parse(view, '\n'.join(moved))
        if body is not None:
            made.program(body)
            return True
        view.problem(*problem)
        return show_pieces(view, made, made.lines, 0)
    done = False
    for first, lines in large(made.lines):
        body, problem = parse(view, '\n'.join(lines))
        if body is not None:
            made.piece(body, first)
            done = True
        else:
            view.problem(problem[0] and problem[0] + first, problem[1])
            done = show_pieces(view, made, lines, first) or done
    return done
