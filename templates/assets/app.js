// What each page begins: search, lists, commands to copy, and the tools for agents in the browser.

/** The setups on a listing's page: which of them the reader's computer meets. */
function setups(section) {
  const facts = JSON.parse(section.dataset.needs), rows = [...section.querySelectorAll("tbody tr")];
  const draw = () => {
    const fit = COMPUTER.fitOf(facts), verdict = byId("verdict");
    verdict.className = fit?.verdict ?? "";
    verdict.textContent = fit ? COMPUTER.sentence(fit, facts.platforms) : "";
    (facts.fitNotes.setups ?? []).forEach((s, i) => {
      const cell = rows[i].cells[0], meets = fit?.setups.includes(s.for);
      cell.className = fit ? (meets ? "yes" : "open") : "";
      cell.querySelector(".hidden")?.remove();
      if (meets) cell.append(element("span", { class: "hidden" }, ` (${t("met by my computer")})`));
    });
  };
  COMPUTER.onChange(draw);
  draw();
}

/** A box that finds a link in an overview, by its text and the other words for it. */
function find(form) {
  const field = byId("find"), status = byId("find-status"), items = [...document.querySelectorAll(".group li")];
  const draw = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const item of items) {
      const text = `${item.textContent} ${item.dataset.words ?? ""}`.toLowerCase();
      item.hidden = !words.every((w) => text.includes(w));
      if (!item.hidden) count++;
    }
    for (const group of document.querySelectorAll(".group")) group.hidden = !group.querySelector("li:not([hidden])");
    status.textContent = words.length ? t("{n} of {all}", { n: count, all: items.length }) : "";
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    document.querySelector(".group li:not([hidden]) a")?.focus();
  });
  field.addEventListener("input", draw);
  if (field.value) draw(); // the browser kept it
}

/** Adds a button that does something and then says for two seconds what act returns. */
function acting(place, text, attributes, act) {
  const button = element("button", { type: "button", ...attributes }, text), said = element("span", { class: "hidden", role: "status" });
  button.addEventListener("click", async () => {
    const done = await act();
    if (!done) return;
    button.textContent = said.textContent = done;
    setTimeout(() => { button.textContent = text; }, 2000);
  });
  place.append(" ", button, said);
}

/** A button that copies a command, or what the label says. */
const copying = (place, label = t("Copy the command")) => acting(place, t("Copy"), { "aria-label": label }, async () => {
  const code = place.querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
    return t("Copied");
  } catch { // not allowed here: the reader copies what is selected
    getSelection().selectAllChildren(code);
    return t("Selected");
  }
});

/** A button that passes the address of the page on, without the reader's computer. */
const sharing = (place, shared = () => location) => acting(place, t("Share"), {}, async () => {
  const address = new URL(shared());
  address.hash = "";
  for (const name of COMPUTER?.names ?? []) address.searchParams.delete(name);
  address.search = queryOf(address.searchParams);
  try {
    if (navigator.share) return void (await navigator.share({ title: document.title, url: address.href }));
    await navigator.clipboard.writeText(address.href);
    return t("Link copied");
  } catch (error) {
    return error.name === "AbortError" ? "" : t("Refused by the browser"); // or the reader changed their mind
  }
});

/** A button that saves the listing of the page, or takes it off the saved ones, and the way to these. */
function saving(place) {
  const slug = document.querySelector(".choose input").value, name = document.querySelector("h1 bdi").textContent;
  const button = element("button", { type: "button" }), said = element("span", { class: "hidden", role: "status" }), link = element("a", { href: SAVED.address }, t("Saved listings"));
  const draw = () => {
    button.textContent = SAVED.has(slug) ? t("Unsave") : t("Save");
    link.hidden = !SAVED.list().length;
  };
  button.addEventListener("click", () => {
    const isSaved = SAVED.has(slug), done = isSaved ? SAVED.remove(slug) : SAVED.add([{ slug, name }]);
    said.className = done ? "hidden" : "note";
    said.textContent = !done ? refusal : isSaved ? t("Removed") : t("Saved");
  });
  SAVED.onChange(draw);
  place.append(" ", button, said, " ", link);
  draw();
}

// What modules use of the page code. Each is loaded when it is needed.
const SHARED = {
  CATALOG, COMPUTER, SAVED, SEARCHES, TRAY, allListings, ask, byId, copying, element, entitle, fitTag, isSlug, kinds, langOf, licenseName, n, pageOf, paused, productLink, projectOf, refusal,
  row, search, searchAddress, sharing, simple, slugsAsked, stateOf, suggestions, t, texts, thousands, uncorrected, unknown, valueOf,
};

/** Suggests hits below the field of a form, a combobox. What is picked is passed to pick, or opened. */
function suggestions(form, pick) {
  const field = form.querySelector("[type=search]");
  let loading, typed = document.activeElement === field && field.value;
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${field.id}-options` })) field.setAttribute(name, value);
  const load = ({ type }) => {
    typed ||= type === "input";
    loading ??= import(CATALOG.modules.suggest).then(({ combobox }) => combobox(SHARED, field, pick, typed), () => { loading = null; });
  };
  for (const type of ["focus", "input"]) field.addEventListener(type, load);
  if (document.activeElement === field) load({});
}

const begin = (id, start) => { if (byId(id)) start(byId(id)); };
begin("search-form", results);
begin("nearest", (place) => import(CATALOG.modules.nearest).then(({ nearest }) => nearest(SHARED, place)).catch(() => { /* no page is suggested */ }));
begin("compare-form", (form) => import(CATALOG.modules.compare).then(({ comparison }) => comparison(SHARED, form))
  .catch((error) => { byId("compare-status").textContent = t("This cannot be loaded just now."); console.error(error); }));
begin("find-form", find);
begin("offline", (place) => import(CATALOG.modules.offline).then(({ offline }) => offline(SHARED, place)));
begin("suggest-form", (form) => import(CATALOG.modules.propose).then(({ propose }) => propose(SHARED, form)));
if (COMPUTER) begin("setups", setups);
begin("saved", (place) => import(CATALOG.modules.saved).then(({ saved }) => saved(SHARED, place), () => { byId("saved-status").textContent = t("This cannot be loaded just now."); }));
for (const place of document.querySelectorAll(".command")) copying(place);
for (const place of document.querySelectorAll(".acts")) saving(place);
// A site without https can neither share nor copy.
if (navigator.share || navigator.clipboard) for (const place of document.querySelectorAll(".acts, #compare-only")) sharing(place);
begin("site-badge", (place) => place.addEventListener("toggle", () => import(CATALOG.modules.badge).then(({ snippets }) => snippets(SHARED, place), () => { /* its address is there */ }), { once: true }));
for (const form of document.querySelectorAll("[role=search]:not(#search-form)")) suggestions(form);

// A link to a folded part unfolds it.
const unfold = () => byId(location.hash.slice(1))?.closest("details")?.setAttribute("open", "");
addEventListener("hashchange", unfold);
unfold();

// A slash leads to the page's search field, as on many sites.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName)) return;
  const field = byId("q") ?? byId("site-search");
  if (!field) return;
  event.preventDefault();
  field.focus();
});

// A link to another language keeps what the reader asked for.
document.querySelector("nav.languages")?.addEventListener("click", ({ target }) => { if (target.href) target.search = location.search; });

// The tools for agents, where the browser takes some.
if (SEARCHES && document.modelContext?.registerTool) import(CATALOG.modules.agents).then(({ offer }) => offer(SHARED)).catch(() => { /* a policy of the host forbids it */ });
