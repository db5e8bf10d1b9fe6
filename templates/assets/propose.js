// The form that writes the file of a suggested listing and passes it on. Its page loads this module.

// Characters of an address that code hosts take, and Windows passes to mail programs.
const most = { web: 8000, mail: 2000 };
// What YAML may read as something else than a text, unless it is in quotation marks.
const special = /^[^\p{L}]|: | #|:$|^(?:true|false|yes|no|on|off|null|nan|y|n)$|^[a-z]\d+$/iu;

const scalar = (text) => (special.test(text) ? JSON.stringify(text) : text);

/** The file name of a listing, without .md, as Slug of package content. letters has those that are not a to z, each before what is written for it. */
export function slugOf(name, letters) {
  const written = Object.fromEntries(letters.split(" ").map((word) => [word[0], word.slice(1)]));
  const text = name.normalize("NFKC").toLowerCase().replaceAll("+", " plus ").replaceAll("&", " & ");
  const slug = [...text].map((c) => written[c] ?? [...c.normalize("NFKD").replace(/\p{M}/gu, "")].map((plain) => written[plain] ?? plain).join("")).join("").replace(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, 64).replace(/-$/, "");
  return slug && slug !== "index" ? slug : `new-listing-${Date.now().toString(36)}`;
}

/** The values of a form by key: a text, or a list of texts. Empty ones are left out. */
function valuesOf(form) {
  const values = {};
  for (const field of form.elements) {
    const text = field.value?.trim().replace(/[ \t]+/g, " ");
    if (!field.name || !text || /checkbox|radio/.test(field.type) && !field.checked) continue;
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
export function propose({ allListings, byId, copying, element, pageOf, t }, form) {
  const keys = JSON.parse(form.dataset.keys), status = byId("suggest-status"), file = byId("suggest-file"), code = file.querySelector("code");
  const field = (key) => form.elements[key];
  const isTyped = (key) => Boolean(form.querySelector(`[name="${key}"]:is([data-typed], [type=number], [type=checkbox])`));
  const draw = () => { code.textContent = fileOf(valuesOf(form), keys, isTyped, new Date().toISOString().slice(0, 10)); };
  copying(file.querySelector(".command"), t("Copy the file"));
  form.addEventListener("input", draw);
  draw();

  const name = () => field("name").value.trim(), slug = () => slugOf(name(), form.dataset.letters);
  field("name").addEventListener("change", async () => { // it is looked up here, and sent nowhere
    const given = name(), file = slug(), same = (await allListings().catch(() => [])).find((p) => p.name === given || p.slug === file);
    if (given === name()) status.replaceChildren(...(same ? [t("This name is listed already:"), " ", element("a", { href: pageOf(same.slug) }, same.name)] : []));
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    draw();
    const isMail = form.dataset.address.startsWith("mailto:"); // whose lines end so (RFC 6068)
    const fill = (text) => form.dataset.address.replaceAll("{title}", encodeURIComponent(t("New listing: {name}", { name: name() })))
      .replaceAll("{file}", encodeURIComponent(`${slug()}.md`)).replaceAll("{text}", encodeURIComponent(isMail ? text.replaceAll("\n", "\r\n") : text));
    if (fill(code.textContent).length <= (isMail ? most.mail : most.web)) return void location.assign(fill(code.textContent));
    file.open = true;
    status.replaceChildren(t("This is too long for an address. Copy the file below, and paste it there:"), " ", element("a", { href: fill("") }, t("Go there")));
  });
}
