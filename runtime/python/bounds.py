# SPDX-License-Identifier: MIT
"""Every maximum of the code view, and the three things that are counted against them: work, text
and effects. The code that is read is hostile: it chooses what is counted, never how far. Work is
counted in steps, so that the same code is read equally far on every machine; the clock is only a
net below it. What does not fit is left out and said so; nothing here may raise anything but Stop,
or wait."""
import time

SECONDS = 5             # of the processor, a net below STEPS: then what has been read is the answer
STEPS = 3000000         # one is about a character of a shell program; the others in these:
OPERATOR = 8            # a place where a shell's operator could be
COMMAND = 100           # a command of a shell
NOTHING = 16            # a parameter that may be nothing
GLOB = 200000           # at most, of one pattern with stars; more are not tried
NODE = 10               # a node of a Python tree that is shown
COMPUTED = 3            # one that is computed
PARSED = 2              # a character that Python's parser reads
SKIMMED = 16            # characters that it reads, of a tree that is looked at afterwards: one step
WEIGHED = 128           # characters of a value, or a fourth as many items, that are one step
LOOKS = 4096            # steps between two looks at the clock
FOLDS = 100000          # values computed
LOOP = 20000            # of these in one loop or function: no single one may use up the rest
TEXT = 8 << 20          # bytes of canonical text
STRING = 1 << 20        # length of a computed string
SHOWN = 16384           # length of a value that is written in place of a name
NUMBER_BITS = 8192      # of a computed number
ITEMS = 100000          # of a computed list
LINE = 1 << 20          # length of a line of canonical text
DEPTH = 64              # code in code in code
NESTED = 200            # such pieces altogether
RECURSION = 12000       # Python frames; its own parser stops at about 3000 levels
STACK = 64 << 20
EFFECTS = 4096
VALUE = 1024            # bytes of an effect's value, and of a reason


class Stop(Exception):
    """A maximum was reached; its text says which."""


class Work:
    """Counts what is done, and now and then looks at the processor's clock."""

    def __init__(self, seconds=SECONDS):
        self.end = time.process_time() + seconds
        self.steps = STEPS
        self.look_at = STEPS
        self.folds = FOLDS
        self.nested = NESTED

    def step(self, count=1):
        self.steps -= count
        if self.steps < self.look_at:
            self.look()

    def look(self):
        self.look_at = max(self.steps - LOOKS, 0)
        if self.steps < 0:
            raise Stop('more than %d steps' % STEPS)
        if time.process_time() > self.end:
            raise Stop('it took too long')

    def node(self):
        self.step(NODE)

    def parse(self, source):
        """Before it is done."""
        self.step(PARSED * len(source))

    def skim(self, source):
        self.step(len(source) // SKIMMED)

    def weigh(self, values):
        """What is computed with costs what it is long."""
        size = 0
        for value in values:
            if isinstance(value, (str, bytes)):
                size += len(value)
            elif isinstance(value, (list, tuple, dict, set)):
                size += 4 * len(value)
        self.step(size // WEIGHED)

    def fold(self):
        """False: no more of it; the code is shown as it is."""
        self.step(COMPUTED)
        self.folds -= 1
        return self.folds >= 0

    def nest(self):
        self.nested -= 1
        return self.nested >= 0


class Effects:
    """What a program would do: each kind and value once, at the first line."""
    KINDS = ('import', 'program', 'host', 'read', 'write', 'path', 'env', 'dynamic', 'network')

    def __init__(self):
        self.seen = {}
        self.cut = False

    def add(self, kind, value, line):
        value = ' '.join(str(value).split())
        value = value.encode('utf-8', 'backslashreplace')[:VALUE].decode('utf-8', 'ignore')
        value = ''.join(c if c.isprintable() else '\ufffd' for c in value)
        value = value.encode('utf-8', 'backslashreplace')[:VALUE].decode('utf-8', 'ignore')
        if not value or (kind, value) in self.seen:
            return
        if len(self.seen) >= EFFECTS:
            self.cut = True
            return
        self.seen[kind, value] = max(1, line)

    def rows(self):
        """A path of which more is known is not told twice."""
        for (kind, value), line in self.seen.items():
            if kind != 'path' or not (('read', value) in self.seen or ('write', value) in self.seen):
                yield (kind, value), line


class Room:
    """What all texts of a view share: they are one text in the end."""

    def __init__(self):
        self.left = TEXT

    def take(self, text):
        """In bytes, as it is written: a letter may be four of them."""
        self.left -= len(text.encode('utf-8', 'backslashreplace'))
        if self.left < 0:
            raise Stop('the canonical text is larger than %d MB' % (TEXT >> 20))


class Text:
    """The canonical text, line by line."""

    def __init__(self, room):
        self.parts = []
        self.room = room
        self.cut = False

    def line(self, indent, text):
        text = '    ' * min(indent, 20) + text
        if len(text) > LINE:
            text = text[:LINE]
            self.cut = True
        self.room.take(text + '\n')
        self.parts.append(text)

    def join(self):
        return '\n'.join(self.parts) + '\n' if self.parts else ''


class View:
    """What is being made of one program, and of all that is inside it."""

    def __init__(self, seconds=SECONDS):
        self.work = Work(seconds)
        self.effects = Effects()
        room = Room()
        self.text = Text(room)
        self.dynamic = Text(room)   # statements once more, as if every import were __import__
        self.problems = []      # (line, words), the first is told
        self.limited = None     # the first of them that is a maximum of ours: not all was read
        self.depth = 0

    def problem(self, line, words):
        if len(self.problems) < 100:
            self.problems.append((line, words))

    def too_much(self, line, error):
        """What the reader could not take; an error in the code is none of these."""
        self.limit(line, {MemoryError: 'too large or nested too deeply',
                          RecursionError: 'nested too deeply'}.get(
                              type(error), 'the reader failed (%s)' % type(error).__name__))

    def limit(self, line, words):
        """Another Python or shell may well run what was left out here."""
        self.limited = self.limited or (line, words)
        self.problem(line, words)
