// The page code: search that answers as one types, filters of tables, the
// comparison, and the tool search_catalog for agents in the browser. `CATALOG`
// is written in front of it by the build: base, searchUrl, key, has (the fields
// that listings may or may not have), platforms (slug to name), facts (their
// definitions), webmcp (what agents are told of the search).
(() => {
  "use strict";

  const byId = (id) => document.getElementById(id);

  /** Makes an element; children may be texts, elements, or null or false for none. */
  function element(name, attributes = {}, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) e.setAttribute(key, value);
    e.append(...children.filter((c) => c !== null && c !== undefined && c !== false && c !== ""));
    return e;
  }

  const unreachable = "The search server cannot be reached just now.";

  /** Asks for JSON; rejects with an Error that says what went wrong, and with retry in seconds where it says when. */
  async function ask(address, options) {
    let response;
    try {
      response = await fetch(address, options);
    } catch (cause) {
      if (cause.name === "AbortError") throw cause;
      throw Object.assign(new Error(unreachable, { cause }), { offline: true });
    }
    const body = await response.json().catch((cause) => {
      if (cause.name === "AbortError") throw cause;
      return null;
    });
    if (response.ok && body) return body;
    if (response.status === 429 || response.status === 503) {
      const retry = Number(response.headers.get("Retry-After")) || 5;
      throw Object.assign(new Error(`Too many searches: the next is possible in ${retry} s.`), { retry });
    }
    const wrong = (body?.errors ?? []).map((e) => `${e.parameter}: ${e.message}`).join("; ");
    const error = new Error(wrong || body?.detail || `The server answered with status ${response.status}.`);
    // A host of files alone answers a search with a page of its own.
    throw Object.assign(error, { status: response.status, offline: !body, message: body ? error.message : unreachable });
  }

  /** Asks the search server. */
  function search(parameters, signal) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
    }
    return ask(`${CATALOG.searchUrl}/api/v1/search?${query}`, { headers: CATALOG.key ? { "X-Api-Key": CATALOG.key } : {}, signal });
  }

  // What is said of a fact follows from its definition, as in api/fact.go. A fact that
  // is missing is unknown.
  const unknown = "unknown";
  const known = (value) => (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null);
  /** What a value is called in the definition of its fact. */
  const valuesOf = (fact, value) => (!known(value) ? [] : fact.kind === "yes-no" ? [value ? "1" : "0"] : fact.kind === "number" ? ["known"] : [value].flat());
  /** A value in words, one text for each of several; none where it is unknown. */
  const texts = (fact, value) => (!known(value) ? [] : fact.kind === "yes-no" ? [value ? "yes" : "no"]
    : fact.kind === "setups" ? value.map((s) => COMPUTER.setupText(s))
    : [value].flat().map((v) => fact.values?.[v] ?? `${v} ${fact.unit ?? ""}`.trim()));
  /** What rows show of a value. */
  const chips = (fact, value) => valuesOf(fact, value).filter((slug) => Object.hasOwn(fact.chip ?? {}, slug))
    .map((slug) => (fact.kind === "number" ? `${fact.chip[slug]} ${texts(fact, value)}` : fact.chip[slug]));
  /** Whether a filter finds a value. */
  const finds = (fact, value, asked) => (fact.kind !== "number" ? valuesOf(fact, value).some((slug) => (fact.finds?.[asked] ?? [asked]).includes(slug))
    : known(value) && (fact.match === "at-least" ? value >= Number(asked) : value <= Number(asked)));

  const thousands = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
  const licenseName = (p) => p.license?.replaceAll("LicenseRef-", "") ?? unknown;
  const pageOf = (slug) => `${CATALOG.base}/projects/${slug}/`;

  /** Whether a listing runs on the reader's computer, in words; fit is that of a hit, or what COMPUTER says. */
  const verdicts = { fits: "fits", unknown: "makers do not say", "needs-more": "needs more" };
  const uses = (setups) => (setups.length ? `: ${setups.slice(0, 2).join("; ")}${setups.length > 2 ? " …" : ""}` : "");
  const fitTag = (fit) => element("span", { class: `tag ${fit.verdict}` }, verdicts[fit.verdict] + uses(fit.setups));

  /** Draws a listing as the build does: see "row" in partials.html. */
  function row(p, why, verdict) {
    const tag = (text, more = "") => [element("span", { class: `tag${more}` }, text), " "];
    const name = element("th", { scope: "row" }, element("a", { href: pageOf(p.slug) }, element("bdi", {}, p.name)));
    if (p.archived) name.append(" ", ...tag("archived", " over"));
    name.append(element("p", {}, p.purpose));
    if (why) name.append(element("p", { class: "why" }, why));
    const shown = CATALOG.facts.flatMap((fact) => chips(fact, p.fitNotes[fact.key]));
    const on = (p.platforms ?? []).map((slug) => CATALOG.platforms[slug] ?? slug).filter((platform) => !shown.includes(platform));
    const fit = [...(verdict ? [fitTag(verdict), " "] : []), ...shown.flatMap((text) => tag(text))];
    if (on.length) fit.push(element("span", { class: "on" }, on.join(", ")));
    if (!fit.length) fit.push(element("span", { class: "unknown" }, unknown));
    const cell = (field, ...children) => CATALOG.has[field] && element("td", ...children);
    const figure = (field, name, text) => cell(field, { class: `number ${name}${text ? "" : " none"}` }, text || "–");
    return element("tr", {},
      name,
      element("td", { class: "fit" }, ...fit),
      cell("license", { class: "terms" }, element("span", p.license ? {} : { class: "unknown" }, licenseName(p)), ...(p.osiApproved === false ? [" ", ...tag("not open source", " over")] : [])),
      figure("stars", "stars", known(p.stars) && thousands(p.stars)),
      figure("updatedAt", "updated", p.updatedAt),
    );
  }

  /** Names in the title what a page shows; of nothing, it is as it was. */
  const title = document.title;
  const entitle = (shown) => { document.title = shown ? `${shown} · ${title}` : title; };

  const listings = (n) => (n === 1 ? "1 listing" : `${n} listings`);

  /** Calls f once the calls have paused for that many milliseconds. */
  function paused(f, milliseconds) {
    let timer;
    return Object.assign(() => { clearTimeout(timer); timer = setTimeout(f, milliseconds); }, { cancel: () => clearTimeout(timer) });
  }

  const simple = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((w) => w.length > 2);
  /** What of a hit's names the query matches: its name, the product that it replaces, or an alias, which hits do not have. */
  function whichName(hit, q) {
    const matches = (name) => simple(name).includes(simple(q)) || words(name).some((w) => words(q).some((asked) => w.startsWith(asked)));
    const product = hit.replaces?.find(matches);
    return matches(hit.name) ? "Matches its name" : product ? `Replaces ${product}` : "Matches another of its names";
  }
  const tiers = {
    "exact-name": "This is its name",
    purpose: "Matches what it is for", description: "Matches its description",
  };

  /** Search on the search page and, shorter, on the home page. */
  function searchForm(form) {
    const whole = form.classList.contains("search");
    const field = byId("q"), status = byId("search-status"), notes = byId("search-notes"), hits = byId("search-hits");
    const idle = status.textContent;
    const parts = [hits, ...form.querySelectorAll("fieldset")]; // what an answer changes
    const answers = new Map(); // the last ones, by address
    const more = byId("more"), fitLine = byId("search-fit");
    let running, waiting, typing = false;

    const read = () => {
      const parameters = {};
      for (const [name, value] of new FormData(form)) {
        const v = value.trim();
        if (v) parameters[name] = parameters[name] ? `${parameters[name]},${v}` : v;
      }
      return parameters;
    };
    // What the address asks beyond the form's fields counts too, but how many.
    const others = () => {
      const rest = {};
      for (const [name, value] of new URLSearchParams(location.search)) {
        if (!form.elements.namedItem(name) && !["limit", "offset", "license"].includes(name) && !COMPUTER?.names.includes(name)) rest[name] = value;
      }
      return rest;
    };
    const address = (parameters) => {
      const text = new URLSearchParams(parameters).toString().replaceAll("%2C", ",");
      return text ? `?${text}` : location.pathname;
    };

    // How many run on the reader's computer.
    const counts = (answer) => {
      if (!fitLine) return;
      const named = answer.facets.fit.length > 0;
      fitLine.hidden = !named;
      const count = (verdict) => answer.facets.fit.find((f) => f.value === verdict)?.count ?? 0;
      byId("search-fit-text").textContent = `${count("fits")} ${count("fits") === 1 ? "fits" : "fit"} · makers of ${count("unknown")} do not say · ${count("needs-more")} ${count("needs-more") === 1 ? "needs" : "need"} more than ${COMPUTER.text() || "the computer in your words"}`;
    };
    const facets = (answer) => {
      for (const set of form.querySelectorAll("fieldset[data-facet]")) {
        const name = set.dataset.facet;
        const counts = new Map(answer.facets[name].map((f) => [f.value, f.count]));
        const boxes = new Map([...set.querySelectorAll("input")].map((b) => [b.value, b]));
        if (name === "license") for (const value of counts.keys()) if (!boxes.has(value)) boxes.set(value, addBox(set, name, value));
        for (const [value, box] of boxes) {
          const count = counts.get(value) ?? 0;
          box.parentElement.querySelector(".count").textContent = count;
          box.parentElement.hidden = count === 0 && !box.checked;
        }
        set.hidden = ![...boxes.values()].some((box) => !box.parentElement.hidden);
      }
      for (const select of form.querySelectorAll("select")) {
        const counts = answer.facets[select.name];
        for (const option of counts ? select.querySelectorAll("option[data-label]") : []) {
          option.textContent = `${option.dataset.label} (${counts.find((f) => f.value === option.value)?.count ?? 0})`;
        }
      }
    };
    const addBox = (set, name, value) => {
      const box = element("input", { type: "checkbox", name, value });
      set.append(element("label", { class: "check" }, box, " ", element("span", {}, licenseName({ license: value })), " ", element("span", { class: "count" })));
      return box;
    };

    const note = (...children) => notes.append(element("p", {}, ...children));
    const rowOf = (parameters, answer) => (hit) => {
      const why = [hit.match.tier === "name" ? whichName(hit, answer.didYouMean ?? parameters.q) : tiers[hit.match.tier], hit.match.partial && "matched in part"].filter(Boolean).join("; ");
      return row(hit, why && `${why}.`, hit.fit);
    };
    const told = (total, shown) => {
      status.textContent = listings(total) + (total > shown ? `, the first ${shown} shown` : "");
      if (more) more.hidden = shown >= total || shown > 1000;
    };
    const show = (parameters, answer) => {
      told(answer.total, answer.hits.length);
      notes.replaceChildren();
      if (answer.didYouMean) {
        note("Did you mean ", element("a", { href: CATALOG.base + "/search/" + address({ ...parameters, q: answer.didYouMean }) }, answer.didYouMean), "?");
      }
      for (const w of answer.warnings) note(w.message);
      if (!answer.total) note("Nothing matches all of this. Take a filter away, use fewer words, or begin with ", element("a", { href: `${CATALOG.base}/categories/` }, "a category"), ".");
      hits.tBodies[0].replaceChildren(...answer.hits.map(rowOf(parameters, answer)));
      for (const part of parts) part.hidden = false;
      hits.hidden = !answer.hits.length;
      if (whole) {
        facets(answer);
        counts(answer);
      } else if (answer.total) note(element("a", { href: `${CATALOG.base}/search/${address(parameters)}` }, "All hits, with filters"));
    };

    const asked = () => ({ ...COMPUTER?.parameters(), ...(whole ? others() : {}), ...read() });
    const run = async () => {
      running?.abort();
      clearTimeout(waiting);
      const mine = (running = new AbortController());
      const parameters = asked();
      if (!whole && !parameters.q) {
        status.textContent = idle;
        notes.replaceChildren();
        hits.hidden = true;
        return;
      }
      const key = address(parameters);
      if (whole) entitle(parameters.q);
      try {
        hits.classList.add("busy");
        let answer = answers.get(key);
        if (!answer) {
          answer = await search({ ...parameters, ...(whole ? { limit: 50 } : { limit: 6, facets: 0 }) }, mine.signal);
          answers.set(key, answer);
          if (answers.size > 50) answers.delete(answers.keys().next().value);
        }
        if (mine === running) show(parameters, answer);
      } catch (error) {
        if (error.name === "AbortError" || mine !== running) return;
        status.textContent = error.message; // the last hits stay
        if (whole) for (const part of parts) part.hidden = false;
        notes.replaceChildren();
        if (error.retry) {
          waiting = setTimeout(run, error.retry * 1000);
        } else if (error.offline) {
          note("Every listing is still here: ", element("a", { href: `${CATALOG.base}/categories/` }, "the categories"), " and ", element("a", { href: `${CATALOG.base}/newest/` }, "the list of all"), " have filters that work without it.");
        }
      } finally {
        if (mine === running) hits.classList.remove("busy");
      }
    };

    // One entry of the history for each run of typing, and for each filter.
    const keep = (bytyping) => {
      const target = address({ ...others(), ...read(), ...COMPUTER?.address() });
      if (target !== location.search && !(target === location.pathname && !location.search)) {
        history[bytyping && typing ? "replaceState" : "pushState"](null, "", target);
      }
      typing = bytyping;
    };
    const typed = paused(() => {
      if (whole) keep(true);
      run();
    }, 150);

    const readAddress = () => {
      typed.cancel();
      typing = false;
      const asked = new URLSearchParams(location.search);
      form.reset();
      for (const control of form.elements) {
        if (control.type === "checkbox") control.checked = false;
      }
      for (const [name, value] of asked) {
        if (name === "license") {
          const set = form.querySelector("[data-facet=license]");
          for (const v of value.split(",")) if (set && ![...set.querySelectorAll("input")].some((b) => b.value === v)) addBox(set, name, v);
        }
        const values = value.split(",");
        for (const control of form.elements) { // not form[name], which also knows "length"
          if (control.name !== name) continue;
          if (control.type === "checkbox") control.checked ||= values.includes(control.value);
          else if (!control.options || [...control.options].some((o) => o.value === value)) control.value = value; // else as it was
        }
      }
      run();
    };

    field.addEventListener("input", typed);
    COMPUTER?.onChange(() => {
      if (whole) keep(false);
      run();
    });
    form.addEventListener("submit", (event) => {
      if (!whole) return; // leads to the search page
      event.preventDefault();
      typed.cancel();
      keep(typing);
      typing = false;
      run();
    });
    // Down and up lead from the field through the hits, Escape back to it.
    document.addEventListener("keydown", (event) => {
      const links = [...hits.querySelectorAll("tbody th a")];
      const at = links.indexOf(document.activeElement);
      if (event.key === "ArrowDown" && (document.activeElement === field || at >= 0) && !hits.hidden) {
        event.preventDefault();
        links[Math.min(at + 1, links.length - 1)]?.focus();
      } else if (event.key === "ArrowUp" && at >= 0) {
        event.preventDefault();
        (links[at - 1] ?? field).focus();
      } else if (event.key === "Escape" && at >= 0) {
        field.focus();
      }
    });
    if (!whole) {
      if (field.value) run();
      return;
    }
    form.addEventListener("change", (event) => {
      if (event.target === field) return;
      keep(false);
      run();
    });
    byId("clear").addEventListener("click", () => {
      for (const control of byId("facets").querySelectorAll("input, select")) {
        if (control.type === "checkbox") control.checked = false;
        else control.value = "";
      }
      keep(false);
      run();
    });
    more.addEventListener("click", async () => {
      const parameters = asked(), offset = hits.tBodies[0].rows.length;
      more.disabled = true;
      try {
        const answer = await search({ ...parameters, limit: 50, offset, facets: 0 });
        if (address(asked()) !== address(parameters)) return;
        const rows = answer.hits.map(rowOf(parameters, answer));
        hits.tBodies[0].append(...rows);
        told(answer.total, offset + rows.length);
        rows[0]?.querySelector("a").focus();
      } catch (error) {
        status.textContent = error.message;
      } finally {
        more.disabled = false;
      }
    });
    byId("facets").open = matchMedia("(min-width: 60rem)").matches;
    window.addEventListener("popstate", readAddress);
    // What stands here is no answer to what the address asks: nothing is shown
    // that would move when the answer comes.
    if (location.search) for (const part of parts) part.hidden = true;
    readAddress();
  }

  /** Filters of a table of listings, over all of its pages and without the search server. */
  function tableFilters(form) {
    const status = byId("table-status"), idle = status.textContent;
    const whole = [byId("table"), document.querySelector(".pager"), byId("also")].filter(Boolean);
    const found = element("table", { class: "listings", id: "found" });
    const head = document.querySelector("table.listings thead");
    found.append(element("caption", { class: "hidden" }, "Listings that pass the filters"), head.cloneNode(true), element("tbody"));
    found.hidden = true;
    status.after(found);
    const most = 200;
    let facts; // a promise of the listings, once asked for

    const passes = (p, f) => {
      const text = `${p.name} ${p.purpose}`.toLowerCase();
      return f.words.every((w) => text.includes(w)) && (!f.platform || p.platforms?.includes(f.platform)) &&
        (!f.license || p.license === f.license) && (!f.since || p.updatedAt >= f.since) && (!f.open || p.osiApproved === true) &&
        CATALOG.facts.every((fact) => !f[`fact-${fact.key}`] || finds(fact, p.fitNotes[fact.key], f[`fact-${fact.key}`]));
    };
    /** The rows of listings; where a computer is named, in a group for each verdict with a count. */
    const groups = (kept) => {
      if (!COMPUTER?.isSet()) return [element("tbody", {}, ...kept.slice(0, most).map((p) => row(p)))];
      const judged = kept.map((p) => [p, COMPUTER.fitOf(p)]), columns = head.rows[0].cells.length;
      return Object.keys(verdicts).map((verdict) => [verdict, judged.filter(([, fit]) => fit.verdict === verdict)]).filter(([, list]) => list.length)
        .map(([verdict, list]) => element("tbody", {},
          element("tr", { class: "day" }, element("th", { scope: "rowgroup", colspan: columns }, `${headings[verdict]}: ${list.length}`)),
          ...list.slice(0, most).map(([p, fit]) => row(p, undefined, fit))));
    };
    const headings = { fits: "Fits my computer", unknown: "Makers do not say", "needs-more": "Needs more" };
    const apply = async () => {
      const f = Object.fromEntries(new FormData(form));
      const set = Object.values(f).some((v) => v.trim()) || Boolean(COMPUTER?.isSet());
      if (set) {
        try {
          facts ??= ask(form.dataset.table);
          const all = await facts;
          if (JSON.stringify(Object.fromEntries(new FormData(form))) !== JSON.stringify(f)) return; // asked anew meanwhile
          f.words = f.words.toLowerCase().split(/\s+/).filter(Boolean);
          const kept = all.filter((p) => passes(p, f));
          for (const body of [...found.tBodies]) body.remove();
          found.append(...groups(kept));
          status.textContent = `${kept.length} of ${listings(all.length)}` + (kept.length > most ? `, the first ${most} shown` : kept.length ? "" : ": clear a filter to see more");
          found.hidden = !kept.length;
        } catch (error) {
          facts = undefined;
          status.textContent = "The facts to filter by cannot be loaded just now; the table is whole.";
          return;
        }
      } else {
        status.textContent = idle;
        found.hidden = true;
      }
      for (const part of whole) part.hidden = set;
    };
    COMPUTER?.onChange(apply);
    form.addEventListener("input", paused(apply, 60));
    form.addEventListener("reset", () => setTimeout(apply));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      apply();
    });
    if (COMPUTER?.isSet() || Object.values(Object.fromEntries(new FormData(form))).some(Boolean)) apply(); // the browser kept them
  }

  // Facts are read on different days: days of one month are no difference.
  const monthsApart = (days) => Math.max(...days.map(Date.parse)) - Math.min(...days.map(Date.parse)) > 30 * 86400e3;
  const anyTwo = (values) => new Set(values).size > 1, never = () => false;
  const yesNo = { kind: "yes-no" };
  // Rows of fields: a label, the texts of a listing, and whether what is known of them differs.
  const fields = {
    license: ["Licence", (p) => [p.license && licenseName(p) + (p.osiApproved === false ? " (not open source)" : "")], anyTwo],
    platforms: ["Platforms", (p) => Object.keys(CATALOG.platforms).filter((x) => p.platforms.includes(x)).map((x) => CATALOG.platforms[x]), anyTwo],
    replaces: ["Replaces", (p) => p.replaces, never],
    language: ["Language", (p) => [p.language], anyTwo],
    updatedAt: ["Latest commit or release", (p) => [p.updatedAt], monthsApart],
    archived: ["Archived", (p) => texts(yesNo, p.archived), anyTwo],
    stars: ["Stars (attention, not quality)", (p) => [known(p.stars) && `${thousands(p.stars)} on ${p.starsAsOf}`], never],
  };
  const isList = (fact) => fact.kind === "texts" || fact.kind === "setups", isProse = (fact) => fact.kind === "text" || isList(fact);
  // Nobody asks for these of every listing: a row in which all are unknown is left out.
  const isExtra = (fact) => !fact.decides && (isProse(fact) || fact.kind === "number");
  const factRow = (fact) => [fact.label, (p) => texts(fact, p.fitNotes[fact.key]), isProse(fact) ? never : anyTwo, fact];
  const compared = [ // what is long comes last
    ["Purpose", (p) => [p.purpose], never],
    ["On my computer", (p) => { const fit = COMPUTER?.fitOf(p); return [fit && verdicts[fit.verdict] + uses(fit.setups)]; }, anyTwo, null, () => COMPUTER?.isSet()],
    ...CATALOG.facts.filter((fact) => fact.kind !== "texts" && !fact.derived).map(factRow),
    ...Object.keys(fields).filter((field) => CATALOG.has[field]).map((field) => fields[field]),
    ...CATALOG.facts.filter((fact) => fact.kind === "texts").map(factRow),
  ];

  /** The comparison: its address names the slugs, the facts come from the listings' JSON files. */
  function comparison(form) {
    const place = byId("compare"), status = byId("compare-status"), idle = status.textContent, most = Number(place.dataset.most);
    const slugs = () => [...new Set((new URLSearchParams(location.search).get("slugs") ?? "").split(",").filter((s) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(s)))].slice(0, most);
    let shown = slugs(); // those of them that there are
    const go = (list) => {
      history.pushState(null, "", list.length ? `?slugs=${list.join(",")}` : location.pathname);
      return draw();
    };
    const load = (slug) => ask(`${CATALOG.base}/api/v1/projects/${slug}.json`);
    async function draw() {
      const list = (shown = slugs()), missing = [];
      if (!list.length) {
        status.textContent = idle;
        place.hidden = true;
        place.replaceChildren();
        entitle();
        return;
      }
      let retry;
      const loaded = await Promise.all(list.map((slug) => load(slug).catch((error) => {
        if (error.retry) retry = error.retry;
        else missing.push(slug);
        return null;
      })));
      if (list.join() !== slugs().join()) return; // asked anew meanwhile
      const projects = loaded.filter(Boolean);
      shown = list.filter((slug) => !missing.includes(slug));
      const head = element("tr", {}, element("th", { scope: "col" }, "Fact"));
      projects.forEach((p, i) => {
        const off = element("button", { type: "button", "aria-label": `Remove ${p.name}` }, "Remove");
        off.addEventListener("click", async () => {
          await go(shown.filter((s) => s !== p.slug));
          const left = place.querySelectorAll("button");
          (left[Math.min(i, left.length - 1)] ?? byId("add")).focus();
        });
        head.append(element("th", { scope: "col" }, element("a", { href: pageOf(p.slug) }, element("bdi", {}, p.name)), element("p", {}, off)));
      });
      const body = element("tbody");
      for (const [label, textsOf, apart, fact, shows] of compared) {
        if (shows && !shows()) continue;
        const cells = projects.map((p) => textsOf(p).filter(Boolean));
        if (fact && isExtra(fact) && !cells.some(known)) continue;
        // What is unknown is no difference.
        const differs = apart(cells.filter(known).map((cell) => cell.join()));
        const th = element("th", { scope: "row" }, label);
        if (differs) th.append(element("span", { class: "hidden" }, " (differs)"));
        const draw = (cell) => (fact && isList(fact) ? element("ul", {}, ...cell.map((text) => element("li", {}, text))) : cell.join(", "));
        body.append(element("tr", differs ? { class: "differs" } : {}, th, ...cells.map((cell) => element("td", {}, known(cell) ? draw(cell) : apart === never ? "–" : unknown))));
      }
      place.replaceChildren(element("table", {}, element("caption", { class: "hidden" }, "Comparison"), element("thead", {}, head), body));
      place.hidden = !projects.length;
      entitle(projects.map((p) => p.name).join(", "));
      status.textContent = `${listings(projects.length)} side by side.` + (missing.length ? ` Not found: ${missing.join(", ")}.` : "") + (retry ? ` Too many requests: load again in ${retry} s.` : "");
    }
    /** The listing of that name, or undefined; not one that replaces a product of that name. */
    async function named(name) {
      const wanted = simple(name);
      try {
        const { hits } = await search({ q: name, limit: 10, facets: 0 });
        return hits.find((h) => simple(h.name) === wanted || h.slug === name) ?? hits.find((h) => h.match.tier === "exact-name") ??
          hits.find((h) => h.match.tier === "name" && !h.match.partial && (simple(h.name).includes(wanted) || !h.replaces?.some((r) => simple(r).includes(wanted))));
      } catch { // without the search server, what looks like its slug is tried
        return load(name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")).catch(() => undefined);
      }
    }
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const name = form.elements.namedItem("add").value.trim();
      if (!name) return;
      if (shown.length >= most) {
        status.textContent = `${most} listings are side by side already: remove one first.`;
        return;
      }
      const found = await named(name);
      if (!found) {
        status.textContent = `No listing is named “${name}”.`;
      } else if (shown.includes(found.slug)) {
        status.textContent = `${found.name} is side by side already.`;
      } else {
        form.reset();
        await go([...shown, found.slug]);
      }
    });
    window.addEventListener("popstate", draw);
    COMPUTER?.onChange(draw);
    draw();
  }

  /** The setups on a listing's page: which of them the reader's computer meets. */
  function setups(section) {
    const facts = JSON.parse(section.dataset.needs), rows = [...section.querySelectorAll("tbody tr")];
    const sentences = { fits: "Fits my computer", unknown: "Its makers do not say whether it runs on my computer", "needs-more": "Needs more than my computer has" };
    const draw = () => {
      const fit = COMPUTER.fitOf(facts), verdict = byId("verdict");
      verdict.className = fit?.verdict ?? "";
      verdict.textContent = fit ? `${sentences[fit.verdict]} (${COMPUTER.text()}).` : "";
      (facts.fitNotes.setups ?? []).forEach((s, i) => {
        const cell = rows[i].cells[0], meets = fit?.setups.includes(s.for);
        cell.className = fit ? (meets ? "yes" : "open") : "";
        cell.querySelector(".hidden")?.remove();
        if (meets) cell.append(element("span", { class: "hidden" }, " (met by my computer)"));
      });
    };
    COMPUTER.onChange(draw);
    draw();
  }

  const begin = (id, start) => { if (byId(id)) start(byId(id)); };
  begin("search-form", searchForm);
  begin("table-filters", tableFilters);
  begin("compare-form", comparison);
  if (COMPUTER) begin("setups", setups);

  // A slash leads to the page's search field, as on many sites.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName)) return;
    event.preventDefault();
    (byId("q") ?? byId("site-search"))?.focus();
  });

  document.modelContext?.registerTool?.({
    ...CATALOG.webmcp,
    // What listings say was written by others: data, not instructions.
    annotations: { readOnlyHint: true, untrustedContentHint: true },
    async execute(input) {
      const text = (value, more) => ({ content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }], ...more });
      try {
        const { total, hits, didYouMean, warnings } = await search({ ...input, facets: 0 });
        return text({ total, didYouMean, warnings: warnings.map((w) => w.message), hits });
      } catch (error) {
        return text(error.offline ? `${error.message} Every listing is in the pages below ${new URL(`${CATALOG.base}/categories/`, location.href)}.` : error.message, { isError: true });
      }
    },
  });
})();
