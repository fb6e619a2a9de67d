# SPDX-License-Identifier: MIT
"""The words of a shell program. A word has parts: text, quotes and expansions. Quotes, escapes and
expansions are separated as the shell does; the content of an expansion stays a text here. One pass, no
recursion that the text controls."""
import patterns as re
import shellcase
from shellcase import META

LITERAL, PARAMETER, COMMAND, BACKTICK, ARITHMETIC, PROCESS, QUOTED = range(7)
NAME = re.compile(r'[A-Za-z_]\w*')
ASSIGNMENT = re.compile(r'([A-Za-z_]\w*)(\[[^\]]*\])?(\+?)=')
SUBSCRIPT = re.compile(r'[A-Za-z_]\w*\[')
SPECIALS = '@*#?-$!0123456789_'
# Adjacent words or several lines are not arithmetic. Another shell reads (( )) as commands.
NO_ARITHMETIC = re.compile(r'\n|["\'\w)}][ \t]+["\'\w$]|://')
NEST = 64               # maximum depth of brackets
INNER = re.compile(r'\$\(|`')
# ${NAME:-...} and the like. The rest is a word, shown as it is.
OTHERWISE = re.compile(r'\w*:?[-=+?]')
ESCAPES = {'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', 'e': '\x1b',
           'E': '\x1b', '\\': '\\', "'": "'", '"': '"', '?': '?'}
ESCAPE = re.compile(r'\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|0?[0-7]{1,3}|.)', re.S)


def unescape(text):
    """Resolves the escapes of $'...', echo -e and printf. Bytes that form UTF-8 become a character."""
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
        """The text of a word without quotes and expansions, else ''."""
        if all(p.kind == LITERAL and not p.quoted for p in self.parts):
            return ''.join(p.text for p in self.parts)
        return ''

    def assignment(self):
        """The match of NAME= at the beginning, or None."""
        if self.parts and self.parts[0].kind == LITERAL and not self.parts[0].quoted:
            return ASSIGNMENT.match(self.parts[0].text)
        return None


class WordReader:
    def __init__(self, view, text, line=1):
        self.view = view
        self.work = view.work
        self.text = text
        self.at = 0
        self.line = line
        self.pending = []       # here-documents whose text follows this line
        self.also = []          # see Command
        self.missing = set()    # ends of here-documents that do not occur in the rest of the text

    def doubt(self, words, code):
        """Notes a text that may also be code: it is reported, and also shown as code."""
        self.view.problem(self.line, words)
        if code.strip() and code != self.text:
            self.also.append(code)

    def tell_commands(self, at, end):
        """Commands inside a text run as well, so they are also shown as code."""
        while at < end:
            self.work.step()
            found = INNER.search(self.text, at, end)
            if not found:
                return
            start = found.end()
            at = 1 + shellcase.end(self, start) if found.group() == '$(' else self.after_double(start, '`')
            if at <= end:       # a missing end is reported
                self.also.append(self.text[start:at - 1])

    # Ends of quotes and brackets

    def closing(self, at, close):
        """The offset of the CLOSE that matches the bracket at AT, or the end of the text."""
        text, level, opening = self.text, 0, {')': '(', '}': '{', ']': '['}[close]
        while at < len(text):
            c = text[at]
            self.work.step()
            after = self.after_quote(at, 0)
            if after > at:
                at = after - 1
            elif c == opening and (c != '{' or text[at - 1] == '$'):
                level += 1
            elif c == close:
                if level == 0:
                    return at
                level -= 1
            at += 1
        self.view.problem(self.line, 'a %s is missing' % close)
        return len(text)

    def after_quote(self, at, depth):
        """The offset after the quotes at AT; AT if there are none."""
        c = self.text[at]
        if c == '\\':
            return at + 2
        if c == "'":
            return self.after_single(at + 1)
        return self.after_double(at + 1, c, depth) if c in '"`' else at

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
                at = shellcase.end(self, at + 2, depth + 1)
            at += 1
        if at >= len(text):
            self.view.problem(self.line, 'a %s is missing' % quote)
        return at + 1

    # Words

    def word(self, subscript=None):
        """Reads a word. A beginning that matches SUBSCRIPT continues to its ]."""
        parts = []
        start, line = self.at, self.line
        if subscript:
            self.subscript(parts, subscript)
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

    def subscript(self, parts, pattern):
        found = pattern.match(self.text, self.at)
        if not found:
            return
        end = self.closing(found.end(), ']')
        inner = self.text[found.end():end]
        if '\n' in inner or end >= len(self.text):
            self.doubt('a subscript of several lines', inner)
        self.tell_commands(found.end(), end)
        self.literal(parts, self.text[self.at:end + 1], False)
        self.at = end + 1

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
        end = shellcase.end(self, self.at + 2)
        parts.append(Part(PROCESS, self.text[self.at:end], False))
        self.at = end + 1

    def backtick(self, parts, quoted):
        end = self.after_double(self.at + 1, '`')
        code = re.sub(r'\\([`$\\])', r'\1', self.text[self.at + 1:end - 1])
        parts.append(Part(BACKTICK, code, quoted))
        self.at = end

    def double(self, parts, opened=True):
        text = self.text
        self.at += opened
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
        if self.at >= len(text) and opened:
            self.view.problem(self.line, 'a " is missing')
        self.at += 1

    def as_quoted(self):
        """The whole text, read as if it were in double quotes."""
        parts = []
        while self.at < len(self.text):
            self.double(parts, False)
            if self.at <= len(self.text):
                self.literal(parts, '"', True)
        return Word(parts, self.line)

    def dollar(self, parts, quoted):
        text, at = self.text, self.at
        following = text[at + 1:at + 2]
        if following == "'" and not quoted:
            end = self.quoted_end(at + 2)
            self.literal(parts, unescape(text[at + 2:end]), True)
            self.at = end + 1
        elif following == '"' and not quoted:
            self.at += 1        # $"...": a translated string, read without the translation
        elif text.startswith('$((', at) and self.arithmetic_end(at + 3):
            end = self.arithmetic_end(at + 3)
            self.arithmetic(parts, at + 3, end, quoted)
            self.at = end + 2
        elif following == '[':
            end = self.closing(at + 2, ']')
            self.arithmetic(parts, at + 2, end, quoted)
            self.at = end + 1
        elif following == '(':
            end = shellcase.end(self, at + 2)
            parts.append(Part(COMMAND, text[at + 2:end], quoted))
            self.at = end + 1
        elif following == '{':
            end = self.closing(at + 2, '}')
            if '\n' in text[at:end] or (quoted and "'" in text[at:end]):
                code = re.sub('[\'"]', '', text[at + 2:end])
                self.doubt('a ${ } that can be read in two ways', code)
            if not OTHERWISE.match(text, at + 2):
                self.tell_commands(at + 2, end)
            parts.append(Part(PARAMETER, text[at + 2:end], quoted))
            self.at = end + 1
        else:
            self.variable(parts, quoted)

    def arithmetic_end(self, at):
        """The offset of the )) that ends the arithmetic at AT; 0 if it is a command in two brackets."""
        end = self.closing(at, ')')
        return end if self.text.startswith('))', end) else 0

    def arithmetic(self, parts, start, end, quoted):
        self.check_arithmetic(start, end)
        parts.append(Part(ARITHMETIC, self.text[start:end], quoted))

    def check_arithmetic(self, start, end):
        """Notes arithmetic that may be commands. Commands inside it are shown in any case."""
        plain, at = '', start
        while at < end:
            self.work.step()
            found = self.text.find('$(', at, end)
            plain += (self.text[at:end] if found < 0 else self.text[at:found] + '0')
            at = end if found < 0 else shellcase.end(self, found + 2) + 1
        if NO_ARITHMETIC.search(plain):
            self.doubt('not valid arithmetic', self.text[start:end])

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
