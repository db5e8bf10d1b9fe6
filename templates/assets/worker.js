// The worker that searches without a server. The build puts Go's wasm_exec.js and unlzma.js before
// it, and ENGINE: of the program and the index, which are beside this script, the name, the size
// and the size unpacked.
// Messages to it are {id, query}, or {drop}, the id of a query whose answer nobody waits for.
// It posts {loaded}, in percent, then {ready}, and for each query {id, text}, the JSON of the
// answer; or {failed} with the reason, after which it is of no use.

const parts = [ENGINE.program, ENGINE.index];
ENGINE.program.options = { headers: { "Content-Type": "application/wasm" } };
let told = 0;
/** Tells how much has arrived. The last tenth is for what comes after it. */
function tell() {
  const sum = (of) => parts.reduce((n, part) => n + of(part), 0);
  const loaded = Math.floor((90 * sum((part) => part.received ?? 0)) / sum((part) => part.size));
  if (loaded > told) postMessage({ loaded: (told = loaded) });
}

// Where the service worker keeps this site (sw.js), its cache also keeps what the parts decompress to, so that the next
// page is faster. Nothing depends on it: storing may be forbidden or full, and what is kept may be damaged.
const keptAt = (part) => new URL(part.name.replace(".lzma", ""), location).href;
/** Does something with each cache that has this script, as that of this build does; returns whether there is one. */
async function inCaches(act) {
  let has = false;
  for (const cacheName of await caches.keys()) {
    if (!(await caches.match(location.href, { cacheName }))) continue;
    has = true;
    await act(await caches.open(cacheName));
  }
  return has;
}
/** Keeps what has been decompressed. The cache is made after the first answer, so it may have to wait for it. */
async function keep(tries) {
  const fresh = parts.filter(({ pieces }) => pieces);
  try {
    const put = (cache) => Promise.all(fresh.map((part) => cache.put(keptAt(part), new Response(new Blob(part.pieces), part.options))));
    if (fresh.length && !(await inCaches(put)) && tries > 1) return setTimeout(keep, 1000, tries - 1);
  } catch { /* the next page decompresses them again */ }
  for (const part of fresh) part.pieces = null;
}

/** Returns a part as it is kept, or fetches it and decompresses it while it arrives. */
async function load(part, trusts) {
  const kept = trusts && (await (async () => caches.match(keptAt(part)))().catch(() => null));
  if (kept) {
    part.isKept = true;
    part.received = part.size;
    return kept;
  }
  const response = await fetch(part.name);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const unpack = unlzma(part.size, part.unpacked), pieces = [];
  let received = 0;
  part.pieces = pieces;
  return new Response(response.body.pipeThrough(new TransformStream({
    transform(bytes, controller) {
      const piece = unpack(bytes);
      controller.enqueue(piece);
      pieces.push(piece);
      part.received = received += bytes.length;
      tell();
    },
    flush() {
      if (received < part.size) throw new Error("it ends early");
    },
  })), part.options);
}

/** Starts the engine; trusts says whether with what is kept. Errors name the part. */
async function start(trusts) {
  const made = (part, make) => load(part, trusts).then(make).catch((cause) => { throw new Error(`${part.name}: ${cause.message}`, { cause }); });
  const go = new Go();
  // Garbage is collected while nobody waits for an answer, or if there is very much of it.
  go.env = { GOGC: "off", GOMEMLIMIT: String(Math.max(32 << 20, 20 * ENGINE.index.unpacked)) };
  const program = made(ENGINE.program, (response) => WebAssembly.instantiateStreaming(response, go.importObject));
  const index = made(ENGINE.index, (response) => response.arrayBuffer());
  const [{ instance }, file] = await Promise.all([program, index]);
  go.run(instance);
  const wrong = catalogSearch.open(new Uint8Array(file));
  if (wrong !== null) throw new Error(wrong ?? "the engine has ended");
}

const fail = (cause) => postMessage({ failed: String(cause) });
const dropped = new Set();
const ready = start(true).catch(async (cause) => {
  if (!parts.some(({ isKept }) => isKept)) throw cause;
  await inCaches((cache) => Promise.all(parts.map((part) => cache.delete(keptAt(part)))));
  await start(false);
}).then(() => postMessage({ ready: true }));
ready.catch(fail);

let rest;
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
    return fail(cause);
  }
  clearTimeout(rest);
  rest = setTimeout(() => {
    catalogSearch.rest();
    keep(5);
  }, 1000);
});
