# SPDX-License-Identifier: MIT
# Sequences that a terminal obeys, shown to a person: clear, title, clipboard, answer back.
import sys
nasty = "\x1b[2J\x1b[H\x1b]0;pwned\x07\x1b]52;c;cHduZWQ=\x07\x1b[6n\x9b31m\x08\x7f\x0e done"
for stream in (sys.stdout, sys.stderr):
    print(nasty, file=stream)
