// The worker that searches without a server. The build puts Go's wasm_exec.js before it, and
// ENGINE: of the program and the index, which are beside this script, the name, the size and
// the size unpacked.
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

/** Fetches a part, and decompresses it unless the host has said that it is compressed, so that the browser did. */
async function load(part) {
  const response = await fetch(part.name);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const reader = response.body.getReader(), first = await reader.read();
  // No program and no index begins with the first byte of gzip.
  const isGzip = first.value?.[0] === 0x1f;
  if (!isGzip) part.size = part.unpacked;
  let next = first;
  const bytes = new ReadableStream({
    async pull(controller) {
      const { done, value } = next ?? await reader.read();
      next = null;
      if (done) return controller.close();
      part.received = (part.received ?? 0) + value.length;
      tell();
      controller.enqueue(value);
    },
  });
  return isGzip ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes;
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
