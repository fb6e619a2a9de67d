# SPDX-License-Identifier: MIT
"""A shell program as commands of words of parts: enough of the grammar to take quotes, escapes,
substitutions, redirections and here-documents apart as the shell does. It is a reader for hostile
text: one pass, no recursion that the text controls, and whatever it does not understand stays a
word. Structure (if, for, case) is only words to it."""
import re

LITERAL, PARAMETER, COMMAND, BACKTICK, ARITHMETIC, PROCESS = range(6)
OPERATORS = ('&>>', ';;&', '<<<', '<<-', '&&', '||', ';;', ';&', '|&', '<<', '<>', '<&', '>&', '>>',
             '>|', '&>', '|', '&', ';', '(', ')', '<', '>')
REDIRECTIONS = frozenset(('&>>', '<<<', '<<-', '<<', '<>', '<&', '>&', '>>', '>|', '&>', '<', '>'))
KEYWORDS = frozenset('if then elif else fi do done while until ! { } time coproc'.split())
BLANK = ' \t'
META = ' \t\n|&;()<>'
NAME = re.compile(r'[A-Za-z_]\w*')
ASSIGNMENT = re.compile(r'([A-Za-z_]\w*)(\[[^\]]*\])?(\+?)=')
SPECIALS = '@*#?-$!0123456789_'
NEST = 64               # brackets in brackets
ESCAPES = {'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', 'e': '\x1b',
           'E': '\x1b', '\\': '\\', "'": "'", '"': '"', '?': '?'}
ESCAPE = re.compile(r'\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|0?[0-7]{1,3}|.)', re.S)


def unescape(text):
    """The escapes of $'...', echo -e and printf. Bytes that are UTF-8 together become one."""
    def one(found):
        code = found.group(1)
        if code[0] in 'xuU' and len(code) > 1:
            number = int(code[1:], 16)
        elif code[0] in '01234567':
            number = int(code, 8) & 255
        else:
            return ESCAPES.get(code, '\\' + code)
        return chr(number) if number < 0x110000 else ''
    made = ESCAPE.sub(one, text)
    try:
        return made.encode('latin-1').decode('utf-8')
    except (UnicodeEncodeError, UnicodeDecodeError):
        return made


class Part:
    __slots__ = ('kind', 'text', 'quoted')

    def __init__(self, kind, text, quoted):
        self.kind = kind
        self.text = text
        self.quoted = quoted


class Word:
    __slots__ = ('parts', 'line', 'items')

    def __init__(self, parts, line):
        self.parts = parts
        self.line = line
        self.items = None       # NAME=(...): the words in it

    def bare(self):
        """Its text, if there is nothing but that in it and no quote, else ''."""
        if all(p.kind == LITERAL and not p.quoted for p in self.parts):
            return ''.join(p.text for p in self.parts)
        return ''

    def assignment(self):
        """The match of NAME= at its beginning, or None."""
        if self.parts and self.parts[0].kind == LITERAL and not self.parts[0].quoted:
            return ASSIGNMENT.match(self.parts[0].text)
        return None


class Redirection:
    __slots__ = ('op', 'fd', 'word', 'body', 'quoted')

    def __init__(self, op, fd):
        self.op = op
        self.fd = fd
        self.word = None
        self.body = None        # of a here-document
        self.quoted = False


class Command:
    __slots__ = ('prefix', 'words', 'redirections', 'line')

    def __init__(self, line):
        self.prefix = []
        self.words = []
        self.redirections = []
        self.line = line

    def is_empty(self):
        return not (self.prefix or self.words or self.redirections)


class Reader:
    def __init__(self, view, text, line=1):
        self.view = view
        self.work = view.work
        self.text = text
        self.at = 0
        self.line = line
        self.pending = []       # here-documents whose text comes after this line

    # Where things end

    def closing(self, at, close, depth=0):
        """The place of CLOSE that ends what begins at AT, or the end of the text."""
        text, level, opening = self.text, 0, {')': '(', '}': '{'}[close]
        while at < len(text):
            c = text[at]
            self.work.step()
            if c == '\\':
                at += 1
            elif c == "'":
                at = self.after_single(at + 1) - 1
            elif c in '"`':
                at = self.after_double(at + 1, c, depth) - 1
            elif c == opening:
                level += 1
            elif c == close:
                if level == 0:
                    return at
                level -= 1
            at += 1
        self.view.problem(self.line, 'a %s is missing' % close)
        return len(text)

    def after_single(self, at):
        end = self.text.find("'", at)
        if end < 0:
            self.view.problem(self.line, "a ' is missing")
            return len(self.text) + 1
        return end + 1

    def after_double(self, at, quote='"', depth=0):
        text = self.text
        while at < len(text) and text[at] != quote:
            self.work.step()
            if text[at] == '\\':
                at += 1
            elif text.startswith('$(', at) and depth < NEST and quote == '"':
                at = self.closing(at + 2, ')', depth + 1)
            at += 1
        if at >= len(text):
            self.view.problem(self.line, 'a %s is missing' % quote)
        return at + 1

    # Words

    def word(self):
        parts = []
        start, line = self.at, self.line
        text = self.text
        while self.at < len(text):
            c = text[self.at]
            self.work.step()
            if c in META and not (c in '<>' and text.startswith('(', self.at + 1)):
                break
            if c in '<>':
                self.process(parts)
            elif c == '\\':
                self.escape(parts)
            elif c == "'":
                end = self.after_single(self.at + 1)
                self.literal(parts, text[self.at + 1:end - 1], True)
                self.at = end
            elif c == '"':
                self.double(parts)
            elif c == '`':
                self.backtick(parts, False)
            elif c == '$':
                self.dollar(parts, False)
            else:
                self.plain(parts)
        self.line += text.count('\n', start, self.at)
        return Word(parts, line)

    @staticmethod
    def literal(parts, text, quoted):
        last = parts[-1] if parts else None
        if last and last.kind == LITERAL and last.quoted == quoted:
            last.text += text
        else:
            parts.append(Part(LITERAL, text, quoted))

    def plain(self, parts):
        end = self.at + 1
        while end < len(self.text) and self.text[end] not in ' \t\n|&;()<>\\\'"`$':
            end += 1
        self.literal(parts, self.text[self.at:end], False)
        self.at = end

    def escape(self, parts):
        following = self.text[self.at + 1:self.at + 2]
        if following != '\n':
            self.literal(parts, following, True)
        self.at += 2

    def process(self, parts):
        end = self.closing(self.at + 2, ')')
        parts.append(Part(PROCESS, self.text[self.at:end], False))
        self.at = end + 1

    def backtick(self, parts, quoted):
        end = self.after_double(self.at + 1, '`')
        code = re.sub(r'\\([`$\\])', r'\1', self.text[self.at + 1:end - 1])
        parts.append(Part(BACKTICK, code, quoted))
        self.at = end

    def double(self, parts):
        text = self.text
        self.at += 1
        self.literal(parts, '', True)
        while self.at < len(text) and text[self.at] != '"':
            c = text[self.at]
            self.work.step()
            if c == '\\':
                following = text[self.at + 1:self.at + 2]
                if following != '\n':
                    self.literal(parts, following if following in '$`"\\' else c + following, True)
                self.at += 2
            elif c == '`':
                self.backtick(parts, True)
            elif c == '$':
                self.dollar(parts, True)
            else:
                end = self.at + 1
                while end < len(text) and text[end] not in '"\\`$':
                    end += 1
                self.literal(parts, text[self.at:end], True)
                self.at = end
        if self.at >= len(text):
            self.view.problem(self.line, 'a " is missing')
        self.at += 1

    def dollar(self, parts, quoted):
        text, at = self.text, self.at
        following = text[at + 1:at + 2]
        if following == "'" and not quoted:
            end = self.quoted_end(at + 2)
            self.literal(parts, unescape(text[at + 2:end]), True)
            self.at = end + 1
        elif following == '"' and not quoted:
            self.at += 1        # a translated string: the same without a translation
        elif text.startswith('$((', at):
            end = self.closing(at + 3, ')')
            parts.append(Part(ARITHMETIC, text[at + 3:end], quoted))
            self.at = end + 2 if text.startswith('))', end) else end + 1
        elif following == '(':
            end = self.closing(at + 2, ')')
            parts.append(Part(COMMAND, text[at + 2:end], quoted))
            self.at = end + 1
        elif following == '{':
            end = self.closing(at + 2, '}')
            parts.append(Part(PARAMETER, text[at + 2:end], quoted))
            self.at = end + 1
        else:
            self.variable(parts, quoted)

    def quoted_end(self, at):
        while at < len(self.text) and self.text[at] != "'":
            at += 2 if self.text[at] == '\\' else 1
        return at

    def variable(self, parts, quoted):
        found = NAME.match(self.text, self.at + 1)
        if found:
            parts.append(Part(PARAMETER, found.group(), quoted))
            self.at = found.end()
        elif self.text[self.at + 1:self.at + 2] and self.text[self.at + 1] in SPECIALS:
            parts.append(Part(PARAMETER, self.text[self.at + 1], quoted))
            self.at += 2
        else:
            self.literal(parts, '$', quoted)
            self.at += 1

    # Commands

    def skip(self):
        """Blanks, continued lines and comments."""
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

    def operator(self):
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
                command = Command(self.line)
            elif op == '(' and not command.words:
                command.prefix.append('(')
            elif op == '(':
                self.parenthesis(command)
            else:
                pipeline.append(command)
                if op == '\n':
                    self.line += 1
                    self.documents()
                yield pipeline, op
                pipeline, command = [], Command(self.line)
        pipeline.append(command)
        self.documents()
        yield pipeline, '\n'

    def take_word(self, command):
        word = self.word()
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
                items.append(self.word())
        self.at += 1
        return items

    def parenthesis(self, command):
        """f () or what only looks like it."""
        self.skip()
        if self.text.startswith(')', self.at):
            self.at += 1
        command.words.append(Word([Part(LITERAL, '()', False)], self.line))

    def redirect(self, command, op, fd):
        made = Redirection(op, fd)
        self.skip()
        if self.at < len(self.text) and self.operator() is None:
            made.word = self.word()
        command.redirections.append(made)
        if op in ('<<', '<<-') and made.word:
            made.quoted = any(p.quoted for p in made.word.parts)
            self.pending.append(made)

    def documents(self):
        for one in self.pending:
            end = ''.join(p.text for p in one.word.parts)
            lines = []
            while self.at < len(self.text):
                stop = self.text.find('\n', self.at)
                stop = len(self.text) if stop < 0 else stop
                line = self.text[self.at:stop]
                self.at = stop + 1
                self.line += 1
                self.work.step()
                line = line.lstrip('\t') if one.op == '<<-' else line
                if line == end:
                    break
                lines.append(line)
            one.body = '\n'.join(lines) + '\n' if lines else ''
        self.pending = []
