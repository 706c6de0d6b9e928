"""Runs unittest, or a script that does, and records what its results are told.

    python FLAGS unittest_recorder.py FILE -m unittest ARGUMENT...
    python FLAGS unittest_recorder.py FILE SCRIPT ARGUMENT...

does what the same command without its first two words does: the same output, the same exit code, the same `__main__`,
`sys.argv` and `sys.path`. Each call that a result gets goes into FILE as one line of JSON, written at once, so that what
is there is what happened before the process ended. Python 3.6 and later.
"""

import functools
import json
import os
import runpy
import sys
import types
import unittest

# Tracebacks on the console begin below frames of modules that say this.
__unittest = True

LIBRARY = os.path.dirname(os.__file__)
SET_UP = ("setUp", "asyncSetUp", "setUpClass", "setUpModule")
TEAR_DOWN = ("tearDown", "asyncTearDown", "tearDownClass", "tearDownModule")
UNLOADED = ("_FailedTest", "ModuleImportFailure", "LoadTestsFailure")
LONGEST_MESSAGE = 4096


class Recorder(object):
    """Writes the file. Only the process that began the recording does; its children by fork are silent."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.process = os.getpid()
        self.recording = False
        self.file = None
        self.open()

    def open(self):
        self.descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        about = os.fstat(self.descriptor)
        self.file = (about.st_dev, about.st_ino)

    def say(self, at, **what):
        if os.getpid() != self.process:
            return
        what["at"] = at
        line = json.dumps({key: plain(value) for key, value in what.items()}) + "\n"
        try:
            # A test that closes every descriptor may have left ours to another file.
            about = os.fstat(self.descriptor)
            if (about.st_dev, about.st_ino) != self.file:
                self.open()
        except OSError:
            self.open()
        os.write(self.descriptor, line.encode("ascii"))


def plain(value):
    # Half of a surrogate pair is no text.
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def said(error, trace):
    """What a failure is, and where it arose."""
    hook, site = None, None
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith((LIBRARY, "<")):
            if site is None and code.co_name in SET_UP:
                hook = "setup"
            elif site is None and code.co_name in TEAR_DOWN:
                hook = "teardown"
            site = (code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    try:
        message = str(error)[:LONGEST_MESSAGE]
    except Exception:
        message = ""
    name = type(error).__name__
    module = type(error).__module__
    file, line = site or (None, None)
    return {
        "error": name if module in ("builtins", "__main__") else module + "." + name,
        "message": message, "file": file, "line": line, "kind": hook or kind(error),
    }


def kind(error):
    if isinstance(error, AssertionError):
        return "assertion"
    if isinstance(error, ImportError):
        return "import"
    if isinstance(error, SyntaxError):
        return "syntax"
    return "exception"


def outside(test, error):
    """What broke outside any test: a fixture of a class or a module, or a module that didn't load."""
    name = type(test).__name__
    if name == "_ErrorHolder":
        hook, _, rest = str(test.description).partition(" (")
        return {"subject": rest.rstrip(")"), "kind": "setup" if hook.startswith("setUp") else "teardown"}
    if name in UNLOADED:
        return {"subject": test.id().split(name + ".", 1)[-1], "kind": unloaded(test, error)}
    return None


def unloaded(test, error):
    """The loader hands on the traceback of a module as the text of an error of its own."""
    text = str(getattr(test, "_exception", error)).strip()
    last = [line for line in text.splitlines() if line and line[0] not in " ^"]
    last = last[-1] if last else ""
    if last.startswith(("ImportError", "ModuleNotFoundError")):
        return "import"
    if last.startswith(("SyntaxError", "IndentationError", "TabError")):
        return "syntax"
    return "collection"


def name(test):
    """The id of a test, and the label of a subtest."""
    kind = type(test).__name__
    if hasattr(test, "test_case") and hasattr(test, "_subDescription"):
        return {"id": test.test_case.id(), "label": test._subDescription()}
    if kind == "_ErrorHolder":
        return {"id": str(test.description)}
    return {"id": test.id().split("ModuleSkipped.", 1)[-1] if kind == "ModuleSkipped" else test.id()}


def recording(recorder, base):
    """A class of results that records what it is told, and otherwise is what it was."""

    class Recording(base):
        def startTest(self, test):
            recorder.say("start", **name(test))
            base.startTest(self, test)

        def stopTest(self, test):
            recorder.say("stop", **name(test))
            base.stopTest(self, test)

        def addSuccess(self, test):
            recorder.say("result", status="passed", **name(test))
            base.addSuccess(self, test)

        def addFailure(self, test, err):
            recorder.say("result", status="failed", **dict(said(err[1], err[2]), **name(test)))
            base.addFailure(self, test, err)

        def addError(self, test, err):
            broken = outside(test, err[1])
            if broken:
                recorder.say("problem", **dict(said(err[1], err[2]), **broken))
            else:
                recorder.say("result", status="errored", **dict(said(err[1], err[2]), **name(test)))
            base.addError(self, test, err)

        def addSkip(self, test, reason):
            recorder.say("result", status="skipped", reason=str(reason), **name(test))
            base.addSkip(self, test, reason)

        def addExpectedFailure(self, test, err):
            recorder.say("result", status="xfailed", **name(test))
            base.addExpectedFailure(self, test, err)

        def addUnexpectedSuccess(self, test):
            recorder.say("result", status="xpassed", **name(test))
            base.addUnexpectedSuccess(self, test)

        def addSubTest(self, test, subtest, err):
            # A subtest that passes is named by no console.
            if err is not None:
                status = "failed" if issubclass(err[0], test.failureException) else "errored"
                recorder.say("result", status=status, **dict(said(err[1], err[2]), **name(subtest)))
            base.addSubTest(self, test, subtest, err)

    Recording.__name__, Recording.__qualname__ = base.__name__, base.__qualname__
    Recording.__module__ = base.__module__
    return Recording


def recorded(recorder, run):
    """The method `run` of suites: the outermost call of the process is a run of its own."""

    @functools.wraps(run)
    def wrapper(self, result, *arguments, **named):
        if recorder.recording or os.getpid() != recorder.process:
            return run(self, result, *arguments, **named)
        recorder.recording, base = True, result.__class__
        try:
            result.__class__ = recording(recorder, base)
            recorder.say("begin")
            done = run(self, result, *arguments, **named)
            recorder.say("end", counts={
                "failed": len(result.failures), "errored": len(result.errors),
                "skipped": len(result.skipped), "xfailed": len(result.expectedFailures),
                "xpassed": len(result.unexpectedSuccesses)})
            return done
        finally:
            result.__class__ = base
            recorder.recording = False

    return wrapper


def without_own_frames(kind, error, trace):
    """Prints an uncaught exception without this file's frames."""
    own = recorded.__code__.co_filename
    first, last = None, None
    while trace is not None:
        following = trace.tb_next
        if trace.tb_frame.f_code.co_filename != own:
            first = first or trace
            if last is not None:
                last.tb_next = trace
            last = trace
        trace = following
    if last is not None:
        last.tb_next = None
    sys.__excepthook__(kind, error, first)


def start(this, path, words):
    """Runs what the words say as `__main__`. `this` is this module, which lives as long as this call."""
    recorder = Recorder(path)
    if sys.version_info < (3, 6):
        recorder.say("unable", reason="the recorder needs Python 3.6, this is %d.%d" % sys.version_info[:2])
    else:
        for suite in (unittest.BaseTestSuite, unittest.TestSuite):
            suite.run = recorded(recorder, suite.run)
    if sys.version_info >= (3, 7):
        sys.excepthook = without_own_frames
    main = sys.modules["__main__"].__dict__
    for each in [each for each in main if each == "__unittest" or not each.startswith("__")]:
        del main[each]
    # Python in isolated or safe mode puts no folder in front of the path.
    has_folder = not (sys.flags.isolated or getattr(sys.flags, "safe_path", False))
    if words[0] == "-m":
        sys.argv = ["-m"] + words[2:]
        if has_folder:
            sys.path[0] = os.getcwd() if sys.version_info >= (3, 7) else ""
        runpy._run_module_as_main(words[1])
        return
    sys.argv = words
    if has_folder:
        sys.path[0] = os.path.dirname(os.path.realpath(words[0]))
    with open(words[0], "rb") as script:
        code = compile(script.read(), words[0], "exec")
    main.update(__file__=words[0], __spec__=None, __cached__=None, __doc__=None)
    exec(code, main)


if __name__ == "__main__":
    # What runs here is to find `__main__` as it would be without us, so this file becomes another module.
    this = types.ModuleType("_verify_unittest_recorder")
    with open(__file__, "rb") as own:
        exec(compile(own.read(), __file__, "exec"), this.__dict__)
    this.start(this, sys.argv[1], sys.argv[2:])
