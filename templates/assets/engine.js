// The search engine in a worker. Nothing of it is loaded before somebody searches. Where a server
// searches, or nothing does, the build leaves this out, and ENGINE is null.
const ENGINE = (() => {
  const bar = element("progress", { max: 100, "aria-label": t("Loading the search") }), waiting = new Map(); // by id
  const isAble = Boolean(globalThis.Worker && globalThis.TransformStream && globalThis.WebAssembly?.instantiateStreaming);
  let worker = null, ready = false, last = 0;
  const end = (ended, cause) => { // the next search tries again
    if (ended !== worker) return;
    worker?.terminate();
    worker = null;
    ready = false;
    if (cause) console.error(cause);
    for (const { reject } of waiting.values()) reject(offline(isAble ? t("The search cannot be loaded just now.") : t("This browser is too old to search here."), cause));
    waiting.clear();
  };
  const begin = () => {
    if (worker) return;
    if (!isAble) return end(null);
    bar.value = 0;
    const mine = worker = new Worker(CATALOG.engine);
    mine.addEventListener("error", (event) => end(mine, event.message));
    mine.addEventListener("message", ({ data: { id, text, loaded, ready: opened, failed } }) => {
      if (failed) return end(mine, failed);
      if (loaded !== undefined) bar.value = loaded;
      if (opened) ready = true;
      waiting.get(id)?.resolve(text);
      waiting.delete(id);
    });
  };
  /** The JSON of the answer to a query. Calls onLoading with a progress bar while the engine loads. */
  const answer = (query, signal, onLoading) => new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, { resolve, reject });
    begin();
    worker?.postMessage({ id, query });
    if (!ready && waiting.has(id)) onLoading?.(bar);
    signal?.addEventListener("abort", () => {
      if (waiting.delete(id)) worker?.postMessage({ drop: id });
      reject(signal.reason);
    });
  });
  /** Searches, as search does. */
  const search = async (query, signal, onLoading) => {
    const found = JSON.parse(await answer(query, signal, onLoading));
    keepOffline();
    if (found.status) throw Object.assign(new Error(problemText(found)), { status: found.status, errors: found.errors });
    return found;
  };
  return { begin, search };
})();

/** Lets the browser keep the search and visited pages from the first search on (sw.js), unless the reader has switched it off. */
function keepOffline() {
  try {
    if (CATALOG.modules.offline && !localStorage.getItem(`offline ${CATALOG.base}`)) navigator.serviceWorker?.register(`${CATALOG.base}/sw.js`).catch(() => { /* a private window */ });
  } catch { /* storing is not allowed here */ }
}

// A click into a field that searches loads the engine, or the first key press there. Tab does not: it passes by.
const loadEngine = ({ target }) => { if (target.form?.matches('[action$="/search/"], #compare-form')) ENGINE.begin(); };
document.addEventListener("pointerdown", (event) => { if (event.target.matches("input") && !navigator.connection?.saveData) loadEngine(event); });
document.addEventListener("input", loadEngine);
