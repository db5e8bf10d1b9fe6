// The worker that searches without a server. The build puts Go's wasm_exec.js before it, and
// ENGINE: the names and sizes of the program and the index, which are beside this script.
// Messages to it are {id, query}; it answers {id, text}, the JSON of the answer. While it
// loads it tells {loaded}, in percent, then {ready}, or {failed}, which says why it cannot load.

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
  const isGzip = first.value?.[0] === 0x1f && first.value[1] === 0x8b;
  return isGzip ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes;
}

const ready = (async () => {
  const go = new Go();
  go.env = { GOGC: "off", GOMEMLIMIT: "64MiB" }; // collecting garbage is dear while the index is opened
  const wasm = { headers: { "Content-Type": "application/wasm" } };
  const program = load(ENGINE.program).then((bytes) => WebAssembly.instantiateStreaming(new Response(bytes, wasm), go.importObject));
  const index = load(ENGINE.index).then((bytes) => new Response(bytes).arrayBuffer());
  const [{ instance }, file] = await Promise.all([program, index]);
  go.run(instance);
  const wrong = catalogSearch.open(new Uint8Array(file));
  if (wrong) throw new Error(wrong);
})();
ready.then(() => postMessage({ ready: true }), (cause) => postMessage({ failed: String(cause) }));

addEventListener("message", async ({ data: { id, query } }) => {
  await ready;
  postMessage({ id, text: catalogSearch.answer(query) });
});
