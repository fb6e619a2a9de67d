# SPDX-License-Identifier: MIT
"""Regular expressions with the interface of the module re. The build replaces a call with a constant
pattern by the compiled pattern (tools/view-code), because loading re takes longer than reading a
small program. This module is for patterns that are made at run time, and for a reader that is not
compiled."""
import _sre

ready = _sre.compile        # the build calls this with a compiled pattern
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
