// The tools that agents in the browser get (WebMCP): the names, parameters and answers of those over MCP. app.js loads
// this module where the browser takes tools. The build puts AGENTS before it: list, with the description, the defaults
// and other names of the parameters of each tool; where listings are read; what is compared; and sentences.

const known = (value) => (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== "");
/** A value without what is unknown in it. */
const onlyKnown = (value) => {
  if (Array.isArray(value)) return value.map(onlyKnown);
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, onlyKnown(part)]).filter(([, part]) => known(part)));
};

/** A sentence of AGENTS. */
const say = (what, values) => AGENTS.says[what].replace(/\{(\w+)\}/g, (all, key) => values[key] ?? all);

/** The arguments of a call under the names of the parameters, with their defaults, and warnings; as api.RightNames. */
function argumentsOf({ defaults, same, advice }, input) {
  const given = {}, warnings = [], others = [];
  const folded = (name) => name.toLowerCase().replace(/[_ -]/g, "");
  const put = (name, value) => { given[name] = typeof value === "boolean" ? Number(value) : value; };
  for (const [name, value] of Object.entries(input ?? {})) {
    if (value === null || value === undefined) continue;
    const right = Object.hasOwn(same, folded(name)) && same[folded(name)];
    if (right && right !== name) others.push([name, right, value]);
    else if (Object.hasOwn(advice, folded(name))) throw new Error(`${name} ${AGENTS.no} ${advice[folded(name)]}`);
    else put(name, value);
  }
  for (const [name, right, value] of others) {
    if (Object.hasOwn(given, right)) throw new Error(`${name} ${say("twice", { right })}`);
    put(right, value);
    warnings.push({ code: AGENTS.code, parameter: name, message: say("taken", { given: name, right }) });
  }
  return { given: { ...defaults, ...onlyKnown(given) }, warnings };
}

/** Adds warnings to an answer. */
const warned = (answer, warnings) => (warnings.length ? { ...answer, warnings: [...(answer.warnings ?? []), ...warnings] } : answer);

/** A listing in brief, where no server says it: what is known, without texts and sources. */
const brief = ({ slug, name, purpose, untranslated, license, upkeep, pageUrl, fitNotes, platforms, runsWith, installLinks, repositoryUrl, updatedAt }) =>
  onlyKnown({ slug, name, purpose, untranslated, license, upkeep, pageUrl, fitNotes: onlyKnown(fitNotes), platforms, runsWith, installLinks, repositoryUrl, updatedAt });

/** What differs between listings, as far as it is known; see Comparison in package api. */
function differences(list, suits) {
  const compared = list.map(({ slug, name, purpose, pageUrl, fitNotes }, i) => ({ slug, name, purpose, suits: suits[i], fitNotes: {}, caveat: fitNotes[AGENTS.caveats]?.[0], pageUrl }));
  const add = (from, into, key) => {
    if (new Set(list.map((p) => from(p)[key]).filter(known).map((value) => JSON.stringify(value))).size < 2) return;
    list.forEach((p, i) => { if (known(from(p)[key])) into(compared[i])[key] = from(p)[key]; });
  };
  for (const key of ["license", "upkeep", "platforms"]) add((p) => p, (p) => p, key);
  for (const key of AGENTS.compared) add((p) => p.fitNotes, (p) => p.fitNotes, key);
  return { projects: compared.map((p) => onlyKnown({ ...p, fitNotes: Object.keys(p.fitNotes).length ? p.fitNotes : null })) };
}

/** Registers the tools. shared is what page code shares. */
export function offer({ CATALOG, ask, search }) {
  const listing = (given, view, signal) => {
    const slug = String(given).trim().toLowerCase();
    if (!/^[a-z\d-]{1,64}$/.test(slug)) throw new Error(say("slug", { slug }));
    const address = AGENTS.server ? `${AGENTS.server}${slug}?view=${view}` : `${AGENTS.projects}${slug}.json`;
    return ask(address, { headers: AGENTS.key ? { "X-Api-Key": AGENTS.key } : {}, signal }, say("none", { slug }));
  };
  const execute = {
    search_catalog: (given, signal) => search({ ...given, facets: 0 }, signal),
    async get_project({ slug = "", view }, signal) {
      const found = await listing(slug, view, signal);
      return AGENTS.server || view === "full" ? found : brief(found);
    },
    async compare_projects({ slugs = [] }, signal) {
      const list = [...new Set([slugs].flat().join(",").toLowerCase().split(",").map((slug) => slug.trim()).filter(Boolean))];
      if (list.length < AGENTS.fewest || list.length > AGENTS.most) throw new Error(say(list.length === 1 ? "one" : "count", { n: list.length }));
      const found = await Promise.all(list.map((slug) => listing(slug, "full", signal)));
      const { suitsOf } = await import(CATALOG.modules.compare);
      return differences(found, suitsOf(found));
    },
  };
  return Promise.all(AGENTS.list.map(async (tool) => document.modelContext.registerTool({
    name: tool.name, title: tool.title, description: tool.description, inputSchema: tool.inputSchema,
    // What listings say was written by others: data, not instructions.
    annotations: { readOnlyHint: true, untrustedContentHint: true },
    // The browser does not pass on the text of an exception.
    async execute(input, { signal } = {}) {
      try {
        const { given, warnings } = argumentsOf(tool, input);
        return warned(await execute[tool.name](given, signal), warnings);
      } catch (error) {
        return { error: error.offline ? `${error.message} ${say("pages")}` : error.message };
      }
    },
  })));
}
