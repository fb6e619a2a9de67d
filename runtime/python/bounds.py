# SPDX-License-Identifier: MIT
"""All maxima of the code view, and the counters of work, text and effects. The code is hostile: it
chooses what is counted, never how far. Work is counted in steps, so that the same code is read
equally far on every machine; the clock only catches what the steps miss. Text that does not fit is
left out and reported. Nothing here may raise another exception than Stop, or wait."""
import time

SECONDS = 5             # CPU time, in case STEPS are slow; the answer is what has been read until then
STEPS = 3000000         # about one for each character of a shell program. In steps:
OPERATOR = 8            # a place where an operator of a shell could be
COMMAND = 100           # a command of a shell
NOTHING = 16            # a parameter that may be empty
GLOB = 200000           # maximum for one pattern with stars; a longer match is not tried
NODE = 10               # a node of a Python tree that is written
COMPUTED = 3            # a node that is computed
PARSED = 2              # a character for Python's parser
SKIMMED = 16            # characters for one step, if the parser only prepares a tree that is read later
WEIGHED = 128           # characters of a value, or a fourth as many items, for one step
LOOKS = 4096            # steps between two readings of the clock
FOLDS = 100000          # values computed
LOOP = 20000            # of these in one loop or function, so that none uses up all
TEXT = 8 << 20          # bytes of canonical text
STRING = 1 << 20        # length of a computed string
SHOWN = 16384           # length of a value that replaces a name
NUMBER_BITS = 8192      # of a computed number
ITEMS = 100000          # of a computed list
LINE = 1 << 20          # length of a line of canonical text
DEPTH = 64              # code in code in code
NESTED = 200            # number of such pieces
RECURSION = 12000       # Python frames; its own parser stops at about 3000 levels
STACK = 64 << 20
EFFECTS = 4096
VALUE = 1024            # bytes of an effect's value, and of a reason


class Stop(Exception):
    """A maximum was reached; its text says which."""


class Work:
    """Counts steps, and now and then reads the clock of the CPU time."""

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
        """Counts the parsing of SOURCE, before it is parsed."""
        self.step(PARSED * len(source))

    def skim(self, source):
        self.step(len(source) // SKIMMED)

    def weigh(self, values):
        """Counts the length of the values of a computation."""
        size = 0
        for value in values:
            if isinstance(value, (str, bytes)):
                size += len(value)
            elif isinstance(value, (list, tuple, dict, set)):
                size += 4 * len(value)
        self.step(size // WEIGHED)

    def fold(self):
        """False if no more values may be computed; the code is then shown as written."""
        self.step(COMPUTED)
        self.folds -= 1
        return self.folds >= 0

    def nest(self):
        self.nested -= 1
        return self.nested >= 0


class Effects:
    """The effects of a program: each kind and value once, with its first line."""
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
        """A path is left out if another effect says more about it."""
        for (kind, value), line in self.seen.items():
            if kind != 'path' or not (('read', value) in self.seen or ('write', value) in self.seen):
                yield (kind, value), line


class Room:
    """The space that all texts of a view share, because they become one text."""

    def __init__(self):
        self.left = TEXT

    def take(self, text):
        """Counts bytes of UTF-8, because a character may have four."""
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
    """The view of one program and of all programs inside it, while it is made."""

    def __init__(self, seconds=SECONDS):
        self.work = Work(seconds)
        self.effects = Effects()
        room = Room()
        self.text = Text(room)
        self.dynamic = Text(room)   # the statements again, with __import__ for every import
        self.problems = []      # (line, message); the first is reported
        self.limited = None     # the first one that is a maximum of this file: not all was read
        self.depth = 0

    def problem(self, line, words):
        if len(self.problems) < 100:
            self.problems.append((line, words))

    def too_much(self, line, error):
        """Notes a part that the reader could not read. An error in the code is not one."""
        self.limit(line, {MemoryError: 'too large or nested too deeply',
                          RecursionError: 'nested too deeply'}.get(
                              type(error), 'the reader failed (%s)' % type(error).__name__))

    def limit(self, line, words):
        """Notes a maximum. Another Python or shell may run the part that was left out."""
        self.limited = self.limited or (line, words)
        self.problem(line, words)
