# SPDX-License-Identifier: MIT
"""In the box, with --telemetry: tells on descriptor 7 what the program does, one line for each audit event that
is worth a look. For the reader only: the program can silence it, and it can say anything there itself, so
nobody decides anything by it. It never stops the program, never waits, and never runs code of the program's."""
import posix
import sys

FD = 7
LINE_MAX, ARGS, ITEMS, TEXT_MAX, FRAMES = 480, 3, 8, 120, 60
# Which arguments are shown, by the event's name or its beginning.
EVENTS = {'import': 1, 'compile': 2, 'exec': 1, 'open': 2, 'os.system': 1, 'os.exec': 2, 'os.fork': 0, 'os.forkpty': 0,
          'os.posix_spawn': 2, 'os.kill': 2, 'subprocess.Popen': 2, 'pickle.find_class': 2, 'marshal.loads': 1,
          'marshal.load': 0, 'os.remove': 1, 'os.rename': 2, 'shutil.rmtree': 1, 'pty.spawn': 1}
BEGINNINGS = {'socket.': 3, 'ctypes.': 2, 'urllib.': 1}


def shown(value, deep=True):
    """Only what is surely no code of the program's: a class of its own could have any repr."""
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
        """Is it the standard library that imports? What it needs is its own affair."""
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
            pass                        # nobody reads so fast: this one is lost
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
            # What an import does is told by the import.
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
        state['on'] = False             # what follows is Python's own: it shows the lines
        usual(kind, value, value.__traceback__)

    posix.set_inheritable(FD, False)
    posix.set_blocking(FD, False)
    sys.excepthook = raised
    sys.addaudithook(hook)


arm(MAIN)
