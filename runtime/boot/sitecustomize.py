# SPDX-License-Identifier: MIT
"""The interpreter is ready: waits until the code has been read and may run, leaves no trace of itself, and
gives way to a sitecustomize of the system's own. Only then the workspace's modules can be imported: nothing
of them may run before. What it is told is in the file values: see view_boot in src/flow/view.c. The reader's
answer ends with a byte that is in no text; if it could not give one, the byte comes from here."""
import posix


def wait():
    """Whatever happens here, nothing goes on without the word: Python would run the code all the same.
    (If it does not wait the code was read elsewhere.) Telemetry keeps descriptor 7. Returns where this
    is, the path of modules, and telemetry's source, if there is one, with the path of the code."""
    try:
        import os
        boot = __file__.rpartition('/')[0]
        fd = posix.open(boot + '/values', posix.O_RDONLY)
        lines, _, modules = os.fsdecode(posix.read(fd, posix.fstat(fd).st_size)).partition('\n\n')
        posix.close(fd)
        values = dict([line.split(' ', 1) for line in lines.split('\n')])
        if int(values['waits']):
            import encodings
            if encodings.reader < 0 or posix.waitpid(encodings.reader, 0)[1]:
                posix.write(7, b'\xff')
            del encodings.reader
            if posix.read(7, 1) != b'g':
                posix._exit(125)
        length, at = values['telemetry'].split()
        source = posix.pread(8, int(length), int(at))
        posix.close(8)
        if not source:
            posix.close(7)
        return boot, modules, source, values['code']
    except BaseException:
        posix._exit(125)


def leave(boot, modules):
    import gc
    import os
    import sys
    gc.freeze()         # all that is there now is old; nobody looks at it again soon
    gc.unfreeze()
    gc.enable()
    at = sys.path.index(boot)
    own = [os.path.abspath(path) for path in modules.split(':')] if modules else []
    sys.path[at:at + 1] = [path for i, path in enumerate(own) if path not in sys.path[:at] + own[:i]]
    sys.path_importer_cache.pop(boot, None)
    if modules:
        os.environ['PYTHONPATH'] = modules
    else:
        del os.environ['PYTHONPATH']
    del sys.modules['sitecustomize'], sys.modules['gc']
    try:
        import sitecustomize
    except ImportError:
        import types
        sys.modules['sitecustomize'] = types.ModuleType('sitecustomize')


def look(source, main):
    """Whatever is wrong with it, the program runs."""
    try:
        exec(compile(source, 'telemetry', 'exec'), {'__name__': 'telemetry', 'MAIN': main})
    except Exception:
        pass


boot, modules, source, main = wait()
leave(boot, modules)
if source:
    look(source, main)
