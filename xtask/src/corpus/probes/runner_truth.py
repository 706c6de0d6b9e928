"""Runs `RUNNER ARG...` as its own program does, with ears in it that write what they hear. Prints nothing.

RUNNER is `django` (a project's `manage.py test`), `nose2`, `trial` or `zope`. One JSON object a line goes into the file
that TRUTH names, in the words of `unittest_truth.py`.
"""

import functools
import os
import re
import sys

from unittest_truth import Channel, Runner, kind, of_class, say

__unittest = True


def django(arguments):
    from django.conf import settings
    from django.core.management import execute_from_command_line
    from django.test import runner

    theirs = runner.DiscoverRunner.get_resultclass

    def resultclass(self):
        base = theirs(self)
        return Channel if base is None else type(base.__name__, (Channel, base), {})

    sys.path[0] = os.getcwd()
    runner.DiscoverRunner.test_runner = Runner
    runner.DiscoverRunner.get_resultclass = resultclass
    if not os.path.exists("manage.py"):
        settings.configure(
            DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
            SECRET_KEY="x", INSTALLED_APPS=[], USE_TZ=True,
        )
        execute_from_command_line(["manage.py", "test"] + arguments)
    else:
        sys.argv = ["manage.py", "test"] + arguments
        exec(compile(open("manage.py").read(), "manage.py", "exec"), {"__name__": "__main__"})


class Counts:
    """What is counted as the runner counts it."""

    def __init__(self):
        self.ran = 0
        self.of = dict.fromkeys(("passed", "failed", "errored", "skipped", "xfailed", "xpassed"), 0)

    def end(self, *words):
        say(what="end", ran=self.ran, counts={word: self.of[word] for word in words})


def nose2(arguments):
    import nose2 as package
    from nose2 import events
    from nose2.main import PluggableTestProgram

    counts = Counts()

    def name(test):
        # Of a parametrised test the number is its name; what follows in the next line describes it.
        return test.id().split("\n")[0]

    class Truth(events.Plugin):
        alwaysOn = True
        configSection = "redgreen-truth"

        def startTest(self, event):
            counts.ran += 1
            say(what="start", id=name(event.test))

        def stopTest(self, event):
            say(what="stop", id=name(event.test))

        def testOutcome(self, event):
            err, test, label = event.exc_info, event.test, None
            if event.outcome == "subtest":
                label, test = test._subDescription(), test.test_case
                status = "passed"
                if err:
                    status = "failed" if issubclass(err[0], test.failureException) else "errored"
            elif event.outcome == "failed":
                status = "xfailed" if event.expected else "failed"
            elif event.outcome == "passed":
                status = "passed" if event.expected else "xpassed"
            else:
                status = {"error": "errored", "skipped": "skipped"}[event.outcome]
            counts.of[status] += 1
            outside = None
            if status == "errored":
                outside = of_class(test, err)
                if type(test).__name__ == "_ErrorHolder":
                    # Its console names neither the class nor the module.
                    outside["subject"] = None
                if type(test).__name__ == "LayerSuite":
                    outside = {"subject": None, "kind": kind(err[1], err[2])}
            if outside:
                say(what="problem", **outside)
            elif type(test).__name__ == "_ErrorHolder":
                say(what="result", id=test.description, status=status)
            else:
                say(what="result", id=name(test), label=label, status=status,
                    kind=kind(err[1], err[2]) if err and status in ("failed", "errored") else None)

        def afterSummaryReport(self, event):
            counts.end("failed", "errored", "skipped", "xfailed", "xpassed")

    theirs = PluggableTestProgram.loadPlugins

    def load(self):
        theirs(self)
        Truth(session=self.session).register()

    PluggableTestProgram.loadPlugins = load
    sys.argv = ["nose2"] + arguments
    sys.path.insert(0, os.getcwd())
    package.discover()


def trial(arguments):
    from twisted.scripts import trial as script
    from twisted.trial import reporter
    from twisted.trial.runner import ErrorHolder

    counts = Counts()

    def of(failure):
        error = getattr(failure, "value", None)
        if error is None:
            return kind(failure[1], failure[2])
        names = [frame[0] for frame in getattr(failure, "frames", [])
                 if "/site-packages/" not in frame[1] and "/lib/python" not in frame[1]]
        if names and names[0] in ("setUp", "tearDown"):
            return "setup" if names[0] == "setUp" else "teardown"
        if re.search(r"still running at [\d.]+ secs$", str(error)):
            return "timeout"
        return kind(error, None)

    def hear(method, status):
        theirs = getattr(reporter.TestResult, method)

        @functools.wraps(theirs)
        def heard(self, test, *rest, **named):
            theirs(self, test, *rest, **named)
            counts.of[status] += 1
            bad = status in ("failed", "errored")
            found = of(rest[0]) if bad else None
            if status == "failed" and found == "exception":
                # It is called a failure for its class, which workers don't hand over.
                found = "assertion"
            if isinstance(getattr(test, "original", test), ErrorHolder):
                found = found if found in ("import", "syntax") else "collection"
                say(what="problem", subject=test.id(), kind=found)
            else:
                say(what="result", id=test.id(), status=status, kind=found)

        setattr(reporter.TestResult, method, heard)

    for method, status in (
        ("addSuccess", "passed"), ("addFailure", "failed"), ("addError", "errored"), ("addSkip", "skipped"),
        ("addExpectedFailure", "xfailed"), ("addUnexpectedSuccess", "xpassed"),
    ):
        hear(method, status)

    starts, done = reporter.TestResult.startTest, reporter.Reporter.done

    def start(self, test):
        counts.ran += 1
        starts(self, test)

    def end(self):
        done(self)
        counts.end(*counts.of)

    reporter.TestResult.startTest, reporter.Reporter.done = start, end
    sys.argv = ["trial"] + arguments
    sys.path[0] = os.getcwd()
    script.run()


def zope(arguments):
    from zope.testrunner import formatter, run, runner

    counts = Counts()
    said = []

    def hear(method, status):
        theirs = getattr(runner.TestResult, method)

        @functools.wraps(theirs)
        def heard(self, test, *rest):
            error = rest[-1] if rest else None
            case, label = test, None
            if hasattr(test, "test_case"):
                case, label = test.test_case, test._subDescription()
            bad = status in ("failed", "errored")
            say(what="result", id=case.id(), label=label, status=status,
                kind=kind(error[1], error[2]) if bad else None)
            theirs(self, test, *rest)

        setattr(runner.TestResult, method, heard)

    for method, status in (
        ("addSuccess", "passed"), ("addFailure", "failed"), ("addError", "errored"), ("addSkip", "skipped"),
        # It tells nobody that a failure was expected.
        ("addExpectedFailure", "passed"), ("addUnexpectedSuccess", "xpassed"),
    ):
        hear(method, status)

    def listen(method, ear):
        for console in (formatter.OutputFormatter, formatter.ColorfulOutputFormatter):
            theirs = vars(console).get(method)
            if theirs:
                setattr(console, method, heard_by(theirs, ear))

    def heard_by(theirs, ear):
        @functools.wraps(theirs)
        def heard(self, *rest, **named):
            ear(*rest, **named)
            return theirs(self, *rest, **named)

        return heard

    def summary(n_tests, n_failures, n_errors, n_seconds, n_skipped=0):
        said.append((n_tests, n_failures, n_errors, n_skipped))

    def total(*counts, **named):
        said.clear()
        summary(*counts, **named)

    def import_errors(errors):
        for error in errors or ():
            found = kind(error.exc_info[1], None)
            say(what="problem", subject=error.module, kind=found if found in ("import", "syntax") else "collection")

    listen("summary", summary)
    listen("totals", total)
    listen("import_errors", import_errors)
    add_subtest = getattr(runner.TestResult, "addSubTest", None)

    def subtest(self, test, subtest, error):
        status = "passed"
        if error is not None:
            status = "failed" if issubclass(error[0], test.failureException) else "errored"
        say(what="result", id=test.id(), label=subtest._subDescription(), status=status,
            kind=kind(error[1], error[2]) if error else None)
        add_subtest(self, test, subtest, error)

    if add_subtest:
        runner.TestResult.addSubTest = subtest
    starts, stops = runner.TestResult.startTest, runner.TestResult.stopTest

    def start(self, test):
        say(what="start", id=test.id())
        starts(self, test)

    def stop(self, test):
        stops(self, test)
        say(what="stop", id=test.id())

    runner.TestResult.startTest, runner.TestResult.stopTest = start, stop
    layer_failure = getattr(runner, "handle_layer_failure", None)

    def broken(failure_type, output, errors):
        hook, subject = ("setup" if type(failure_type).__name__.startswith("SetUp") else "teardown"), str(failure_type)
        say(what="problem", kind=hook, subject=subject.split(" ", 1)[1].rsplit(".", 1)[0])
        layer_failure(failure_type, output, errors)

    if layer_failure:
        runner.handle_layer_failure = broken
    sys.argv = ["zope-testrunner"] + arguments
    sys.path[0] = os.getcwd()
    try:
        # Its subprocesses are to be heard too.
        run(["--path", ".", "--tests-pattern", "^test_"], script_parts=[os.path.abspath(__file__), "zope"])
    finally:
        tests, failures, errors, skipped = (sum(one) for one in zip(*said)) if said else (0, 0, 0, 0)
        say(what="end", ran=tests, counts={"failed": failures, "errored": errors, "skipped": skipped})


if __name__ == "__main__":
    {"django": django, "nose2": nose2, "trial": trial, "zope": zope}[sys.argv[1]](sys.argv[2:])
