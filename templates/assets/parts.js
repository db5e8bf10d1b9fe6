// What all pages share: requests, facts in words, rows of tables, the tray of listings to
// compare. The build puts the parts of the page code into one scope, after CATALOG: base,
// server (the address of the search and the key) or engine (the address of the worker that
// searches; neither where pages cannot search), modules (the addresses of the modules, by name), labels (texts of the owner, by the English
// ones), all (the address of a file with all
// listings), has (the fields that listings may or may not have, and whether rows show whom they fit), platforms (slug to name),
// facts (their definitions), cards (whether rows have pictures), families (the licences that a value of
// the filter finds, if not itself), logos (the end of the addresses of logos, if there are any), only (the end of a warning, which names a filter), main (the main
// language, on pages in another) and home (its base).

const byId = (id) => document.getElementById(id);

/** Makes an element; children may be texts, elements, or null or false for none. */
function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) e.setAttribute(key, value);
  e.append(...children.filter((c) => c !== null && c !== undefined && c !== false && c !== "").flatMap(whole));
  return e;
}
/** A text in parts, so that no line breaks within names such as C++ (as keepNamesWhole of generator/render). */
const whole = (child) => (typeof child !== "string" || !child.includes("++") ? [child]
  : child.split(/([\p{L}\d]+\+\+)/u).map((part, i) => (i % 2 ? element("span", { class: "whole" }, new Text(part)) : part)));

/** The attribute with the language of a text of a listing, which is another if it, or a text below its key, is not translated. */
const langOf = (p, key) => ({ lang: p.untranslated?.some((other) => `${other}.`.startsWith(`${key}.`)) ? CATALOG.main : undefined });

/** Whether pages can search. */
const SEARCHES = Boolean(CATALOG.server || CATALOG.engine);

/** The error if there was no answer. */
const offline = (text, cause) => Object.assign(new Error(text, { cause }), { offline: true });
/** What a problem (RFC 9457) says. */
const problemText = (problem) => (problem?.errors ?? []).map((e) => `${e.parameter}: ${e.message}`).join("; ") || problem?.detail;

/**
 * Asks for JSON; rejects with an Error that says what went wrong, with errors for each parameter that is wrong, and with
 * retry in seconds where the server says when to ask again.
 */
async function ask(address, options, unreachable = t("This cannot be loaded just now.")) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (cause) {
    if (cause.name === "AbortError") throw cause;
    throw offline(unreachable, cause);
  }
  const body = await response.json().catch((cause) => {
    if (cause.name === "AbortError") throw cause;
    return null;
  });
  if (response.ok && body) return body;
  if (response.status === 429 || response.status === 503) {
    const retry = Number(response.headers.get("Retry-After")) || 5;
    throw Object.assign(new Error(response.status === 429 ? t("Too many searches: the next is possible in {seconds} s.", { seconds: retry }) : t("The server is not ready. This page tries again in {seconds} s.", { seconds: retry })), { retry });
  }
  // A host of files alone answers with a page of its own.
  const error = body ? new Error(problemText(body) || t("The server answered with status {status}.", { status: response.status })) : offline(unreachable);
  throw Object.assign(error, { status: response.status, errors: body?.errors });
}

/** Searches. Calls onLoading with a progress bar while the engine loads. */
async function search(parameters, signal, onLoading) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  }
  if (CATALOG.server) {
    return ask(`${CATALOG.server.url}?${query}`, { headers: CATALOG.server.key ? { "X-Api-Key": CATALOG.server.key } : {}, signal }, t("The search server cannot be reached just now."));
  }
  if (!ENGINE) throw offline(t("This site has no search."));
  return ENGINE.search(query.toString(), signal, onLoading);
}

/** The query of an address. Commas stay readable. */
const queryOf = (parameters) => {
  const text = new URLSearchParams(parameters).toString().replaceAll("%2C", ",");
  return text && `?${text}`;
};

// Each of CATALOG.facts has tables by value: the value in words (texts), what rows show of it (chips), and the values of
// its filter that find it (finds). The entry "" is for any other value, which {value} stands for. A fact that is missing
// is unknown.
const unknown = t("unknown");
const known = (value) => (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null);
/** The value of a fact of a listing. Some facts are fields of it. */
const valueOf = (fact, p) => (fact.field ? p[fact.key] : p.fitNotes[fact.key]);
/** A number as pages write it. */
const decimal = (number) => String(number).replace(".", CATALOG.decimal ?? ".");
/** The first and the last moment of a day, a month or a year, as daysOf of package api: "2026-09-01", "2026-09" or "2026"; NaN for others. */
const span = (text) => {
  const numbers = text.split("-").map(Number), year = numbers[0], month = numbers[1] ?? 1, day = numbers[2] ?? 1, whole = numbers.length;
  const begin = (...parts) => new Date(0).setUTCFullYear(...parts); // Date.UTC takes the year 99 for 1999
  const first = year >= 1 ? begin(year, month - 1, day) : NaN;
  if (Number.isNaN(first) || new Date(first).toISOString().slice(0, whole * 3 + 1) !== text) return [NaN, NaN]; // 30 February is 2 March
  return [first, begin(whole < 2 ? year + 1 : year, whole === 2 ? month : month - 1, whole > 2 ? day + 1 : 1) - 1];
};
/** A latitude, a longitude and a distance in kilometres, as circleOf of package api; NaN for others. */
const circle = (text) => {
  const numbers = text.split(",").map((part) => (/^ *-?\d{1,15}(\.\d{1,15})? *$/.test(part) ? Number(part) : NaN)), km = numbers[2] ?? 25;
  return numbers.length < 4 && Math.abs(numbers[0]) <= 90 && Math.abs(numbers[1]) <= 180 && km >= 0 ? [numbers[0], numbers[1], km] : [NaN];
};
/** The name of a listing. Until the file of all listings is there, it is the slug. */
function nameOf(slug) {
  const name = element("bdi", {}, slug);
  allListings().then((all) => { name.textContent = all.find((p) => p.slug === slug)?.name ?? slug; }, () => { /* the slug stays */ });
  return name;
}
// What pages know of kinds of facts beyond texts: the entry of a value in tables (its key), what the braces of that entry
// stand for (shown), what draws it where a text would not do (draw), the figures from which to which it reaches (figures), and those of what a filter asks (asked).
const number = (text) => [Number(text), Number(text)];
const kinds = {
  number: { shown: (v) => ({ value: decimal(v) }), figures: (v) => [v, v], asked: number },
  money: {
    key: (v) => v.currency, shown: ({ amount, currency }) => ({ value: decimal(/\.\d$/.test(amount) ? `${amount}0` : amount), currency }),
    figures: (v, { currency }) => (v.currency === currency ? [v.amount, v.amount] : []), asked: number,
  },
  date: { figures: span, asked: span },
  range: {
    key: () => "", shown: ({ from, to }) => ({ value: from === null ? `≤ ${decimal(to)}` : from === to ? decimal(from) : `${decimal(from)}${from < 0 ? " – " : "–"}${decimal(to)}` }),
    figures: ({ from, to }) => [from ?? Math.min(0, to), to], asked: number,
  },
  place: { key: () => "", shown: ({ name }) => ({ value: name }), figures: ({ latitude, longitude }) => [latitude, longitude], asked: circle },
  relation: { draw: (slugs) => element("span", {}, ...slugs.flatMap((slug, i) => [i > 0 && ", ", element("a", { href: pageOf(slug) }, nameOf(slug))])) },
  link: { draw: ({ url, label }) => element("a", { href: url }, label) },
  picture: { draw: ({ url, alt, width, height }) => element("img", { src: new URL(url).pathname, alt, width, height }) },
  dates: { key: () => "", shown: ({ from, to }) => ({ value: `${from} – ${to}` }), figures: ({ from, to }) => [span(from)[0], span(to)[1]], asked: span },
};
/** What a table has for a value, or for each of several; none where it is unknown. */
const lookUp = (table = {}, value, { key = String, shown = (v) => ({ value: v }) } = {}) => [value ?? []].flat().flatMap((v) => [Object.hasOwn(table, key(v)) ? table[key(v)] : table[""] ?? []].flat().map((text) => fill(text, shown(v))));
/** A value in words, one text for each of several, and what rows show of it. */
const texts = (fact, value) => (fact.kind === "setups" ? (value ?? []).map((s) => COMPUTER.setupText(s)) : lookUp(fact.texts, value, kinds[fact.kind]));
const chips = (fact, value) => lookUp(fact.chips, value, kinds[fact.kind]);

const thousands = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
/** A licence with its custom parts in words, as LicenseName of generator/render. */
const licenseName = (license) => license?.replace(/LicenseRef-([^\s()]+)/g, (ref, name) => {
  const licence = name.replaceAll("-", " ");
  return licence.endsWith(" License") ? t("{licence} (custom)", { licence }) : t("{licence} licence (custom)", { licence });
}) ?? unknown;
const pageOf = (slug) => `${CATALOG.base}/projects/${slug}/`;

/** Whether a listing runs on the reader's computer, in words; fit is that of a hit, or what COMPUTER says. */
const verdicts = { fits: t("fits"), likely: t("likely fits"), unknown: t("makers do not say"), unlikely: t("unlikely to fit"), "needs-more": t("needs more") };
const fitTag = (fit) => element("span", { class: `tag ${fit.verdict}` }, COMPUTER.verdictText(fit));
/** The same in a row, on a line of its own. What the verdict rests on is unfolded on demand. */
function verdictLine(fit, platforms) {
  const details = COMPUTER.fitDetails(fit, platforms);
  return details ? element("details", { class: "verdict" }, element("summary", {}, fitTag(fit)), details) : element("div", { class: "verdict" }, fitTag(fit));
}

/** Whether a listing is still worked on, where it is not: "archived", "dormant" or "". */
const stateOf = (p) => (p.archived ? t("archived") : p.upkeep === "dormant" ? t("dormant") : "");

/** What stands before the name of a listing, as "logo" in partials.html: its logo or a monogram. Rows of lists say which; the pages of hits and of saved listings say it for all. */
const LOGOS = new Map((document.querySelector("[data-logos]")?.dataset.logos ?? "").split(" ").map((entry) => [entry.split(":")[0], entry.split(":").pop()]));
function logo(p) {
  const file = p.logo ?? LOGOS.get(p.slug);
  if (file) return element("img", { class: "logo", loading: "lazy", src: `${CATALOG.base}/assets/logo-${file}${CATALOG.logos}`, width: 24, height: 24, alt: "" });
  const words = p.name.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? [];
  return element("i", { class: `logo t${p.slug.length % 4}`, "data-m": words.slice(0, 2).map(([first]) => first).join(""), "aria-hidden": true });
}

/** Draws a listing as the build does: see "row" in partials.html. The name of a hit, for which why is given, is a heading. */
function row(p, why, verdict) {
  const tag = (text, more = "") => [element("span", { class: `tag${more}` }, text), " "];
  const link = element("a", { href: pageOf(p.slug) }, element("bdi", {}, p.name));
  const shot = CATALOG.cards && Object.entries(p.fitNotes).find(([, value]) => value?.width); // the first picture
  const name = element("th", { scope: "row" }, shot && element("img", { class: "shot", src: CATALOG.base + new URL(shot[1].url).pathname.slice(CATALOG.base.length), width: shot[1].width, height: shot[1].height, alt: shot[1].alt, ...langOf(p, `fitNotes.${shot[0]}`), loading: "lazy" }), logo(p), why === undefined ? link : element("h2", {}, link)); // rows of lists are no headings, hits are
  if (stateOf(p)) name.append(" ", ...tag(stateOf(p), " over"));
  name.append(element("p", langOf(p, "purpose"), p.purpose));
  if (why) name.append(element("p", { class: "why" }, why));
  const shown = CATALOG.facts.flatMap((fact) => chips(fact, valueOf(fact, p)));
  const on = (p.platforms ?? []).map((slug) => CATALOG.platforms[slug] ?? slug).filter((platform) => !shown.includes(platform));
  const estimates = COMPUTER?.estimateTexts(p) ?? [];
  const fit = [verdict && verdictLine(verdict, p.platforms), ...shown.flatMap((text) => tag(text)), ...estimates.flatMap((text) => tag(text, " estimate"))];
  if (on.length) fit.push(element("span", { class: "on" }, on.join(", ")));
  if (!fit.some(Boolean)) fit.push(element("span", { class: "unknown" }, unknown));
  const cell = (field, ...children) => CATALOG.has[field] && element("td", ...children);
  const figure = (field, name, text) => cell(field, { class: `number ${name}${text ? "" : " none"}` }, text || "–");
  return element("tr", {},
    name,
    cell("fit", { class: "fit" }, ...fit),
    cell("license", { class: "terms" }, element("span", { class: p.license ? /^[^ -]{1,20}-[^ ]{1,20}$/.test(licenseName(p.license)) ? "id" : undefined : "unknown" }, licenseName(p.license)), ...(p.osiApproved === false ? [" ", ...tag(t("not open source"), " over")] : [])),
    figure("stars", "stars", known(p.stars) && thousands(p.stars)),
    figure("updatedAt", "updated", p.updatedAt),
    element("td", { class: "choose" }, element("label", {}, TRAY.mark(element("input", { type: "checkbox", value: p.slug, "aria-label": t("Compare {name}", { name: p.name }) })))),
  );
}

/** Puts what a page shows into its title. Without an argument, it restores the title. */
const title = document.title;
const entitle = (shown) => { document.title = shown ? `${shown} · ${title}` : title; };

const listings = (count) => n(count, "{n} listing", "{n} listings");
const simple = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** Calls f once the calls have paused for that many milliseconds. */
function paused(f, milliseconds) {
  let timer;
  return Object.assign(() => { clearTimeout(timer); timer = setTimeout(f, milliseconds); }, { cancel: () => clearTimeout(timer) });
}

/** Arrows lead from a field through the links of an area and back, Escape back to it. */
function arrows(field, area, selector) {
  document.addEventListener("keydown", (event) => {
    const links = [...area.querySelectorAll(selector)], at = links.indexOf(document.activeElement);
    if (event.key === "ArrowDown" && links.length && !area.hidden && (document.activeElement === field || at >= 0)) {
      event.preventDefault();
      links[Math.min(at + 1, links.length - 1)].focus();
    } else if (event.key === "ArrowUp" && at >= 0) {
      event.preventDefault();
      (links[at - 1] ?? field).focus();
    } else if (event.key === "Escape" && at >= 0) {
      field.focus();
    }
  });
}

/** The base of the whole site: what the reader chose is one list for all its languages. */
const HOME = CATALOG.home ?? CATALOG.base;

const isSlug = (text) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);
/** The slugs that the address asks for, also those that there are not. */
const slugsAsked = (name = "slugs") => [...new Set(new URLSearchParams(location.search).getAll(name).join().toLowerCase().split(",").map((s) => s.trim()).filter(Boolean))];
const projectOf = (slug) => ask(`${CATALOG.base}/api/v1/projects/${slug}.json`);
/** All listings, of a file that is loaded once. */
let everyListing;
const allListings = () => (everyListing ??= ask(CATALOG.all).then((file) => file.projects ?? file.flatMap((group) => group.rows)).catch((error) => {
  everyListing = undefined;
  throw error;
}));

/** The listings that the reader saved, each {slug, name, day}, the last first. They stay in this browser, for all its tabs. */
const SAVED = (() => {
  const key = `saved ${HOME}`, old = `saved ${CATALOG.base}`, listeners = [];
  const tell = () => { for (const listener of listeners) listener(); };
  const read = (from) => {
    try {
      return JSON.parse(localStorage.getItem(from)).filter((s) => isSlug(s?.slug));
    } catch { return []; } // nothing is saved, or the browser keeps nothing
  };
  const list = () => read(key);
  /** Keeps a list. Returns false if the browser keeps nothing. */
  const set = (saved) => {
    try {
      localStorage.setItem(key, JSON.stringify(saved));
    } catch { return false; }
    tell();
    return true;
  };
  const has = (slug) => list().some((s) => s.slug === slug);
  /** The reader's day. What formats for a locale would take longer to load than all of this page code. */
  const today = () => {
    const now = new Date();
    return new Date(now - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
  };
  const add = (listings) => set([...listings.filter((l) => !has(l.slug)).map(({ slug, name }) => ({ slug, name, day: today() })), ...list()]);
  const remove = (slug) => set(list().filter((s) => s.slug !== slug));
  if (old !== key && read(old).length) { // of 1.1.0, which had a list for each language
    if (set([...list(), ...read(old).filter((s) => !has(s.slug))])) localStorage.removeItem(old);
  }
  addEventListener("storage", (event) => { if (event.key === key || event.key === null) tell(); });
  addEventListener("pageshow", (event) => { if (event.persisted) tell(); }); // back to a page that the browser kept
  return { list, set, has, add, remove, address: `${CATALOG.base}/saved/`, onChange: (listener) => listeners.push(listener) };
})();
const refusal = t("Not saved: this browser keeps nothing for this site.");

/** The listings that the reader ticked to compare them. They stay while the tab is open. */
const TRAY = (() => {
  const most = CATALOG.compared, key = `compare ${HOME}`;
  const read = () => { try { return JSON.parse(sessionStorage.getItem(key)) ?? []; } catch { return []; } };
  let chosen = read(); // each {slug, name}
  const bar = element("aside", { id: "tray", "aria-label": t("Listings to compare"), hidden: "" });
  const status = element("p", { class: "note", role: "status" }), names = element("ul"), link = element("a", { class: "button" });
  const clear = element("button", { type: "button" }, t("Clear"));
  const ways = element("span", {}, link, " ", clear), saved = element("a", { href: SAVED.address }, t("Saved listings"));
  bar.append(element("div", {}, names, status, ways));
  acting(ways, t("Save these"), {}, () => {
    const kept = SAVED.add(chosen);
    status.textContent = kept ? "" : refusal;
    return kept && t("Saved");
  });
  ways.append(" ", saved);
  const lead = () => { saved.hidden = Boolean(byId("saved")) || !SAVED.list().length; };
  SAVED.onChange(lead);
  lead();

  const mark = (box) => {
    box.checked = chosen.some((c) => c.slug === box.value);
    return box;
  };
  const draw = () => {
    for (const box of document.querySelectorAll(".choose input")) mark(box);
    bar.hidden = !chosen.length || Boolean(byId("compare"));
    names.replaceChildren(...chosen.map(({ slug, name }) => {
      const off = element("button", { type: "button", "aria-label": t("Do not compare {name}", { name }) }, "×");
      off.addEventListener("click", () => {
        set(chosen.filter((c) => c.slug !== slug));
        (names.querySelector("button") ?? byId("main")).focus();
      });
      return element("li", {}, element("bdi", {}, name), " ", off);
    }));
    status.textContent = chosen.length < 2 ? t("Tick another listing to compare them.") : "";
    link.hidden = chosen.length < 2;
    link.textContent = t("Compare {n}", { n: chosen.length });
    link.href = `${CATALOG.base}/compare/?slugs=${chosen.map((c) => c.slug).join(",")}`;
  };
  // What is at the end of the page, or sticks to its lower edge, stands above the bar.
  new ResizeObserver(() => document.documentElement.style.setProperty("--tray", `${bar.offsetHeight}px`)).observe(bar);
  const set = (list) => {
    chosen = list;
    try {
      if (list.length) sessionStorage.setItem(key, JSON.stringify(list));
      else sessionStorage.removeItem(key);
    } catch { /* not kept */ }
    draw();
  };
  byId("main").after(bar);
  clear.addEventListener("click", () => {
    set([]);
    byId("main").focus();
  });
  document.addEventListener("change", ({ target: box }) => {
    if (!box.closest(".choose")) return;
    if (!box.checked) return set(chosen.filter((c) => c.slug !== box.value));
    if (chosen.length < most) return set([...chosen, { slug: box.value, name: (box.closest("tr, article").querySelector("bdi") ?? box).textContent }]);
    box.checked = false;
    status.textContent = n(most, "You can compare at most {n} listing. Remove it first.", "You can compare at most {n} listings. Remove one first.");
  });
  addEventListener("pageshow", (event) => { // back to a page that the browser kept
    if (event.persisted) set(read());
  });
  draw();
  return { mark, set, slugs: () => chosen.map((c) => c.slug) };
})();
