# SPDX-License-Identifier: MIT
# A job of two kilobytes, as agents write them: it reads a table, counts and prints.
import csv
import io
import statistics

TABLE = """region,month,units,price
north,1,47,2.50
south,1,86,1.75
north,2,54,2.50
south,2,82,1.75
north,3,61,2.50
south,3,78,1.75
north,4,68,2.50
south,4,74,1.75
"""


def rows(text):
    for row in csv.DictReader(io.StringIO(text)):
        yield row["region"], int(row["month"]), int(row["units"]), float(row["price"])


def revenue_by_region(table):
    totals = {}
    for region, _month, units, price in table:
        totals.setdefault(region, []).append(units * price)
    return totals


def describe(name, values):
    mean = statistics.fmean(values)
    spread = statistics.pstdev(values)
    return f"{name:<8}{len(values):>4}{sum(values):>10.2f}{mean:>10.2f}{spread:>8.2f}"


def slope(values):
    """The trend from one month to the next, by least squares."""
    count = len(values)
    middle = (count - 1) / 2
    mean = sum(values) / count
    above = sum((at - middle) * (value - mean) for at, value in enumerate(values))
    below = sum((at - middle) ** 2 for at in range(count))
    return above / below if below else 0.0


def moving_average(values, width):
    window = []
    for value in values:
        window.append(value)
        if len(window) > width:
            window.pop(0)
        yield sum(window) / len(window)


def main():
    totals = revenue_by_region(rows(TABLE))
    print(f"{'region':<8}{'n':>4}{'sum':>10}{'mean':>10}{'sd':>8}")
    for region in sorted(totals):
        print(describe(region, totals[region]))
        smooth = list(moving_average(totals[region], 2))
        print(f"  trend {slope(totals[region]):+.2f} a month, smoothed {slope(smooth):+.2f}")
    best = max(totals, key=lambda region: sum(totals[region]))
    print(f"best: {best}")


if __name__ == "__main__":
    main()
