# SPDX-License-Identifier: MIT
# VAREK A5: 400 MB of output; here 128, in lines.
import sys
line = "A" * 1023 + "\n"
for _ in range(128 << 10):
    sys.stdout.write(line)
