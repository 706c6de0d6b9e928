"""Writes what pytest's hooks say of a run, one JSON object a line, into the file that TRUTH names. Prints nothing.

Kinds are taken from the exceptions themselves, in the process that raised them; they travel to the controller of
pytest-xdist as an attribute of the report.
"""

import json
import os

import pytest

WORDS = {"error": "errored", "failed": "failed", "passed": "passed", "skipped": "skipped", "xfailed": "xfailed",
         "xpassed": "xpassed", "deselected": "deselected"}


def say(**what):
    descriptor = os.open(os.environ["TRUTH"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(descriptor, (json.dumps(what) + "\n").encode())
    os.close(descriptor)


def raised(error):
    name = type(error).__name__
    if name == "Failed" and str(error).startswith(("Timeout >", "Timeout (>")):
        return "timeout"
    if isinstance(error, (AssertionError, pytest.fail.Exception)) or name == "DocTestFailure":
        return "assertion"
    if name == "MultipleDoctestFailures":
        return raised(error.failures[0])
    if isinstance(error, ImportError):
        return "import"
    if isinstance(error, SyntaxError):
        return "syntax"
    return "exception"


def hook_of_unittest(item, call):
    """unittest runs these within what pytest calls the call."""
    if getattr(getattr(item, "cls", None), "assertEqual", None) is None:
        return None
    hooks = {"setUp": "setup", "asyncSetUp": "setup", "tearDown": "teardown", "asyncTearDown": "teardown"}
    kinds = [hooks.get(entry.frame.code.name) for entry in call.excinfo.traceback]
    return next(filter(None, kinds), None)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.excinfo is None or outcome.excinfo is not None:
        return
    phase = {"setup": "setup", "teardown": "teardown"}.get(call.when) or hook_of_unittest(item, call)
    outcome.get_result().truth_kind = phase or raised(call.excinfo.value)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_make_collect_report(collector):
    outcome = yield
    if outcome.excinfo is None and outcome.get_result().outcome == "failed":
        report = outcome.get_result()
        error = report.call.excinfo.value
        # pytest wraps what an import raised into an error of its own, and keeps the chain.
        while error.__cause__ is not None and type(error).__name__ == "CollectError":
            error = error.__cause__
        kind = raised(error)
        report.truth_kind = kind if kind in ("import", "syntax") else "collection"


class Channel:
    """Registered in the controller alone: a worker's reports arrive there."""

    def __init__(self, config):
        self.config = config
        self.files = set()

    def pytest_runtest_logreport(self, report):
        label = None
        if hasattr(report, "context"):
            described = getattr(report, "_sub_test_description", None) or report.sub_test_description
            label = described()
        longrepr = getattr(report, "longrepr", None)
        say(what="test", id=report.nodeid, when=report.when, outcome=report.outcome,
            wasxfail=hasattr(report, "wasxfail"), kind=getattr(report, "truth_kind", None), label=label,
            strict=isinstance(longrepr, str) and longrepr.startswith(("[XPASS(strict)]", "Unexpected success")),
            only_subtests=str(longrepr or "").rstrip().endswith(("subtest", "subtests")),
            crashed=isinstance(longrepr, str) and longrepr.startswith("worker '"))

    def pytest_collectreport(self, report):
        if report.outcome == "failed":
            say(what="collect", id=report.nodeid, kind=getattr(report, "truth_kind", None))

    def pytest_keyboard_interrupt(self, excinfo):
        # pytest also ends its own early stops this way.
        if excinfo.type.__name__ != "Interrupted":
            say(what="interrupt")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        say(what="exit", status=int(exitstatus), collected=session.testscollected)

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config):
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None:
            return
        counts = {word: 0 for word in WORDS.values()}
        for key, word in WORDS.items():
            counted = [one for one in reporter.stats.get(key, []) if getattr(one, "count_towards_summary", True)]
            counts[word] = len(counted)
        say(what="counts", counts=counts, printed=config.option.verbose >= -1)


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Channel(config), "truth-channel")
