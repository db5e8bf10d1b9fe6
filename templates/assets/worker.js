// The worker that searches without a server. The build puts Go's wasm_exec.js and unlzma.js before
// it, and ENGINE: of the program and the index, which are beside this script, the name, the size
// and the size unpacked.
// Messages to it are {id, query}, or {drop}, the id of a query whose answer nobody waits for.
// It posts {loaded}, in percent, then {ready}, and for each query {id, text}, the JSON of the
// answer; or {failed} with the reason, after which it is of no use.

const parts = [ENGINE.program, ENGINE.index];
let told = 0;
/** Tells how much has arrived. The last tenth is for what comes after it. */
function tell() {
  const sum = (of) => parts.reduce((n, part) => n + of(part), 0);
  const loaded = Math.floor((90 * sum((part) => part.received ?? 0)) / sum((part) => part.size));
  if (loaded > told) postMessage({ loaded: (told = loaded) });
}

/** Fetches a part, and decompresses it while it arrives. */
async function load(part) {
  const response = await fetch(part.name);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const unpack = unlzma(part.size, part.unpacked);
  part.received = 0;
  return response.body.pipeThrough(new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(unpack(bytes));
      part.received += bytes.length;
      tell();
    },
    flush() {
      if (part.received < part.size) throw new Error("it ends early");
    },
  }));
}
/** Loads a part and makes something of it; errors name the part. */
const made = (part, make) => load(part).then(make).catch((cause) => { throw new Error(`${part.name}: ${cause.message}`, { cause }); });

const fail = (cause) => postMessage({ failed: String(cause) });
const dropped = new Set();
const ready = (async () => {
  const go = new Go(), wasm = { headers: { "Content-Type": "application/wasm" } };
  go.env = { GOGC: "400" }; // collecting garbage more often takes longer than opening the index
  const program = made(ENGINE.program, (bytes) => WebAssembly.instantiateStreaming(new Response(bytes, wasm), go.importObject));
  const index = made(ENGINE.index, (bytes) => new Response(bytes).arrayBuffer());
  const [{ instance }, file] = await Promise.all([program, index]);
  go.run(instance);
  const wrong = catalogSearch.open(new Uint8Array(file));
  if (wrong !== null) throw new Error(wrong ?? "the engine has ended");
  postMessage({ ready: true });
})();
ready.catch(fail);

addEventListener("message", async ({ data: { id, query, drop } }) => {
  if (drop !== undefined) return dropped.add(drop);
  try {
    await ready;
  } catch { // it was posted
    return;
  }
  if (dropped.delete(id)) return;
  try {
    const text = catalogSearch.answer(query);
    if (typeof text !== "string") throw new Error("the engine has ended");
    postMessage({ id, text });
  } catch (cause) {
    fail(cause);
  }
});
