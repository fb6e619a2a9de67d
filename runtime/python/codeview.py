# SPDX-License-Identifier: MIT
"""The entry of the code view. It gets code and its language, and answers with records
"key length\\nbytes\\n", the last one "end 0". It runs in the box: it trusts nothing that it reads,
and Cordon does not trust its answer."""
import sys

import bounds


def write(out, key, data):
    if isinstance(data, str):
        data = data.encode('utf-8', 'backslashreplace')
    out.write(b'%s %d\n' % (key.encode(), len(data)))
    out.write(data + b'\n')


def decode_shell(data):
    """A carriage return is a letter to a shell. It is removed if every line ends in one."""
    text = (data[3:] if data.startswith(b'\xef\xbb\xbf') else data).decode('utf-8', 'replace')
    if text.count('\r\n') == text.count('\n'):
        return text.replace('\r\n', '\n')
    return text


def decode_python(data, view):
    """Most programs are UTF-8 and name no encoding. If the first lines may name one, pydecode decides."""
    first = b''.join(data.split(b'\n', 2)[:2])
    if b'coding' in first or b'\r' in first:
        import pydecode
        return pydecode.decode(data, view)
    return (data[3:] if data.startswith(b'\xef\xbb\xbf') else data).decode('utf-8', 'replace')


def decode(language, data, view):
    if language == 'python':
        text = decode_python(data, view)
    else:
        text = decode_shell(data)
    text = text.encode('utf-8', 'replace').decode('utf-8')
    if '\0' in text:
        view.problem(text.count('\n', 0, text.index('\0')) + 1, 'a NUL byte')
        text = text.replace('\0', '')
    return text.replace('\r\n', '\n').replace('\r', '\n') if language == 'python' else text


def make(language, data, seconds=bounds.SECONDS):
    """(status, View)."""
    view = bounds.View(seconds)
    done = True
    try:
        text = decode(language, data, view)
        if language == 'python':
            import pysource
            done = pysource.show(view, text)
        elif language == 'bash':
            import shellview
            shellview.show(view, text)
        elif language in ('markdown', 'notebook', 'calls'):
            import documents
            done = documents.READERS[language](view, text)
        else:
            import shellfiles
            shellfiles.show(view, text, shellfiles.READERS[language])
    except bounds.Stop as e:
        view.limit(0, str(e))
    except Exception as e:
        view.too_much(0, e)
    if view.text.cut or view.dynamic.cut:
        view.limit(0, 'a line of the canonical text is longer than %d' % bounds.LINE)
    if view.work.folds < 0:
        view.limit(0, 'more than %d values to compute' % bounds.FOLDS)
    if view.effects.cut:
        view.problem(0, 'more than %d effects' % bounds.EFFECTS)
    done = done and bool(view.text.parts)
    return ('whole' if not view.problems else 'part' if done else 'none'), view


def answer(out, status, view):
    write(out, 'status', status)
    if view.problems:
        line, words = view.limited or view.problems[0]
        write(out, 'line', str(max(0, line)))
        write(out, 'reason', words[:bounds.VALUE // 4])
    if view.limited:
        write(out, 'limit', b'')
    write(out, 'text', view.text.join() + view.dynamic.join())
    for (kind, value), line in view.effects.rows():
        write(out, 'effect', '%s %d %s' % (kind, line, value))
    write(out, 'end', b'')


class Answer:
    """Collects the records and writes them together."""

    def __init__(self):
        self.parts = []
        self.write = self.parts.append

    def send(self, fd):
        import posix
        data = memoryview(b''.join(self.parts))
        while data:
            data = data[posix.write(fd, data):]


def view(language, code, fd, end=b''):
    """Reads CODE, bytes in LANGUAGE, writes the answer and END to descriptor FD and ends this process:
    a caller that continues must fork before. It uses a thread, because the stack of a
    thread can be made large enough for the deepest tree."""
    import _thread
    import posix
    sys.setrecursionlimit(bounds.RECURSION)
    _thread.stack_size(bounds.STACK)
    status = [1]
    done = _thread.allocate_lock()
    done.acquire()

    def body():
        try:
            made = Answer()
            answer(made, *make(language, code))
            made.write(end)
            made.send(fd)
            status[0] = 0
        finally:
            done.release()
    _thread.start_new_thread(body, ())
    done.acquire()
    posix._exit(status[0])
