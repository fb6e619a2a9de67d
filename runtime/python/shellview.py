# SPDX-License-Identifier: MIT
"""The code view of a shell program: a line for each list of commands, with words as the programs would
get them, without comments and continuations. The code that a line would run (eval, sh -c, a pipe into
a shell) follows in the same form. Effects come from command words, redirections and strings. No
command is ever run."""
import patterns as re
import bounds
import nested
import pyeffects
import shellfilter
import shellparse
import shellword
from shellexpand import SAFE, VALUE, Field
from shellflow import PASSING, Flow
from shellgroup import Groups

SHELLS = nested.SHELLS
# Programs that start the program in their last words, with their options that have a value.
WRAPPERS = {'sudo': 'ugpCrth', 'env': 'uC', 'nohup': '', 'exec': 'a', 'command': '', 'builtin': '',
            'time': 'of', 'nice': 'n', 'ionice': 'cnp', 'setsid': '', 'stdbuf': 'ioe', 'xargs':
            'IiLnPsdEa', 'timeout': 'ks', 'busybox': '', 'doas': 'uC', 'unbuffer': '', 'chroot': '',
            'watch': 'n', 'strace': 'eopE', 'torsocks': '', 'proxychains': 'f'}
BUILTINS = frozenset(('. : [ [[ ]] alias bg bind break cd continue declare dirs disown do done echo '
                      'elif else enable esac eval exit export false fc fg fi for function getopts '
                      'hash help history if in jobs let local logout popd printf pushd pwd read '
                      'readonly return select set shift shopt source suspend test then times trap '
                      'true type typeset ulimit umask unalias unset until wait while case { } !'
                      ).split())
DECLARES = frozenset('export local declare typeset readonly'.split())
NETWORK = frozenset('curl wget nc ncat netcat ssh scp sftp ftp telnet socat rsync nslookup dig host '
                    'ping nmap openssl aria2c lynx links w3m http https git svn aws gcloud az kubectl '
                    'docker pip pip3 npm npx apt apt-get yum dnf gem cargo go smbclient ldapsearch '
                    'traceroute tftp dnscat masscan rclone gsutil mail sendmail'.split())
READERS = frozenset('cat head tail less more grep egrep fgrep awk sed cut sort strings xxd od base64 '
                    'source . ls find stat file wc diff cmp md5sum sha256sum tar zip gzip cp scp '
                    'rsync bat nl tac rev hexdump readlink'.split())
WRITERS = frozenset('rm mv tee touch mkdir rmdir chmod chown chgrp truncate shred ln install unlink '
                    'mkfifo mknod dd mkfs sed'.split())
ELEMENT = re.compile(r'\[([^\]]*)\]=(.*)\Z', re.S)
ELEMENTS = 64           # maximum of elements of an array that are set one by one
MADE = 256              # maximum length of the expression that is shown in place of a variable
WORDS = 1024            # maximum of words of a program on a line
PRINTABLE = re.compile(r'[\t\n\r\x20-\x7e\x80-\U0010ffff]*\Z')


class ShellView(Flow):
    def __init__(self, view):
        super().__init__(view)
        self.aliases = {}
        self.effects = view.effects
        self.fixed = None       # the line of all commands, for code inside other code

    def program(self, text, indent):
        reader = shellparse.Reader(self.view, text, self.fixed or 1)
        parts, after, commands, groups = [], [], [], Groups(self)
        for pipeline, op in self.with_documents(reader):
            self.line = self.fixed or pipeline[0].line
            shown, inner = self.careful(pipeline)
            after += inner + [('shown', line, 0) for line in groups.seen(pipeline, op, self.texts)]
            commands += pipeline
            if shown:
                parts.append(shown)
            if op in ('&&', '||'):
                parts.append(op)
            elif op in (')', '&', ';;', ';&', ';;&'):
                parts.append(op)
            if op == '\n' or (op in (';', '&', ';;', ';&', ';;&')):
                self.flush(parts, after, commands, indent)
                parts, after, commands = [], [], []
        self.flush(parts, after, commands, indent)

    @staticmethod
    def with_documents(reader):
        """Delays a command until its here-document has been read."""
        held = []
        for one in reader.commands():
            held.append(one)
            if not reader.pending:
                yield from held
                held = []
        yield from held

    def careful(self, pipeline):
        """Shows a pipeline. An error of the reader costs this pipeline, not the view."""
        try:
            return self.pipeline_text(pipeline)
        except bounds.Stop:
            raise
        except Exception as e:
            self.view.limit(self.line, 'a command could not be read (%s)' % type(e).__name__)
            return '', []

    def flush(self, parts, after, commands, indent):
        if parts:
            self.view.text.line(indent, ' '.join(parts))
        for command in commands:
            for one in command.redirections:
                if one.body is not None:
                    for line in one.body.split('\n')[:-1]:
                        self.view.text.line(0, line)
                    self.view.text.line(0, one.end)
        for language, code, line in after:
            if language == 'shown':
                self.view.text.line(indent, code)
                continue
            self.inside(language, code, line, indent)

    def inside(self, language, code, line, indent):
        if not code.strip() or not PRINTABLE.match(code):
            return
        if language == 'python':
            nested.python_inside(self.view, code, line, indent)
            return
        if self.view.depth >= bounds.DEPTH or not self.work.nest():
            self.view.limit(line, 'code in code in code: more than is read')
            return
        self.view.depth += 1
        saved, self.fixed = self.fixed, line
        self.program(code, indent)
        self.fixed = saved
        self.view.depth -= 1

    def inline(self, code):
        """The commands of CODE on one line, for $(...)."""
        if self.depth >= bounds.DEPTH:
            return code
        if ('inline', code) not in self.done:
            self.done['inline', code] = self.on_one_line(code)
        return self.done['inline', code]

    def on_one_line(self, code):
        self.depth += 1
        made = []
        for pipeline, op in shellparse.Reader(self.view, code, self.line).commands():
            shown, _ = self.pipeline_text(pipeline)
            op = ';' if op == '\n' else op
            made += [shown, op] if shown else [op] if op != ';' else []
            made += [m for c in pipeline for code in c.also for m in (self.inline(code), ';')]
        self.depth -= 1
        while made and made[-1] == ';':
            made.pop()
        return ' '.join(made).replace(' ;', ';')

    # Pipelines

    def pipeline_text(self, pipeline):
        """(text, the code that it would run)."""
        shown, texts, short, inner, last = [], [], [], [], None
        for at, command in enumerate(pipeline):
            text, fields, found = self.command_text(command)
            shown.append(text)
            inner += found
            last = fields
            texts.append(self.bare(fields))
            if not (short and fields and fields[0].text in PASSING):
                short.append(texts[-1] if at else text)
            if fields:
                inner += [('shown', line, 0) for line in self.from_words(command, fields, texts[:-1])]
                inner += self.called(pipeline, at, fields, texts)
        if short != shown and len(short) > 1:
            inner.append(('shown', ' | '.join(short), self.line))
        if len(pipeline) > 1 and last:
            found = self.piped(pipeline, [f.text for f in last])
            inner += [found] if found else []
        self.texts = texts
        after_bracket = '| ' if len(pipeline) > 1 and pipeline[0].is_empty() else ''
        return after_bracket + ' | '.join(s for s in shown if s), inner

    def called(self, pipeline, at, fields, texts):
        """Shows the commands of a called function."""
        if fields[0].text not in self.functions or (len(fields) < 2 and len(pipeline) < 2):
            return []
        made, inner = self.call(fields)
        rest = [' '.join(w.bare() or '?' for w in c.words) for c in pipeline[at + 1:]]
        return inner + [('shown', ' | '.join(texts[:at] + [text] + rest), 0) for text in made]

    def piped(self, pipeline, last):
        """echo ... | base64 -d | sh: shows the input of the shell at the end."""
        line = self.fixed or self.line
        words = self.unwrapped(last)
        name = words[0].rsplit('/', 1)[-1] if words else ''
        reads = name in SHELLS or name in ('source', '.', 'eval') or nested.is_python(name)
        if reads:
            self.effects.add('dynamic', '... | ' + name, line)
        plain = [w for w in words[1:] if not w.startswith('-') and w != '/dev/stdin']
        commands = pipeline[:-1] if reads else pipeline
        if (reads and plain) or len(commands) < 1 + (not reads):
            return None
        made = self.pipeline(commands)
        if made is None:
            return None
        return 'python' if nested.is_python(name) else 'bash', shellfilter.as_text(made), line

    def command_text(self, command):
        """(text, fields, the code that it would run)."""
        line = self.fixed or command.line
        self.work.step(bounds.COMMAND)
        self.line = line
        shown = list(command.prefix)
        words = list(command.words)
        while words and words[0].assignment():
            shown.append(self.assign(words.pop(0)))
        fields = [f for w in words for f in self.fields(w)]
        if fields and words and words[0].bare() in self.aliases:
            head = Field()
            head.add(self.aliases[words[0].bare()], False)
            fields[0] = head
        shown += [f.show() for f in fields]
        for one in command.redirections:
            shown.append(self.redirect(one, line))
        inner = [('bash', code, line) for code in command.also]
        if fields:
            shown += self.remember(words, fields)
            inner += self.run_by(command, fields, line)
        for field in fields:
            pyeffects.string(self.effects, field.text, line)
        return ' '.join(s for s in shown if s), fields, inner

    def assign(self, word):
        self.done = {}
        found = word.assignment()
        name, index, add = found.groups()
        if word.items is not None:
            fields = [f for w in word.items for f in self.fields(w)]
            self.variables[name] = self.elements(fields) if not any(f.dynamic for f in fields) else None
            return '%s=(%s)' % (name, ' '.join(f.show() for f in fields))
        field = self.one(word, found.end())
        value = None if field.dynamic else field.text
        if index and not add and value is not None and self.set_element(name, index[1:-1], value):
            return '%s%s=%s' % (name, index, field.show() if field.text else '')
        value = None if index else value
        before = self.variables.get(name, None if name.isupper() else '')
        if add:
            value = before + value if isinstance(before, str) and value is not None else None
        if value is not None and len(value) > VALUE:
            value = None
        self.variables[name] = value
        self.made.pop(name, None)
        if field.dynamic and len(field.text) <= MADE and not (add or index):
            self.made[name] = field.text
        return '%s%s%s=%s' % (name, index or '', add, field.show() if field.text else '')

    def set_element(self, name, index, value):
        """Sets an element of an array. False if the index is not known."""
        before, key = self.variables.get(name, {}), self.flat(index)
        if isinstance(before, list):
            before = {str(n): one for n, one in enumerate(before)}
        elif isinstance(before, dict):
            before = dict(before)  # a copy, because others may use the old value
        if not isinstance(before, dict) or not key or len(value) > MADE or len(before) >= ELEMENTS:
            return False
        before[key] = value
        self.variables[name] = before
        return True

    @staticmethod
    def elements(fields):
        """The elements of NAME=(...): a list, or a dict if keys are written."""
        found = [ELEMENT.match(f.text) for f in fields]
        return {m.group(1): m.group(2) for m in found} if found and all(found) else [f.text for f in fields]

    def remember(self, words, fields):
        """Follows the assignments of a command. Returns the arrays that it sets, as text."""
        name, arrays = fields[0].text, []
        self.done = {} if name in ('for', 'read', 'unset', 'printf') else self.done
        if name in DECLARES or name == 'alias':
            for word in words[1:]:
                found = word.assignment()
                if found and name != 'alias':
                    arrays += [self.assign(word)][word.items is None:]
                elif found:
                    self.aliases[found.group(1)] = self.one(word, found.end()).text
        elif name == 'for' and len(fields) > 1:
            single = len(fields) == 4 and fields[2].text == 'in' and not fields[3].dynamic
            self.variables[fields[1].text] = fields[3].text if single else None
            self.made.pop(fields[1].text, None)
        elif name == 'unset' and '-f' not in [f.text for f in fields]:
            for field in fields[1:]:
                if not field.dynamic and not field.text.startswith('-'):
                    self.variables[field.text] = ''
                    self.made.pop(field.text, None)
        elif name in ('read', 'mapfile', 'readarray', 'getopts', 'select'):
            for field in fields[1:]:
                self.variables[field.text] = None
                self.made.pop(field.text, None)
        elif name == 'shift' and self.args is not None:
            count = fields[1].text if len(fields) > 1 else '1'
            self.args, self.done = self.args[int(count) if count.isdecimal() else 1:], {}
        elif name == 'set' and len(fields) > 1 and fields[1].text == '--':
            self.args, self.done = fields[2:], {}
        elif name == 'printf' and len(fields) > 3 and fields[1].text == '-v':
            made = self.output_of([f for f in fields[:1] + fields[3:]])
            self.variables[fields[2].text] = made
        return arrays

    @staticmethod
    def output_of(fields):
        try:
            return None if any(f.dynamic for f in fields) else \
                shellfilter.as_text(shellfilter.run([f.text for f in fields], None))
        except shellfilter.NotConst:
            return None

    def redirect(self, one, line):
        if one.op in ('<<', '<<-'):
            return '%s%s%s' % (one.fd, one.op, one.end)
        target = self.one(one.word) if one.word else Field()
        text = target.text
        if text.startswith(('/dev/tcp/', '/dev/udp/')):
            parts = text.split('/')
            self.effects.add('network', '/'.join(parts[:3]), line)
            self.effects.add('host', ':'.join(parts[3:5]), line)
        elif one.op != '<<<' and text and not text.isdigit() and text != '-' and \
                not text.startswith('/dev/null'):
            self.effects.add('read' if one.op in ('<', '<&') else 'write', text, line)
        gap = '' if one.op in ('>&', '<&') and (text.isdigit() or text == '-') else ' '
        return one.fd + one.op + gap + target.show()

    # The code that a command runs, and its effects

    @staticmethod
    def unwrapped(words):
        """The words without sudo, env, xargs and the like at the front."""
        words = list(words)
        for _ in range(16):
            name = words[0].rsplit('/', 1)[-1] if words else ''
            if name not in WRAPPERS:
                break
            words.pop(0)
            while words and (words[0].startswith('-') or (
                    name == 'env' and shellword.ASSIGNMENT.match(words[0]))):
                flag = words.pop(0)
                if len(flag) == 2 and flag[1] in WRAPPERS[name] and words:
                    words.pop(0)
            if name in ('timeout', 'chroot') and words:
                words.pop(0)
        return words

    @staticmethod
    def body(fields):
        """The words without "name () {" or "function name {" at the front, because the function may be
        called. Its body may also be in round brackets, or be an if or a loop."""
        words = [f.text for f in fields[:4]]
        if not (words[:1] == ['function'] or words[1:2] == ['()']):
            return fields
        opens = [n for n in range(1 + (words[1:2] == ['()']), len(words))
                 if words[n] in shellparse.KEYWORDS or (words[n] == '()' and words[n - 1:n] == ['()'])]
        return fields[opens[0] + 1:] if opens else fields

    def run_by(self, command, fields, line):
        """The code that a command would run, as (language, code, line)."""
        fields = self.body(fields)
        words = [f.text for f in fields]
        self.tell(words, line)
        rest = self.unwrapped(words)
        name = rest[0].rsplit('/', 1)[-1] if rest else ''
        dynamic = {f.text for f in fields if f.dynamic}
        found = nested.of_words(rest)
        if found:
            self.effects.add('dynamic', name + ' -c', line)
            return [(found[0], found[1], line)] if found[1] not in dynamic else []
        if name == 'eval':
            self.effects.add('dynamic', 'eval', line)
            return [('bash', ' '.join(rest[1:]), line)] if not dynamic else []
        if name == 'trap' and len(rest) > 1:
            return [('bash', rest[1], line)]
        if name in SHELLS or name in ('source', '.') or nested.is_python(name):
            return self.given(command, fields, name, line)
        return []

    def given(self, command, fields, name, line):
        """The code in bash <<EOF, bash <<< '...' and bash <(echo ...)."""
        language = 'python' if nested.is_python(name) else 'bash'
        made = []
        data = self.input(command, None)
        if data:
            made.append((language, data, line))
        for field in fields:
            for code in field.processes:
                text = self.output(code[2:])
                if text is not None:
                    made.append((language, text, line))
        return made

    def words(self, words, line):
        """The effects of a program with these words."""
        show_words(self.view, words, line, 0)
        found = nested.of_words(words)
        if found:
            self.inside(found[0], found[1], line, 0)

    def tell(self, words, line):
        for _ in range(16):
            name = words[0].rsplit('/', 1)[-1] if words else ''
            if not name:
                return
            if name not in BUILTINS and '()' not in words[1:2]:
                self.effects.add('program', words[0], line)
            if name not in WRAPPERS:
                break
            rest = self.unwrapped(words)
            if rest == words:
                break
            words = rest
        if name in NETWORK:
            self.effects.add('network', name, line)
        if name in ('source', '.'):
            self.effects.add('dynamic', name, line)
        kind = 'write' if name in WRITERS else 'read' if name in READERS else 'path'
        for word in words[1:]:
            if word.startswith('of=') and name == 'dd':
                self.effects.add('write', word[3:], line)
            elif not word.startswith('-') and pyeffects.PATH.match(word) and '://' not in word:
                self.effects.add(kind, word, line)


def show_words(view, words, line, indent):
    """Shows the words with which another program starts a program, as a shell line."""
    fields = []
    if len(words) > WORDS:
        view.limit(line, 'a program with more than %d words' % WORDS)
    for word in words[:WORDS]:
        field = Field()
        field.add(word, word != nested.UNKNOWN and not SAFE.match(word))
        fields.append(field.show())
    view.text.line(indent, ' '.join(fields))
    ShellView(view).tell(words, line)


def show_inside(view, code, line, indent):
    made = ShellView(view)
    made.fixed = line
    made.program(code, indent)


def show(view, text):
    ShellView(view).program(text, 0)
