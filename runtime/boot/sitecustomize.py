# SPDX-License-Identifier: MIT
"""The interpreter has started: waits until the code has been read and may run. Then it removes its traces and imports
the system's own sitecustomize, if there is one. Only then modules of the workspace can be imported: none of them may
run before the decision. The file `values` has the parameters: see src/read/view.c. The answer of the reader ends with
a byte that is in no text; if the reader failed, this module writes the byte."""
import posix


def wait():
    """Waits for the permission to run, unless the code was read in another box. Every error ends the process here:
    if this module failed, Python would run the code all the same. Telemetry keeps descriptor 7. Returns the
    directory of this file, the path of modules, the source of telemetry or b'', and the path of the code."""
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
    gc.freeze()         # moves all objects to the oldest generation, which is seldom collected
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


def start_telemetry(source, main):
    """Starts telemetry. An error in it does not stop the program."""
    try:
        exec(compile(source, 'telemetry', 'exec'), {'__name__': 'telemetry', 'MAIN': main})
    except Exception:
        pass


boot, modules, source, main = wait()
leave(boot, modules)
if source:
    start_telemetry(source, main)
