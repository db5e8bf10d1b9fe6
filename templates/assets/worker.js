// The worker that searches without a server. The build puts Go's wasm_exec.js before it, and
// ENGINE: the names and sizes of the program and the index, which are beside this script.
// Messages to it are {id, query}, or {drop}, the id of a query whose answer nobody waits for.
// It posts {loaded}, in percent, then {ready}, and for each query {id, text}, the JSON of the
// answer; or {failed} with the reason, after which it is of no use.

const size = ENGINE.program.size + ENGINE.index.size;
let received = 0, told = 0;
const count = (bytes) => {
  received += bytes;
  const loaded = Math.min(100, Math.floor((100 * received) / size));
  if (loaded > told) postMessage({ loaded: (told = loaded) });
};

/** Fetches a file, and decompresses it unless the host has said that it is compressed, so that the browser did. */
async function load(part) {
  const response = await fetch(part.name);
  if (!response.ok) throw new Error(`${part.name}: status ${response.status}`);
  const reader = response.body.getReader(), first = await reader.read();
  let next = first;
  const bytes = new ReadableStream({
    async pull(controller) {
      const { done, value } = next ?? await reader.read();
      next = null;
      if (done) return controller.close();
      count(value.length);
      controller.enqueue(value);
    },
  });
  // No program and no index begins with the first byte of gzip.
  return first.value?.[0] === 0x1f ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes;
}

const fail = (cause) => postMessage({ failed: String(cause) });
const dropped = new Set();
const ready = (async () => {
  const go = new Go(), wasm = { headers: { "Content-Type": "application/wasm" } };
  go.env = { GOGC: "400" }; // collecting garbage more often takes longer than opening the index
  const program = load(ENGINE.program).then((bytes) => WebAssembly.instantiateStreaming(new Response(bytes, wasm), go.importObject));
  const index = load(ENGINE.index).then((bytes) => new Response(bytes).arrayBuffer());
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
