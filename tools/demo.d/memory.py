# SPDX-License-Identifier: MIT
# A memory bomb: takes and touches eight megabytes at a time.
hoard = []
while True:
    hoard.append(bytearray(8 << 20))
