# SPDX-License-Identifier: MIT
"""Expands the words of a shell command: braces, variables with a known value, and commands with a known
output. An unknown part stays as it is written and makes its word dynamic; nothing is left out. Values
come from hostile code: their number, size and depth are bounded."""
import patterns as re
import bounds
import pyconst
import shellfilter
import shellparse
import shellword
from pyconst import NotConst
from shellparam import Parameters
from shellword import ARITHMETIC, BACKTICK, COMMAND, LITERAL, PARAMETER, PROCESS, QUOTED, Part, Word

BRACES = 256            # maximum of words from one word
VALUE = 65536           # maximum length of the value of a variable
SAFE = re.compile(r'[A-Za-z0-9_@%+=:,./~^-]+\Z')
SAFE_GLOB = re.compile(r'[A-Za-z0-9_@%+=:,./~^*?!\[\]{}#-]+\Z')
# Paths that patterns with ? and * most often stand for.
KNOWN_PATHS = (
    '/bin/sh /bin/bash /bin/cat /bin/ls /bin/nc /bin/rm /bin/cp /bin/mv /bin/dd /bin/su /bin/id '
    '/bin/zsh /bin/dash /bin/ping /bin/chmod /bin/mkfifo /bin/netcat /usr/bin/wget /usr/bin/curl '
    '/usr/bin/nc /usr/bin/ncat /usr/bin/python3 /usr/bin/python /usr/bin/perl /usr/bin/ruby '
    '/usr/bin/php /usr/bin/node /usr/bin/whoami /usr/bin/base64 /usr/bin/env /usr/bin/id '
    '/usr/bin/socat /usr/bin/ssh /usr/bin/scp /usr/bin/sudo /usr/bin/crontab /etc/passwd '
    '/etc/shadow /etc/hosts /etc/sudoers /etc/crontab /root/.ssh/id_rsa /proc/self/environ').split()


class Field:
    """A word as a program would get it. DYNAMIC: parts of it are not known before the run."""
    __slots__ = ('text', 'dynamic', 'quoted', 'glob', 'processes')

    def __init__(self):
        self.text = ''
        self.dynamic = False
        self.quoted = False
        self.glob = False
        self.processes = []

    def add(self, text, quoted, dynamic=False):
        if len(self.text) + len(text) > bounds.STRING:
            raise bounds.Stop('a word is longer than %d' % bounds.STRING)
        self.text += text
        self.dynamic = self.dynamic or dynamic
        self.quoted = self.quoted or quoted
        if not quoted and not dynamic and any(c in text for c in '*?['):
            self.glob = True

    def show(self):
        text = self.text
        if text == '()' and not self.quoted:
            return text
        if self.dynamic:
            return '"%s"' % text if self.quoted and re.search(r'\s', text) else text
        if text and (SAFE.match(text) or (self.glob and SAFE_GLOB.match(text))):
            return text
        if not self.quoted and text and not re.search(r'[\s|&;<>()]', text):
            return text
        if "'" not in text:
            return "'%s'" % text
        return '"%s"' % re.sub(r'(["\\$`])', r'\\\1', text)


class Expander(Parameters):
    def __init__(self, view):
        self.view = view
        self.work = view.work
        self.variables = {}     # name: a text, a list, a dict, or None if it is not known
        self.made = {}          # name: the words of its value, if it is not known
        self.line = 1
        self.depth = 0
        self.args = None        # the fields $1 $2 ..., if they are known
        self.functions = {}     # name: its pipelines
        self.sides = {}         # the characters beside parts of a word
        self.done = {}          # results of code in words, valid until a variable changes

    # Braces

    def braces(self, word):
        """The words that {a,b} and {1..3} expand to."""
        if not any(p.kind == LITERAL and not p.quoted and '{' in p.text for p in word.parts):
            return [word]
        atoms = []
        for part in word.parts:
            if part.kind == LITERAL and not part.quoted:
                atoms.extend(part.text)
            else:
                atoms.append(part)
        made = []
        self.brace(atoms, made, 0)
        return [Word(self.parts_of(a), word.line) for a in made] if len(made) > 1 else [word]

    @staticmethod
    def parts_of(atoms):
        parts = []
        for atom in atoms:
            if isinstance(atom, Part):
                parts.append(atom)
            else:
                shellword.WordReader.literal(parts, atom, False)
        return parts

    def brace(self, atoms, made, depth):
        found = self.find_brace(atoms)
        if not found or depth > 8 or len(made) >= BRACES:
            made.append(atoms)
            return
        start, end, choices = found
        for choice in choices:
            if len(made) >= BRACES:
                return
            self.brace(atoms[:start] + choice + atoms[end + 1:], made, depth + 1)

    def find_brace(self, atoms):
        for start, atom in enumerate(atoms):
            if atom != '{':
                continue
            level, at, cuts = 0, start, []
            while at < len(atoms):
                self.work.step()
                c = atoms[at]
                level += (c == '{') - (c == '}')
                if level == 0:
                    break
                if c == ',' and level == 1:
                    cuts.append(at)
                at += 1
            if at >= len(atoms):
                return None
            choices = self.choices(atoms, start, at, cuts)
            if choices:
                return start, at, choices
        return None

    @staticmethod
    def choices(atoms, start, end, cuts):
        if cuts:
            edges = [start] + cuts + [end]
            return [atoms[a + 1:b] for a, b in zip(edges, edges[1:])]
        inner = atoms[start + 1:end]
        text = ''.join(inner) if all(isinstance(a, str) for a in inner) else ''
        found = re.fullmatch(r'(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])', text)
        if not found:
            return None
        a, b = found.groups()
        letters = a.isalpha() and b.isalpha()
        if a.isalpha() != b.isalpha():
            return None
        first, last = (ord(a), ord(b)) if letters else (int(a), int(b))
        if abs(first - last) >= BRACES:
            return None
        step = 1 if last >= first else -1
        return [list(chr(n) if letters else str(n)) for n in range(first, last + step, step)]

    # Words

    def fields(self, word):
        made = []
        for one in self.braces(word):
            made.extend(self.split(one))
        return made

    def split(self, word):
        """Expands one word. Unquoted values may split it into several words, or remove it."""
        made, now, used = [], Field(), False
        for at, part in enumerate(word.parts):
            if part.kind == LITERAL:
                now.add(part.text, part.quoted)
                used = True
                continue
            if part.kind == PARAMETER and part.text == '@' and part.quoted and self.args:
                made += self.all_args(now)
                now, used = made.pop(), True
                continue
            text, known = self.part(word.parts, at)
            if part.kind == PROCESS:
                now.processes.append(part.text)
            if not known or part.quoted:
                now.add(text, part.quoted, not known)
                used = used or bool(text) or part.quoted
                continue
            pieces = re.split(r'[ \t\n]+', text)
            for i, piece in enumerate(pieces):
                if i:
                    if used:
                        made.append(now)
                    now, used = Field(), False
                now.add(piece, False)
                used = used or bool(piece)
        if used:
            made.append(now)
        for field in made:
            self.known_path(field)
        return made

    def one(self, word, skip=0):
        """Expands a word without splitting: an assigned value, a redirection. SKIP characters at its
        start are left out."""
        now = Field()
        for at, part in enumerate(word.parts):
            if part.kind == LITERAL:
                text = part.text[skip:] if at == 0 else part.text
                now.add(text, part.quoted)
            else:
                text, known = self.part(word.parts, at)
                if part.kind == PROCESS:
                    now.processes.append(part.text)
                now.add(text, part.quoted, not known)
        self.known_path(now)
        return now

    @staticmethod
    def known_path(field):
        if not field.glob or field.dynamic or not field.text.startswith('/') or len(field.text) > 64:
            return
        if re.search(r'/\*+(/|$)', field.text) or field.text.count('*') > 3:
            return
        pattern = re.escape(field.text).replace(r'\*', '[^/]*').replace(r'\?', '[^/]')
        pattern = re.sub(r'\\\[((?:\w|\\-)+)\\\]', r'[\1]', pattern)
        for path in KNOWN_PATHS:
            if re.fullmatch(pattern, path):
                field.text, field.glob = path, False
                return

    # Parts that are not literal

    def part(self, parts, at):
        """(text, is it known?) of one part."""
        part = parts[at]
        if part.kind == PROCESS:
            return part.text[:2] + self.inline(part.text[2:]) + ')', False
        if part.kind in (COMMAND, BACKTICK):
            made = self.output(part.text)
            if made is not None:
                return made, True
            shown = self.inline(part.text)
            return '`%s`' % shown if part.kind == BACKTICK else '$(%s)' % shown, False
        if part.kind == ARITHMETIC:
            made = self.arithmetic(part.text)
            return (made, True) if made is not None else ('$((' + self.quoted(part.text) + '))', False)
        if part.kind == QUOTED:
            return self.quoted(part.text), False
        made = self.parameter(part.text)
        if made is not None:
            return made, True
        if self.is_nothing(parts, at):
            return '', True
        if part.text in self.made:
            return self.made[part.text], False
        plain = shellword.NAME.fullmatch(part.text) or len(part.text) == 1
        return ('$%s' if plain else '${%s}') % part.text, False

    def quoted(self, text):
        """TEXT with its known parts expanded, for arithmetic that is not computed."""
        if self.depth >= bounds.DEPTH:
            return text
        self.depth += 1
        try:
            return self.one(shellparse.Reader(self.view, text, self.line).as_quoted()).text
        finally:
            self.depth -= 1

    def all_args(self, now):
        """"$@": the first argument continues the word NOW."""
        made = [now] + [Field() for _ in self.args[1:]]
        for field, one in zip(made, self.args):
            field.add(one.text, not one.dynamic or one.quoted, one.dynamic)
        return made

    # Commands in words

    def output(self, code):
        """The output of $(CODE), if it depends on nothing else."""
        if self.depth >= bounds.DEPTH or len(code) > bounds.STRING:
            return None
        if ('output', code) not in self.done:
            self.done['output', code] = self.compute(code)
        return self.done['output', code]

    def compute(self, code):
        self.depth += 1
        try:
            items = list(shellparse.Reader(self.view, code, self.line).commands())
            items = [i for i in items if not all(c.is_empty() for c in i[0])]
            if not items:
                return ''
            if len(items) != 1:
                return None
            made = self.pipeline(items[0][0])
            return shellfilter.as_text(made).rstrip('\n').replace('\0', '') \
                if made is not None else None
        finally:
            self.depth -= 1

    def pipeline(self, commands):
        """The output of a pipeline that only computes, or None."""
        data = None
        for command in commands:
            if command.prefix or not command.words or command.words[0].assignment():
                return None
            fields = [f for w in command.words for f in self.fields(w)]
            data = self.input(command, data)
            if data is False or not fields or any(f.dynamic or f.glob and '*' in f.text
                                                  for f in fields[:1]):
                return None
            if any(f.dynamic for f in fields) or not self.work.fold():
                return None
            try:
                data = self.of_function(fields) if fields[0].text in self.functions else \
                    shellfilter.run([f.text for f in fields], data)
            except NotConst:
                return None
        return data

    def of_function(self, fields):
        """The output of a function that only computes, or None. A recursive call has None."""
        if self.depth >= bounds.DEPTH:
            raise NotConst
        items, made = self.functions.pop(fields[0].text), []
        saved, self.args, self.done = self.args, fields[1:], {}
        self.depth += 1
        try:
            for commands in items:
                made.append(self.pipeline(commands))
                if made[-1] is None:
                    raise NotConst
        finally:
            self.depth -= 1
            self.args, self.done = saved, {}
            self.functions[fields[0].text] = items
        return pyconst.guarded(''.join, made)

    def input(self, command, data):
        """The standard input of a command; False if it is not known."""
        for one in command.redirections:
            if one.op == '<<<' and one.word:
                field = self.one(one.word)
                data = False if field.dynamic else field.text + '\n'
            elif one.op in ('<<', '<<-'):
                data = one.body or ''
            elif one.fd == '2' or (one.op in ('>', '>>') and one.word and
                                   one.word.bare() == '/dev/null'):
                continue
            else:
                return False
        return data

    def inline(self, code):
        """The canonical form of CODE on one line."""
        raise NotImplementedError
