# SPDX-License-Identifier: MIT
"""Groups of a shell program: { ... }, ( ... ), loops and functions. The commands of a group read what is
piped into it, and its output goes to the next command of the pipe. The reader treats structure as
words; this module follows it as far as that needs. Each such command is also shown as the plain
pipeline that it is part of, beside the original, which it must never replace. All is bounded: if a
bound leaves out something that could run code, that is reported."""
import bounds
from shellparse import Command

OPENS = frozenset('{ ( if while until'.split())
HEADS = frozenset('for case select'.split())
CLOSES = frozenset('} fi done'.split())
DEPTH = 16              # maximum depth of groups
TEXTS = 256             # maximum of commands of a group that are shown with the next command of the pipe
BODY = 64               # maximum of pipelines of a function or a loop
VALUES = 256            # maximum of words of a loop


class Group:
    def __init__(self, kind, feed, name=''):
        self.kind = kind
        self.feed = feed        # the text of the pipeline before it
        self.name = name        # name of the function or of the loop variable
        self.texts = []
        self.items = []
        self.more = False       # more texts than are kept
        self.cut = False        # not all of its items are kept
        self.values = None      # words of a loop, if they are known
        self.before = None      # the variables at its beginning


class Groups:
    def __init__(self, shell):
        self.shell = shell
        self.stack = []
        self.defining = ''      # the last word was f()
        self.closed = None      # closed by the ) that was just read

    def seen(self, pipeline, op, texts):
        """The lines to show after PIPELINE. TEXTS are its commands without prefixes."""
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
        """for NAME in WORDS, if all words are known."""
        if words[0] != 'for' or words[2:] != ['in'] or not self.stack:
            return
        fields = [f for w in command.words[3:] for f in self.shell.fields(w)]
        if len(fields) <= VALUES and not any(f.dynamic or f.glob for f in fields):
            self.stack[-1].name = words[1]
            self.stack[-1].values = [f.text for f in fields]
            self.stack[-1].before = dict(self.shell.variables)

    def body(self, command, rest):
        """The commands after f() { on its line."""
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
        """Closes the innermost group; a ) closes only a group of that kind."""
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
        """{ a; b; } | c is also shown as a | c."""
        rest = [t for t in texts[1:] if t]
        while len(rest) > 1 and not self.shell.takes_input(rest[0]):
            rest.pop(0)         # tee, cat
        if len(pipeline) < 2 or not rest or not self.shell.takes_input(rest[0]):
            return []
        if group.more and self.shell.is_code_reader(self.shell.unwrapped(rest[0].split())):
            self.shell.view.limit(self.shell.line, 'more than %d commands in a group' % TEXTS)
        return [' | '.join([text] + rest) for text in group.texts]

    def fed(self, texts):
        """a | { b; c; } is also shown as a | c."""
        feed, rest = self.stack[-1].feed, [t for t in texts if t]
        if not feed or not rest or not self.shell.takes_input(rest[0]):
            return []
        return [' | '.join([feed] + rest)]
