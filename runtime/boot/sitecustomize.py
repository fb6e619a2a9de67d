# SPDX-License-Identifier: MIT
"""The interpreter is ready: waits until the code has been read and may run, leaves no trace of itself, and
gives way to a sitecustomize of the system's own. (Without WAITS the code was read elsewhere.) Only then the workspace's modules (MODULES) can be
imported: nothing of them may run before. The reader's answer ends with a byte that is in no text; if it
could not give one, the byte comes from here."""


def wait():
    """Whatever happens here, nothing goes on without the word: Python would run the code all the same.
    Telemetry (a place on descriptor 8) keeps descriptor 7."""
    import posix
    try:
        if not WAITS:
            raise StopIteration
        import encodings
        if encodings.reader < 0 or posix.waitpid(encodings.reader, 0)[1]:
            posix.write(7, b'\xff')
        del encodings.reader
        word = posix.read(7, 1)
    except StopIteration:
        word = b'g'
    except BaseException:
        word = b''
    if word != b'g':
        posix._exit(125)
    source = posix.pread(8, *TELEMETRY) if TELEMETRY else None
    posix.close(8)
    if not TELEMETRY:
        posix.close(7)
    return source


def leave():
    import gc
    import os
    import sys
    gc.freeze()         # all that is there now is old; nobody looks at it again soon
    gc.unfreeze()
    gc.enable()
    boot = __file__.rpartition('/')[0]
    sys.path[sys.path.index(boot)] = MODULES
    sys.path_importer_cache.pop(boot, None)
    if MODULES:
        os.environ['PYTHONPATH'] = MODULES
    else:
        sys.path.remove(MODULES)
        del os.environ['PYTHONPATH']
    del sys.modules['sitecustomize'], sys.modules['gc']
    try:
        import sitecustomize
    except ImportError:
        import types
        sys.modules['sitecustomize'] = types.ModuleType('sitecustomize')


def look(source):
    """Whatever is wrong with it, the program runs."""
    try:
        exec(compile(source, 'telemetry', 'exec'), {'__name__': 'telemetry', 'MAIN': MAIN})
    except Exception:
        pass


source = wait()
leave()
if source:
    look(source)
