# SPDX-License-Identifier: MIT
# The smallest script: its time is the interpreter's start and the sandbox, nothing else.
pass
