# SPDX-License-Identifier: MIT
"""Parses a shell program into commands of words (shellword.py). It knows enough of the grammar to
separate lists, redirections and here-documents as the shell does. The text is hostile: one pass, no
recursion that the text controls, and a part that is not understood stays a word. Keywords of structure
(if, for, case) are words."""
import patterns as re
import bounds
import shellcase
from shellcase import META
from shellword import LITERAL, QUOTED, SUBSCRIPT, Part, Word, WordReader, unescape

OPERATORS = ('&>>', ';;&', '<<<', '<<-', '&&', '||', ';;', ';&', '|&', '<<', '<>', '<&', '>&', '>>',
             '>|', '&>', '|', '&', ';', '(', ')', '<', '>')
REDIRECTIONS = frozenset(('&>>', '<<<', '<<-', '<<', '<>', '<&', '>&', '>>', '>|', '&>', '<', '>'))
KEYWORDS = frozenset('if then elif else fi do done while until ! { } time coproc'.split())
BLANK = ' \t'
CONDITION = re.compile(r'&&|\|\||[^ \t]', re.S)
ELEMENT = re.compile(r'\[')


class Redirection:
    __slots__ = ('op', 'fd', 'word', 'body', 'quoted', 'end')

    def __init__(self, op, fd):
        self.op = op
        self.fd = fd
        self.word = None
        self.body = None        # text of a here-document
        self.quoted = False
        self.end = ''           # the line that ends the here-document


class Command:
    __slots__ = ('prefix', 'words', 'redirections', 'line', 'also')

    def __init__(self, line):
        self.prefix = []
        self.words = []
        self.redirections = []
        self.line = line
        self.also = []          # code that another shell may see in it

    def may_begin(self):
        """True if a keyword may be here."""
        return not (self.words or self.redirections)

    def may_assign(self):
        return all(w.assignment() for w in self.words)

    def is_empty(self):
        return not (self.prefix or self.words or self.redirections)


class Reader(WordReader):
    def skip(self):
        """Skips blanks, continued lines and comments."""
        text = self.text
        while self.at < len(text):
            if text[self.at] in BLANK:
                self.at += 1
            elif text.startswith('\\\n', self.at):
                self.at += 2
                self.line += 1
            elif text[self.at] == '#':
                end = text.find('\n', self.at)
                self.at = len(text) if end < 0 else end
            else:
                return

    def skip_lines(self):
        """Skips empty lines and comments before the command after | && ||."""
        self.skip()
        while self.text.startswith('\n', self.at):
            self.work.step()
            self.at += 1
            self.line += 1
            self.documents()
            self.skip()

    def operator(self):
        self.work.step(bounds.OPERATOR)
        if self.text.startswith('\n', self.at):
            return '\n'
        if self.text[self.at] in '<>' and self.text.startswith('(', self.at + 1):
            return None
        for op in OPERATORS:
            if self.text.startswith(op, self.at):
                return op
        return None

    def commands(self):
        """Yields (pipeline, operator that ends it)."""
        pipeline, command = [], Command(self.line)
        while True:
            self.skip()
            self.work.step()
            if self.at >= len(self.text):
                break
            op = self.operator()
            if op is None:
                self.take_word(command)
                continue
            self.at += len(op)
            if op in REDIRECTIONS:
                self.redirect(command, op, '')
            elif op in ('|', '|&'):
                pipeline.append(command)
                self.skip_lines()
                command = Command(self.line)
            elif op == '(' and self.double_bracket(command):
                continue
            elif op == '(' and not command.words:
                command.prefix.append('(')
            elif op == '(':
                self.parenthesis(command)
            else:
                pipeline.append(command)
                if op == '\n':
                    self.line += 1
                    self.documents()
                elif op in ('&&', '||'):
                    self.skip_lines()
                command.also, self.also = self.also, []
                yield pipeline, op
                pipeline, command = [], Command(self.line)
        pipeline.append(command)
        self.documents()
        command.also, self.also = self.also, []
        yield pipeline, '\n'

    def double_bracket(self, command):
        """((...)) and for ((...)) are one word. Its first ( has been read."""
        if not self.text.startswith('(', self.at) or not (
                command.may_begin() or [w.bare() for w in command.words] == ['for']):
            return False
        end = self.arithmetic_end(self.at + 1)
        if not end:
            return False
        inner, line = self.text[self.at + 1:end], self.line
        self.check_arithmetic(self.at + 1, end)
        self.line += inner.count('\n')
        command.words.append(Word([Part(LITERAL, '((', False), Part(QUOTED, inner, False),
                                   Part(LITERAL, '))', False)], line))
        self.at = end + 2
        return True

    def condition(self, command):
        """Reads [[ ... ]], in which < and | are letters and brackets are balanced."""
        text, depth, start, open_end = self.text, 0, self.at, True
        while self.at < len(text):
            c = text[self.at]
            self.work.step()
            if c in BLANK or text.startswith('\\\n', self.at):
                self.at += 1 if c in BLANK else 2
                self.line += c not in BLANK
            elif c == '#' and (depth or not open_end) or (c in '\n;' and not (depth or open_end)):
                break
            elif c == '#' or c == '\n':
                end = text.find('\n', self.at)
                self.at = end + 1 if end >= 0 else len(text)
                self.line += 1
            elif c in META and not (c in '<>' and text.startswith('(', self.at + 1)):
                found = CONDITION.match(text, self.at)
                depth = max(0, depth + (c == '(') - (c == ')'))
                open_end = found.group() in ('&&', '||', '(')
                command.words.append(Word([Part(QUOTED, found.group(), False)], self.line))
                self.at = found.end()
            else:
                word = self.word()
                command.words.append(word)
                open_end = False
                if word.bare() == ']]' and not depth:
                    return
        self.doubt('a ]] is missing', text[start:self.at])

    def take_word(self, command):
        word = self.word(SUBSCRIPT if command.may_assign() else None)
        if self.at < len(self.text) and self.text[self.at] in '<>' and word.bare().isdigit():
            op = self.operator()
            if op:
                self.at += len(op)
                self.redirect(command, op, word.bare())
                return
        if not command.words and word.bare() in KEYWORDS:
            command.prefix.append(word.bare())
            return
        if not command.words and not command.prefix:
            command.line = word.line
        if word.bare() == '[[' and command.may_begin():
            command.words.append(word)
            self.condition(command)
            return
        if word.assignment() and self.text.startswith('(', self.at) and word.bare().endswith('='):
            word.items = self.array()
        command.words.append(word)

    def array(self):
        self.at += 1
        items = []
        while self.at < len(self.text) and self.text[self.at] != ')':
            self.work.step()
            if self.text[self.at] in ' \t\n':
                self.line += self.text[self.at] == '\n'
                self.at += 1
            elif self.text[self.at] in META:
                self.at += 1
            else:
                items.append(self.word(ELEMENT))
        self.at += 1
        return items

    def parenthesis(self, command):
        """Reads f (), or a text that looks like it."""
        self.skip()
        if self.text.startswith(')', self.at):
            self.at += 1
        command.words.append(Word([Part(LITERAL, '()', False)], self.line))

    def redirect(self, command, op, fd):
        made = Redirection(op, fd)
        self.skip()
        start = self.at
        if self.at < len(self.text) and self.operator() is None:
            made.word = self.word()
        command.redirections.append(made)
        if op in ('<<', '<<-') and made.word:
            raw = self.text[start:self.at]
            made.end = self.delimiter(start, self.at)
            made.quoted = any(c in raw for c in '\\\'"')
            self.pending.append(made)

    def delimiter(self, at, stop):
        """The line that ends a here-document: its word without quotes, not expanded."""
        text, made, double = self.text, '', False
        stop = min(stop, len(text))     # the closing quote may be missing
        while at < stop:
            c, end = text[at], at + 1
            if c == '\\' and (not double or text[end:end + 1] in '$`"\\\n'):
                end += 1
                made += text[at + 1:end].replace('\n', '')
            elif c == '"' or (text.startswith('$"', at) and not double):
                double, end = not double, end + (c == '$')
            elif c == "'" and not double:
                end = self.after_single(end)
                made += text[at + 1:end - 1]
            elif text.startswith("$'", at) and not double:
                end = self.quoted_end(at + 2) + 1
                made += unescape(text[at + 2:end - 1])
            else:
                if c == '`':
                    end = self.after_double(end, c)
                elif text.startswith(('$(', '${'), at):
                    end = 1 + (shellcase.end(self, end + 1) if text[end] == '(' else
                               self.closing(end + 1, '}'))
                made += text[at:end]
            at = end
        return made

    def document_line(self, joins):
        """Reads one line of a here-document. JOINS: a backslash at its end continues it."""
        made = ''
        while self.at < len(self.text):
            stop = self.text.find('\n', self.at)
            stop = len(self.text) if stop < 0 else stop
            made += self.text[self.at:stop]
            self.at = stop + 1
            self.line += 1
            self.work.step()
            if not joins or (len(made) - len(made.rstrip('\\'))) % 2 == 0:
                break
            made = made[:-1]
        return made

    def documents(self):
        for one in self.pending:
            lines, first, found = [], (self.at, self.line), False
            last = self.at
            while self.at < len(self.text) and not found and one.end not in self.missing:
                last = self.at
                line = self.document_line(not one.quoted)
                line = line.lstrip('\t') if one.op == '<<-' else line
                found = line == one.end
                if not found:
                    lines.append(line)
            one.body = '\n'.join(lines) + '\n' if lines else ''
            if not one.quoted:
                self.tell_commands(first[0], last if found else min(self.at, len(self.text)))
            if not found:       # the following lines are also read as commands
                self.at, self.line = first
                self.view.problem(self.line, 'the end of a here-document is missing')
                self.missing.add(one.end)
        self.pending = []
