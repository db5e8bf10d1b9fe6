// Runs the page code instead of a browser, and calls its tool. Its input is JSON:
// script, limit, and queries, each with the answer of the search. It prints JSON:
// the tool's name and annotations, the default of its argument view, the views that it asked
// for without and with that argument, and the parts of each answer and its length in bytes.
import { readFileSync } from "node:fs";
import vm from "node:vm";

const { script, limit, queries } = JSON.parse(readFileSync(0, "utf8"));
const base = "http://localhost:8080/";
let tool, answer;
const views = new Set();
// An element that does nothing. All its properties are also such elements.
const nothing = new Proxy(() => {}, { get: (_, key) => (key === Symbol.iterator ? () => [].values() : key === Symbol.toPrimitive ? () => "" : nothing), apply: () => nothing, set: () => true });
const window = {
  navigator: {},
  document: {
    getElementById: (id) => (id === "main" ? nothing : null), addEventListener: () => {}, createElement: () => nothing, querySelectorAll: () => [],
    documentElement: nothing, modelContext: { registerTool: (t) => { tool = t; } },
  },
  addEventListener: () => {}, ResizeObserver: class { observe() {} },
  location: new URL(base),
  fetch: async (address) => {
    views.add(new URL(address, base).searchParams.get("view"));
    return new Response(answer, { headers: { "Content-Type": "application/json" } });
  },
  URL, URLSearchParams, console,
};
vm.runInNewContext(script, window);

const bytes = [], types = new Set();
for (const q of queries) {
  answer = q.answer;
  const result = await tool.execute({ q: q.query, limit });
  if (result.isError) throw new Error(JSON.stringify(result));
  for (const part of result.content) types.add(part.type);
  bytes.push(result.content.reduce((n, part) => n + Buffer.byteLength(part.text), 0));
}
await tool.execute({ q: queries[0].query, view: "full" });
console.log(JSON.stringify({ name: tool.name, view: tool.inputSchema.properties.view.default, views: [...views], annotations: tool.annotations, bytes, types: [...types] }));
