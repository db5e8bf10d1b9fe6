// The service worker. It keeps the search and the pages that the reader visits, so that they work without a connection.
// The page code registers it after the first search; the page "Offline" switches it on and off (offline.js). The build
// puts SITE before it: base (the path of the site), version, assets and pages (which are always kept), offline (the page
// that stands for those that are not kept), most (visited pages, and their bytes), others (paths of other languages).
//
// Pages come from the site, and from here only if it cannot be reached, so that a new build is seen at once. Assets have
// a hash in their names, so they come from here. It leaves answers of the API and other sites alone.

// Caches belong to the origin, which may have other sites below other paths.
const prefix = `catalog ${SITE.base} `, name = prefix + SITE.version;
const sizeHeader = "X-Kept-Bytes", isHashed = /^\/assets\/[^/]+-[0-9a-f]{12}(\.[a-z0-9]+)+$/;
const addressOf = (path) => location.origin + SITE.base + path;
const always = new Set([...SITE.assets, ...SITE.pages].map(addressOf));

/** The path of an address below the base, without its query, which only page code reads; null if it is not kept here. */
function pathOf(address) {
  const { origin, pathname } = new URL(address);
  if (origin !== location.origin || !pathname.startsWith(`${SITE.base}/`)) return null;
  const path = pathname.slice(SITE.base.length);
  return /^\/(api\/|mcp$|sw\.js$)/.test(path) || SITE.others?.some((other) => path.startsWith(other)) ? null : path;
}

// null once the reader has switched this off and a page is still open. What is written to a cache that has been deleted
// since is dropped.
let opened = caches.has(name).then((has) => (has ? caches.open(name) : null));
const kept = (path) => caches.match(addressOf(path), { cacheName: name });

async function fetched(path, cache) {
  const response = await fetch(addressOf(path), { cache });
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response;
}

/** Keeps a page as the latest one, and drops the oldest that are too many. */
async function keep(cache, path, response) {
  const body = await response.blob(), headers = new Headers(response.headers), address = addressOf(path);
  headers.set(sizeHeader, body.size);
  await cache.delete(address);
  await cache.put(address, new Response(body, { headers }));
  let pages = 0, bytes = 0;
  for (const { url } of (await cache.keys()).reverse()) {
    if (always.has(url) || isHashed.test(pathOf(url))) continue; // worker.js keeps parts of the search here
    pages += 1;
    bytes += Number((await cache.match(url))?.headers.get(sizeHeader));
    if (pages > SITE.most.pages || bytes > SITE.most.bytes) await cache.delete(url);
  }
}

/** The visited pages: those that caches of earlier builds have, the oldest first, and those that are open. */
async function visited() {
  const addresses = [];
  for (const other of await caches.keys()) {
    if (other.startsWith(prefix) && other !== name) addresses.push(...(await (await caches.open(other)).keys()));
  }
  addresses.push(...(await clients.matchAll({ includeUncontrolled: true, type: "window" })));
  const paths = addresses.map(({ url }) => pathOf(url));
  return new Set(paths.filter((path) => path !== null && !isHashed.test(path) && !always.has(addressOf(path))));
}

/** Fills the cache of this build. Visited pages are fetched again, because pages of an earlier build name its assets. */
async function fill() {
  opened = caches.open(name);
  const cache = await opened;
  const asset = async (path) => cache.put(addressOf(path), (await caches.match(addressOf(path))) ?? (await fetched(path)));
  await Promise.all(SITE.assets.map(asset));
  await Promise.all(SITE.pages.map(async (path) => keep(cache, path, await fetched(path, "no-cache"))));
  for (const path of await visited()) {
    await fetched(path, "no-cache").then((response) => keep(cache, path, response)).catch(() => { /* it is gone */ });
  }
}

addEventListener("install", (event) => event.waitUntil(fill().then(() => skipWaiting(), async (cause) => {
  await caches.delete(name); // no room, or a build that is being replaced: the next visit tries again
  throw cause;
})));

addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const other of await caches.keys()) if (other.startsWith(prefix) && other !== name) await caches.delete(other);
  await registration.navigationPreload?.enable(); // pages need not wait for this worker to start
  await clients.claim();
})()));

// The page "Offline" asks for this, because a browser may start the worker that was switched off before.
addEventListener("message", (event) => event.waitUntil(fill().then(() => true, () => false).then((done) => event.ports[0]?.postMessage(done))));

async function page(event, path) {
  try {
    const response = (await event.preloadResponse) ?? (await fetch(event.request));
    if (response.ok && response.type === "basic") { // not a redirect
      const copy = response.clone();
      event.waitUntil(opened.then((cache) => cache && keep(cache, path, copy)).catch(() => { /* no room */ }));
    }
    return response;
  } catch (cause) {
    const stored = (await kept(path)) ?? (event.request.mode === "navigate" && (await kept(SITE.offline)));
    if (stored) return stored;
    throw cause;
  }
}

addEventListener("fetch", (event) => {
  const { request } = event, path = pathOf(request.url);
  if (path === null || request.method !== "GET" || request.headers.has("Range")) return;
  event.respondWith(isHashed.test(path) ? kept(path).then((stored) => stored ?? fetch(request)) : page(event, path));
});
