# SPDX-License-Identifier: MIT
"""Groups of a shell program: what is piped into { ... }, ( ... ) or a loop is read by the commands in
it, what comes out of one is read by what it is piped into, and a function is its commands. The
reader takes structure for words; here it is followed as far as that needs. Beside what is written,
each such command is shown as the plain pipeline that it is part of. All of it is bounded: what is
beyond is told where it could run code, and it must never replace what is written."""
import bounds
from shellparse import Command

OPENS = frozenset('{ ( if while until'.split())
HEADS = frozenset('for case select'.split())
CLOSES = frozenset('} fi done'.split())
DEPTH = 16              # groups in groups
TEXTS = 256             # commands of a group that are shown with what it is piped into
BODY = 64               # pipelines of a function, or of a loop
VALUES = 256            # that a loop goes over


class Group:
    def __init__(self, kind, feed, name=''):
        self.kind = kind
        self.feed = feed        # the text of what is piped into it
        self.name = name        # of a function, or of a loop's variable
        self.texts = []
        self.items = []
        self.more = False       # texts than are kept
        self.cut = False        # not all of its items are kept
        self.values = None      # of a loop, where they are known
        self.before = None      # the variables when it began


class Groups:
    def __init__(self, shell):
        self.shell = shell
        self.stack = []
        self.defining = ''      # f() was the last that was read
        self.closed = None      # by the ) that was the last that was read

    def seen(self, pipeline, op, texts):
        """The lines that are due after PIPELINE; TEXTS are its commands without what is around."""
        lines, opened = [], len(self.stack)
        closed, self.closed = self.closed, None
        if closed and len(pipeline) > 1 and pipeline[0].is_empty():
            lines += self.piped(closed, pipeline, texts)
        for at, command in enumerate(pipeline):
            for word in command.prefix:
                if word in CLOSES:
                    group = self.close()
                    lines += self.piped(group, pipeline[at:], texts[at:]) if group else []
                elif word in OPENS:
                    self.open(word, texts[:at])
            lines += self.word(command, pipeline[at:], texts, at)
        self.add(pipeline, op, texts)
        if len(self.stack) == opened and self.stack:
            lines += self.fed(texts)
        if op == ')':
            self.closed = self.close('(')
        self.shell.work.step(bounds.COMMAND * len(lines))
        return lines

    def word(self, command, rest, texts, at):
        words = [w.bare() for w in command.words[:3]]
        if words[:1] == ['esac']:
            group = self.close('case')
            return self.piped(group, rest, texts[at:]) if group else []
        if words and words[0] in HEADS:
            self.open(words[0], texts[:at])
            self.loop(command, words)
        elif words[1:] == ['()', '{']:
            self.open('f', [], words[0])
            self.body(command, rest)
        elif words[1:] == ['()']:
            self.defining = words[0]
        return []

    def open(self, kind, before, name=''):
        if len(self.stack) >= DEPTH:
            return
        feed = ' | '.join(t for t in before if t)
        if not feed and self.stack and kind != 'f':
            feed = self.stack[-1].feed
        if kind == '{' and self.defining:
            kind, name = 'f', self.defining
        self.defining = ''
        self.stack.append(Group(kind, feed, name))

    def loop(self, command, words):
        """for NAME in WORDS, all of them known."""
        if words[0] != 'for' or words[2:] != ['in'] or not self.stack:
            return
        fields = [f for w in command.words[3:] for f in self.shell.fields(w)]
        if len(fields) <= VALUES and not any(f.dynamic or f.glob for f in fields):
            self.stack[-1].name = words[1]
            self.stack[-1].values = [f.text for f in fields]
            self.stack[-1].before = dict(self.shell.variables)

    def body(self, command, rest):
        """What comes after f() { on its line."""
        made = Command(command.line)
        made.words, made.redirections = command.words[3:], command.redirections
        if made.words and self.stack:
            self.stack[-1].items.append([made] + rest[1:])

    def add(self, pipeline, op, texts):
        text = ' | '.join(t for t in texts if t)
        for group in self.stack:
            if len(group.texts) < TEXTS and text:
                group.texts.append(text)
            elif text:
                group.more = True
        if self.stack and len(self.stack[-1].items) < BODY:
            if not any(w.bare() == '()' for w in pipeline[0].words[1:2]):
                self.stack[-1].items.append(pipeline)
        elif self.stack:
            self.stack[-1].cut = True

    def close(self, kind=None):
        """The innermost group; of a ) only if that is what it ends."""
        if not self.stack or (kind and self.stack[-1].kind != kind):
            return None
        group = self.stack.pop()
        if group.kind == 'f' and not group.cut:
            self.shell.functions[group.name] = group.items
        if group.values is not None and not group.cut:
            self.shell.simulate(group)
        if self.stack:
            self.stack[-1].cut = self.stack[-1].cut or self.stack[-1].kind == 'for'
        return group

    def piped(self, group, pipeline, texts):
        """{ a; b; } | c is a | c as well."""
        rest = [t for t in texts[1:] if t]
        while len(rest) > 1 and not self.shell.takes_input(rest[0]):
            rest.pop(0)         # tee, cat
        if len(pipeline) < 2 or not rest or not self.shell.takes_input(rest[0]):
            return []
        if group.more and self.shell.is_code_reader(self.shell.unwrapped(rest[0].split())):
            self.shell.view.limit(self.shell.line, 'more than %d commands in a group' % TEXTS)
        return [' | '.join([text] + rest) for text in group.texts]

    def fed(self, texts):
        """a | { b; c; }: also a | c."""
        feed, rest = self.stack[-1].feed, [t for t in texts if t]
        if not feed or not rest or not self.shell.takes_input(rest[0]):
            return []
        return [' | '.join([feed] + rest)]
