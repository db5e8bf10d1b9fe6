// The page of saved listings, which loads this module. It shows those of this browser, or those that its address names;
// these change nothing that is kept.

const single = 20; // listings that are loaded one by one; for more, the file with all listings is loaded
const most = 200; // listings of an address that are shown

/** What is in the way of keeping anything; "" if nothing is. */
function refused(t) {
  try {
    localStorage.setItem("saved", "");
    localStorage.removeItem("saved");
    return "";
  } catch {
    return t("This browser keeps nothing for this site, so nothing can be saved. A link to a list works.");
  }
}

/** Shows them in a place. shared is what page code shares. */
export function saved({ CATALOG, COMPUTER, SAVED, allListings, copying, element, isSlug, licenseName, n, pageOf, projectOf, refusal, row, sharing, slugsAsked, t }, place) {
  const status = document.getElementById("saved-status"), ways = document.getElementById("saved-ways"), none = document.getElementById("saved-none"), table = place.querySelector("table");
  const asked = slugsAsked(), isOthers = new URLSearchParams(location.search).has("slugs");
  const named = asked.filter(isSlug).slice(0, most).map((slug) => ({ slug, name: slug })), wrong = asked.filter((slug) => !isSlug(slug));
  const loading = new Map(), renamed = new Set(); // promises by slug; sentences
  let entries = [], drawing; // {slug, name, day} as they are saved, with p, the listing, isGone, hasLeft, or hasFailed

  /**
   * The slug to which the page of a listing leads, if its file is not there: another one if the slug is a former one, the
   * same if the listing has left, or "". This is so on every host.
   */
  async function leadsTo(slug) {
    const response = await fetch(pageOf(slug));
    if (!response.ok) return "";
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return (page.querySelector("link[rel=canonical]")?.getAttribute("href") ?? response.url).match(/\/projects\/([^/]+)\/$/)?.[1] ?? "";
  }
  async function load(slug) {
    try {
      return { p: await projectOf(slug) };
    } catch (error) {
      if (error.status !== 404) throw error;
    }
    const present = await leadsTo(slug);
    return present && present !== slug ? { p: await projectOf(present) } : { isGone: true, hasLeft: Boolean(present) };
  }
  /** Loads what is not loaded yet. What fails is loaded again next time. */
  async function loaded(list) {
    const missing = list.filter(({ slug }) => !loading.has(slug));
    if (missing.length > single) for (const p of await allListings().catch(() => [])) loading.set(p.slug, Promise.resolve({ p }));
    for (const { slug } of missing.filter(({ slug }) => !loading.has(slug)).slice(0, single)) loading.set(slug, load(slug));
    return Promise.all(list.map(async (entry) => {
      try {
        return { ...entry, ...await (loading.get(entry.slug) ?? Promise.reject()) };
      } catch {
        loading.delete(entry.slug);
        return { ...entry, hasFailed: true };
      }
    }));
  }

  const links = element("p", { class: "links" }), compare = element("a", { class: "button" }), add = element("button", { type: "button" }, t("Add to mine"));
  const own = element("a", { href: SAVED.address }, t("My saved listings")), take = element("details", {}, element("summary", {}, t("As a link or as Markdown")));
  links.append(...(isOthers ? [add, " "] : []), compare, ...(isOthers ? [" ", own] : []));
  const code = (label) => {
    const text = element("code"), box = element("div", { class: "command" }, element("pre", { tabindex: 0 }, text));
    copying(box, t("Copy: {what}", { what: label }));
    take.append(element("p", {}, label), box);
    return text;
  };
  const link = code(t("Link")), markdown = code(t("Markdown"));
  const known = () => entries.filter((e) => e.p), present = () => entries.filter((e) => !e.isGone);
  const address = () => `${location.origin}${SAVED.address}?slugs=${present().map((e) => e.p?.slug ?? e.slug).join(",")}`;
  if (navigator.share || navigator.clipboard) sharing(links, address);
  ways.append(links, take);

  /** A listing in a list of Markdown; without its facts where there are none. */
  const line = ({ p, slug, name }) => {
    const escaped = (text) => text.replace(/[\\\x60*_[\]<>]/g, "\\$&");
    if (!p) return `- [${escaped(name)}](${location.origin}${pageOf(slug)})`;
    const terms = CATALOG.has.license ? t("Licence: {license}.", { license: escaped(licenseName(p.license)) }) : "";
    return `- [${escaped(p.name)}](${location.origin}${pageOf(p.slug)}): ${escaped(p.purpose)} ${terms}`.trim();
  };
  /** The row of a listing; without its facts where there are none. */
  const rowOf = (entry, i) => {
    const { p, slug, name, day, isGone, hasLeft } = entry, text = hasLeft ? t("It is no longer listed.") : isGone ? t("It is not in this catalogue.") : "";
    const title = element("bdi", {}, name), bare = () => element("tr", {}, element("th", { scope: "row", colspan: table.tHead.rows[0].cells.length },
      isGone && !hasLeft ? title : element("a", { href: pageOf(slug) }, title), text && element("p", {}, text)));
    const tr = p ? row(p, undefined, COMPUTER?.fitOf(p)) : bare();
    if (isOthers) return tr;
    const off = element("button", { type: "button", "aria-label": t("Remove {name}", { name: p?.name ?? name }) }, t("Remove"));
    off.addEventListener("click", async () => {
      SAVED.remove(slug);
      await drawing;
      const left = table.querySelectorAll("th > p > button");
      (left[Math.min(i, left.length - 1)] ?? document.getElementById("main")).focus();
    });
    tr.querySelector("th").append(element("p", {}, t("Saved on {day}", { day }), " ", off));
    return tr;
  };
  const mine = (count) => (count ? n(count, "{n} saved listing", "{n} saved listings") + "."
    : refused(t) || t("Nothing is saved yet. “Save” is on the page of each listing, and below a list once you tick some."));
  const sentences = () => {
    const failed = entries.filter((e) => e.hasFailed).length, gone = isOthers ? entries.filter((e) => e.isGone && !e.hasLeft).map((e) => e.slug) : [];
    const missing = asked.filter((slug) => wrong.includes(slug) || gone.includes(slug));
    const count = isOthers ? n(present().length, "Somebody's list of {n} listing. It changes nothing that you saved.", "Somebody's list of {n} listings. It changes nothing that you saved.") : mine(entries.length);
    return [
      count, ...renamed, missing.length > 0 && t("Not found: {names}.", { names: missing.join(", ") }),
      isOthers && asked.length > most && n(most, "Only the first {n} is shown.", "Only the first {n} are shown."),
      failed > 0 && n(failed, "The facts of {n} listing cannot be loaded just now: only its name is shown.", "The facts of {n} listings cannot be loaded just now: only their names are shown."),
    ].filter(Boolean).join(" ");
  };
  /** Says something, unless it is said already, so that it is not read aloud twice. */
  const say = (text) => { if (status.textContent !== text) status.textContent = text; };
  async function draw() {
    const list = isOthers ? named : SAVED.list(), found = await loaded(list), now = isOthers ? [] : SAVED.list();
    if (!isOthers && now.map((s) => s.slug).join() !== list.map((s) => s.slug).join()) return; // changed meanwhile
    for (const { p, slug, name } of found) {
      if (!p || p.slug === slug) continue;
      loading.set(p.slug, loading.get(slug));
      if (p.name !== name) renamed.add(t("{old} is now {name}.", { old: name, name: p.name }));
    }
    const bySlug = new Map(found.map(({ slug, name, day, p }) => [p?.slug ?? slug, { slug: p?.slug ?? slug, name: p?.name ?? name, day }]));
    if (!isOthers && found.some(({ p, slug }) => p && p.slug !== slug)) return void SAVED.set([...bySlug.values()]); // which draws them
    entries = found.filter(({ p, slug }, i) => !p || i === found.findIndex((e) => (e.p?.slug ?? e.slug) === p.slug)); // once each
    const count = known().length, columns = Math.min(count, CATALOG.compared);
    table.tBodies[0].replaceChildren(...entries.map(rowOf));
    table.hidden = !entries.length;
    ways.hidden = !entries.length;
    none.hidden = entries.length > 0;
    compare.hidden = count < 2;
    compare.textContent = count > columns ? t("Compare the first {n}", { n: columns }) : isOthers ? t("Compare these {n}", { n: columns }) : t("Compare {n} saved listings", { n: columns });
    compare.href = `${CATALOG.base}/compare/?slugs=${known().slice(0, columns).map((e) => e.p.slug).join(",")}`;
    add.hidden = known().every(({ p }) => SAVED.has(p.slug));
    link.textContent = address();
    markdown.textContent = present().map(line).join("\n");
    say(sentences());
  }
  const redraw = () => (drawing = draw());
  add.addEventListener("click", async () => {
    const kept = SAVED.add(known().map(({ p }) => p));
    await drawing;
    status.textContent = kept ? t("Added to your saved listings.") : refusal;
    if (kept) own.focus();
  });
  SAVED.onChange(redraw);
  COMPUTER?.onChange(redraw);
  if (!isOthers) say(mine(SAVED.list().length)); // what can be said before anything is loaded
  redraw();
}
