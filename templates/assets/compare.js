// The comparison: its address names the slugs, the facts come from the listings' JSON files. Only /compare/ loads this
// module. Before it, the build puts COMPARE: the facts with phrases that say for whom a listing is the right one (facts, the
// most telling first), systems (names of operating systems, and the systems that other platforms are on), basis (labels)
// and the text that joins two parts of a list (and).

const known = (value) => value !== undefined && value !== null;
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);

/** The least RAM that a listing needs: {amount, basis}. It is unknown where the figure leaves out the model. */
function memoryOf({ fitNotes: { setups }, estimate, runsWith }) {
  const all = (setups ?? []).filter((s) => known(s.ramGb)), stated = all.filter((s) => s.level === "minimum");
  const measured = all.filter((s) => s.measured?.job && !s.modelsElsewhere);
  const least = (stated.length ? stated : measured).sort((a, b) => a.ramGb - b.ramGb)[0]; // the minifier would move [least] up
  if (least) return least.modelsElsewhere ? {} : { amount: least.ramGb, basis: stated.length ? "stated" : "measured" };
  const elsewhere = runsWith?.length || (setups?.length && setups.every((s) => s.modelsElsewhere)); // as in memoryOffer of package api
  return estimate?.ramGb && !elsewhere ? { amount: estimate.ramGb, basis: "estimated" } : {};
}

/** What a listing offers by a fact: values, systems on which it is there as well (also), an amount and its basis. */
function offerOf({ key, kind, field, text }, p, { systems, decimal = "." }) {
  if (kind === "setups") {
    const { amount, basis } = memoryOf(p);
    return { amount, basis, values: amount ? [`${amount} GB`] : [] };
  }
  const value = (field ? p : p.fitNotes)[key], values = known(value) ? [value].flat() : [];
  if (kind === "number") return { amount: value, values: values.map((v) => fill(text, { value: String(v).replace(".", decimal) })) };
  if (kind) return { values: values.map(String) };
  const uses = systems.filter(({ slug }) => values.includes(slug)), also = uses.flatMap(({ on }) => on ?? []);
  return { values: uses.flatMap(({ name }) => name ?? []), also: systems.flatMap(({ slug, name }) => (also.includes(slug) ? name : [])) };
}

const muchRam = 1.5, most = 3; // as in api/suits.go

/** The reasons for an offer beside others, each a phrase. */
function beyond({ kind, less, says }, offer, others, { basis, and }) {
  const lacked = (has) => others.some((other) => other.values.length && !has(other));
  const phrase = (values) => fill(says[""], { value: values.length > 1 ? fill(and, { list: values.slice(0, -1).join(", "), last: values.at(-1) }) : values[0] });
  if (!offer.values.length) return [];
  if (kind === "setups" || kind === "number") {
    const isBetter = ({ amount }) => (kind === "setups" ? amount >= muchRam * offer.amount : less ? offer.amount < amount : offer.amount > amount);
    return lacked((other) => !isBetter(other)) ? [phrase(offer.values) + (offer.basis ? ` (${basis[offer.basis]})` : "")] : [];
  }
  if (!kind) {
    const only = offer.values.filter((name) => lacked((other) => other.values.includes(name) || other.also.includes(name)));
    return only.length ? [phrase(only)] : [];
  }
  const said = [...new Set(offer.values.map((value) => says[value]))];
  return said.filter((text) => text && lacked((other) => other.values.some((value) => says[value] === text)));
}

/** For whom each listing is the right one beside the others, as Taxonomy.Suits of package api says it. */
export function suitsOf(projects, table = COMPARE) {
  const all = projects.map(() => []);
  for (const fact of table.facts) {
    const offers = projects.map((p) => offerOf(fact, p, table));
    offers.forEach((offer, i) => all[i].push(...beyond(fact, offer, offers, table)));
  }
  return all.map((reasons) => reasons.slice(0, most));
}

const anyTwo = (values) => new Set(values).size > 1, never = () => false;
const isList = (fact) => fact.kind === "texts" || fact.kind === "setups", isProse = (fact) => ["text", "place", "relation", "link", "picture"].includes(fact.kind) || isList(fact);
// Nobody asks for these of every listing: a row in which all are unknown is left out.
const isExtra = (fact) => !fact.decides && !["yes-no", "choice", "choices"].includes(fact.kind);

/** What a line does not break in: a figure and its unit, a day, a name such as x86-64 or Apache-2.0. */
const unbroken = /(\d[\d.,]* \p{L}{1,3}(?!\p{L})|(?=[\p{L}.-]*\d)[\p{L}\d.]+(?:-[\p{L}\d.]+)+)/u;

/** The rows: a label, the texts of a listing, whether what is known of two differs in a way that matters, the fact, and whether to show it. */
function rowsOf({ CATALOG, COMPUTER, kinds, t, texts, valueOf, licenseName, thousands }) {
  const factRow = (fact) => [fact.label, (p) => (kinds[fact.kind]?.draw ? [valueOf(fact, p)].filter((v) => v?.length !== 0) : texts(fact, valueOf(fact, p))), isProse(fact) ? never : anyTwo, fact];
  const upkeep = CATALOG.facts.find((fact) => fact.key === "upkeep"), facts = CATALOG.facts.filter((fact) => !fact.field);
  const fields = {
    license: [t("Licence"), (p) => [p.license && licenseName(p.license) + (p.osiApproved === false ? ` (${t("not open source")})` : "")], anyTwo],
    platforms: [t("Platforms"), (p) => Object.keys(CATALOG.platforms).filter((x) => p.platforms.includes(x)).map((x) => CATALOG.platforms[x]), anyTwo],
    updatedAt: upkeep && factRow(upkeep),
    release: [t("Latest release"), (p) => [p.release && t("{version} on {day}", { version: p.release.version, day: p.release.date })], never],
    replaces: [t("Replaces"), (p) => p.replaces, never],
    language: [t("Language"), (p) => [p.language], never],
    stars: [t("Stars (attention, not quality)"), (p) => [known(p.stars) && t("{stars} on {day}", { stars: thousands(p.stars), day: p.starsAsOf })], never],
  };
  return [ // what is long comes last
    [t("Purpose"), (p) => [p.purpose], never, null, null, "always", "purpose"],
    [t("On my computer"), (p) => { const fit = COMPUTER?.fitOf(p); return [fit && COMPUTER.fitText(fit, p.platforms)]; }, anyTwo, null, () => COMPUTER?.isSet()],
    ...facts.filter((fact) => fact.kind !== "texts" && !fact.derived).map(factRow),
    ...Object.keys(fields).filter((field) => CATALOG.has[field]).map((field) => fields[field]),
    ...facts.filter((fact) => fact.kind === "texts").map(factRow),
  ];
}

/**
 * Keeps names above the columns of a place in sight. Only the page scrolls up and down, and a head cannot stick to the
 * window within what scrolls sideways: a copy of its names does, and follows the columns. Returns a function that shows the names of new columns.
 */
function namesAbove(place, names) {
  let heads = [], copies = [];
  const widths = new ResizeObserver(() => copies.forEach((copy, i) => { copy.style.width = `${heads[i].getBoundingClientRect().width}px`; }));
  const follow = () => { names.scrollLeft = place.scrollLeft; };
  place.addEventListener("scroll", follow, { passive: true });
  // Once the upper edge of the window is below that of the columns.
  new IntersectionObserver((entries) => names.classList.toggle("passed", entries.at(-1).isIntersecting), { rootMargin: "0px 0px -99% 0px" }).observe(names.parentElement);
  return (cells, spans) => {
    widths.disconnect();
    [heads, copies] = [cells, spans];
    const line = document.createElement("div");
    line.append(...copies);
    names.replaceChildren(line);
    for (const head of heads) widths.observe(head);
    follow();
  };
}

/** Begins the comparison. shared is what page code shares. */
export function comparison(shared, form) {
  const { CATALOG, COMPUTER, kinds, TRAY, SEARCHES, t, n, allListings, byId, element, entitle, isSlug, langOf, pageOf, projectOf, search, simple, slugsAsked, stateOf, suggestions, unknown } = shared;
  const place = byId("compare"), status = byId("compare-status"), only = byId("compare-only"), most = CATALOG.compared, rows = rowsOf(shared);
  const box = only.querySelector("input"), nameColumns = namesAbove(place, byId("compare-names")), isKnown = (cell) => cell.length > 0, words = (text) => text.split(unbroken).map((part, i) => (i % 2 && part.length <= 20 ? element("span", { class: "whole" }, part) : part)), differing = () => element("span", { class: "hidden" }, ` (${t("differs")})`);
  /** What the address says: all slugs, also those that there are not, and the pinned one, which is first. */
  const state = () => {
    const pin = slugsAsked("pin")[0], slugs = slugsAsked(), address = new URLSearchParams(location.search);
    return { pin: slugs.includes(pin) ? pin : undefined, isOnly: address.get("only") === "1", order: slugs.includes(pin) ? [pin, ...slugs.filter((s) => s !== pin)] : slugs };
  };
  const address = (order, pin, isOnly) => {
    const parts = [order.length && `slugs=${order.join(",")}`, order.includes(pin) && `pin=${pin}`, order.length && isOnly && "only=1"].filter(Boolean);
    return (parts.length ? `?${parts.join("&")}` : location.pathname) + location.hash;
  };
  let shown = []; // the slugs of the columns
  const keep = (projects) => TRAY.set(projects.map(({ slug, name }) => ({ slug, name })));
  /** Shows other columns. said is told of it first. */
  const go = async (order, pin = state().pin, said = "") => {
    history.pushState(null, "", address(order, pin, box.checked));
    keep(await draw(said) ?? []);
  };
  /** Loads what fits of some slugs. What is not found takes no place. */
  async function loadAll(order) {
    const valid = order.filter(isSlug), missing = order.filter((s) => !isSlug(s)), projects = [];
    let failed = "", next = 0;
    while (projects.length < most && next < Math.min(valid.length, 5 * most) && !failed) {
      const list = valid.slice(next, next + most - projects.length);
      next += list.length;
      projects.push(...(await Promise.all(list.map((slug) => projectOf(slug).then((p) => ({ ...p, asked: slug }), (error) => {
        if (error.status !== 404) failed = error.message;
        else missing.push(slug);
        return null;
      })))).filter(Boolean));
    }
    missing.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    return { projects, missing, failed, tooMany: failed ? [] : valid.slice(next) };
  }
  /** The buttons of a column: pin it, move it, remove it. */
  function buttons(projects, i, order, missing, pin) {
    const { name, asked } = projects[i], isPinned = asked === pin, others = order.filter((s) => !missing.includes(s));
    const button = (act, text, label, does) => {
      const b = element("button", { type: "button", "data-act": act, "aria-label": label }, text);
      b.addEventListener("click", async () => {
        await does();
        // Focus stays on the button of the same column or, where it is gone, on the nearest.
        const cells = [...place.querySelectorAll("thead th")].slice(1), at = shown.indexOf(asked), cell = cells[at] ?? cells[Math.min(i, cells.length - 1)];
        const of = (name) => cell?.querySelector(`[data-act="${name}"]`);
        (of(act) ?? (at < 0 ? of("remove") : of("before") ?? of("after") ?? of("pin")) ?? byId("add")).focus();
      });
      return b;
    };
    const moved = (to) => go(others.with(i, others[to]).with(to, others[i]), pin, t("{name} is column {n} of {all}.", { name, n: to + 1, all: projects.length }));
    const canMove = (to) => to in projects && !isPinned && projects[to].asked !== pin;
    return element("p", {},
      projects.length > 1 && (isPinned ? button("pin", t("Unpin"), t("Unpin {name}", { name }), () => go(others, "", t("{name} is no longer pinned.", { name })))
        : button("pin", t("Pin"), t("Pin {name}", { name }), () => go(others, asked, t("{name} is first, and the others are compared with it.", { name })))),
      canMove(i - 1) && button("before", "←", t("Move {name} before {other}", { name, other: projects[i - 1].name }), () => moved(i - 1)),
      canMove(i + 1) && button("after", "→", t("Move {name} after {other}", { name, other: projects[i + 1].name }), () => moved(i + 1)),
      button("remove", t("Remove"), t("Remove {name}", { name }), () => go(others.filter((s) => s !== asked)))); // what had no room moves up
  }
  /** A row of facts; against a pinned column, each other cell differs or not. */
  function factRow([label, textsOf, apart, fact, shows, always, key = `fitNotes.${fact?.key}`], projects, isPinned) {
    if (shows && !shows()) return null;
    const cells = projects.map((p) => textsOf(p).filter(Boolean));
    if (fact && isExtra(fact) && !cells.some(isKnown)) return null;
    // What is unknown is no difference.
    const differ = (list) => apart(list.filter(isKnown).map((cell) => cell.join()));
    const marked = cells.map((cell) => isPinned && differ([cells[0], cell])), differs = isPinned ? marked.includes(true) : differ(cells);
    const draw = kinds[fact?.kind]?.draw, content = (cell) => (draw ? draw(cell[0]) : fact && isList(fact) ? element("ul", {}, ...cell.map((text) => element("li", {}, ...words(text)))) : element("span", {}, ...words(cell.join(", "))));
    return element("tr", { class: differs ? "differs" : always }, element("th", { scope: "row" }, label, differs && differing()),
      ...cells.map((cell, i) => element("td", { class: marked[i] ? "apart" : undefined, ...isKnown(cell) && langOf(projects[i], key) }, isKnown(cell) ? content(cell) : apart === never ? "–" : unknown, marked[i] && differing())));
  }
  /** Which is for whom, as a row, unless it is said of one alone; beside a pinned one, each of the others against it alone. */
  function suitsRow(projects, isPinned) {
    const all = suitsOf(projects).map((reasons, i) => (isPinned && i ? suitsOf([projects[0], projects[i]])[1] : reasons));
    return all.filter(isKnown).length > 1 && element("tr", { class: "always" }, element("th", { scope: "row" }, t("Which for whom?")), ...all.map((reasons) => element("td", {}, ...words(reasons.join(", ") || "–"))));
  }
  async function draw(said = "") {
    const { order, pin, isOnly } = state(), { projects, missing, failed, tooMany } = await loadAll(order);
    if (order.join() !== state().order.join()) return; // asked anew meanwhile
    shown = projects.map((p) => p.asked);
    const isPinned = projects.length > 1 && shown[0] === pin;
    only.hidden = projects.length < 2;
    box.checked = isOnly;
    place.classList.toggle("only", !only.hidden && isOnly);
    place.classList.toggle("pinned", isPinned);
    const head = element("tr", {}, element("th", { scope: "col" }, t("Fact")), ...projects.map((p, i) => {
      const stopped = stateOf(p);
      return element("th", { scope: "col" }, element("a", { href: pageOf(p.slug) }, element("bdi", {}, p.name)), stopped && " ", stopped && element("span", { class: "tag over" }, stopped), buttons(projects, i, order, missing, pin));
    }));
    const body = element("tbody", {}, suitsRow(projects, isPinned), ...rows.map((row) => factRow(row, projects, isPinned)));
    place.replaceChildren(element("table", {}, element("caption", { class: "hidden" }, t("Comparison")), element("thead", {}, head), body));
    nameColumns([...head.cells], [t("Fact"), ...projects.map((p) => p.name)].map((name) => element("span", {}, element("bdi", {}, name))));
    place.hidden = !projects.length;
    entitle(projects.map((p) => p.name).join(", "));
    status.textContent = !order.length ? t("No listing is chosen yet. Add one by its name, or tick listings in any list.") : [
      said, projects.length > 1 ? n(projects.length, "{n} listing side by side.", "{n} listings side by side.") : projects.length && t("One listing. Add another to compare them."),
      missing.length > 0 && t("Not found: {names}.", { names: missing.join(", ") }), tooMany.length > 0 && n(most, "Left out, because only {n} fits: {names}.", "Left out, because only {n} fit: {names}.", { names: tooMany.join(", ") }), failed,
    ].filter(Boolean).join(" ");
    return projects;
  }
  /** Adds a listing, or says why not. */
  async function add(found, name) {
    if (!found) {
      status.textContent = t("No listing is named “{name}”.", { name });
    } else if (shown.includes(found.slug)) {
      status.textContent = t("{name} is in the comparison already.", { name: found.name });
    } else if (shown.length >= most) {
      status.textContent = n(most, "The comparison has {n} listing already: remove it first.", "The comparison has {n} listings already: remove one first.");
    } else {
      form.reset();
      await go([...shown, found.slug]);
    }
  }
  /** The listing of that name, or undefined; not one that replaces a product of that name. */
  async function named(name) {
    const wanted = simple(name), isIt = (p) => simple(p.name) === wanted || p.slug === name;
    try {
      const { hits } = await search({ q: name, limit: 10, facets: 0 }, undefined, (bar) => status.replaceChildren(`${t("Loading the search…")} `, bar));
      return hits.find(isIt) ?? hits.find((h) => h.match.tier === "exact-name") ??
        hits.find((h) => h.match.tier === "name" && !h.match.partial && (simple(h.name).includes(wanted) || !h.replaces?.some((r) => simple(r).includes(wanted))));
    } catch {
      return (await allListings()).find(isIt);
    }
  }
  if (!SEARCHES) { // the browser suggests names
    const field = form.elements.namedItem("add"), list = element("datalist", { id: "names" });
    field.after(list);
    field.setAttribute("list", "names");
    field.addEventListener("focus", async () => {
      const listings = await allListings().catch(() => []);
      if (!list.options.length) list.append(...listings.map((p) => new Option(p.name, p.name)));
    });
  }
  if (SEARCHES) suggestions(form, add);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = form.elements.namedItem("add").value.trim();
    if (!name) return;
    try {
      await add(await named(name), name);
    } catch (error) {
      status.textContent = error.message;
    }
  });
  box.addEventListener("change", () => {
    history.replaceState(null, "", address(state().order, state().pin, box.checked));
    draw();
  });
  addEventListener("popstate", () => draw());
  COMPUTER?.onChange(() => draw());
  // The link in the head of each page leads to what was ticked.
  if (!state().order.length && TRAY.slugs().length) history.replaceState(null, "", address(TRAY.slugs()));
  draw();
}
