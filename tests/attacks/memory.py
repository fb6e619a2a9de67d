# SPDX-License-Identifier: MIT
# VAREK case 8: more memory than allowed, bounded far below what would hurt the machine.
import sys
kept = []
try:
    for _ in range(40):
        kept.append(bytearray(b"x") * (8 << 20))
except MemoryError:
    kept.clear()
    print("HELD MemoryError")
    sys.exit(0)
print("ESCAPED", len(kept) * 8, "MiB")
sys.exit(1)
