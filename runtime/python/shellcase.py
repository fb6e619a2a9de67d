# SPDX-License-Identifier: MIT
"""Where the commands in $(...) end: at the first ) that nothing else needs. A bracket needs one, and
so does every pattern of `case x in a) ...;; b) ...;; esac`, which has no opening one. `case` is only
a word unless a command can begin there, as `in` and `esac` are in their places. One pass, a letter
for each case that is open; it must never read a text twice or recurse."""
import patterns as re

META = ' \t\n|&;()<>'
PLAIN = re.compile(r'[^\\\'"`# \t\n|&;()<>]+')
KEYWORD = re.compile(r'(?:case|in|esac|if|then|elif|else|do|while|until|time|coproc|[!{])(?=[ \t\n|&;()<>]|\Z)')
LEADING = frozenset('if then elif else do while until time coproc ! {'.split())
NEST = 64               # cases in cases that are told apart
# What a case is at: its subject, `in`, the beginning of a pattern, the rest of it, its commands.
SUBJECT, IN, PATTERN, REST, LIST = 'sipr,'


class Brackets:
    def __init__(self, text):
        self.text = text
        self.outer = []         # the cases around each bracket that is open
        self.cases = ''         # a letter for each case that is open in this one
        self.begins = True      # can a command begin here?
        self.inside = False     # a word

    def turn(self, state):
        self.cases = self.cases[:-1] + state

    def word(self, at):
        """A character of a word is at AT."""
        if self.inside:
            return
        found = KEYWORD.match(self.text, at)
        key, state = found.group() if found else '', self.cases[-1:]
        if state == SUBJECT:
            self.turn(IN)
        elif state == IN:
            self.turn(PATTERN if key == 'in' else '')
        elif key == 'esac' and (state == PATTERN or (state == LIST and self.begins)):
            self.turn('')
        elif state == PATTERN:
            self.turn(REST)
        elif key == 'case' and self.begins and len(self.cases) < NEST:
            self.cases += SUBJECT
        self.begins = self.begins and key in LEADING
        self.inside = True

    def separate(self, at):
        """A blank or an operator is at AT."""
        c, state, self.inside = self.text[at], self.cases[-1:], False
        if c in ' \t' or (c in '|&' and self.text[at - 1] in '<>'):
            return
        if c in '|&;' and state and state in SUBJECT + IN:
            self.turn('')
        elif state == LIST and self.text.startswith((';;', ';&'), at):
            self.turn(PATTERN)
        self.begins = c not in '<>'

    def open(self):
        self.inside = False
        if self.cases[-1:] == PATTERN:      # (a) is a) too
            self.turn(REST)
            return
        self.outer.append(self.cases)
        self.cases = ''
        self.begins = True

    def close(self, at):
        """Is the ) at AT the end of all?"""
        if self.cases[-1:] in (PATTERN, REST):
            self.turn(LIST)
            self.begins, self.inside = True, False
            return False
        if not self.outer:
            return True
        self.cases = self.outer.pop()
        self.begins, self.inside = self.text[at - 1] == '(', True   # f() is followed by a command
        return False


def end(reader, at, depth=0):
    """The place of the ) that ends the commands that begin at AT, or the end of the text."""
    text, brackets = reader.text, Brackets(reader.text)
    while at < len(text):
        reader.work.step()
        c, plain = text[at], PLAIN.match(text, at)
        after = plain.end() if plain else reader.after_quote(at, depth)
        if after > at:
            if not text.startswith('\\\n', at):
                brackets.word(at)
            at = after
        elif c == '#' and text[at - 1] in ' \t\n;|&(':
            found = text.find('\n', at)
            at = len(text) if found < 0 else found
        else:
            if c == ')' and brackets.close(at):
                return at
            if c == '(':
                brackets.open()
            elif c == '#':
                brackets.word(at)
            elif c != ')':
                brackets.separate(at)
            at += 1
    reader.view.problem(reader.line, 'a ) is missing')
    return len(text)
