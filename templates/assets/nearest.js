// The page for an address that does not exist loads this module.

/** Shows the page that was probably meant. shared is what page code shares. */
export async function nearest({ CATALOG, element, pageOf, search, t }, place) {
  const path = location.pathname.slice(CATALOG.base.length), lower = path.toLowerCase();
  const [, slug] = lower.match(/^\/projects\/([^/]+)/) ?? [];
  const exists = async (address) => (await fetch(address, { method: "HEAD" })).ok;
  let found = null;
  if (lower !== path && (await exists(CATALOG.base + lower))) found = { address: CATALOG.base + lower, name: lower };
  else if (slug && CATALOG.server) {
    const { hits: [hit] } = await search({ q: slug.replaceAll("-", " "), limit: 1, facets: 0 });
    if (hit && ["exact-name", "name"].includes(hit.match.tier)) found = { address: pageOf(hit.slug), name: hit.name };
  }
  if (found) place.append(`${t("Did you mean this page?")} `, element("a", { href: found.address }, element("bdi", {}, found.name)));
}
