// The page "Offline": what the service worker (sw.js) keeps in this browser, and its switch.

const namesOf = async (prefix) => (await caches.keys()).filter((name) => name.startsWith(prefix));

/** Waits until a worker has filled its cache; returns whether it could. */
const filled = (worker) => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => resolve(data);
  worker.postMessage("fill", [port2]);
});

/** The titles of the other pages that are kept, by address, the latest first. */
async function pagesIn(name, own) {
  const cache = await caches.open(name), pages = new Map(), site = document.title.slice(document.title.indexOf(" · "));
  for (const { url } of (await cache.keys()).reverse()) {
    if (!url.endsWith("/") || url.endsWith(own)) continue;
    const [head] = /<title>[^<]*/.exec(await (await cache.match(url)).text()) ?? [""];
    const { title } = new DOMParser().parseFromString(head, "text/html");
    pages.set(url, title.endsWith(site) ? title.slice(0, -site.length) : title);
  }
  return pages;
}

/** Runs the page: shared is what page code shares, place the element of its state. */
export async function offline({ CATALOG: { base }, byId }, place) {
  const on = byId("offline-on"), off = byId("offline-off");
  const prefix = `catalog ${base} `, refused = `offline ${base}`;
  byId("offline-missing").hidden = location.pathname === `${base}/offline/`;
  if (!navigator.serviceWorker) return;

  const draw = async (failed) => {
    const [name] = (await navigator.serviceWorker.getRegistration(`${base}/`)) ? await namesOf(prefix) : [];
    const state = failed ? "never" : name ? "on" : "off";
    for (const text of place.children) text.hidden = text.dataset.when !== state;
    [on.hidden, off.hidden] = [Boolean(name), !name];
    byId("offline-kept").hidden = !name;
    byId("offline-pages").replaceChildren(...[...(name ? await pagesIn(name, `${base}/offline/`) : [])].map(([url, title]) => {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = url;
      link.textContent = title;
      item.append(link);
      return item;
    }));
  };
  on.addEventListener("click", async () => {
    on.disabled = true;
    let ok = false;
    try {
      localStorage.removeItem(refused);
      await navigator.serviceWorker.register(`${base}/sw.js`);
      ok = await filled((await navigator.serviceWorker.ready).active);
    } catch { /* a private window, or no room */ }
    on.disabled = false;
    await draw(!ok);
  });
  off.addEventListener("click", async () => {
    try {
      localStorage.setItem(refused, "off"); // so that a search does not switch it on again
    } catch { /* not kept */ }
    await (await navigator.serviceWorker.getRegistration(`${base}/`))?.unregister();
    for (const name of await namesOf(prefix)) await caches.delete(name);
    await draw();
  });
  await draw();
}
