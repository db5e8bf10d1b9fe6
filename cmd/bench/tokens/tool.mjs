// Runs the module with the pages' tools instead of a browser, and calls search_catalog. Its input is JSON: module,
// limit, and queries, each with the answer of the search. It prints JSON: the tools, the views that were asked for
// without and with that argument, and the length of each answer in bytes, as the browser serializes it.
import { readFileSync } from "node:fs";

const { module, limit, queries } = JSON.parse(readFileSync(0, "utf8"));
const tools = [], views = new Set();
let answer;
globalThis.document = { modelContext: { registerTool: async (tool) => { tools.push(tool); } } };
const search = async ({ view }) => {
  views.add(view);
  return JSON.parse(answer);
};
const { offer } = await import(`data:text/javascript;base64,${Buffer.from(module).toString("base64")}`);
await offer({ CATALOG: {}, search, ask: () => { throw new Error("not asked"); } });

const { execute } = tools.find(({ name }) => name === "search_catalog"), bytes = [];
for (const q of queries) {
  answer = q.answer;
  const result = await execute({ q: q.query, limit }, {});
  if (result.error) throw new Error(result.error);
  bytes.push(Buffer.byteLength(JSON.stringify(result)));
}
await execute({ q: queries[0].query, view: "full" });
console.log(JSON.stringify({ tools: tools.map(({ name, title, annotations }) => ({ name, title, annotations })), views: [...views], bytes }));
