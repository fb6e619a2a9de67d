# SPDX-License-Identifier: MIT
"""Files with shell commands that are not shell programs: Makefiles with recipes, Dockerfiles with RUN
lines. Each command is read by itself, as it runs by itself, so that a missing quote in one cannot hide
the next. Variables keep their values for all later commands."""
import patterns as re
import shellview

RUNS = re.compile(r'\s*(?:ONBUILD\s+)?(?:RUN|CMD|ENTRYPOINT|HEALTHCHECK\s+(?:--\S+\s+)*CMD)\s+'
                  r'((?:--\S+\s+)*)(.*)', re.I | re.S)
SETS = re.compile(r'\s*(?:ENV|ARG)\s+([A-Za-z_]\w*)(=|\s+)(.*)', re.I | re.S)
DOCUMENT = re.compile(r'<<-?\s*(["\']?)(\w+)\1')
MAKE_SETS = re.compile(r'\s*(?:export\s+|override\s+)*([A-Za-z_]\w*)\s*(?::|::|\?|\+|!)?=\s*(.*)', re.S)
MAKE_NAME = re.compile(r'\$[({]([A-Za-z_]\w*)[)}]')
NAMES = 1024            # maximum of variables of a Makefile
LENGTH = 1024           # maximum length of a value
USES = 256              # maximum of variables in a line


def lines_of(text):
    """(number of its first line, line), with continued lines joined."""
    held, first = [], 1
    for number, line in enumerate(text.split('\n'), 1):
        if not held:
            first = number
        held.append(line)
        if len(line) - len(line.rstrip('\\')) & 1:
            continue
        yield first, '\n'.join(held)
        held = []
    if held:
        yield first, '\n'.join(held)


def docker(text):
    """(line, shell code or words) of each command or variable of a Dockerfile."""
    lines = list(lines_of(re.sub(r'(?m)^[ \t]*#.*\n', '\\\n', text)))
    at = 0
    while at < len(lines):
        number, line = lines[at]
        line = line.lstrip('\\\n')
        at += 1
        runs, sets = RUNS.match(line), SETS.match(line)
        if runs:
            code = runs.group(2)
            for _, end in DOCUMENT.findall(code):
                while at < len(lines) and lines[at][1].strip() != end:
                    code += '\n' + lines[at][1]
                    at += 1
                code += '\n' + end
                at += 1
            yield number, words_or_code('sh ' + code if code.startswith('<<') else code)
        elif sets:
            name, gap, value = sets.groups()
            yield number, name + '=' + (value if gap == '=' else '"%s"' % value.strip())


def words_or_code(code):
    """The words of RUN ["sh", "-c", "..."], or the code of RUN ...."""
    if not code.startswith('['):
        return code
    import json
    try:
        made = json.loads(code)
    except (ValueError, RecursionError):
        made = None
    return made if isinstance(made, list) and all(isinstance(w, str) for w in made) and made else code


def filled(code, names):
    """Replaces variables as make does: by their text. The kept text is already filled itself."""
    if code.count('$') > USES:
        return code
    return MAKE_NAME.sub(lambda m: names.get(m.group(1), m.group()), code)


def make(text):
    """(line, shell code) of the recipes of a Makefile and of its variables."""
    names = {}
    for number, line in lines_of(text):
        code, sets = None, MAKE_SETS.match(line)
        rule, _, inline = line.partition(';')           # target: needs; command
        if line.startswith('\t'):
            code = line.lstrip(' \t@+-')
        elif sets:
            name, value = sets.group(1), filled(sets.group(2), names)
            if len(names) < NAMES and len(value) <= LENGTH:
                names[name] = value
            code = '%s="%s"' % (name, re.sub(r'(["`])', r'\\\1', value))
        elif inline and ':' in rule and '#' not in rule:
            code = inline.lstrip(' \t@+-')
        elif '$(shell ' in line:
            code = ': ' + line
        if code:
            code = filled(code, names).replace('$$', '$').replace('$(shell ', '$(')
            yield number, MAKE_NAME.sub(r'${\1}', code)


def show(view, text, commands):
    made = shellview.ShellView(view)
    for line, code in commands(text):
        made.fixed = line
        if isinstance(code, list):
            made.words(code, line)
        else:
            made.program(code, 0)


READERS = {'docker': docker, 'make': make}
