# SPDX-License-Identifier: MIT
"""In the box, with --telemetry: reports what the program does on descriptor 7, a line for each interesting audit
event. This is information only: the program can silence it and can forge lines, so no decision depends on it. It
never stops the program, never waits, and never runs code of the program."""
import posix
import sys

FD = 7
LINE_MAX, ARGS, ITEMS, TEXT_MAX, FRAMES = 480, 3, 8, 120, 60
# How many arguments are shown, by the name of the event or its beginning.
EVENTS = {'import': 1, 'compile': 2, 'exec': 1, 'open': 2, 'os.system': 1, 'os.exec': 2, 'os.fork': 0, 'os.forkpty': 0,
          'os.posix_spawn': 2, 'os.kill': 2, 'subprocess.Popen': 2, 'pickle.find_class': 2, 'marshal.loads': 1,
          'marshal.load': 0, 'os.remove': 1, 'os.rename': 2, 'shutil.rmtree': 1, 'pty.spawn': 1}
BEGINNINGS = {'socket.': 3, 'ctypes.': 2, 'urllib.': 1}


def shown(value, deep=True):
    """VALUE as text, without a call of the program's code: its classes could have any __repr__."""
    kind = type(value)
    if kind is str:
        return ascii(value[:TEXT_MAX])
    if kind is bytes:
        return ascii(value[:TEXT_MAX]) if len(value) <= TEXT_MAX else '<%d bytes>' % len(value)
    if kind in (int, bool, type(None)):
        return repr(value) if kind is not int or value.bit_length() < 64 else '<int>'
    if deep and kind in (list, tuple):
        return '[' + ', '.join([shown(v, False) for v in value[:ITEMS]]) + ']'
    if kind.__name__ == 'code' and kind.__module__ == 'builtins':
        return ascii(value.co_filename[:TEXT_MAX])
    return '<' + ascii(type.__dict__['__name__'].__get__(kind))[1:-1][:40] + '>'


def arm(main):
    write, frame_of = posix.write, sys._getframe
    state = {'on': True}
    library = sys.modules['os'].__file__.rpartition('/')[0] + '/'

    def is_own(frame):
        """True if the standard library imports. Its own imports are not reported."""
        while frame is not None and frame.f_code.co_filename.startswith('<frozen importlib'):
            frame = frame.f_back
        return frame is None or frame.f_code.co_filename.startswith((library, '<frozen '))

    def line_of(frame):
        for _ in range(FRAMES):
            if frame is None:
                return 0
            if frame.f_code.co_filename == main:
                return frame.f_lineno
            frame = frame.f_back
        return 0

    def say(event, line, args):
        text = '%s\t%d\t%s' % (event, line, ', '.join(args))
        try:
            write(FD, text[:LINE_MAX].encode('ascii', 'replace').replace(b'\n', b'?') + b'\n')
        except BlockingIOError:
            pass                        # the pipe is full: this line is lost
        except OSError:
            state['on'] = False

    def hook(event, args):
        if not state['on']:
            return
        count = EVENTS.get(event)
        if count is None:
            count = BEGINNINGS.get(event.partition('.')[0] + '.')
            if count is None:
                return
        try:
            frame = frame_of(1)
            # The event of an import stands for all that the import does.
            if is_own(frame) if event == 'import' else frame.f_code.co_filename.startswith('<frozen importlib'):
                return
            if event == 'compile':
                args = args[1:]
            if event == 'marshal.loads':
                args = (len(args[0]),)
            say(event, line_of(frame), [shown(a) for a in args[:count]])
        except Exception:
            pass

    def raised(kind, value, trace, usual=sys.excepthook):
        try:
            if state['on'] and isinstance(value, OSError) and type(value.errno) is int:
                line = 0
                while trace is not None:
                    if trace.tb_frame.f_code.co_filename == main:
                        line = trace.tb_lineno
                    trace = trace.tb_next
                say('cordon.raised', line, [shown(value.errno), shown(value.filename)])
        except Exception:
            pass
        state['on'] = False             # only Python's own traceback follows
        usual(kind, value, value.__traceback__)

    posix.set_inheritable(FD, False)
    posix.set_blocking(FD, False)
    sys.excepthook = raised
    sys.addaudithook(hook)


arm(MAIN)
