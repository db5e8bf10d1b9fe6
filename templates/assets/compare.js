// The comparison: its address names the slugs, the facts come from the listings' JSON files.

const anyTwo = (values) => new Set(values).size > 1, never = () => false;
const isList = (fact) => fact.kind === "texts" || fact.kind === "setups", isProse = (fact) => fact.kind === "text" || isList(fact);
// Nobody asks for these of every listing: a row in which all are unknown is left out.
const isExtra = (fact) => !fact.decides && (isProse(fact) || fact.kind === "number");
const factRow = (fact) => [fact.label, (p) => texts(fact, valueOf(fact, p)), isProse(fact) ? never : anyTwo, fact];
const upkeep = CATALOG.facts.find((fact) => fact.key === "upkeep");
// Rows of fields: a label, the texts of a listing, and whether what is known of them differs in a way that matters.
const fields = {
  license: [t("Licence"), (p) => [p.license && licenseName(p.license) + (p.osiApproved === false ? ` (${t("not open source")})` : "")], anyTwo],
  platforms: [t("Platforms"), (p) => Object.keys(CATALOG.platforms).filter((x) => p.platforms.includes(x)).map((x) => CATALOG.platforms[x]), anyTwo],
  updatedAt: upkeep && factRow(upkeep),
  release: [t("Latest release"), (p) => [p.release && t("{version} on {day}", { version: p.release.version, day: p.release.date })], never],
  replaces: [t("Replaces"), (p) => p.replaces, never],
  language: [t("Language"), (p) => [p.language], never],
  stars: [t("Stars (attention, not quality)"), (p) => [known(p.stars) && t("{stars} on {day}", { stars: thousands(p.stars), day: p.starsAsOf })], never],
};
const facts = CATALOG.facts.filter((fact) => !fact.field);
const compared = [ // what is long comes last
  [t("Purpose"), (p) => [p.purpose], never],
  [t("On my computer"), (p) => { const fit = COMPUTER?.fitOf(p); return [fit && COMPUTER.fitText(fit)]; }, anyTwo, null, () => COMPUTER?.isSet()],
  ...facts.filter((fact) => fact.kind !== "texts" && !fact.derived).map(factRow),
  ...Object.keys(fields).filter((field) => CATALOG.has[field]).map((field) => fields[field]),
  ...facts.filter((fact) => fact.kind === "texts").map(factRow),
];

function comparison(form) {
  const place = byId("compare"), status = byId("compare-status"), only = byId("compare-only"), idle = status.textContent, most = CATALOG.compared;
  let shown = []; // the slugs of the columns
  const keep = (projects) => TRAY.set(projects.map(({ slug, name }) => ({ slug, name })));
  const go = async (list) => {
    history.pushState(null, "", (list.length ? `?slugs=${list.join(",")}` : location.pathname) + location.hash);
    keep(await draw() ?? []);
  };
  async function draw() {
    const order = slugsAsked(), valid = order.filter(isSlug), missing = order.filter((s) => !isSlug(s)), projects = [], columns = [];
    let failed = "", next = 0;
    // What is not found takes no place.
    while (projects.length < most && next < Math.min(valid.length, 5 * most) && !failed) {
      const list = valid.slice(next, next + most - projects.length);
      next += list.length;
      const loaded = await Promise.all(list.map((slug) => projectOf(slug).catch((error) => {
        if (error.status !== 404) failed = error.message;
        else missing.push(slug);
        return null;
      })));
      if (order.join() !== slugsAsked().join()) return; // asked anew meanwhile
      projects.push(...loaded.filter(Boolean));
      columns.push(...list.filter((slug) => !missing.includes(slug)));
    }
    shown = columns;
    only.hidden = projects.length < 2;
    place.classList.toggle("only", !only.hidden && only.querySelector("input").checked);
    missing.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    const tooMany = failed ? [] : valid.slice(next);
    const head = element("tr", {}, element("th", { scope: "col" }, t("Fact")));
    projects.forEach((p, i) => {
      const off = element("button", { type: "button", "aria-label": t("Remove {name}", { name: p.name }) }, t("Remove"));
      off.addEventListener("click", async () => {
        await go(order.filter((s) => s !== p.slug && !missing.includes(s))); // what had no room moves up
        const left = place.querySelectorAll("button");
        (left[Math.min(i, left.length - 1)] ?? byId("add")).focus();
      });
      const state = stateOf(p);
      head.append(element("th", { scope: "col" }, element("a", { href: pageOf(p.slug) }, element("bdi", {}, p.name)), state && " ", state && element("span", { class: "tag over" }, state), element("p", {}, off)));
    });
    const body = element("tbody");
    for (const [label, textsOf, apart, fact, shows] of compared) {
      if (shows && !shows()) continue;
      const cells = projects.map((p) => textsOf(p).filter(Boolean));
      if (fact && isExtra(fact) && !cells.some(known)) continue;
      // What is unknown is no difference.
      const differs = apart(cells.filter(known).map((cell) => cell.join()));
      const th = element("th", { scope: "row" }, label);
      if (differs) th.append(element("span", { class: "hidden" }, ` (${t("differs")})`));
      const content = (cell) => (fact && isList(fact) ? element("ul", {}, ...cell.map((text) => element("li", {}, text))) : cell.join(", "));
      body.append(element("tr", differs ? { class: "differs" } : {}, th, ...cells.map((cell) => element("td", {}, known(cell) ? content(cell) : apart === never ? "–" : unknown))));
    }
    place.replaceChildren(element("table", {}, element("caption", { class: "hidden" }, t("Comparison")), element("thead", {}, head), body));
    place.hidden = !projects.length;
    entitle(projects.map((p) => p.name).join(", "));
    status.textContent = !order.length ? idle : [
      projects.length > 1 ? n(projects.length, "{n} listing side by side.", "{n} listings side by side.") : projects.length && t("One listing. Add another to compare them."),
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
  only.addEventListener("change", draw);
  addEventListener("popstate", draw);
  COMPUTER?.onChange(draw);
  // The link in the head of each page leads to what was ticked.
  if (!slugsAsked().length && TRAY.slugs().length) history.replaceState(null, "", `?slugs=${TRAY.slugs().join(",")}${location.hash}`);
  draw();
}
