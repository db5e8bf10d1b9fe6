// Sends queries to the program compiled with GOOS=js:
// node ask.js wasm_exec.js wasm.wasm search.idx < queries
const fs = require("node:fs");
const [runtime, program, index] = process.argv.slice(2);
require(runtime); // defines Go
const go = new Go();
WebAssembly.instantiate(fs.readFileSync(program), go.importObject).then(({ instance }) => {
  go.run(instance);
  for (const wrong of [[], ["abc"], [new ArrayBuffer(8)], [null]]) {
    if (!catalogSearch.open(...wrong).includes("Uint8Array")) throw new Error("open accepts " + wrong);
  }
  if (catalogSearch.answer("q=chat") !== null) throw new Error("an answer without an index");
  const error = catalogSearch.open(new Uint8Array(Buffer.from("CATALOG\n")));
  if (!error.includes("not an index file")) throw new Error("an index of 8 bytes: " + error);
  const problem = catalogSearch.open(new Uint8Array(fs.readFileSync(index)));
  if (problem !== null) throw new Error(problem);
  for (const wrong of [[], [undefined], [7], [{}]]) {
    if (catalogSearch.answer(...wrong) !== null) throw new Error("answer accepts " + wrong);
  }
  const queries = fs.readFileSync(0, "utf8").split("\n");
  fs.writeSync(1, queries.map((q) => catalogSearch.answer(q)).join("\n"));
  process.exit(0);
});
