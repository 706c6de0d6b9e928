// A reporter of node:test that writes what it is told as a tree, one JSON object a line for each top-level test.

const waiting = [];

export default async function* truth(source) {
  for await (const event of source) {
    const { type, data } = event;
    if (type === "test:plan" && data.nesting === 0) yield JSON.stringify({ what: "plan", count: data.count }) + "\n";
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { name, nesting, skip, todo, details } = data;
    const error = details?.error;
    const cause = error?.cause;
    const node = {
      what: "test",
      name,
      ok: type === "test:pass",
      skip: skip !== undefined && skip !== false,
      todo: todo !== undefined && todo !== false,
      type: details?.type ?? "test",
      failure: error?.failureType ?? null,
      code: cause?.code ?? null,
      error: cause?.name ?? (typeof cause),
      message: String(cause?.message ?? cause ?? ""),
      stack: String(cause?.stack ?? ""),
      children: waiting[nesting + 1] ?? [],
    };
    waiting.length = nesting + 1;
    if (nesting === 0) yield JSON.stringify(node) + "\n";
    else (waiting[nesting] ??= []).push(node);
  }
  yield JSON.stringify({ what: "end" }) + "\n";
}
