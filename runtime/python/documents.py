# SPDX-License-Identifier: MIT
"""Programs inside documents: in the blocks of a Markdown text, the cells of a notebook, or the
arguments of tool calls. Each is shown by itself, so that an error in one cannot hide the next; the
document only gives their places and languages. Blocks keep their fences, because some rules ignore
quoted text."""
import json

import bounds
import patterns as re
import pysource
import pytree
import shellview

PROGRAMS = 4096         # of one document; DEEP: lists and maps around one
DEEP = 16
LANGUAGES = {'python': 'python', 'python3': 'python', 'py': 'python', 'ipython': 'python',
             'ipython3': 'python', 'bash': 'bash', 'sh': 'bash', 'shell': 'bash', 'zsh': 'bash'}
FENCE = re.compile(r'([ \t>]*)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})[ \t]*[{.]*(\w*)([^`]*)$')
QUOTED = re.compile(r'[ \t>]*')
MAGIC = re.compile(r'%%(?:script[ \t]+)?(?:/\S*/)?(\w+)')
SHELL_LINE = re.compile(r'([ \t]*)(?:\w+[ \t]*=[ \t]*)?[!%]{1,2}([A-Za-z./~$].*)')
# Names of tools that run code, of their arguments with code, and of those with the language.
TOOLS = ((re.compile(r'python|jupyter|interpreter', re.I), 'python'),
         (re.compile(r'bash|shell|terminal|command|exec|(?<![a-z])sh(?![a-z])', re.I), 'bash'))
KEYS = {'command': 'bash', 'cmd': 'bash', 'bash': 'bash', 'shell': 'bash', 'commands': 'bash',
        'python': 'python', 'code': None, 'script': None, 'source': None, 'program': None, 'cell': None}
ARGUMENTS = frozenset('content tool_args args arguments argv input tool_input parameters'.split())
SAYS = ('language', 'lang', 'runtime', 'interpreter')


class Programs:
    """The programs of one document. As in a notebook, a later one sees the names of an earlier one."""

    def __init__(self, view):
        self.view = view
        self.count = 0
        self.done = False       # at least one program could be read
        self.python = self.shell = None

    def put(self, language, code, first):
        """Shows a program. FIRST lines of the document are before it."""
        self.count += 1
        if self.count > PROGRAMS:
            raise bounds.Stop('more than %d programs in one document' % PROGRAMS)
        self.view.work.step(bounds.COMMAND)
        if language == 'python':
            self.python = self.python or pysource.begin(self.view)
            self.done = pysource.go_on(self.python, code, first) or self.done
        else:
            self.shell = self.shell or shellview.ShellView(self.view)
            self.shell.fixed = first + 1
            self.shell.program(code, 0)
            self.done = True


def without_prompts(language, lines):
    """The lines without the prompts of a terminal session."""
    lines = pysource.dedented(lines) or lines
    marks = ('>>> ', '... ') if language == 'python' else ('$ ',)
    if not any(line.startswith(marks[0]) for line in lines):
        return lines
    return [next((line[len(m):] for m in marks if line.startswith(m)), line) for line in lines]


def blocks(text):
    """(line, language, lines) of each block in a known language. A block without an end goes to the
    end of the text."""
    lines, at = text.split('\n'), 0
    while at < len(lines):
        begin = FENCE.match(lines[at])
        at += 1
        if not begin:
            continue
        first, end = at, re.compile(r'[ \t>]*' + begin.group(2)[0] + '{%d,}[ \t]*$' % len(begin.group(2)))
        while at < len(lines) and not end.match(lines[at]):
            at += 1
        words = re.findall(r'\w+', begin.group(3) + ' ' + begin.group(4))[:4]
        known = [LANGUAGES[w.lower()] for w in words if w.lower() in LANGUAGES]
        if known:
            depth = begin.group(1).count('>')
            body = [QUOTED.sub('', x, count=1) if depth and x.lstrip().startswith('>') else x
                    for x in lines[first:at]]
            yield first, known[0], body
        at += 1


def markdown(view, text):
    made = Programs(view)
    view.work.skim(text)
    for first, language, lines in blocks(text):
        code = '\n'.join(without_prompts(language, lines))
        if code.strip():
            view.text.line(0, '```' + language)
            made.put(language, code, first)
            view.text.line(0, '```')
    if view.dynamic.parts:      # the same statements again, so also quoted
        view.dynamic.line(0, '```')
        view.dynamic.line(0, '```python')
        view.dynamic.parts.insert(0, view.dynamic.parts.pop())
    return made.done


def cells(book):
    """(language or None, source) of each cell, in all versions of the format."""
    def part(value, *keys):
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value
    name = part(book, 'metadata', 'language_info', 'name') or \
        part(book, 'metadata', 'kernelspec', 'language') or 'python'
    sheets = part(book, 'worksheets')
    for sheet in [book] + (sheets if isinstance(sheets, list) else []):
        found = part(sheet, 'cells')
        for cell in found if isinstance(found, list) else []:
            source = part(cell, 'source') or part(cell, 'input')
            if part(cell, 'cell_type') != 'code' or not source:
                continue
            if isinstance(source, list):
                source = ''.join(s for s in source if isinstance(s, str))
            if isinstance(source, str):
                magic = MAGIC.match(source)
                said = magic.group(1).lower() if magic else str(name).lower()
                yield LANGUAGES.get(said), source.partition('\n')[2] if magic else source


def notebook(view, text):
    made, at = Programs(view), 0
    try:
        view.work.skim(text)
        book = json.loads(text)
    except ValueError:
        view.problem(1, 'no notebook: its JSON is broken')
        return False
    for language, source in cells(book):
        view.work.step(bounds.COMMAND)
        if not language or not source.strip():
            continue
        at = max(at, text.find(json.dumps(source.split('\n')[0])[:-1], at))
        first = text.count('\n', 0, at)
        if language == 'python':
            source = without_magic(made, source, first)
        made.put(language, source, first)
    return made.done


def without_magic(made, source, first):
    """!ls and %pip are shell lines, not Python; they are shown before the rest."""
    lines = source.split('\n')
    for at, line in enumerate(lines):
        found = SHELL_LINE.match(line)
        if found:
            made.put('bash', found.group(2), first + at)
            lines[at] = found.group(1) + 'pass'
    return '\n'.join(lines)


class Calls:
    """Arguments of tool calls. Only their names tell which of them are code."""

    def __init__(self, view):
        self.view = view
        self.count = 0

    def begin(self):
        self.count += 1
        if self.count > PROGRAMS:
            raise bounds.Stop('more than %d calls with code' % PROGRAMS)

    def put(self, language, code):
        if not code.strip():
            return
        self.begin()
        kept = len(self.view.problems)
        Programs(self.view).put(language, code, 0)
        del self.view.problems[kept:]       # an argument that is not a program may be harmless
        if self.view.limited:
            self.view.problem(*self.view.limited)

    def guess(self, code):
        """The language of an argument whose name does not tell it."""
        try:
            self.view.work.parse(code)
            pytree.parse(code.strip())
            return 'python'
        except SyntaxError:
            return 'bash'

    def record(self, tool, key, text):
        language = next((made for name, made in TOOLS if name.search(tool)), None)
        key = key.lower()
        value = None
        if text[:1].strip() in ('', '{', '['):
            try:
                self.view.work.skim(text)
                value = json.loads(text)
            except ValueError:
                pass
        if isinstance(value, (dict, list)):
            self.walk(value, language, key, 0)
        elif key in KEYS:
            self.put(KEYS[key] or language or self.guess(text), text)
        elif key in ARGUMENTS and language:
            self.put(language, text)

    def walk(self, value, language, key, depth):
        if depth > DEEP:
            raise bounds.Stop('arguments that are more than %d deep' % DEEP)
        self.view.work.step(bounds.COMPUTED)
        if isinstance(value, str):
            if key in KEYS or (key in ARGUMENTS and language):
                self.record(language or '', key, value)
        elif isinstance(value, list):
            if key in KEYS and key != 'commands' and value and all(isinstance(w, str) for w in value):
                self.begin()
                shellview.ShellView(self.view).words(value, 1)
                return
            for one in value:
                self.walk(one, language, key, depth + 1)
        elif isinstance(value, dict):
            self.map(value, language, depth)

    def map(self, value, language, depth):
        said = [LANGUAGES[value[k].lower()] for k in SAYS
                if isinstance(value.get(k), str) and value[k].lower() in LANGUAGES]
        language = said[0] if said else language
        program, args = value.get('command'), value.get('args', value.get('arguments'))
        if isinstance(program, str) and isinstance(args, list):
            words = [program] + [w for w in args if isinstance(w, str)]
            value = dict(value, command=words)
        for key, one in value.items():
            self.walk(one, language, key.lower(), depth + 1)


def calls(view, text):
    """Reads the records (tool, key, text) that src/detect/scan_calls.c writes."""
    made = Calls(view)
    for record in text.split('\x1e'):
        parts = record.split('\x1f')
        if len(parts) == 3:
            made.record(*parts)
    return True


READERS = {'markdown': markdown, 'notebook': notebook, 'calls': calls}
