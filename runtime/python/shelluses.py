# SPDX-License-Identifier: MIT
"""Which commands a shell program has, and of what their words are made: what the C side
(src/flow/plain_shell.c) holds against its lists of what is plain. Only facts, of the program as it is
written; nothing here decides. A variable has every value that any place gives it, in whatever order: who
says less would have to be right about what happens when.

A fact is a line of text, "LINE KIND WORD ...". KIND:
  c  a command with its words             s  a variable that is set, and its value
  n  a variable that is set by a loop or ${x:=y}
  f  a function                           x  something in words
A word is its text. In it \\NN is a byte in hexadecimal; \\q stands for what is computed and stays in this word,
\\u for what may be any number of words, also none; \\d for a number; \\k for one of the program's own
constants, which has no blank and does not begin with a dash. A word that is empty is \\e.
"""
import patterns as re
import bounds
import shellparse
from shellview import DECLARES, ShellView
from shellword import ARITHMETIC, BACKTICK, COMMAND, LITERAL, NAME, PARAMETER, PROCESS, QUOTED

FACTS = 65536           # at most
WORDS = 4096            # of one command
DIGITS = re.compile(r'-?[0-9]{1,18}\Z')
SAFE = re.compile(r'[A-Za-z0-9_./:,=@+][A-Za-z0-9_./:,=@+^-]*\Z')
RANGE = re.compile(r'\{[0-9]{1,9}\.\.[0-9]{1,9}(?:\.\.[0-9]{1,9})?\}\Z')
PART = re.compile(r'([A-Za-z_]\w*|[@*#?$!0-9-])(\[[^\]]*\])?')
NAMED = re.compile(r'[A-Za-z_]\w*(?=\Z|[\[+=])')
# Of arithmetic: a number, a variable, an operator.
SUM = re.compile(r'\s+|0[xX][0-9a-fA-F]+|[0-9]+#?|\$\{#\w+(?:\[[@*]\])?\}|\$[#?]|(?:\$\{?)?([A-Za-z_]\w*)\}?|'
                 r'[-+*/%<>=!&|^~?:,();"]')
SETS = re.compile(r'(?:\+\+|--)\s*([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))')
FILLS = frozenset('mapfile readarray read'.split())
WRAPS = frozenset('builtin command exec'.split())
# What their words are is looked at here: who has such a name is to write it.
READ = DECLARES | FILLS | WRAPS | {'trap'}
# What it prints is a number, or are some.
COUNTS = re.compile(r'(?:(?:[^\'"`\\\n;&]*\|)?\s*wc\s+-[lcwm]\s*(?:<\s*[^\s|;&<>`]+\s*)?|'
                    r'\s*seq(?:\s+-?[0-9]{1,9}){1,3}\s*)\Z')


class Variable:
    """A word's part that stands for a variable."""
    __slots__ = ('name', 'one')

    def __init__(self, name, one):
        self.name = name
        self.one = one          # nothing cuts its value


class Mark:
    """A part that is no text."""
    __slots__ = ('shown',)

    def __init__(self, shown):
        self.shown = shown


ONE, MANY, NUMBER, OWN = Mark('\\q'), Mark('\\u'), Mark('\\d'), Mark('\\k')


class TooMany(Exception):
    pass


def is_constant(parts):
    return all(isinstance(p, str) for p in parts)


def join(parts):
    """Texts side by side are one, and empty ones none."""
    made = []
    for part in parts:
        if part == '':
            continue
        if isinstance(part, str) and made and isinstance(made[-1], str):
            made[-1] += part
        else:
            made.append(part)
    return made


class Uses:
    def __init__(self, view):
        self.view = view
        self.work = view.work
        self.facts = []         # (line, kind, words), where a word is a list of parts
        self.values = {}        # of variables: words, or None where nobody knows
        self.arrays = set()
        self.texts = []         # (line, name) that is declared with a text
        self.heads = []         # (line, name) of commands that are not constants
        self.sums = []          # (line, names) of arithmetic
        self.functions = set()
        self.counted = False    # what wc or seq prints was taken for a number
        self.done = set()       # code that was read
        self.numbers = set()    # variables that have nothing else
        self.depth = 0

    def tell(self, line, kind, *words):
        if len(self.facts) >= FACTS or len(words) > WORDS:
            raise TooMany('more than %d commands, or one of more than %d words' % (FACTS, WORDS))
        self.facts.append((line, kind, words))

    # Programs

    def program(self, code, line, fixed=True):
        if code in self.done:
            return
        if self.depth >= bounds.DEPTH:
            self.tell(line, 'x', ['code in code in code'])
            return
        self.done.add(code)
        self.depth += 1
        reader, cases = shellparse.Reader(self.view, code, line), []
        for pipeline, op in ShellView.with_documents(reader):
            for command in pipeline:
                self.work.step(bounds.COMMAND)
                self.take(command, line if fixed else command.line, op, cases)
            if cases and op in (';;', ';&', ';;&'):
                cases[-1] = True
            elif cases and cases[-1] and op == ')':
                cases[-1] = False
        if cases:
            self.tell(line, 'x', ['a case whose end is missing'])
        self.depth -= 1

    def take(self, command, line, op, cases):
        """CASES: of each that is open, is a pattern due?"""
        words = list(command.words)
        for one in command.redirections:
            self.redirection(one, line)
        for code in command.also:
            self.program(code, line)
        if 'coproc' in command.prefix:
            self.tell(line, 'x', ['coproc'])
        if words and words[0].bare() == 'esac' and cases:
            cases.pop()
            words = words[1:]
        elif cases and cases[-1]:
            self.pattern(words, line, op)
            return
        words = self.body(words, line)
        if words and words[0].bare() == 'case':
            self.case(words, line, op, cases)
        else:
            self.simple(words, line)

    def case(self, words, line, op, cases):
        if len(words) < 3 or words[2].bare() != 'in':
            self.tell(line, 'x', ['a case that nobody can read'])
        cases.append(True)
        if [w.bare() for w in words[3:]] == ['esac']:
            cases.pop()
        elif words[3:]:
            self.pattern(words[3:], line, op)
        for word in words[1:2]:
            self.word(word, line, True)

    def pattern(self, words, line, op):
        if words and op != ')':
            self.tell(line, 'x', ['a case that nobody can read'])
        for word in words:
            self.word(word, line, True)

    def body(self, words, line):
        """Without what makes a function of it."""
        name = None
        if [w.bare() for w in words[:1]] == ['function'] and len(words) > 1:
            name, words = words[1].bare(), words[2:]
        elif [w.bare() for w in words[1:2]] == ['()']:
            name = words[0].bare()
            words = words[1:]
        if name is None:
            return words
        self.functions.add(name)
        self.tell(line, 'f', [name])
        while words and (words[0].bare() == '()' or words[0].bare() in shellparse.KEYWORDS):
            words = words[1:]
        return words

    # Commands

    def simple(self, words, line):
        while words and words[0].assignment():
            self.assign(words[0], line)
            words = words[1:]
        head = words[0].bare() if words else ''
        if not words:
            return
        if head.startswith('((') or (head == '' and self.is_sum(words[0])):
            self.sum(words[0].parts[1].text, line)
            return
        if head in ('for', 'select'):
            self.loop(words, line)
            return
        one = head == '[['
        made = []
        at, name = self.unwrap(words)
        for word in words:
            if head in DECLARES and word.assignment():
                made.append(self.assign(word, line))
                if word.items is None:
                    self.texts.append((line, made[-1]))
            else:
                made.append(self.word(word, line, one))
                self.forget(made[-1] if len(made) > 1 else [])
                self.texts.append((line, made[-1] if name in DECLARES else []))
        self.tell(line, 'c', *made)
        self.fill(name, made[at + 1:])
        if name == 'trap':
            self.trap(made[at + 1:], line)
        elif name is None:
            self.heads.append((line, made[at]))

    @staticmethod
    def constant(word):
        """Its text, whatever its quotes; None: it has more than that."""
        if all(p.kind in (LITERAL, QUOTED) for p in word.parts):
            return ''.join(p.text for p in word.parts)
        return None

    def unwrap(self, words):
        """(where its name is, the name) of a command, behind command and builtin and their options."""
        at, name = 0, self.constant(words[0])
        while name in WRAPS and at + 1 < len(words):
            at += 1
            name = self.constant(words[at])
            while name and name[0] == '-' and at + 1 < len(words):
                at += 1
                name = self.constant(words[at])
        return at, name

    @staticmethod
    def is_sum(word):
        return len(word.parts) == 3 and word.parts[1].kind == QUOTED and word.parts[0].text == '(('

    def loop(self, words, line):
        """for x in a b c; for x; for ((a; b; c))."""
        if len(words) > 1 and self.is_sum(words[1]):
            self.sum(words[1].parts[1].text, line)
            return
        name = words[1].bare() if len(words) > 1 else ''
        self.tell(line, 'n', [name or MANY])
        values = [self.word(w, line, False) for w in words[3:]]
        is_list = words[0].bare() == 'for' and len(words) > 2 and words[2].bare() == 'in'
        for value in values if is_list else [None]:
            self.give(name, value)
        if is_list and not values:
            self.give(name, None)

    def trap(self, words, line):
        """What it is told to run is code; what is computed in it the shell would read as such."""
        code = words[1:] if words and words[0] == ['--'] else words
        if not code or code[0][:1] in (['-p'], ['-l'], ['-']):
            return
        if is_constant(code[0]):
            self.program(''.join(code[0]), line)
        else:
            self.tell(line, 'x', ['the text of a trap that is computed'])

    def forget(self, word):
        """A name that is a word of any command may be set by it."""
        text = word[0] if word and isinstance(word[0], str) else ''
        found = NAMED.match(text)
        if found:
            self.values[found.group()] = None
        if text.startswith('-'):
            for at in range(1, min(len(text), 64)):
                self.values[text[at:]] = None

    def fill(self, head, words):
        """Which of them are arrays."""
        texts = [w[0] if w and isinstance(w[0], str) else '' for w in words]
        if head in FILLS or (head in DECLARES and any(re.match(r'-\w*[aA]', t) for t in texts)):
            self.arrays.update(found.group() for found in map(NAMED.match, texts) if found)

    # Variables

    def give(self, name, value):
        if value is None or self.values.get(name, ()) is None:
            self.values[name] = None
        else:
            self.values.setdefault(name, []).append(value)

    def index(self, text, line):
        """Of an array: text in brackets."""
        if not re.fullmatch(r'\[(?:-?[0-9]{1,9}|[@*])\]', text):
            self.tell(line, 'x', ['an index that is computed'])

    def assign(self, word, line):
        found = word.assignment()
        name, index, add = found.groups()
        if index:
            self.index(index, line)
            self.arrays.add(name)
        if word.items is not None:
            self.items(word, name, line)
            return [name + '=', ONE]
        value = self.word(word, line, True, found.end())
        self.tell(line, 's', [name], value)
        self.give(name, None if index or (add and not self.is_number(value)) else value)
        return join([name + (index or '') + add + '='] + value)

    def items(self, word, name, line):
        self.arrays.add(name)
        self.give(name, None)
        self.tell(line, 's', [name], [ONE])
        for item in word.items:
            first = item.parts[0] if item.parts else None
            if first and first.kind == LITERAL and not first.quoted and first.text[:1] == '[' and ']' in first.text:
                self.index(first.text[:first.text.index(']') + 1], line)
            self.word(item, line, False)

    def redirection(self, one, line):
        if one.word and one.op not in ('<<', '<<-'):
            self.word(one.word, line, True)
        if one.body and not one.quoted:
            self.parts(shellparse.Reader(self.view, one.body, line).as_quoted().parts, line, True)

    # Words

    def word(self, word, line, one, skip=0):
        """The parts of WORD; ONE: nothing cuts it in several."""
        return self.parts(word.parts, line, one, skip)

    def parts(self, parts, line, one, skip=0):
        made = []
        for at, part in enumerate(parts):
            self.work.step()
            one_here = one or part.quoted
            if part.kind == LITERAL:
                text = part.text[skip:] if at == 0 else part.text
                made.append(text if one_here or not self.is_pattern(text, len(parts) > 1) else
                            NUMBER if RANGE.match(text) and len(parts) == 1 else MANY)
            elif part.kind in (COMMAND, BACKTICK):
                self.program(part.text, line)
                self.counted = self.counted or bool(COUNTS.match(part.text))
                made.append(NUMBER if COUNTS.match(part.text) else ONE if one_here else MANY)
            elif part.kind == PROCESS:
                self.program(part.text[2:], line)
                made.append(ONE)
            elif part.kind == ARITHMETIC:
                self.sum(part.text, line)
                made.append(NUMBER)
            elif part.kind == QUOTED:
                made.append(part.text)
            elif part.kind == PARAMETER:
                made.append(self.parameter(part.text, line, one, part.quoted))
        return join(made)

    @staticmethod
    def is_pattern(text, more):
        """Names of files, or braces; MORE: the word goes on, and may close a bracket."""
        return '*' in text or '?' in text or ('[' in text and (more or ']' in text)) or \
            ('{' in text and text not in ('{', '{}') and (more or '}' in text))

    def parameter(self, text, line, one, quoted):
        computed = ONE if one or quoted else MANY
        if text in ('#', '?', '$', '!', '-'):
            return NUMBER if text != '-' else computed
        length = text[:1] == '#'
        found = PART.match(text, 1 if length else 0)
        if not found or (text[0] == '!' and len(text) > 1):
            self.tell(line, 'x', ['a variable whose name is computed'])
            return computed
        name, index = found.groups()
        rest = text[found.end():]
        if index:
            self.index(index, line)
        if rest:
            self.operation(name, rest, line)
        many = name == '@' or (index == '[@]' and not length)
        if length and not rest:
            return NUMBER
        if many:
            return ONE if one else MANY
        return Variable(name, one or quoted) if not (index or rest) and NAME.fullmatch(name) else computed

    def operation(self, name, rest, line):
        """What comes behind the name in ${name...}."""
        if rest[0] == '@' and rest not in ('@Q', '@E', '@U', '@u', '@L'):
            self.tell(line, 'x', ['${%s%s}' % (name, rest[:8])])
        elif rest[0] == ':' and rest[1:2] not in ('-', '=', '+', '?'):
            if not re.fullmatch(r':\s*-?\s*[0-9]{0,9}\s*(?::\s*-?\s*[0-9]{0,9}\s*)?', rest):
                self.tell(line, 'x', ['a part of a text by a number that is computed'])
        elif rest.lstrip(':')[:1] == '=':
            self.tell(line, 'n', [name])
            self.give(name, None)
        self.parts(shellparse.Reader(self.view, rest, line).as_quoted().parts, line, True)

    def sum(self, text, line):
        """A shell computes with the values of variables as if they were written here."""
        at, names = 0, set()
        while at < len(text):
            self.work.step()
            found = SUM.match(text, at)
            if not found:
                self.tell(line, 'x', ['arithmetic with what is computed'])
                return
            if found.group(1):
                names.add(found.group(1))
            at = found.end()
        for found in SETS.finditer(text):
            name = found.group(1) or found.group(2)
            self.give(name, [NUMBER])
            self.tell(line, 's', [name], [NUMBER])
        self.sums.append((line, names))

    # What variables are, when all is read

    def is_number(self, value):
        return bool(value) and all(p is NUMBER or (DIGITS.match(p) if isinstance(p, str) else
                                                   isinstance(p, Variable) and p.name in self.numbers)
                                   for p in value)

    def resolve(self):
        """Those that only get numbers, if all of them do."""
        self.numbers = {n for n, v in self.values.items() if v}
        changed = True
        while changed:
            self.work.step(len(self.numbers))
            wrong = {n for n in self.numbers if not all(self.is_number(v) for v in self.values[n])}
            self.numbers -= wrong
            changed = bool(wrong)

    def show_variable(self, part):
        values = self.values.get(part.name)
        if part.name in self.numbers:
            return NUMBER.shown
        known = [''.join(v) for v in values or () if is_constant(v)]
        if values and len(known) == len(values):
            if len(set(known)) == 1 and (part.one or SAFE.match(known[0])):
                return escape(known[0])
            if all(SAFE.match(k) for k in known):
                return OWN.shown
        return (ONE if part.one else MANY).shown

    def show_word(self, parts):
        made = ''
        for part in parts:
            self.work.step()
            made += self.show_variable(part) if isinstance(part, Variable) else \
                part.shown if isinstance(part, Mark) else escape(part)
        return made or '\\e'

    def show(self):
        self.resolve()
        for line, names in self.sums:
            if not names <= self.numbers:
                self.tell(line, 'x', ['arithmetic with what is computed'])
        if self.counted and self.functions & {'wc', 'seq'}:
            self.tell(1, 'x', ['a function that is called as a program that counts'])
        for line, word in self.heads:
            if self.show_word(word) in READ:
                self.tell(line, 'x', ['a name of a command that is a variable'])
        for line, word in self.texts:
            found = NAMED.match(word[0]) if word and isinstance(word[0], str) else None
            if found and not is_constant(word) and found.group() in self.arrays:
                self.tell(line, 'x', ['an array that is declared with a text'])
        rows = dict.fromkeys((line, ' '.join([kind] + [self.show_word(w) for w in words]))
                             for line, kind, words in self.facts)
        return ''.join('%d %s\n' % row for row in sorted(rows, key=lambda r: r[0]))


def escape(text):
    return ''.join(c if '!' <= c <= '~' and c != '\\' else ''.join('\\%02x' % b for b in c.encode('utf-8', 'replace'))
                   for c in text)


def show(view, text):
    """The facts; None: they are too many."""
    uses = Uses(view)
    try:
        uses.program(text, 1, False)
        return uses.show()
    except (TooMany, RecursionError, MemoryError):
        return None
