// What the search page says where no listing does what is asked: which condition leaves nothing, and the ways on. The page
// loads this module then.

/** The parameters of a search without some names. */
const without = (parameters, names) => Object.fromEntries(Object.entries(parameters).filter(([name]) => !names.includes(name)));
const apart = (links) => links.flatMap((link, i) => (i ? [" · ", link] : [link]));
const isWeak = (answer) => answer.warnings.some((w) => w.code === "weak-matches");

/** The conditions of a search: the filters that are set, and the reader's computer. Each has its text and the names of its parameters. */
function conditionsOf({ COMPUTER, filterText }, controls) {
  const conditions = [...new Set(controls.map((c) => c.name))].map((name) => ({ text: controls.filter((c) => c.name === name).map(filterText).join(", "), names: [name] }));
  if (COMPUTER?.isSet()) conditions.push({ text: COMPUTER.text(), names: [...COMPUTER.names, "stated"] });
  return conditions;
}

/**
 * What to say for an answer without a listing that does this, as a function that says it in a place. shared is what page
 * code shares, with filterText, which says a filter. controls are the filters that are set.
 */
export async function nothing(shared, parameters, answer, controls, signal) {
  const { CATALOG, byId, element, n, search, searchAddress, t } = shared, questions = byId("search-notes").dataset.questions, conditions = conditionsOf(shared, controls);
  /** How many listings do this without some conditions; 0 where the search for that fails. */
  const count = async (left) => {
    try {
      const found = await search({ ...without(parameters, left.flatMap((c) => c.names)), limit: 1, facets: 0 }, signal);
      return isWeak(found) ? 0 : found.total;
    } catch {
      return 0;
    }
  };
  const weighed = async (left, text) => ({ left, text, total: await count(left) });
  let ways = await Promise.all(conditions.map((c) => weighed([c], c.text)));
  const alone = conditions.length === 1;
  if (conditions.length > 1 && !ways.some((w) => w.total)) ways = [await weighed(conditions, t("all conditions"))];
  ways = ways.filter((w) => w.total).sort((a, b) => b.total - a.total);

  const leavesNothing = ways.length && alone ? t("“{condition}” leaves nothing.", { condition: ways[0].text }) : "";
  const inWords = !conditions.length && answer.facets?.fit?.length ? t("What matches needs more than the computer in your query.") : "";
  const none = answer.total ? t("No listing does this.") : t("Nothing was found.");
  const says = !conditions.length ? none : ways.length ? t("No listing meets all of this.") : t("No listing does this, with or without your conditions.");
  const lang = answer.warnings.find((w) => w.code === "nothing-found")?.value; // of the listings, if the words are in another
  const others = lang ? t("Listings are in {language}: try fewer, more general words in it.", { language: new Intl.DisplayNames([document.documentElement.lang], { type: "language" }).of(lang) }) : t("Try fewer, more general words.");
  const nearest = answer.total ? t("The nearest follow.") : ways.length ? "" : others;
  const paragraphs = [element("p", {}, element("strong", {}, says), ` ${[inWords, leavesNothing, nearest].filter(Boolean).join(" ")}`)];
  if (ways.length) {
    const link = (way) => element("a", { href: searchAddress(without(parameters, way.left.flatMap((c) => c.names))) },
      n(way.total, "Without {condition}: {n} listing", "Without {condition}: {n} listings", { condition: way.text }));
    paragraphs.push(element("p", {}, ...apart(ways.map(link))));
  }
  const on = [questions && element("a", { href: `${CATALOG.base}/choose/` }, questions), element("a", { href: `${CATALOG.base}/categories/` }, t("Categories")), document.querySelector("footer .suggest")?.cloneNode(true)].filter(Boolean);
  paragraphs.push(element("p", {}, `${t("Other ways:")} `, ...apart(on)));
  return (place) => {
    const weak = answer.warnings.find((w) => w.code === "weak-matches")?.message;
    [...place.children].find((p) => p.textContent === weak)?.remove(); // it is said here
    const correction = place.querySelector(".correction"); // stays first
    if (correction) correction.after(...paragraphs);
    else place.prepend(...paragraphs);
  };
}
