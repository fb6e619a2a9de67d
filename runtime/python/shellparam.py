# SPDX-License-Identifier: MIT
"""Parameters of a shell program: $x and ${...}, if their value is known from the program, and those that
are empty because nothing sets them. This is a part of shellexpand.Expander, which has the variables
and words. Values come from hostile code: size, depth and work are bounded. A parameter that is taken
as empty, or as its default, could be set by the caller of the program, so it is reported as dynamic."""
import patterns as re
import bounds
import shellparse
import shellword
from pyconst import NotConst
from shellword import BACKTICK, COMMAND, LITERAL, PARAMETER

SLASH = frozenset(('PATH', 'HOME', 'PWD', 'OLDPWD', 'SHELL'))    # they begin with a slash
OWN = frozenset('IFS PWD OLDPWD RANDOM SECONDS LINENO BASH_VERSION UID EUID PPID OPTARG OPTIND REPLY '
                'BASH_SOURCE FUNCNAME _'.split())
# Variables that an environment usually has.
ENVIRON = frozenset('PATH HOME USER LOGNAME SHELL TERM LANG TMPDIR HOSTNAME EDITOR VISUAL PAGER MAIL DISPLAY '
                    'HOSTTYPE MACHTYPE OSTYPE GROUPS DIRSTACK SHLVL SHELLOPTS EPOCHSECONDS EPOCHREALTIME '
                    'SRANDOM PIPESTATUS COLUMNS LINES TZ PS1 PS2 PS4 http_proxy https_proxy ftp_proxy all_proxy no_proxy'.split())
# A ${...} that is empty if the parameter is: $1 and the like, a name, or a prefix of names; perhaps with
# an index; with an operation other than a default value.
NOTHING = re.compile(r'(?:([@*!]|[1-9]\d{0,5})|!?([A-Za-z_]\w*)(?:\[[^\]]*\]|(?<=\w)[*@](?=\Z))?)'
                     r'(?::?\+.*|[#%/^,@].*|:[^-=?+].*)?\Z', re.S)
OF_WORDS = re.compile(r'(#(?=\Z)|[@*]|[1-9]\d{0,5})(.*)\Z', re.S)    # $1 $2 ... with an operation
SIDES = '-/.:@=_'       # next to a letter on the other side


class Parameters:
    def is_nothing(self, parts, at):
        """w$@get, -${x}e, nc${x[*]}: a parameter inside a word that the program does not set. Without
        such a variable or argument from the caller, the rest of the word runs. This is a guess, so it is
        reported as dynamic."""
        if not self.is_unset(parts[at].text):
            return False
        self.work.step(bounds.NOTHING)
        sides = [c for c in (self.beside(parts, at, -1), self.beside(parts, at, 1)) if c]
        if not any(c.isalnum() for c in sides) or any(not c.isalnum() and c not in SIDES for c in sides) or \
                (len(sides) == 1 and (sides[0] == '_' or parts[at].text.isupper())):
            return False
        self.view.effects.add('dynamic', '${%s}' % parts[at].text, self.line)
        return True

    def is_unset(self, text):
        found = NOTHING.match(text)
        if not found:
            return False
        name = found.group(2)
        return not self.args if not name else not (
            name in self.variables or name in ENVIRON or name in OWN or name.startswith('BASH'))

    def beside(self, parts, at, step):
        """The character before or after the part AT; '' at the end of the word or at a blank. Adjacent
        empty parts share the result, so each part is read once."""
        word, first, last, found = self.sides.get(step, (None, 0, 0, ''))
        now = at
        while word is not parts or not first <= now <= last:
            now += step
            char = self.shown_at(parts, now, step)
            if char is not None:
                first, last, found = (now + 1, at, char) if step < 0 else (at, now - 1, char)
                break
        self.sides[step] = parts, min(first, at), max(last, at), found
        return found

    def shown_at(self, parts, at, step):
        """The character that a part shows at its edge; None if the part is empty."""
        if not 0 <= at < len(parts):
            return ''
        part = parts[at]
        self.work.step()
        value = part.text if part.kind == LITERAL else \
            self.parameter(part.text) if part.kind == PARAMETER else \
            self.output(part.text) if part.kind in (COMMAND, BACKTICK) else None
        if value is None:
            return None if part.kind == PARAMETER and self.is_unset(part.text) else '$'
        return value[-1 if step < 0 else 0].strip() if value else None

    def get(self, name):
        if name == 'IFS' and name not in self.variables:
            return ' '
        value = self.variables.get(name)
        if name not in self.variables and name.isupper() and name not in OWN and len(name) > 1:
            self.view.effects.add('env', name, self.line)
        return ' '.join(value.values() if isinstance(value, dict) else value) \
            if isinstance(value, (dict, list)) else value

    OPERATION = re.compile(r'([A-Za-z_]\w*)(?:\[([^\]]*)\])?(.*)\Z', re.S)

    def parameter(self, text):
        """The value of ${...}, or None."""
        found = OF_WORDS.match(text)
        if found:
            return self.argument(*found.groups())
        if text.startswith('#') and len(text) > 1:
            value = self.get(text[1:])
            return str(len(value)) if value is not None else None
        if text.startswith('!') and len(text) > 1:
            name = self.get(text[1:])
            return self.get(name) if name and shellword.NAME.fullmatch(name) else None
        found = self.OPERATION.match(text)
        if not found:
            return None
        name, index, rest = found.groups()
        value = self.get(name) if index is None else self.element(name, index)
        if not rest:
            return value
        slash = re.fullmatch(r':0:1', rest)
        if slash and value is None and name in SLASH:
            return '/'
        return self.operate(name, value, rest)

    def argument(self, name, rest):
        if self.args is None:
            made = self.operate('', None, rest) if rest else None
            if made is not None:
                self.view.effects.add('dynamic', '${%s%s}' % (name, rest), self.line)
            return made
        if name == '#':
            return str(len(self.args))
        chosen = self.args if name in '@*' else self.args[int(name) - 1:int(name)]
        first = re.fullmatch(r':\s*([1-9]\d{0,5})', rest) if name in '@*' else None
        if first:
            chosen, rest = self.args[int(first.group(1)) - 1:], ''
        if any(f.dynamic for f in chosen):
            return None
        value = ' '.join(f.text for f in chosen)
        return self.operate('', value, rest) if rest else value

    def element(self, name, index):
        value = self.variables.get(name)
        if index in ('@', '*'):
            return self.get(name)
        if isinstance(value, dict):
            key = self.flat(index)
            return None if key is None else value.get(key, '')
        number = self.arithmetic(index)
        if value is None or number is None:
            return None
        value = value if isinstance(value, list) else [value]
        return value[int(number)] if -len(value) <= int(number) < len(value) else ''

    def operate(self, name, value, rest):
        if rest[0] == ':' and rest[1:2] and rest[1] in '-=+?':
            rest = rest[1:]
        elif rest[0] == ':':
            return self.substring(value, rest[1:])
        if rest[0] in '-=':
            return value if value else self.flat(rest[1:]) if name not in self.variables and \
                not name.isupper() or value == '' else None
        if rest[0] == '+':
            made = self.flat(rest[1:])
            return made if value or made == '' else None
        if value is None:
            return None
        if rest[0] in '#%':
            return self.trim(value, rest)
        if rest[0] == '/':
            return self.replace(value, rest)
        if rest[0] in '^,':
            change = str.upper if rest[0] == '^' else str.lower
            return change(value) if rest in ('^^', ',,') else change(value[:1]) + value[1:] \
                if rest in ('^', ',') else None
        return None

    def flat(self, text):
        """The text of a word in an operation; None if a part is not known."""
        if self.depth >= bounds.DEPTH:
            return None
        self.depth += 1
        try:
            reader = shellparse.Reader(self.view, '"' + text.replace('"', '') + '"', self.line)
            made = self.one(reader.word())
            return None if made.dynamic else made.text.replace("'", '')
        finally:
            self.depth -= 1

    def substring(self, value, rest):
        start, _, length = rest.partition(':')
        start, length = self.arithmetic(start), self.arithmetic(length) if length else None
        if value is None or start is None or ('::' not in rest and ':' in rest and length is None):
            return None
        start = int(start)
        start = start + len(value) if start < 0 else start
        if length is None:
            return value[max(start, 0):]
        end = start + int(length) if int(length) >= 0 else len(value) + int(length)
        return value[max(start, 0):max(end, 0)]

    @staticmethod
    def glob(text):
        if len(text) > 64 or text.count('*') > 3:
            return None
        return re.escape(text).replace(r'\*', '.*').replace(r'\?', '.')

    def paid(self, value, pattern):
        """False if PATTERN could take too long: each of its stars is tried at every character."""
        cost = len(value) ** (pattern.count('.*') + 1) // 128
        if cost > bounds.GLOB:
            return False
        self.work.step(cost)
        return True

    def trim(self, value, rest):
        longest = rest[:2] in ('##', '%%')
        pattern = self.flat(rest[2 if longest else 1:])
        pattern = self.glob(pattern) if pattern is not None else None
        if pattern is None or len(value) > 1024 or not self.paid(value, pattern):
            return None
        ends = range(len(value) + 1)
        if rest[0] == '#':
            for end in reversed(ends) if longest else ends:
                if re.fullmatch(pattern, value[:end], re.S):
                    return value[end:]
        else:
            for start in ends if longest else reversed(ends):
                if re.fullmatch(pattern, value[start:], re.S):
                    return value[:start]
        return value

    def replace(self, value, rest):
        every = rest.startswith('//')
        old, _, new = rest[2 if every else 1:].partition('/')
        old, new = self.flat(old), self.flat(new)
        pattern = self.glob(old) if old else None
        if pattern is None or new is None or len(value) > 4096 or len(new) > 256 or \
                not self.paid(value, pattern):
            return None
        return re.sub(pattern, lambda m: new, value, 0 if every else 1)

    def arithmetic(self, text):
        """Computes numbers and variables with + - * / %, with the usual precedence."""
        text = re.sub(r'\$?\{?([A-Za-z_]\w*)\}?', lambda m: self.get(m.group(1)) or '?', text)
        if len(text) > 200 or not re.fullmatch(r'[\s\d+\-*/%()xXa-fA-F#]*', text) or not text.strip():
            return None
        if not re.search(r'\D', text.strip()):
            return str(int(text.strip()[:18], 8 if text.strip()[0] == '0' else 10)) \
                if not re.search('[89]', text) or text.strip()[0] != '0' else None
        import pyeval
        import pytree
        try:
            tree = pytree.parse(text.strip().replace('/', '//'), 'eval').body
            made = pyeval.Evaluator(self.view).value(tree)
            return str(made) if isinstance(made, int) else None
        except (RecursionError, MemoryError) as e:
            self.view.too_much(self.line, e)
            return None
        except (NotConst, SyntaxError, ValueError):
            return None
