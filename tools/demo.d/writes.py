# SPDX-License-Identifier: MIT
# Harmless by itself: leaves a program behind for somebody else to run.
open("next.py", "w").write('import pandas\nprint(pandas.read_csv("planted.csv").shape)\n')
