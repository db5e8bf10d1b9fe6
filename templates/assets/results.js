// The search page and lists: a form whose filters have the names and values of the API, and a
// table of what passes them. A search asks the server or the engine; a list reads its file of
// facts, and needs neither.

/** The values by which each filter finds a listing. */
const filters = {
  platform: (p) => p.platforms ?? [],
  category: (p) => [p.category],
  license: (p) => p.licenses ?? (p.license ? [p.license] : []),
};
/** Whether a value of a filter finds a listing, for filters that also find other values. */
const finds = { license: (p, asked) => filters.license(p).some((l) => (CATALOG.families[asked.toLowerCase()] ?? [asked]).includes(l)) };
// The orders of a list: what is compared, whether the highest comes first, and whether equal ones are ordered by slug.
const orders = {
  name: [(p) => p.name.toLowerCase(), false], license: [(p) => p.license && licenseName(p.license).toLowerCase(), false],
  popular: [(p) => p.stars, true], newest: [(p) => p.addedAt, true], "recently-updated": [(p) => p.updatedAt, true],
};
/** How filters compare the figures of a fact with those that are asked, as BoundOf of package api does; the first is usual. */
const compares = {
  "at-most": (low, high, from, to) => high <= to, "at-least": (low, high, from) => low >= from,
  before: (low, high, from, to) => high <= to, after: (low, high, from) => low >= from, within: (low, high, from, to) => low <= from && high >= to,
  near: (latitude, longitude, fromLatitude, fromLongitude, km) => kmBetween(latitude, longitude, fromLatitude, fromLongitude) <= km,
};
/** The distance of two places, as KMTo of package api. */
function kmBetween(latitude, longitude, fromLatitude, fromLongitude) {
  const degree = Math.PI / 180, half = (degrees) => Math.sin((degrees * degree) / 2) ** 2;
  const h = half(latitude - fromLatitude) + Math.cos(latitude * degree) * Math.cos(fromLatitude * degree) * half(longitude - fromLongitude);
  return 2 * 6371 * Math.asin(Math.min(1, Math.sqrt(h)));
}
for (const fact of CATALOG.facts) {
  const kind = kinds[fact.kind], figures = (p) => (known(valueOf(fact, p)) ? kind.figures(valueOf(fact, p), fact) : []);
  if (fact.sort) orders[fact.key] = [(p) => figures(p)[0], fact.sort === "desc", true];
  if (!fact.filter) continue;
  filters[fact.filter] = (p) => [...new Set(lookUp(fact.finds, valueOf(fact, p)))];
  if (kind) finds[fact.filter] = Object.assign((p, asked) => figures(p).length > 0 && compares[fact.match](...figures(p), ...kind.asked(asked)), { asked: kind.asked }); // it takes one value
}
/** The numbers of rows in another order; the unknown comes last in both directions. */
function ordered(rows, sort, reverse) {
  const numbers = [...rows.keys()];
  if (!orders[sort]) return numbers;
  const [key, descends, bySlug] = orders[sort], sign = descends === Boolean(reverse) ? 1 : -1, keys = rows.map(key);
  const compare = (a, b) => (known(a) && known(b) ? sign * ((a > b) - (a < b)) : known(b) - known(a));
  return numbers.sort((i, j) => compare(keys[i], keys[j]) || (bySlug && (rows[i].slug > rows[j].slug) - (rows[i].slug < rows[j].slug)));
}

const headings = { fits: t("Fits my computer"), likely: t("Likely fits"), unknown: t("Makers do not say"), unlikely: t("Unlikely to fit"), "needs-more": t("Needs more") };

/** The groups of a list from its file. A row may be a slug: its facts are in the file of all listings. */
async function groupsOf(address) {
  const groups = await ask(address);
  if (!groups.some((g) => typeof g.rows[0] === "string")) return groups;
  const facts = new Map((await ask(CATALOG.all)).flatMap((g) => g.rows.map((p) => [p.slug, p])));
  return groups.map((g) => ({ ...g, rows: g.rows.map((slug) => facts.get(slug)).filter(Boolean) }));
}

// Fields of filters may take other texts than the parameter: places.js knows names of places.
/** What a field asks for with a text, and in words. */
let askedBy = (control, text) => text.trim(), inWords = (control) => control.value;
/** Writes the value of a parameter into a field. */
let fillIn = (control, value) => { control.value = value; };

/** Answers for a list in the shape of the server's answers, with groups, from its file. */
function listSource(form) {
  let file; // a promise of its rows, once asked for
  const usual = byId("f-sort").dataset.default; // the order of the list as it was built
  /** The rows of a file, the group of each, and the numbers of the rows that each value of a filter finds. */
  const numbered = (groups) => {
    const rows = groups.flatMap((g) => g.rows), groupOf = groups.flatMap((g, i) => g.rows.map(() => i)), values = {}, inOrder = new Map();
    for (const name of Object.keys(filters)) {
      const found = (values[name] = new Map());
      for (const [i, p] of rows.entries()) for (const value of filters[name](p)) found.set(value, found.get(value) ?? []).get(value).push(i);
    }
    return { groups, rows, groupOf, values, inOrder };
  };
  /** For each filter that is asked for, its name and which rows it finds, by number. */
  const passing = ({ rows, values }, parameters) => Object.entries(parameters).flatMap(([name, value]) => {
    if (name === "q") {
      const words = value.toLowerCase().split(/\s+/);
      for (const p of rows) p.text ??= [p.name, p.purpose, ...(p.words ?? []), ...(p.replaces ?? [])].join("\n").toLowerCase();
      return [[name, rows.map(({ text }) => words.every((w) => text.includes(w)))]];
    }
    if (!filters[name]) return [];
    const find = finds[name], asked = find?.asked ? [value] : value.split(",");
    if (find) return [[name, rows.map((p) => asked.some((v) => find(p, v)))]];
    const found = new Array(rows.length).fill(false);
    for (const v of asked) for (const i of values[name].get(v) ?? []) found[i] = true;
    return [[name, found]];
  });
  /** What passes some filters, and the counts of each filter's values, which are counted once they are asked for. */
  const filtered = ({ rows, values }, tests) => {
    // The filter that alone leaves a listing out; "" if none does, null if several do.
    const failures = new Array(rows.length).fill("");
    for (const [name, found] of tests) {
      for (let i = 0; i < found.length; i++) if (!found[i]) failures[i] = failures[i] === "" ? name : null;
    }
    // A filter does not restrict its own counts.
    const counted = (name) => new Map([...values[name]].map(([value, numbers]) => [value, numbers.filter((i) => failures[i] === "" || failures[i] === name).length]).filter(([, count]) => count));
    const facets = {};
    return { passes: (i) => failures[i] === "", facets: (name) => (facets[name] ??= counted(name)) };
  };
  let last = {}; // in another order, the same passes
  return async (parameters) => {
    file ??= groupsOf(form.dataset.table).then(numbered);
    const all = await file.catch((cause) => {
      file = undefined;
      throw Object.assign(new Error(t("The facts to filter by cannot be loaded just now."), { cause }), { retry: cause.retry });
    });
    const { sort, reverse, ...asked } = parameters, key = queryOf(asked);
    if (last.key !== key) last = { key, ...filtered(all, passing(all, asked)) };
    // Days are no groups in another order. Groups by the computer take the place of all others.
    const merged = COMPUTER?.isSet() || ((sort || reverse) && usual === "newest");
    const order = sort || (merged || reverse ? usual : ""), turned = `${order} ${reverse}`;
    if (!all.inOrder.has(turned)) all.inOrder.set(turned, ordered(all.rows, order, reverse));
    let groups = merged ? [{ title: "", hits: [] }] : all.groups.map(({ title }) => ({ title, hits: [] }));
    for (const i of all.inOrder.get(turned)) if (last.passes(i)) groups[merged ? 0 : all.groupOf[i]].hits.push(all.rows[i]);
    if (COMPUTER?.isSet()) {
      const [{ hits }] = groups;
      for (const p of hits) p.fit = COMPUTER.fitOf(p);
      groups = Object.keys(verdicts).map((verdict) => ({ title: headings[verdict], hits: hits.filter((p) => p.fit.verdict === verdict) }));
    } else {
      for (const g of groups) for (const p of g.hits) p.fit = null;
    }
    groups = groups.filter((g) => g.hits.length);
    return { groups, total: groups.reduce((n, g) => n + g.hits.length, 0), of: all.rows.length, facets: last.facets };
  };
}

/** What of a hit's names the query matches: its name, the product that it replaces, or an alias, which hits do not have. */
function whichName(hit, q) {
  const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((w) => w.length > 2);
  const matches = (name) => simple(name).includes(simple(q)) || words(name).some((w) => words(q).some((asked) => w.startsWith(asked)));
  const product = hit.replaces?.find(matches);
  return matches(hit.name) ? t("Matches its name") : product ? t("Replaces {product}", { product }) : t("Matches another of its names");
}
// That it matches the purpose is usual, and not said.
const tiers = { "exact-name": t("Exact name"), description: t("Matches its description") };

/** What an answer says beside its hits, as paragraphs: corrections, products, warnings. */
function notesOf(parameters, answer) {
  const link = (changes, text) => element("a", { href: searchAddress({ ...parameters, ...changes }) }, text);
  const notes = [];
  if (answer.didYouMean) notes.push([t("Showing results for “{words}”.", { words: answer.didYouMean }), " ", uncorrected(parameters)]);
  notes.push(...answer.products.map((product) => [productLink(product)]));
  for (const w of answer.warnings.filter((w) => w.code !== "nothing-found")) {
    if (w.code === "system-unasked") notes.push([`${w.message.slice(0, w.message.lastIndexOf(":"))}. ${t("Say under My computer which system it has.")}`]);
    else notes.push(w.code === "suggested-filter" ? [`${w.message.replace(fill(CATALOG.only, w), "")}. `, link({ [w.parameter]: w.value }, t("Show only these"))] : [w.message]);
  }
  return notes.map((children, i) => element("p", answer.didYouMean && !i ? { class: "correction" } : {}, ...children));
}
/** The address of a search. It names the computer as its form does, not as the API does. */
const searchAddress = (parameters) => `${CATALOG.base}/search/${queryOf(parameters)}`;
const uncorrected = (parameters) => element("a", { href: searchAddress({ ...parameters, correct: 0 }) }, t("Search for “{words}” instead", { words: parameters.q }));
/** The link from a product that a query names to its page. */
const productLink = (product) => element("a", { href: new URL(product.pageUrl).pathname },
  n(product.alternatives, "{n} alternative to {product}", "{n} alternatives to {product}", { product: product.name }));

/** The search page, or a list with filters. */
function results(form) {
  const list = form.dataset.table ? listSource(form) : null;
  const field = byId("q"), status = byId("search-status"), notes = byId("search-notes"), hits = byId("search-hits"), facets = byId("facets"), clearAll = form.querySelector(".clear");
  const more = byId("more"), fitLine = byId("search-fit"), order = byId("f-sort"), pager = document.querySelector(".pager");
  field.defaultValue = ""; // a server has put the words of the address there, for browsers without scripts
  const idle = { status: status.textContent, bodies: [...hits.tBodies].map((body) => [...body.rows]) }; // before anything is asked
  const parts = [hits, ...(list ? [pager].filter(Boolean) : form.querySelectorAll("fieldset"))]; // what an answer changes
  const answers = new Map(); // the last ones, by address
  const reverse = element("input", { type: "hidden", name: "reverse" });
  if (list) form.append(reverse);
  let controls = [...form.elements].filter((control) => control.name); // what an address has
  const step = 50, wide = matchMedia("(min-width: 60rem)");
  let running, waiting, typing = false, shown = 0, answered = false;
  let leftOut = []; // what of the address is not asked: a text, and the name of a parameter that has no field

  // Figures out of bounds, and what is no date or no place, stay in their fields and are not asked.
  const written = [...facets.querySelectorAll("p input")]; // the fields that take any text
  const invalid = () => written.filter((c) => {
    const value = askedBy(c, c.value);
    c.setCustomValidity(value && finds[c.name]?.asked?.(value).some(Number.isNaN) ? t("write {form}", { form: c.title }) : "");
    return !c.validity.valid;
  });
  const read = () => {
    const parameters = {}, wrong = invalid();
    for (const control of controls) {
      const { name, type, checked } = control, isAsked = (type !== "checkbox" || checked) && !wrong.includes(control), v = isAsked && askedBy(control, control.value);
      if (v) parameters[name] = parameters[name] ? `${parameters[name]},${v}` : v;
    }
    return parameters;
  };
  // Parameters of the address that have no field are kept, except limit and offset.
  const others = () => {
    if (list) return {};
    const rest = {}, asked = new URLSearchParams(location.search);
    for (const [name, value] of asked) {
      if (!form.elements.namedItem(name) && !["limit", "offset"].includes(name) && !COMPUTER?.names.includes(name) && !leftOut.some((l) => l.name === name)) rest[name] = value;
    }
    if (asked.get("q") !== field.value.trim()) delete rest.correct; // it belongs to the old words
    return rest;
  };
  const asked = () => (list ? read() : Object.fromEntries(Object.entries({ ...COMPUTER?.parameters(), ...others(), ...read() }).filter(([name]) => !leftOut.some((l) => l.name === name))));
  const answer = async (parameters, options, signal, onLoading) => {
    if (list) return list(parameters);
    const byFit = COMPUTER?.isSet() && !parameters.q && { sort: "relevance" }; // if no other order is asked for
    const found = await search({ ...byFit, ...parameters, limit: step, ...options }, signal, onLoading);
    return { ...found, groups: [{ title: "", hits: found.hits }], facets: (name) => new Map(found.facets?.[name]?.map((f) => [f.value, f.count])) };
  };

  // How many run on the reader's computer.
  const showFit = (counts) => {
    if (!fitLine) return;
    fitLine.hidden = !counts.size;
    const [fits, likely, unsaid, unlikely, misses] = Object.keys(verdicts).map((verdict) => counts.get(verdict) ?? 0);
    const computer = COMPUTER.text() || t("the computer in your query");
    byId("search-fit-text").textContent = [
      fits && n(fits, "{n} fits", "{n} fit"), likely && n(likely, "{n} likely fits", "{n} likely fit"), unsaid && n(unsaid, "makers of {n} do not say", "makers of {n} do not say"),
      unlikely && n(unlikely, "{n} is unlikely to fit", "{n} are unlikely to fit"),
      misses && n(misses, "{n} is left out: it needs more than {computer}", "{n} are left out: they need more than {computer}", { computer }),
    ].filter(Boolean).join(" · ");
  };
  const addBox = (set, name, value) => {
    const box = element("input", { type: "checkbox", name, value });
    set.append(element("label", { class: "check" }, box, " ", element("span", {}, name === "license" ? licenseName(value) : value), " ", element("span", { class: "count" })));
    controls = [...form.elements].filter((control) => control.name);
    return box;
  };
  const named = (name) => controls.filter((control) => control.name === name); // form[name] also knows "length"
  // A text that stays the same is not laid out again.
  const say = (e, text) => { if (e.textContent !== text) e.textContent = text; };
  let uncounted; // an answer whose counts wait until the filters are unfolded
  const showCounts = (found) => {
    uncounted = facets.open ? undefined : found;
    if (uncounted) return;
    for (const set of form.querySelectorAll("fieldset[data-facet]")) {
      const name = set.dataset.facet, counts = found.facets(name);
      const boxes = new Map([...set.querySelectorAll("input")].map((b) => [b.value, b]));
      if (name === "license") for (const value of counts.keys()) if (!boxes.has(value)) boxes.set(value, addBox(set, name, value));
      for (const [value, box] of boxes) {
        const count = counts.get(value) ?? 0;
        say(box.parentElement.querySelector(".count"), String(count || (counts.has(value) ? 0 : "")));
        box.parentElement.hidden = count === 0 && !box.checked && box !== document.activeElement;
      }
      set.hidden = ![...boxes.values()].some((box) => !box.parentElement.hidden);
    }
    for (const option of form.querySelectorAll("option[data-label]")) {
      say(option, `${option.dataset.label} (${found.facets(option.parentElement.name).get(option.value) ?? 0})`);
    }
  };
  facets.addEventListener("toggle", () => { if (uncounted) showCounts(uncounted); });
  // The filters that are set, as buttons that take them off.
  const chosen = element("p", { class: "chosen" });
  status.before(chosen);
  const setFilters = () => [...facets.querySelectorAll("input:checked, p input, select")].filter((c) => c !== order && c.name && c.value);
  const filterText = (c) => {
    const value = c.selectedOptions ? c.selectedOptions[0].dataset.label ?? c.selectedOptions[0].textContent : inWords(c);
    return c.type === "checkbox" ? c.parentElement.querySelector("span").textContent : `${c.labels[0].textContent}: ${value}`;
  };
  const showChosen = () => {
    chosen.replaceChildren(...setFilters().map((c) => {
      const text = filterText(c);
      const button = element("button", { type: "button", "aria-label": t("Remove the filter {filter}", { filter: text }) }, `${text} ×`);
      button.addEventListener("click", () => {
        if (c.type === "checkbox") c.checked = false;
        else c.value = "";
        changed();
        (chosen.querySelector("button") ?? field).focus();
      });
      return button;
    }));
  };
  const showOrder = () => {
    const current = order.value || order.dataset.default;
    for (const head of hits.tHead.querySelectorAll("[data-sort]")) {
      if (head.dataset.sort !== current) head.removeAttribute("aria-sort");
      else head.setAttribute("aria-sort", orders[current][1] === Boolean(reverse.value) ? "ascending" : "descending");
    }
  };

  const rows = new Map(); // of a list, by slug
  const marked = (tr) => {
    TRAY.mark(tr.querySelector(".choose input"));
    return tr;
  };
  const rowOf = (parameters, found) => (hit) => {
    if (list) {
      const key = hit.fit ? `${hit.slug} ${COMPUTER.fitText(hit.fit)}` : hit.slug;
      if (!rows.has(key)) rows.set(key, row(hit, undefined, hit.fit));
      return marked(rows.get(key));
    }
    const why = [hit.match.tier === "name" ? whichName(hit, found.didYouMean ?? parameters.q) : tiers[hit.match.tier], hit.match.partial && t("matched in part")].filter(Boolean).join("; ");
    return row(hit, why && `${why}.`, hit.fit);
  };
  // What is in sight is painted first. The rest follows in pieces, each in a frame of its own, until the next answer.
  let pieces;
  const afterPaint = (f) => (document.hidden ? setTimeout(f) : requestAnimationFrame(() => setTimeout(f, 10)));
  const inPieces = (all) => {
    const mine = (pieces = all), next = () => { if (mine === pieces && !mine.next().done) afterPaint(next); };
    afterPaint(next);
  };
  const finish = () => { while (pieces && !pieces.next().done); };
  addEventListener("beforeprint", finish);
  let undrawn, drawn = 0; // the rows to draw, each with its body, and how many are drawn
  const drawNext = (most) => {
    for (const end = Math.min(drawn + most, shown); drawn < end; drawn++) {
      const [body, row] = undrawn.next().value;
      if (!body.parentNode) hits.insertBefore(body, hits.querySelector(".old")); // the first row is of this answer
      body.append(row);
    }
  };
  function* rowsOf({ groups }, rowFor, body) {
    const columns = hits.tHead.rows[0].cells.length;
    for (const g of groups) {
      const into = body ?? element("tbody", {}, g.title && element("tr", { class: "group" }, element("th", { scope: "rowgroup", colspan: columns }, `${g.title}: ${g.hits.length}`)));
      for (const hit of g.hits) yield [into, rowFor(hit)];
    }
  }
  function* idleRows() {
    for (const rows of idle.bodies) {
      const into = element("tbody");
      for (const row of rows) {
        if (row.className) into.append(row); // the heading of a group
        else yield [into, marked(row)];
      }
    }
  }
  const area = hits.parentElement;
  let top = 0, tallness = 140, height = 0; // of the table, of one of its rows, and of what is around it, in pixels
  /** Measures while nothing has changed, so that nothing is laid out for it. */
  const measure = () => {
    const table = hits.getBoundingClientRect();
    height = area.offsetHeight;
    if (!table.height || !drawn) return;
    top = table.top;
    tallness = table.height / drawn;
  };
  /** Draws rows down to the lower edge of the window, and at least one. space is between it and what is drawn. */
  const fillSight = (space) => {
    for (; drawn < shown && (space > 0 || !drawn); space = innerHeight - hits.getBoundingClientRect().bottom) drawNext(Math.max(1, Math.ceil(space / tallness)));
  };
  let areBlocks; // whether rows are blocks, which can be hidden without being laid out again
  function* drawRest(old, found) {
    for (const body of old) body.remove();
    yield;
    if (found) showCounts(found);
    for (; drawn < shown; drawNext(6)) yield;
    area.style.minHeight = "";
  }
  const draw = (rows, found, whole) => {
    const old = [...hits.tBodies];
    for (const body of old) {
      if (areBlocks) body.className = "old";
      else body.remove();
    }
    area.style.minHeight = `${height}px`; // the page stays where the reader has scrolled it
    undrawn = rows;
    drawn = 0;
    if (whole) drawNext(Infinity); // a place on the page is returned to
    fillSight(innerHeight - top);
    inPieces(drawRest(old, found));
  };
  const offer = (total) => { byId("show").textContent = n(total, "Show {n} listing", "Show {n} listings"); };
  const told = (found, count) => {
    shown = count;
    status.textContent = (found.of && found.of !== found.total ? n(found.of, "{shown} of {n} listing", "{shown} of {n} listings", { shown: found.total }) : listings(found.total)) + (found.total > shown ? `, ${n(shown, "the first {n} shown", "the first {n} shown")}` : "");
    offer(found.total);
    more.hidden = shown >= found.total || (!list && shown > 1000);
  };
  const clearing = () => {
    const button = element("button", { type: "button" }, t("Clear all filters"));
    button.addEventListener("click", clear);
    return button;
  };
  const show = (parameters, found, whole, untouched) => {
    answered = true;
    notes.replaceChildren(...leftOut.map((l) => element("p", {}, l.text)), ...invalid().map((c) => element("p", {}, `${c.labels[0].textContent}: ${c.validationMessage}`)), ...(list ? [] : notesOf({ ...others(), ...read(), ...COMPUTER?.address() }, found)));
    if (!found.total && list) notes.append(element("p", {}, `${t("No listing here matches.")} `, clearing()));
    else if (!found.total || found.warnings?.some((w) => w.code === "weak-matches")) {
      const mine = running;
      import(CATALOG.modules.nothing).then(({ nothing }) => nothing({ ...SHARED, filterText }, parameters, found, setFilters(), mine.signal)).then((say) => mine === running && say(notes), () => { /* the warnings stay */ });
    }
    for (const part of parts) part.hidden = false;
    if (list && pager) pager.hidden = true;
    hits.hidden = !found.total;
    if (!list) showFit(found.facets("fit"));
    if (untouched) return rest(found, whole);
    told(found, Math.min(found.hits?.length ?? step, found.total));
    draw(rowsOf(found, rowOf(parameters, found)), found, whole);
  };
  const rest = (found, whole) => { // nothing is asked
    status.textContent = idle.status;
    notes.replaceChildren();
    shown = idle.bodies.flat().filter((row) => !row.className).length;
    more.hidden = list || shown >= Number(hits.dataset.total);
    for (const part of parts) part.hidden = false;
    if (answered) {
      if (found) offer(found.total);
      draw(idleRows(), found, whole);
    } else {
      for (const row of hits.querySelectorAll("tbody tr:not(.group)")) marked(row);
      drawn = shown;
    }
    hits.classList.remove("busy");
  };

  /** Shows what is asked; all of it at once where a place on the page is returned to. */
  const run = async (whole) => {
    running?.abort();
    clearTimeout(waiting);
    measure();
    const mine = (running = new AbortController());
    const parameters = asked();
    const key = queryOf(parameters);
    showOrder();
    showChosen();
    clearAll.hidden = !reverse.value && !order.value && !(list && field.value) && !chosen.firstChild && !invalid().length;
    if (!list) entitle(parameters.q);
    const untouched = !key && !COMPUTER?.isSet() && !leftOut.length && !invalid().length;
    if (untouched && !answered && (list || ENGINE)) return rest();
    try {
      hits.classList.add("busy");
      let found = answers.get(key);
      if (!found) {
        found = await answer(parameters, {}, mine.signal, (bar) => {
          status.textContent = t("Loading the search…");
          notes.replaceChildren(bar);
        });
        if (!list) answers.set(key, found);
        if (answers.size > 50) answers.delete(answers.keys().next().value);
      }
      if (mine !== running) return;
      hits.classList.remove("busy"); // before rows are laid out, so that what answers at once does not fade
      show(parameters, found, whole === true, list && untouched);
    } catch (error) {
      if (error.name === "AbortError" || mine !== running) return;
      // What the search does not know is left out, and named. Words are the reader's own.
      const wrong = (error.errors ?? []).filter((e) => e.parameter !== "q" && parameters[e.parameter]);
      for (const { parameter, message } of wrong) {
        const values = String(parameters[parameter]).split(","), unknowns = values.filter((value) => message.includes(`"${value}"`));
        leaveOut(parameter, unknowns.length ? unknowns : values);
      }
      if (wrong.length) return run(whole);
      // The last hits stay. What the build wrote is no answer to a search; a list is whole without its filters.
      if (list && !answered) rest();
      if (answered || list || !key) for (const part of parts) part.hidden = false;
      status.textContent = error.message;
      notes.replaceChildren();
      if (error.retry) {
        waiting = setTimeout(() => run(), error.retry * 1000);
      } else if (error.offline) {
        notes.append(element("p", {}, `${t("Every listing is still here, with filters that work without it:")} `, element("a", { href: `${CATALOG.base}/categories/` }, t("Categories")), ", ", element("a", { href: `${CATALOG.base}/newest/` }, t("All listings"))));
      }
    } finally {
      if (mine === running) hits.classList.remove("busy");
    }
  };

  // A list writes its address once the hits are painted, or before the reader can leave it.
  let unwritten;
  const write = () => {
    unwritten?.();
    unwritten = null;
  };
  addEventListener("click", write, true);
  // One entry of the history for each run of typing, and for each filter. A list leaves the
  // computer after the #.
  const keep = (bytyping) => {
    write();
    const query = queryOf({ ...others(), ...read(), ...(list ? {} : COMPUTER?.address()) });
    const differs = query !== location.search;
    const way = bytyping && typing ? "replaceState" : "pushState";
    if (differs) unwritten = () => history[way](null, "", (query || location.pathname) + (list ? location.hash : ""));
    typing = bytyping && (typing || differs); // a run begins with its entry
    if (list) afterPaint(write);
    else write();
  };
  const changed = () => {
    keep(false);
    leftOut = [];
    run();
  };
  const typed = () => {
    keep(true);
    leftOut = [];
    run();
  };
  const settled = paused(typed, 150);
  const clear = () => {
    for (const control of facets.querySelectorAll("[name]")) {
      if (control.type === "checkbox") control.checked = false;
      else control.value = "";
    }
    reverse.value = "";
    if (list) field.value = "";
    changed();
    field.focus();
  };

  /** Leaves values of a filter out that the address asks for, and says so. */
  const leaveOut = (name, values) => {
    const set = form.querySelector(`[data-facet="${CSS.escape(name)}"]`), controls = named(name);
    for (const control of controls) {
      if (control.type !== "checkbox") control.value = "";
      else if (values.includes(control.value)) control.checked = false;
      control.querySelector(".added")?.remove();
    }
    const filter = (set?.querySelector("legend") ?? controls[0]?.labels[0])?.textContent ?? name;
    for (const value of values) {
      leftOut.push({ name: set || controls.length ? "" : name, text: t("Left out: {filter} “{value}”, which is not known here.", { filter, value }) });
    }
  };
  const same = (a, b) => a.toLowerCase() === b.toLowerCase();
  const readAddress = (whole) => {
    settled.cancel();
    typing = false;
    unwritten = null;
    leftOut = [];
    const values = new URLSearchParams(location.search);
    form.reset();
    reverse.value = "";
    for (const control of form.elements) {
      if (control.type === "checkbox" && control.name) control.checked = false;
    }
    for (const [name, value] of values) {
      // A search is asked for what the form does not offer, too: former names are known. A list leaves it out.
      const set = form.querySelector(`[data-facet="${CSS.escape(name)}"]`), asked = value.split(",").filter(Boolean);
      for (const v of set ? asked : []) {
        if (named(name).some((box) => same(box.value, v))) continue;
        if (list && name !== "license") leaveOut(name, [v]);
        else addBox(set, name, v);
      }
      for (const control of named(name)) {
        if (control.type === "checkbox") {
          control.checked ||= asked.some((v) => same(control.value, v));
          continue;
        }
        if (!list && control.options && ![...control.options].some((o) => o.value === value)) control.append(element("option", { value, class: "added" }, value));
        fillIn(control, value);
        if (control === field && [...value].length > field.maxLength) {
          field.value = [...value].slice(0, field.maxLength).join("");
          leftOut.push({ name: "", text: n(field.maxLength, "Only the first {n} character is searched for.", "Only the first {n} characters are searched for.") });
        } else if (control !== field && value && !control.value) {
          leaveOut(name, [value]);
        }
      }
    }
    run(whole);
  };

  field.addEventListener("input", list ? typed : settled); // a list answers before the next frame
  COMPUTER?.onChange(list ? () => run() : changed);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    settled.cancel();
    keep(typing);
    typing = false;
    run();
  });
  arrows(field, hits, "tbody:not(.old) th a");
  form.addEventListener("change", ({ target }) => {
    if (target === field || !target.name) return;
    if (target === order) reverse.value = "";
    changed();
  });
  clearAll.addEventListener("click", clear);
  byId("show").addEventListener("click", () => {
    facets.open = false;
    status.scrollIntoView();
    status.tabIndex = -1;
    status.focus({ preventScroll: true });
  });
  // The head of a column orders by it; once more, the other way round.
  for (const head of hits.tHead.querySelectorAll("[data-sort]")) {
    const sort = head.dataset.sort === order.dataset.default ? "" : head.dataset.sort;
    if (![...order.options].some((o) => o.value === sort)) continue;
    const button = element("button", { type: "button", class: "sort" }, head.textContent);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const again = head.hasAttribute("aria-sort");
      if (list) reverse.value = again && !reverse.value ? "1" : "";
      order.value = again && !list ? "" : sort; // a search has one direction
      changed();
    });
  }
  more.addEventListener("click", async () => {
    const parameters = asked(), before = shown;
    more.disabled = true;
    try {
      const found = await answer(parameters, { offset: before, facets: 0 }, undefined, () => { status.textContent = t("Loading the search…"); });
      if (queryOf(asked()) !== queryOf(parameters)) return;
      finish();
      if (!list) undrawn = rowsOf(found, rowOf(parameters, found), hits.tBodies[0]);
      told(found, Math.min(found.total, before + (found.hits?.length ?? step)));
      drawNext(1);
      fillSight(innerHeight - hits.getBoundingClientRect().bottom);
      inPieces(drawRest([]));
      hits.querySelectorAll("tbody tr:not(.group) th a")[before]?.focus();
    } catch (error) {
      status.textContent = error.message;
    } finally {
      more.disabled = false;
    }
  });
  // On a wide screen the filters are always open. Where rows are blocks, the heads of columns are out of sight, and the
  // order has a field among the filters.
  const fold = () => {
    facets.open = wide.matches;
    areBlocks = getComputedStyle(hits.tHead).position === "absolute";
    for (const button of hits.tHead.querySelectorAll("button")) button.tabIndex = areBlocks ? -1 : 0;
  };
  wide.addEventListener("change", fold);
  fold();
  addEventListener("popstate", () => readAddress(true));
  // The rows of the build do not answer this address: nothing is shown that would move when
  // the answer comes.
  if (location.search || (list && COMPUTER?.isSet())) for (const part of parts) part.hidden = true;
  // The browser scrolls to where the reader was, if it loads the page again.
  readAddress(performance.getEntriesByType("navigation")[0]?.type !== "navigate");
}
