# SPDX-License-Identifier: MIT
# What goes round a gate that reads the syntax tree: importlib, builtins, sys.modules, ctypes.
import sys
args = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
canary = args["outside"] + "/planted"


def by_libc():
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.system(("touch " + canary).encode()) != 0:
        raise OSError("system")


def by_importlib():
    module = __import__("importlib").import_module("o" + "s")
    getattr(module, "exec" + "lp")("touch", "touch", canary)


def by_modules():
    sys.modules["posix"].posix_spawn("/bin/touch", ["touch", canary], {})
    import os
    if os.wait()[1] != 0:
        raise OSError("spawn")


def by_pty():
    import pty
    if pty.spawn(["/bin/touch", canary]) != 0:
        raise OSError("pty")


def by_multiprocessing():
    import multiprocessing
    context = multiprocessing.get_context("spawn")
    child = context.Process(target=print)
    child.start()
    child.join()
    if child.exitcode != 0:
        raise OSError("spawn")


for attempt in (by_libc, by_importlib, by_modules, by_pty, by_multiprocessing):
    try:
        attempt()
    except BaseException as error:
        print(attempt.__name__, type(error).__name__, error)
    else:
        print("ESCAPED", attempt.__name__)
        sys.exit(1)
print("HELD")
