// Sends queries to the files that the build writes for browsers, without the worker around
// them: node ask.js search.js search.wasm.gz search.idx.gz < queries
const fs = require("node:fs"), zlib = require("node:zlib");
const [script, program, index] = process.argv.slice(2), unpacked = (name) => zlib.gunzipSync(fs.readFileSync(name));
globalThis.addEventListener = () => {};
globalThis.postMessage = () => {};
globalThis.fetch = () => new Promise(() => {}); // the worker in the script waits for its files
globalThis.require = require; // wasm_exec.js
(0, eval)(fs.readFileSync(script, "utf8")); // defines Go
const go = new Go();
WebAssembly.instantiate(unpacked(program), go.importObject).then(({ instance }) => {
  go.run(instance);
  for (const wrong of [[], ["abc"], [new ArrayBuffer(8)], [null]]) {
    if (!catalogSearch.open(...wrong).includes("Uint8Array")) throw new Error("open accepts " + wrong);
  }
  if (catalogSearch.answer("q=chat") !== null) throw new Error("an answer without an index");
  const error = catalogSearch.open(new Uint8Array(Buffer.from("CATALOG\n")));
  if (!error.includes("not an index file")) throw new Error("an index of 8 bytes: " + error);
  const problem = catalogSearch.open(new Uint8Array(unpacked(index)));
  if (problem !== null) throw new Error(problem);
  for (const wrong of [[], [undefined], [7], [{}]]) {
    if (catalogSearch.answer(...wrong) !== null) throw new Error("answer accepts " + wrong);
  }
  const queries = fs.readFileSync(0, "utf8").split("\n");
  fs.writeSync(1, queries.map((q) => catalogSearch.answer(q)).join("\n"));
  process.exit(0);
});
