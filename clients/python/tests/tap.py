# SPDX-License-Identifier: MIT
"""tap.py MODULE...: runs the unittest tests of these modules and prints TAP. The plan comes first, so that a run that
dies early is noticed."""
import os
import sys
import unittest

sys.path[0:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]


class Tap(unittest.TestResult):
    number = 0
    bad = False

    def startTest(self, test):
        super().startTest(test)
        self.printed = False
        self.parts = []  # errors in subtests; printed after the name of the test

    def stopTest(self, test):
        super().stopTest(test)
        if not self.printed:
            self.fail(test, "\n".join(self.parts))

    def print_line(self, word, test, note=""):
        self.number += 1
        self.printed = True
        name = (test.shortDescription() or test.id()).replace("#", "")
        print(f"{word} {self.number} - {test.id().split('.')[0]}: {name}{note}", flush=True)

    def fail(self, test, words):
        self.bad = True
        self.print_line("not ok", test)
        print("\n".join("# " + line[:300] for line in words.splitlines()[-40:]), flush=True)

    def addSuccess(self, test):
        self.print_line("ok", test)

    def addError(self, test, err):
        self.fail(test, self._exc_info_to_string(err, test))

    def addFailure(self, test, err):
        self.fail(test, self._exc_info_to_string(err, test))

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.parts += [str(subtest), *self._exc_info_to_string(err, test).splitlines()[-30:]]

    def addSkip(self, test, reason):
        self.print_line("ok", test, " # SKIP " + reason)

    def addExpectedFailure(self, test, err):
        self.fail(test, "expected failures are not allowed")

    def addUnexpectedSuccess(self, test):
        self.fail(test, "expected failures are not allowed")


def main(names):
    tests = unittest.TestLoader().loadTestsFromNames(names)
    print(f"1..{tests.countTestCases()}", flush=True)
    result = Tap()
    tests.run(result)
    return 1 if result.bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
