// The service worker of a site that keeps nothing in browsers. It takes the place of one of an earlier build (sw.js),
// deletes what that one kept, and removes itself. The build puts SITE before it: base (the path of the site).
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith(`catalog ${SITE.base} `)) await caches.delete(name);
  await registration.unregister();
})()));
