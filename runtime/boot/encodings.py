# SPDX-License-Identifier: MIT
"""Stands in for Python's package encodings, which every interpreter in the box imports first. It forks. The child
reads the code that will run, as runtime/view.py does, and answers on descriptor 7. Meanwhile the interpreter
continues its start on another core, and waits in sitecustomize. This is no enforcement: the answer of the child is
treated as hostile, and without an answer the code is read in another box."""
import gc
import posix
import sys


def be_real(module):
    from _frozen_importlib_external import PathFinder
    boot = module.__path__[0].rpartition('/')[0]
    del module.__getattr__
    sys.path.remove(boot)
    spec = PathFinder.find_spec('encodings')
    sys.path.insert(0, boot)
    module.__path__ = spec.submodule_search_locations
    module.__spec__ = spec
    module.__file__ = spec.origin
    module.__loader__ = spec.loader
    module.__cached__ = spec.cached
    spec.loader.exec_module(module)


def __getattr__(name):
    """Loads Python's own package when the reader needs one of its names, which is rare."""
    module = sys.modules[__name__]
    be_real(module)
    return getattr(module, name)


def read_file(path):
    fd = posix.open(path, posix.O_RDONLY)
    data = posix.read(fd, posix.fstat(fd).st_size)
    posix.close(fd)
    return data


def read_code():
    """The file `values` has the parameters: see src/read/view.c."""
    import _codecs
    import marshal
    from _frozen_importlib_external import MAGIC_NUMBER as magic
    module = sys.modules[__name__]
    module.__spec__._initializing = False      # or an import in another thread waits for this one
    _codecs.register(lambda name: module.search_function(name))
    lines = read_file(__path__[0].rpartition('/')[0] + '/values').partition(b'\n\n')[0].split(b'\n')
    values = dict([line.split(b' ', 1) for line in lines])
    ready = values[b'key'].startswith(magic.hex().encode() + b'-')
    length, at = values[b'start_code' if ready else b'start'].split()
    start = posix.pread(8, int(length), int(at))
    names = {'__name__': 'start'}
    exec(marshal.loads(start) if ready else start, names)
    view = names['load'](8, int(values[b'parts']))['view']
    view('python', read_file(values[b'code']), 7, b'\xff')


def other_cores():
    """The cores for the reader: all but the current one. It stays there, or its thread would come back."""
    stat = posix.open('/proc/self/stat', posix.O_RDONLY)
    here = int(posix.read(stat, 4096).rpartition(b')')[2].split()[36])
    posix.close(stat)
    return posix.sched_getaffinity(0) - {here}


def fork():
    """Returns the pid of the reader; 0 in the reader, -1 if there is none. Both processes move the reader to other
    cores; if that fails, only time is lost."""
    try:
        cores = other_cores()
    except Exception:
        cores = ()
    try:
        reader = posix.fork()
    except OSError:
        return -1
    try:
        if cores:
            posix.sched_setaffinity(reader, cores)
    except Exception:
        pass
    return reader


reader = fork()
if reader == 0:
    try:
        read_code()
    finally:
        posix._exit(1)
# The garbage collector writes to every object, which after a fork copies its page.
gc.disable()
be_real(sys.modules[__name__])
del be_real, read_file, read_code, other_cores, fork, gc, posix
