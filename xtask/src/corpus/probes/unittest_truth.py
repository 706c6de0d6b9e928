"""Runs unittest as `python -m unittest ARG...` does, with a result class that also writes what it is told.

One JSON object a line goes into the file that TRUTH names; the console is unittest's own.
"""

import json
import os
import sys
import unittest

# Tracebacks on the console begin below frames of modules that say this.
__unittest = True


def say(**what):
    descriptor = os.open(os.environ["TRUTH"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(descriptor, (json.dumps(what) + "\n").encode())
    os.close(descriptor)


LIBRARY = os.path.dirname(os.__file__)
OWN = os.path.dirname(os.path.abspath(__file__))


def is_library(file):
    return file.startswith((LIBRARY, OWN)) or "/site-packages/" in file


def kind(error, trace):
    # The first frame outside of libraries is the test, a fixture or a cleanup.
    while trace is not None and is_library(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    if trace is not None:
        name = trace.tb_frame.f_code.co_name
        if name in ("setUp", "asyncSetUp", "setUpClass", "setUpModule"):
            return "setup"
        if name in ("tearDown", "asyncTearDown", "tearDownClass", "tearDownModule"):
            return "teardown"
    if isinstance(error, AssertionError):
        return "assertion"
    if isinstance(error, ImportError):
        return "import"
    if isinstance(error, SyntaxError):
        return "syntax"
    return "exception"


def of_class(test, err):
    """What broke outside any test: a fixture of a class or a module, or a module that didn't load."""
    name = type(test).__name__
    if name == "_ErrorHolder":
        hook = test.description.split(" ", 1)[0]
        subject = test.description.split("(", 1)[-1].rstrip(")")
        return {"subject": subject, "kind": "setup" if hook.startswith("setUp") else "teardown"}
    if name in ("_FailedTest", "ModuleImportFailure", "LoadTestsFailure", "AttributeError"):
        error = getattr(test, "_exception", err[1])
        text = str(error)
        if "SyntaxError" in text.rsplit("\n\n", 1)[-1] or "IndentationError" in text:
            found = "syntax"
        elif name == "_FailedTest" and not isinstance(error, ImportError):
            found = "collection"
        elif "ImportError" in text or "ModuleNotFoundError" in text:
            last = [line for line in text.strip().splitlines() if line and line[0] not in " ^"][-1]
            found = "import" if last.startswith(("ImportError", "ModuleNotFoundError")) else "collection"
        else:
            found = "collection"
        return {"subject": test.id().split(name + ".", 1)[-1], "kind": found}
    return None


class Channel(unittest.TextTestResult):
    def startTest(self, test):
        say(what="start", id=test.id())
        super(Channel, self).startTest(test)

    def stopTest(self, test):
        say(what="stop", id=test.id())
        super(Channel, self).stopTest(test)

    def addSuccess(self, test):
        say(what="result", id=test.id(), status="passed")
        super(Channel, self).addSuccess(test)

    def addFailure(self, test, err):
        say(what="result", id=test.id(), status="failed", kind=kind(err[1], err[2]))
        super(Channel, self).addFailure(test, err)

    def addError(self, test, err):
        outside = of_class(test, err)
        if outside:
            say(what="problem", **outside)
        else:
            say(what="result", id=test.id(), status="errored", kind=kind(err[1], err[2]))
        super(Channel, self).addError(test, err)

    def addSkip(self, test, reason):
        if type(test).__name__ == "_ErrorHolder":
            say(what="result", id=test.description, status="skipped")
        elif type(test).__name__ == "ModuleSkipped":
            say(what="result", id=test.id().split("ModuleSkipped.", 1)[-1], status="skipped")
        else:
            case, label = test, None
            if hasattr(test, "test_case"):
                case, label = test.test_case, test._subDescription()
            say(what="result", id=case.id(), status="skipped", label=label)
        super(Channel, self).addSkip(test, reason)

    def addExpectedFailure(self, test, err):
        say(what="result", id=test.id(), status="xfailed")
        super(Channel, self).addExpectedFailure(test, err)

    def addUnexpectedSuccess(self, test):
        say(what="result", id=test.id(), status="xpassed")
        super(Channel, self).addUnexpectedSuccess(test)

    def addSubTest(self, test, subtest, err):
        status = "passed"
        if err is not None:
            status = "failed" if issubclass(err[0], test.failureException) else "errored"
        say(what="result", id=test.id(), label=subtest._subDescription(), status=status,
            kind=kind(err[1], err[2]) if err else None)
        super(Channel, self).addSubTest(test, subtest, err)


class Runner(unittest.TextTestRunner):
    resultclass = Channel

    def run(self, test):
        result = super(Runner, self).run(test)
        say(what="end", ran=result.testsRun, counts={
            "failed": len(result.failures), "errored": len(result.errors), "skipped": len(result.skipped),
            "xfailed": len(result.expectedFailures), "xpassed": len(result.unexpectedSuccesses)})
        return result


if __name__ == "__main__":
    # As `python -m unittest`: the current folder is on the path, this file's folder isn't.
    sys.path[0] = ""
    sys.argv[0] = "python -m unittest"
    unittest.main(module=None, testRunner=Runner)
