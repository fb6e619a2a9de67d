# SPDX-License-Identifier: MIT
"""Code in code: a program that another one passes to an interpreter, shown in its own language.
Only here the readers of Python and of shells call each other."""
import bounds

UNKNOWN = '?'           # a word with an unknown value
SHELLS = frozenset('sh bash dash zsh ksh ash busybox'.split())


def is_python(program):
    name = program.rsplit('/', 1)[-1]
    return name.startswith('python') or name in ('pypy', 'pypy3')


def of_words(words):
    """(language, code) of ['sh', '-c', CODE] and the like, or None."""
    words = [w for w in words]
    while words and words[0] and words[0].rsplit('/', 1)[-1] in ('sudo', 'env', 'nohup', 'exec'):
        words.pop(0)
    if len(words) < 3 or not words[0]:
        return None
    name = words[0].rsplit('/', 1)[-1]
    for at in range(1, len(words) - 1):
        flag = words[at] or ''
        if flag.startswith('-') and not flag.startswith('--') and flag.endswith('c') and words[at + 1]:
            if name in SHELLS:
                return 'bash', words[at + 1]
            if is_python(name):
                return 'python', words[at + 1]
        if not flag.startswith('-') and name != 'busybox':
            return None
    return None


def show(python, one, indent):
    """Shows code of a Python program. ONE is (language, code, line)."""
    language, code, line = one
    if language == 'words':
        found = of_words(code)
        if not found:
            import shellview
            known = [w if w is not None else UNKNOWN for w in code]
            return shellview.show_words(python.view, known, line, indent)
        language, code = found
    if isinstance(code, bytes) and language == 'bash':
        code = code.decode('utf-8', 'replace')
    if language == 'python':
        return python.inside(code, line, indent)
    import shellview
    return shellview.show_inside(python.view, code, line, indent)


def python_inside(view, code, line, indent):
    """Shows the code of `python -c CODE` in a shell program."""
    import pyview
    if view.depth >= bounds.DEPTH or not view.work.nest():
        view.limit(line, 'code in code in code: more than is read')
        return
    view.depth += 1
    made = pyview.PythonView(view, '')
    made.scope = pyview.Scope(None, {}, set())
    made.inside(code, line, indent)
    view.depth -= 1
