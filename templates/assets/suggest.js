// Suggestions below a search box. Pages load this module when the reader comes to the box. The box is an editable
// combobox with list autocomplete, as the ARIA Authoring Practices Guide describes it: the focus stays in the field,
// arrows choose an option, Enter opens it, and without an option it submits the form.

/**
 * Suggests hits while somebody types into a field. shared is what page code shares. What is picked is passed to pick, or
 * opened. isTyped says that somebody typed before the module was there.
 */
export function combobox({ CATALOG, COMPUTER, element, fitTag, langOf, n, pageOf, paused, productLink, search, searchAddress, stateOf, t, uncorrected }, field, pick, isTyped) {
  const { form } = field, note = element("p", { class: "note" }), status = element("p", { class: "hidden", role: "status" });
  const list = element("div", { id: field.getAttribute("aria-controls"), role: "listbox", "aria-label": t("Suggestions") });
  const panel = element("div", { class: "suggestions", hidden: "" }, note, list), place = form.closest("main") ? document.querySelector(".below") : form;
  let running, asked = null, answered; // what was asked for last, and a promise of its answer
  let options = [], at = -1; // the chosen option; -1 for none

  const choose = (next) => {
    options[at]?.setAttribute("aria-selected", "false");
    at = next;
    field.removeAttribute("aria-activedescendant");
    if (!options[at]) return;
    options[at].setAttribute("aria-selected", "true");
    field.setAttribute("aria-activedescendant", options[at].id);
    options[at].scrollIntoView({ block: "nearest" });
  };
  /** Shows options, a note above them, and tells what is said of them. Without all three it closes the panel. */
  const show = (links, said, ...noted) => {
    choose(-1);
    options = links;
    links.forEach((link, i) => {
      for (const [name, value] of Object.entries({ role: "option", id: `${list.id}-${i}`, tabindex: -1, "aria-selected": "false" })) link.setAttribute(name, value);
    });
    list.replaceChildren(...links);
    list.hidden = !links.length;
    note.replaceChildren(...noted);
    note.hidden = !noted.length;
    status.textContent = said;
    panel.hidden = !said;
    field.setAttribute("aria-expanded", String(links.length > 0));
  };
  const close = () => {
    typed.cancel();
    running?.abort();
    asked = null;
    show([], "");
  };
  const option = (hit) => {
    const tags = [stateOf(hit), hit.osiApproved === false && t("not open source")].filter(Boolean).map((text) => element("span", { class: "tag over" }, text));
    if (hit.fit && !pick) tags.push(fitTag(hit.fit));
    const link = element("a", { href: pageOf(hit.slug) }, element("bdi", {}, hit.name), ...tags.flatMap((tag) => [" ", tag]), element("p", langOf(hit, "purpose"), hit.purpose));
    if (pick) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        pick(hit);
      });
    }
    return link;
  };
  const run = async () => {
    running?.abort();
    const mine = (running = new AbortController());
    const q = field.value.trim(), address = { q, ...COMPUTER?.address() };
    if (!q) return close();
    try {
      const found = await search({ ...(pick ? {} : COMPUTER?.parameters()), q, limit: 6, facets: 0 }, mine.signal, (bar) => {
        const loading = t("Loading the search…");
        show([], loading, loading, " ", bar);
      });
      const others = pick ? [] : [
        ...(found.didYouMean ? [uncorrected(address)] : []),
        ...(found.total ? [element("a", { href: searchAddress(address) }, n(found.total, "See the result with filters", "See all {n} results"))] : []),
      ];
      const nothing = !found.total && t("Nothing matches. Use fewer words or other words."), corrected = found.didYouMean && t("Showing results for “{words}”.", { words: found.didYouMean });
      const count = nothing || n(found.total, "{shown} of {n} listing below", "{shown} of {n} listings below", { shown: found.hits.length });
      show([...(pick ? [] : found.products.map(productLink)), ...found.hits.map(option), ...others], [corrected, count].filter(Boolean).join(" "), ...[corrected, corrected && nothing && " ", nothing].filter(Boolean));
    } catch (error) {
      if (error.name === "AbortError") return;
      asked = null; // the next key asks again
      const links = error.offline ? [element("a", { href: `${CATALOG.base}/categories/` }, t("Categories"))] : [];
      show(links, error.message, error.message, links[0] ? ` ${t("Every listing is still here:")}` : "");
    }
  };
  /** Shows the answer for what the field has. It is asked for once. */
  const answer = () => {
    typed.cancel();
    if (asked !== field.value) [asked, answered] = [field.value, run()];
    return answered;
  };
  const typed = paused(answer, 150);

  /** Chooses the next option in a direction. The field itself is between the last and the first. */
  const move = async (by) => {
    await answer();
    const places = options.length + 1;
    choose(((at + 1 + by + places) % places) - 1);
  };
  field.addEventListener("keydown", (event) => {
    const { key, altKey } = event, isVertical = /^Arrow(Up|Down)$/.test(key), by = key === "ArrowUp" ? -1 : 1;
    if (event.isComposing || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (isVertical && altKey && by < 0) close();
    else if (isVertical) move(altKey ? 0 : by);
    else if (key === "Enter" && options[at]) options[at].click();
    else if (key === "Escape" && !panel.hidden) close(); // once more, and the browser empties the field
    else return /^(Home|End|Arrow(Left|Right))$/.test(key) && choose(-1); // the caret moves in the field
    event.preventDefault();
  });
  field.addEventListener("input", typed);
  form.addEventListener("submit", close);
  panel.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", close);
  // The panel stands below the form "My computer", which may change what fits. It closes on the way to all else.
  const leave = ({ target }) => { if (![field, panel, document.getElementById("computer")].some((e) => e?.contains(target))) close(); };
  for (const way of ["focusin", "pointerdown"]) document.addEventListener(way, leave);
  COMPUTER?.onChange(() => {
    if (panel.hidden) return;
    asked = null;
    answer();
  });
  form.append(status);
  place.append(panel);
  if (isTyped) answer();
}
