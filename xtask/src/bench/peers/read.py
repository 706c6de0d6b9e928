"""Reads FILE with PARSER a few times, and prints how many cases it found and the seconds of the median try.

What else the machine does meanwhile does not count."""

import importlib
import statistics
import sys
import time
import types
from pathlib import Path


def swebench(name):
    """One of swebench's log parsers, without the rest of it, which needs docker and data sets."""
    import importlib.util

    home = Path(importlib.util.find_spec("swebench").origin).parent
    for package, folder in [("swebench", home), ("swebench.harness", home / "harness")]:
        module = types.ModuleType(package)
        module.__path__ = [str(folder)]
        sys.modules[package] = module
    sys.modules["swebench.types"] = types.ModuleType("swebench.types")
    sys.modules["swebench.types"].TestSpec = object
    sys.modules["swebench.utils"] = types.ModuleType("swebench.utils")
    sys.modules["swebench.utils"].ansi_escape = lambda text: text
    read = getattr(importlib.import_module("swebench.harness.log_parsers"), name)
    return lambda text: len(read(text, None))


def junitparser():
    from junitparser import JUnitXml

    return lambda text: sum(1 for suite in JUnitXml.fromstring(text.encode()) for _ in suite)


parser, path = sys.argv[1:]
read = junitparser() if parser == "junitparser" else swebench(parser)
text = Path(path).read_text()
tries = []
for _ in range(3):
    start = time.thread_time()
    cases = read(text)
    tries.append(time.thread_time() - start)
print(cases, statistics.median(tries))
