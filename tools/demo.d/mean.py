# SPDX-License-Identifier: MIT
# The same work, as it was meant.
import csv

with open("planted.csv", newline="") as table:
    units = [int(row["units"]) for row in csv.DictReader(table)]
print(f"mean: {sum(units) / len(units):g}")
