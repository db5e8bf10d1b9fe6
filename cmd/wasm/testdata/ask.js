// Sends queries to the files that the build writes for browsers, without the worker around
// them: node ask.js search.js search.wasm.lzma search.idx.lzma < queries
const fs = require("node:fs");
const [script, program, index] = process.argv.slice(2);
globalThis.addEventListener = () => {};
globalThis.postMessage = () => {};
globalThis.fetch = () => new Promise(() => {}); // the worker in the script waits for its files
globalThis.require = require; // wasm_exec.js
(0, eval)(fs.readFileSync(script, "utf8")); // defines Go
(0, eval)(fs.readFileSync(require("node:path").join(__dirname, "../../../templates/assets/unlzma.js"), "utf8"));
/** What is in a file, which arrives in pieces. */
function unpacked(name) {
  const file = fs.readFileSync(name), unpack = unlzma(file.length, Number(file.readBigUInt64LE(5))), pieces = [];
  for (let at = 0; at < file.length; at += 50000) pieces.push(unpack(file.subarray(at, at + 50000)));
  return new Uint8Array(Buffer.concat(pieces));
}
const go = new Go();
WebAssembly.instantiate(unpacked(program), go.importObject).then(({ instance }) => {
  go.run(instance);
  for (const wrong of [[], ["abc"], [new ArrayBuffer(8)], [null]]) {
    if (!catalogSearch.open(...wrong).includes("Uint8Array")) throw new Error("open accepts " + wrong);
  }
  if (catalogSearch.answer("q=chat") !== null) throw new Error("an answer without an index");
  catalogSearch.rest(); // does nothing yet
  const error = catalogSearch.open(new Uint8Array(Buffer.from("CATALOG\n")));
  if (!error.includes("not an index file")) throw new Error("an index of 8 bytes: " + error);
  const problem = catalogSearch.open(unpacked(index));
  if (problem !== null) throw new Error(problem);
  for (const wrong of [[], [undefined], [7], [{}]]) {
    if (catalogSearch.answer(...wrong) !== null) throw new Error("answer accepts " + wrong);
  }
  catalogSearch.rest();
  const queries = fs.readFileSync(0, "utf8").split("\n");
  fs.writeSync(1, queries.map((q) => catalogSearch.answer(q)).join("\n"));
  process.exit(0);
});
