# SPDX-License-Identifier: MIT
"""Follows the data between commands of a shell program: which command reads the output of a pipe, what
a function does with its words, which variables a loop sets. The results are shown as additional lines
beside the command."""
import bounds
import nested
import shellparse
from shellexpand import Expander
from shellword import BACKTICK, COMMAND, PROCESS

SHELLS = nested.SHELLS
PASSING = frozenset('tee cat pv buffer'.split())
READS_CODE = frozenset(('source', '.', 'eval'))
NOT_READING = frozenset('echo printf cd test [ [[ true false : exit return export local declare read '
                        'set unset shift sleep rm mkdir kill wait xargs'.split())
KEEPS_OUT = frozenset('read mapfile readarray unset getopts select eval source . local'.split())
CALLS = 1000            # maximum of pipelines of functions that are shown with the words of a call
STDIN = ('/dev/stdin', '/dev/fd/0', '/proc/self/fd/0', '-')


class Flow(Expander):
    def __init__(self, view):
        super().__init__(view)
        self.calls = CALLS
        self.texts = []         # the commands of the last pipeline, without prefixes and redirections

    def is_code_reader(self, words):
        """True if the program WORDS executes its standard input."""
        name = words[0].rsplit('/', 1)[-1] if words else ''
        if name in READS_CODE:
            return any(w in STDIN for w in words[1:])
        if name not in SHELLS and not nested.is_python(name):
            return False
        return '-s' in words or all(w.startswith('-') or w in STDIN for w in words[1:])

    def takes_input(self, text):
        words = self.unwrapped(text.split())
        name = words[0].rsplit('/', 1)[-1] if words else ''
        if name in SHELLS or name in READS_CODE or nested.is_python(name):
            return self.is_code_reader(words)
        return bool(name) and name not in NOT_READING and name not in PASSING

    def bare(self, fields):
        """The command without sudo, env and the like, and without redirections."""
        words = [f.text for f in fields]
        rest = self.unwrapped(words)
        if words[:1] == ['xargs']:
            rest = words
        if rest and rest[0] in READS_CODE and self.is_code_reader(rest):
            return 'bash'       # source /dev/stdin
        return ' '.join(f.show() for f in fields[len(words) - len(rest):])

    def from_words(self, command, fields, texts):
        """sh <<< "$(a)", sh < <(a) and a | tee >(sh) are shown as a | sh."""
        made = []
        if self.is_code_reader(self.unwrapped([f.text for f in fields])):
            made = [code + ' | ' + self.bare(fields) for code in self.given_codes(command)]
        for field in fields:
            if fields[0].text in PASSING:
                made += [' | '.join(texts + [self.inline(p[2:])]) for p in field.processes
                         if p[0] == '>' and texts]
        return made

    def given_codes(self, command):
        """The commands whose output COMMAND reads."""
        for one in command.redirections:
            word = one.word
            if one.op in ('<<', '<<-'):
                word = None
                if one.body and not one.quoted and ('$(' in one.body or '`' in one.body):
                    word = shellparse.Reader(self.view, one.body, self.line).as_quoted()
            for part in word.parts if word else ():
                if part.kind in (COMMAND, BACKTICK):
                    yield self.inline(part.text)
                elif part.kind == PROCESS and part.text[0] == '<':
                    yield self.inline(part.text[2:])

    # Functions

    def call(self, fields):
        """(the texts of the commands of the function that FIELDS calls, the code that it would run)."""
        name, texts, inner = fields[0].text, [], []
        items = self.functions.pop(name)
        if self.calls < len(items) or self.depth >= bounds.DEPTH:
            self.view.problem(self.line, 'more calls of functions than are shown')
            self.functions[name] = items
            return texts, inner
        self.calls -= len(items)
        saved, self.args, self.done = self.args, fields[1:], {}
        self.depth += 1
        try:
            for pipeline in items:
                inner += self.pipeline_text(pipeline)[1]
                text = ' | '.join(t for t in self.texts if t)
                texts += [text] if text else []
        finally:
            self.depth -= 1
            self.args, self.done = saved, {}
            self.functions[name] = items
        return texts, inner

    # Loops

    def simulate(self, group):
        """for x in a b c; do y+=$x; done: sets the variables as the loop does."""
        commands = [c for pipeline in group.items if len(pipeline) == 1 for c in pipeline]
        if any(w.bare() in KEEPS_OUT for c in commands for w in c.words[:1]):
            return
        steps = [c.words for c in commands if c.words and c.may_assign()]
        if not steps:
            return
        self.variables = dict(group.before)
        for value in group.values:
            self.variables[group.name] = value
            for words in steps:
                self.work.step(bounds.COMMAND)
                for word in words:
                    self.assign(word)
