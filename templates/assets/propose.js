// The form that writes the file of a suggested listing and passes it on. Its page loads this module.

const most = 8000; // characters of an address that code hosts take
// What YAML may read as something else than a text, unless it is in quotation marks.
const special = /^[^\p{L}]|: | #|:$|^(?:true|false|yes|no|on|off|null|nan|y|n)$|^[a-z]\d+$/iu;

const scalar = (text) => (special.test(text) ? JSON.stringify(text) : text);

/** The file name of a listing, without .md. */
export const slugOf = (name) => name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("+", " plus ").replace(/[^a-z0-9]+/g, "-").slice(0, 64).replace(/^-|-$/g, "") || "new-listing";

/** The values of a form by key: a text, or a list of texts. Empty ones are left out. */
function valuesOf(form) {
  const values = {};
  for (const field of form.elements) {
    const text = field.value?.trim().replace(/[ \t]+/g, " ");
    if (!field.name || !text || field.type === "checkbox" && !field.checked) continue;
    if (field.type === "checkbox") (values[field.name] ??= []).push(text);
    else if ("lines" in field.dataset) values[field.name] = text.split("\n").map((line) => line.trim()).filter(Boolean);
    else values[field.name] = field.name === "text" ? field.value.trim() : text;
  }
  return values;
}

/** The file of a listing with some values, on a day. The keys are in canonical order. */
export function fileOf({ text = "", source, ...values }, keys, typed, day) {
  const lines = [], given = { ...values, addedAt: day };
  const isSourced = (key) => key === "license" || key.startsWith("fitNotes.");
  for (const key of keys) {
    const value = given[key], facts = key === "fitNotes" && keys.some((k) => k.startsWith("fitNotes.") && given[k]);
    const indent = key.startsWith("fitNotes.") ? "  " : "", name = `${indent}${key.replace("fitNotes.", "")}:`;
    if (facts) lines.push("fitNotes:");
    if (value === undefined) continue;
    if (!Array.isArray(value)) lines.push(`${name} ${typed(key) || key === "addedAt" ? value : scalar(value)}`);
    else if (typed(key)) lines.push(`${name} [${value.map(scalar).join(", ")}]`);
    else lines.push(name, ...value.map((item) => `${indent}  - ${scalar(item)}`));
  }
  const sourced = keys.filter((key) => isSourced(key) && given[key] !== undefined);
  if (source && sourced.length) lines.push("sources:", ...sourced.map((key) => `  ${key}: ${scalar(`${source} (${day})`)}`));
  return `---\n${lines.join("\n")}\n---\n${text && `\n${text}\n`}`;
}

/** Begins the form. shared is what page code shares. */
export function propose({ SEARCHES, byId, copying, element, pageOf, search, t }, form) {
  const keys = JSON.parse(form.dataset.keys), status = byId("suggest-status"), file = byId("suggest-file"), code = file.querySelector("code");
  const field = (key) => form.elements[key];
  const isTyped = (key) => Boolean(form.querySelector(`[name="${key}"]:is([data-typed], [type=number], [type=checkbox])`));
  const draw = () => { code.textContent = fileOf(valuesOf(form), keys, isTyped, new Date().toISOString().slice(0, 10)); };
  copying(file.querySelector(".command"), t("Copy the file"));
  form.addEventListener("input", draw);
  draw();

  field("name").addEventListener("change", async () => {
    const q = field("name").value.trim();
    if (!SEARCHES || !q) return;
    const { hits: [hit] } = await search({ q, limit: 1, facets: 0 }).catch(() => ({ hits: [] }));
    if (q !== field("name").value.trim()) return;
    status.replaceChildren(...(hit?.match.tier === "exact-name" ? [t("This name is listed already:"), " ", element("a", { href: pageOf(hit.slug) }, hit.name)] : []));
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    draw();
    const name = field("name").value.trim(), fill = (text) => form.dataset.address
      .replaceAll("{title}", encodeURIComponent(t("New listing: {name}", { name }))).replaceAll("{file}", encodeURIComponent(`${slugOf(name)}.md`)).replaceAll("{text}", encodeURIComponent(text));
    if (fill(code.textContent).length <= most) return void location.assign(fill(code.textContent));
    file.open = true;
    status.replaceChildren(t("This is too long for an address. Copy the file below, and paste it there:"), " ", element("a", { href: fill("") }, t("Go there")));
  });
}
