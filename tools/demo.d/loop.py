# SPDX-License-Identifier: MIT
# An endless loop.
while True:
    pass
