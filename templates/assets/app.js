// The page code: search as a form that answers in place, and the tool
// search_catalog for agents in the browser. `CATALOG` is written in front of it
// by the build: title, description, base, searchUrl, key, parameters (a JSON Schema).
(() => {
  "use strict";

  /** Asks the search server; rejects with an Error that says what went wrong. */
  async function search(parameters, signal) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
    }
    const headers = CATALOG.key ? { "X-Api-Key": CATALOG.key } : {};
    let response;
    try {
      response = await fetch(`${CATALOG.searchUrl}/api/v1/search?${query}`, { headers, signal });
    } catch (cause) {
      if (cause.name === "AbortError") throw cause;
      throw new Error("The search server cannot be reached. The category pages list every tool.", { cause });
    }
    const body = await response.json().catch(() => null);
    if (!response.ok || !body) {
      const wrong = (body?.errors ?? []).map((e) => `${e.parameter}: ${e.message}`).join("; ");
      throw new Error(wrong || body?.detail || `The search server answered with status ${response.status}.`);
    }
    return body;
  }

  function element(name, text, attributes = {}) {
    const e = document.createElement(name);
    if (text) e.textContent = text;
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    return e;
  }

  function entry(hit) {
    const item = element("li", "", { class: "entry" });
    const heading = element("h3");
    heading.append(element("a", hit.name, { href: `${CATALOG.base}/projects/${hit.slug}/` }));
    const facts = element("p", "", { class: "facts" });
    const notes = hit.fitNotes;
    const texts = [hit.license, notes.gpu && `GPU ${notes.gpu}`, notes.minRamGb && `from ${notes.minRamGb} GB RAM`, notes.docker && "Docker", notes.beginner && "for beginners", hit.match.partial && "matches in part"];
    for (const text of texts) if (text) facts.append(element("span", text));
    item.append(heading, element("p", hit.purpose), facts);
    return item;
  }

  const form = document.getElementById("search-form");
  if (form) {
    const status = document.getElementById("search-status");
    const hits = document.getElementById("search-hits");
    let running;
    const run = async () => {
      running?.abort();
      running = new AbortController();
      // What the address asks beyond the form's fields counts too, but how many.
      const parameters = { ...Object.fromEntries(new URLSearchParams(location.search)), ...Object.fromEntries(new FormData(form)), limit: 50 };
      try {
        const answer = await search(parameters, running.signal);
        status.textContent = answer.total === 1 ? "1 listing" : `${answer.total} listings`;
        hits.replaceChildren(...answer.hits.map(entry));
      } catch (error) {
        if (error.name !== "AbortError") status.textContent = error.message;
      }
    };
    const readAddress = () => {
      form.reset();
      for (const [name, value] of new URLSearchParams(location.search)) {
        const field = form.elements.namedItem(name); // not [name], which also knows "length"
        if (!field) continue;
        if (field.type === "checkbox") field.checked = field.value === value;
        else field.value = value;
      }
      run();
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const shown = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
      history.pushState(null, "", `?${shown}`);
      run();
    });
    window.addEventListener("popstate", readAddress);
    readAddress();
  }

  document.modelContext?.registerTool?.({
    name: "search_catalog",
    description: `Searches the catalogue "${CATALOG.title}" (${CATALOG.description}) by job, tool name or proprietary product to replace, filtered by hardware and fit. Answers with hits: hand on pageUrl and the facts; never invent install steps.`,
    inputSchema: CATALOG.parameters,
    annotations: { readOnlyHint: true },
    async execute(input) {
      try {
        const answer = await search(input ?? {});
        return { content: [{ type: "text", text: JSON.stringify(answer.hits) }] };
      } catch (error) {
        return { content: [{ type: "text", text: error.message }], isError: true };
      }
    },
  });
})();
