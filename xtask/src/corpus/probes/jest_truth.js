// A reporter of jest that prints nothing, and writes what it is told as one JSON object a line.

const fs = require("fs");
const path = require("path");

const CHANNEL = process.env.TRUTH;
const FIELDS = { numPassedTests: "passed", numFailedTests: "failed", numPendingTests: "skipped", numTodoTests: "todo" };

module.exports = class Truth {
  constructor(globalConfig) {
    this.globalConfig = globalConfig;
  }

  say(what) {
    fs.appendFileSync(CHANNEL, JSON.stringify(what) + "\n");
  }

  onRunStart(results) {
    this.say({ what: "start", files: results.numTotalTestSuites });
  }

  onTestResult(test, result) {
    const tests = result.testResults.map((one) => ({
      titles: [...one.ancestorTitles, one.title],
      status: one.status,
      failures: one.failureMessages.length,
      retried: (one.invocations || 1) > 1,
    }));
    this.say({
      what: "file",
      path: path.relative(test.context.config.cwd || process.cwd(), result.testFilePath),
      tree: this.globalConfig.verbose === true,
      skipped: result.skipped === true,
      unloaded: result.testExecError != null,
      tests,
    });
  }

  onRunComplete(contexts, results) {
    const totals = {};
    for (const [theirs, ours] of Object.entries(FIELDS)) totals[ours] = results[theirs];
    this.say({ what: "end", totals, suites: results.numTotalTestSuites, interrupted: results.wasInterrupted === true });
  }
};
