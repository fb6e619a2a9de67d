# SPDX-License-Identifier: MIT
"""Finds the end of the commands in $(...): the first ) that closes nothing else. A ) closes a bracket
or ends a pattern of `case x in a) ...;; b) ...;; esac`, which has no opening bracket. `case`, `in` and
`esac` are keywords only in certain places. One pass, with one letter for each open case; it must never
read a text twice or recurse."""
import patterns as re

META = ' \t\n|&;()<>'
PLAIN = re.compile(r'[^\\\'"`# \t\n|&;()<>]+')
KEYWORD = re.compile(r'(?:case|in|esac|if|then|elif|else|do|while|until|time|coproc|[!{])(?=[ \t\n|&;()<>]|\Z)')
LEADING = frozenset('if then elif else do while until time coproc ! {'.split())
NEST = 64               # maximum depth of cases in cases
# The position in a case: subject, `in`, beginning of a pattern, rest of it, commands.
SUBJECT, IN, PATTERN, REST, LIST = 'sipr,'


class Brackets:
    def __init__(self, text):
        self.text = text
        self.outer = []         # the cases around each open bracket
        self.cases = ''         # a letter for each case that is open in this bracket
        self.begins = True      # can a command begin here?
        self.inside = False     # a word

    def turn(self, state):
        self.cases = self.cases[:-1] + state

    def word(self, at):
        """Reads a character of a word at AT."""
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
        """Reads a blank or an operator at AT."""
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
        if self.cases[-1:] == PATTERN:      # a pattern may be (a) or a)
            self.turn(REST)
            return
        self.outer.append(self.cases)
        self.cases = ''
        self.begins = True

    def close(self, at):
        """True if the ) at AT is the end of the commands."""
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
    """The offset of the ) that ends the commands at AT, or the end of the text."""
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
