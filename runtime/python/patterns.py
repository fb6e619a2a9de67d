# SPDX-License-Identifier: MIT
"""Regular expressions, called as those of the module re. Where a pattern is written out, the build
puts its finished form in the place of the call (tools/view-code): then neither re nor its compiler
is loaded, which takes longer than reading a small program. What is here is for patterns that are
made at run time, and for a reader that was not compiled."""
import _sre

ready = _sre.compile        # what the build calls with a finished pattern
IGNORECASE = I = 2
DOTALL = S = 16


def compile(pattern, flags=0):
    import re
    return re.compile(pattern, flags)


def match(pattern, text, flags=0):
    return compile(pattern, flags).match(text)


def fullmatch(pattern, text, flags=0):
    return compile(pattern, flags).fullmatch(text)


def search(pattern, text, flags=0):
    return compile(pattern, flags).search(text)


def findall(pattern, text):
    return compile(pattern).findall(text)


def split(pattern, text):
    return compile(pattern).split(text)


def sub(pattern, new, text, count=0):
    return compile(pattern).sub(new, text, count)


def escape(text):
    import re
    return re.escape(text)
