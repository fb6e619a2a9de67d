# SPDX-License-Identifier: MIT
"""compare.py SEED COUNT DIR CODEX EXECUTOR...: generated exchanges, message by message, with Codex's own executor
and with ours, each in its own copy of a tree. Prints TAP: a line for each kind of exchange."""
import base64
import os
import random
import shutil
import sys

from client import Client, Failed

NAMES = ["f", "d", "d/e", "d/g", "l", "gone", "dang", "a b", "\u00e4#%", "new", "n/m/o", "f/x", ".hidden", ".hidden/h",
         "loop", "up", "", ".", "d/../f"]
# Theirs empties a file that it copies to a link to itself.
NAMES_TO_COPY = ["d", "d/e", "gone", "n/m/o", "f/x", ".hidden", "d/../f", ".hidden/h"]
SCRIPTS = ["exit {n}", "echo {n}", "echo {n} >&2; exit 1", "cat {p}", "echo {n} >{p}", "ls {p}; echo $?", "kill -9 $BASHPID",
           "head -c {big} /dev/urandom | wc -c", "seq {n}", "printf '\\0\\377\\n'", "pwd", "head -n 1", "mkdir -p {p}; ls -A {p}",
           "trap 'exit 9' INT; kill -INT $$; sleep 5", "ulimit -c; echo $0", "rm -rf {p}", "ln -s {p} new; readlink new",
           "read x; echo got $x", "test -t 0; echo $?", "exec 1>&-; echo {n}", "(exit {n}); echo $?", "set -e; false; echo no"]


def tree(root):
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root + "/d/e")
    os.makedirs(root + "/.hidden")
    for name, text in (("f", "hello"), ("d/g", "x" * 100000), ("a b", ""), ("\u00e4#%", "odd\n"), (".hidden/h", "h")):
        with open(os.path.join(root, name), "w", encoding="utf-8") as f:
            f.write(text)
    for name, to in (("l", "f"), ("dang", "nowhere"), ("loop", "loop"), ("up", "d")):
        os.symlink(to, os.path.join(root, name))


def file_call(r):
    """A method, and its parameters as a function of the client."""
    name, other = r.choice(NAMES), r.choice(NAMES)
    data = base64.b64encode(r.randbytes(r.choice((0, 3, 1000)))).decode()
    flags = {"recursive": r.random() < 0.5, "force": r.random() < 0.5}
    flags = {k: v for k, v in flags.items() if r.random() < 0.8}
    plain = r.choice(["f", "d", "a b", "gone", ".hidden", ""])
    links = {} if r.random() < 0.7 else {"followSymlinks": r.random() < 0.5}
    options = {"maxDepth": r.choice((1, 2, 9)), "maxDirectories": 99, "maxEntries": r.choice((2, 99)),
               "followDirectorySymlinks": False, "pruneHiddenDirectories": r.random() < 0.5}
    return r.choice((
        ("fs/getMetadata", lambda c: {"path": c.uri(name), **links}),
        ("fs/getMetadata", lambda c: {"path": c.uri(name)}),
        ("fs/readFile", lambda c: {"path": c.uri(name)}),
        ("fs/writeFile", lambda c: {"path": c.uri(name), "dataBase64": data}),
        ("fs/createDirectory", lambda c: {"path": c.uri(name), "recursive": flags.get("recursive", True)}),
        ("fs/remove", lambda c: {"path": c.uri(name if name not in ("", ".") else "f"), **flags}),
        ("fs/canonicalize", lambda c: {"path": c.uri(name)}),
        ("fs/readDirectory", lambda c: {"path": c.uri(name)}),
        ("fs/walk", lambda c: {"path": c.uri(name), "options": options}),
        ("fs/copy", lambda c: {"sourcePath": c.uri(plain), "destinationPath": c.uri(other if other in NAMES_TO_COPY else "n2"),
                               "recursive": flags.get("recursive", False)}),
        ("process/read", lambda c: {"processId": "none"}),
        ("process/terminate", lambda c: {"processId": "none"}),
        ("process/write", lambda c: {"processId": "none", "chunk": data, "writeId": "w"}),
        ("fs/nothing", lambda c: {"path": c.uri(name)}),
        ("fs/getMetadata", lambda c: {"path": c.cwd}),
        ("process/start", lambda c: {"processId": "p", "argv": [], "cwd": c.uri()}),
    ))


def answer(c, method, params):
    try:
        result = c.call(method, sandbox=None, **params) if method.startswith("fs/") else c.call(method, **params)
    except Failed as e:
        words = e.message if e.code == -32603 and "os error 40" not in e.message else ""
        return "error", e.code, words
    for late in ("createdAtMs", "modifiedAtMs"):
        result.pop(late, None)
    if "size" in result and result["isDirectory"]:
        result.pop("size")
    if "entries" in result and method == "fs/readDirectory":
        result["entries"].sort(key=lambda e: e["fileName"])
    return "result", eval(repr(result).replace(c.uri(), "ROOT"))  # pylint: disable=eval-used


def program(c, name, script, how, text):
    c.start(name, ["/bin/bash", "-c", script], env={"PATH": "/usr/local/bin:/usr/bin:/bin"}, tty=how == "tty",
            pipeStdin=how == "pipe")
    run = c.runs[name]
    if how == "pipe" or "read x" in script or "head -n" in script and how == "tty":
        if how == "tty":
            text += "\n\x04\x04"
        c.type(name, text + "\n")
    try:
        c.wait(name, 3 if how == "pipe" else 20)
    except AssertionError:
        c.call("process/terminate", processId=name)
        c.wait(name)
    said = {s: "".join(l for l in run.text(s).replace(c.cwd, "ROOT").splitlines(True) if not l.startswith("cordon:"))
            for s in ("stdout", "stderr", "pty")}
    said["pty"] = sorted(said["pty"].split())  # the echo may come before or after
    read = c.call("process/read", processId=name, afterSeq=0)
    return {**said, "code": run.exit_code, "read": [read[k] for k in ("exited", "exitCode", "closed", "failure",
                                                                      "sandboxDenied")]}


def main():
    seed, count, where, codex = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    r = random.Random(seed)
    clients = []
    for name, argv in (("theirs", [codex, "exec-server", "--listen", "stdio"]), ("ours", sys.argv[5:])):
        tree(f"{where}/{name}")
        clients.append(Client(argv, cwd=f"{where}/{name}"))
    kinds = {}
    for i in range(count):
        if r.random() < 0.75:
            method, params = file_call(r)
            got = [answer(c, method, params(c)) for c in clients]
            what = (method, params(clients[1]))
        else:
            method, how = "process", r.choice(("none", "none", "pipe", "tty"))
            path = r.choice([n for n in NAMES if n and " " not in n and "#" not in n])
            script = r.choice(SCRIPTS).format(n=r.randrange(100), p=path, big=r.choice((10, 3000000)))
            text = r.choice(("abc", "", "x y"))
            got = [program(c, f"p{i}", script, how, text) for c in clients]
            what = (script, how, text)
            if how == "tty" and "kill" in script:  # theirs says 1 for each signal
                for g in got:
                    g["code"] = g["read"][1] = min(g["code"], 1)
        kinds.setdefault(method, []).append((i, what, got))
    for n, (method, all_of) in enumerate(sorted(kinds.items()), 1):
        other = [x for x in all_of if x[2][0] != x[2][1]]
        print(f"{'not ' * bool(other)}ok {n} - {method}: {len(all_of)} exchanges (seed {seed})")
        for i, what, got in other[:5]:
            print(f"# exchange {i}: {what}\n#  theirs {str(got[0])[:600]}\n#  ours   {str(got[1])[:600]}")
    print(f"1..{len(kinds)}")
    for c in clients:
        c.program.kill() if c is clients[0] else c.close()


main()
