// The reader's computer: the form "My computer", and whether listings run on it. Where no
// listing has setups, the build leaves this out, and COMPUTER is null.
const COMPUTER = (() => {
  const numbers = ["ramGb", "vramGb"], names = [...numbers, "gpuVendor", "arch", "system"];
  const known = (value) => value !== undefined && value !== null && value !== "";

  // Whether two lists that are known have nothing in common, and whether a list that is known lacks a value.
  const lacks = (list, value) => Boolean(value) && list?.length > 0 && !list.includes(value);
  const apart = (a, b) => a?.length > 0 && b?.length > 0 && !a.some((x) => b.includes(x));
  /** Whether a known fact rules the machine out, whatever its memory. */
  const cannotRun = (machine, { gpu, arch, gpuVendors, systems }) => lacks(arch, machine.arch) || apart(systems, machine.systems) ||
    (gpu !== "none" && lacks(gpuVendors, machine.gpuVendor) && gpu !== "optional") || (gpu === "required" && machine.vramGb === 0);

  /**
   * Whether a listing runs on a machine: {verdict, setups, estimate, unasked}. It does what Machine.Judge of
   * api/hardware/fit.go does, and is held to the same cases.
   */
  function fit(machine, { gpu, arch, gpuVendors, systems, own, setups = [], estimate: ofOwn = null }) {
    const result = (verdict, more = {}) => ({ verdict, setups: [], estimate: null, unasked: [], ...more });
    const other = gpu !== "none" && lacks(gpuVendors, machine.gpuVendor); // the card is of no use
    if (cannotRun(machine, { gpu, arch, gpuVendors, systems })) return result("needs-more");
    const estimate = apart(own, machine.systems) ? null : ofOwn; // in a browser, it is of another computer
    const ram = machine.ramGb, vram = other && known(machine.vramGb) ? 0 : machine.vramGb;
    const estimateOf = (key) => (key === "vramGb" && !known(estimate?.vramGb) && estimate && gpu === "none" ? 0 : estimate?.[key]);
    const estimated = (key, gb) => (!known(estimateOf(key)) ? { open: true } : estimateOf(key) > gb ? { open: true, lacking: true } : { helped: true });
    const compareRam = (s) => (!known(ram) ? { unaskedRam: known(s.ramGb) } : !known(s.ramGb) ? estimated("ramGb", ram) : s.ramGb > ram ? { missed: true, lacking: true } : {});
    const compareVram = (s) => {
      if (!known(vram)) return known(s.vramGb) ? { open: true, unaskedVram: true } : {};
      if (known(s.vramGb)) return s.vramGb <= vram ? {} : gpu === "optional" ? { open: true, lacking: true } : { missed: true, lacking: true };
      return gpu === "none" || (gpu === "optional" && known(s.ramGb) && !known(s.gpuVendor)) ? {} : estimated("vramGb", vram);
    };
    const both = (a, b) => Object.fromEntries(["open", "missed", "lacking", "helped", "unaskedRam", "unaskedVram"].map((key) => [key, Boolean(a[key] || b[key])]));
    const unaskedOf = (o) => [o.unaskedRam && "ramGb", o.unaskedVram && "vramGb"].filter(Boolean);
    const part = setups.filter((s) => (known(s.ramGb) || known(s.vramGb)) && !s.modelsElsewhere && !(s.measured && !s.measured.job) && !apart(s.system, machine.systems) &&
      (known(s.gpuVendor) ? !machine.gpuVendor || s.gpuVendor === machine.gpuVendor : !known(s.vramGb) || !other));
    const outcomes = part.map((s) => ({ s, level: s.level ?? "minimum", ...both(compareRam(s), compareVram(s)) }));
    const least = outcomes.filter((o) => o.level === "minimum"), deciding = least.length ? least : outcomes, examples = outcomes.filter((o) => o.level === "example");
    if (least.length && least.every((o) => o.missed)) return result("needs-more");
    const met = (o) => !o.open && !o.missed;
    const uses = [...new Set(outcomes.filter((o) => met(o) && !unaskedOf(o).length).map((o) => o.s.for))];
    const fewest = (list) => list.map(unaskedOf).sort((a, b) => a.length - b.length)[0];
    const lackNothing = deciding.filter((o) => !o.lacking);
    const unasked = ["ramGb", "vramGb"].filter((key) => lackNothing.some((o) => unaskedOf(o).includes(key)));
    if (!known(ram) && !known(vram)) {
      const unsaid = (known(machine.arch) && !arch?.includes(machine.arch)) || (known(machine.system) && !systems?.includes(machine.system)) ||
        (known(machine.gpuVendor) && gpu !== "none" && !gpuVendors?.includes(machine.gpuVendor));
      return unsaid ? result("unknown", { unasked }) : result("fits", { setups: uses, unasked });
    }
    const stated = deciding.filter((o) => met(o) && !o.helped), helped = deciding.filter((o) => met(o) && o.helped);
    const alone = both(known(ram) ? estimated("ramGb", ram) : {}, known(vram) ? estimated("vramGb", vram) : {});
    if (stated.length) return result("fits", { setups: uses, unasked: fewest(stated) });
    if (!known(ram) && !part.length && gpu === "none") return result("fits", { unasked: setups.some((s) => s.modelsElsewhere && known(s.ramGb)) ? ["ramGb"] : [] });
    if (helped.length) return result("likely", { setups: uses, unasked: fewest(helped), estimate });
    if (estimate && !alone.open) return result("likely", { setups: uses, unasked, estimate });
    if (alone.lacking) return result("unlikely", { unasked, estimate });
    if (alone.open && examples.length && examples.every((o) => o.missed)) return result("unlikely", { unasked });
    return result("unknown", { unasked });
  }

  /**
   * The largest size of model that a machine runs with a tool in one of the runners: {name, memoryGb, runner} or null. It
   * does what Models.LargestOn of api/hardware/models.go does, and is held to the same cases.
   */
  function largest(machine, isUnified, { gpu, setups = [], estimate = null }, runners, { keeps, sizes: ascending }) {
    const least = (key) => setups.filter((s) => (s.level ?? "minimum") === "minimum" && known(s[key]) && !apart(s.system, machine.systems)).map((s) => s[key]).sort((a, b) => a - b)[0];
    const needs = {
      ramGb: least("ramGb") ?? estimate?.ramGb,
      vramGb: least("vramGb") ?? estimate?.vramGb ?? (gpu === "required" ? undefined : 0),
    };
    const room = (runner) => {
      if (cannotRun(machine, runner) || apart(runner.own, machine.systems) || !runner.gpu) return 0;
      const left = (key) => {
        const own = runner.isTool ? 0 : needs[key];
        return known(machine[key]) && known(own) ? machine[key] - keeps[key] - own : 0;
      };
      const usesCard = runner.gpu !== "none" && machine.vramGb > 0 && !lacks(runner.gpuVendors, machine.gpuVendor);
      if (usesCard) return isUnified && known(machine.ramGb) ? Math.min(left("vramGb"), left("ramGb")) : left("vramGb");
      return runner.gpu === "required" ? 0 : left("ramGb");
    };
    const fitting = runners.map((runner) => ({ runner: runner.slug, size: ascending.findLastIndex((s) => s.memoryGb <= room(runner)) }));
    const best = fitting.sort((a, b) => b.size - a.size)[0];
    return best && best.size >= 0 ? { ...ascending[best.size], runner: best.runner } : null;
  }

  /** A figure as one of the sizes that memory is sold in, as ReadSize of api/hardware. */
  function readSize(gb, list) {
    const size = list.find((s) => s >= gb);
    return !known(gb) || gb === 0 || size === undefined || size === gb || size - gb > (gb < 3 ? 0.3 : Math.max(1, size / 10)) + 1e-9 ? gb : size;
  }

  // linked: the computer is that of the address, and the reader keeps another. unlisted: the name given is not in the
  // list. wrong: what of the address is not taken, in sentences. kind: a key of fieldsFor, or "". narrow: only the
  // fields for that kind are shown. seen: what detect has found, or null. device: the one that was named, or null.
  let machine = {}, kept = false, linked = false, unlisted = false, wrong = [], kind = "", narrow = false, seen = null, device = null;
  const listeners = [];
  const isSet = () => names.some((name) => known(machine[name]));

  const box = document.getElementById("computer");
  const { fields, hardware: hardwareFile, detect: detectFile, sizes, models } = CATALOG.computer, platformTable = Object.entries(CATALOG.computer.platforms);
  const isUnified = (vendor) => sizes.unified?.includes(vendor);
  const soldAs = (key, gb) => readSize(gb, sizes[key] ?? []);
  /** The computer as it is compared: with the sizes that are sold, and the systems that may run on it. */
  const compared = () => ({
    ...machine, ramGb: soldAs("ramGb", machine.ramGb), vramGb: isUnified(machine.gpuVendor) ? machine.vramGb : soldAs("vramGb", machine.vramGb),
    systems: machine.system ? [machine.system] : platformTable.filter(([, p]) => p.gpuVendors?.includes(machine.gpuVendor)).map(([slug]) => slug),
  });
  /** Whether a listing with these facts runs on the computer: as fit, or null where no computer is named. It does what
   * Taxonomy.NeedsOf of api/setups.go does. */
  function fitOf({ slug: own, fitNotes, platforms = [], estimate, runsWith = [] }) {
    if (!isSet()) return null;
    const uses = platformTable.filter(([slug]) => platforms.includes(slug));
    const systemsOf = (list) => list.flatMap(([slug, p]) => (p.system ? [slug] : p.on ?? []));
    const ownSystems = systemsOf(uses.filter(([, p]) => !p.client)), systems = uses.some(([, p]) => p.system) ? systemsOf(uses) : [];
    const isServer = platformTable.some(([slug, p]) => p.gpuVendors && ownSystems.includes(slug)); // others are apps for phones
    const needs = { ...fitNotes, systems, own: isServer ? ownSystems : [], estimate, setups: (fitNotes.setups ?? []).map((s) => (s.system?.length ? s : { ...s, system: ownSystems })) };
    const on = compared(), result = fit(on, needs);
    // A listing that others name runs models itself.
    const runners = [own, ...runsWith].filter((slug) => models?.runners[slug]).map((slug) => ({ slug, isTool: slug === own, ...models.runners[slug] }));
    if (runners.length && result.verdict !== "needs-more") result.largestModel = largest(on, isUnified(on.gpuVendor), needs, runners, models);
    return result;
  }

  /** Through which platforms a listing runs on the reader's system, if its makers do not name that: "through Docker", or "". */
  function through(platforms = []) {
    if (!machine.system || platforms.includes(machine.system)) return "";
    const names = platformTable.filter(([slug, p]) => platforms.includes(slug) && p.on?.includes(machine.system)).map(([slug]) => CATALOG.platforms[slug]);
    return names.length ? t("through {platforms}", { platforms: names.join(" / ") }) : "";
  }

  const vendors = CATALOG.facts.find((fact) => fact.key === "gpuVendors")?.texts ?? {};
  /** The computer in words, or "". */
  const text = () => [
    known(machine.ramGb) && t("{gb} GB RAM", { gb: machine.ramGb }),
    machine.vramGb === 0 ? t("no graphics card") : known(machine.vramGb) && t("{gb} GB VRAM", { gb: machine.vramGb }),
    machine.gpuVendor && (vendors[machine.gpuVendor] ?? machine.gpuVendor), CATALOG.platforms[machine.system], machine.arch,
  ].filter(Boolean).join(", ");

  // The computer that is kept; null for none. Storage may be switched off.
  const stored = {
    get: () => {
      try {
        const own = valid(JSON.parse(localStorage.getItem("computer")) ?? {});
        return Object.keys(own).length ? own : null;
      } catch { return null; }
    },
    set: (value) => { try { if (Object.keys(value).length) localStorage.setItem("computer", JSON.stringify(value)); else localStorage.removeItem("computer"); } catch { /* not kept */ } },
  };

  /** What is valid of an object or of the parameters of an address. */
  function valid(values) {
    const result = {};
    for (const name of names) {
      const value = values[name], options = field(name)?.options;
      if (!known(value)) continue;
      if (numbers.includes(name)) {
        if (Number(value) >= 0 && Number(value) <= 4096) result[name] = Number(value);
      } else if (!options || [...options].some((o) => o.value === value)) {
        result[name] = String(value);
      }
    }
    return result;
  }

  // A search has the computer in its query. Other pages have it after the #, which browsers send to nobody. A computer
  // that is kept is in no address, so that the one in an address is another's.
  const isSearch = (path) => path === `${CATALOG.base}/search/`;
  const mark = "#computer?";
  function fromAddress({ search, hash }) {
    const beside = hash.startsWith(mark) ? hash.slice(mark.length) : "";
    return { ...Object.fromEntries(new URLSearchParams(beside)), ...Object.fromEntries(new URLSearchParams(search)) };
  }
  const address = () => (kept ? {} : { ...machine });
  function addTo(url) {
    for (const name of names) url.searchParams.delete(name);
    const entries = Object.entries(address()).map(([name, value]) => [name, String(value)]);
    if (url.hash.startsWith(mark)) url.hash = "";
    if (isSearch(url.pathname)) for (const [name, value] of entries) url.searchParams.set(name, value);
    else if (!url.hash && entries.length) url.hash = mark + new URLSearchParams(entries);
    return url;
  }
  const toAddress = () => history.replaceState(null, "", String(addTo(new URL(location.href))).replaceAll("%2C", ","));

  /** A part of the form. */
  const field = (name) => document.getElementById(`computer-${name}`);
  /** Puts a text into a part. What stays the same is not announced again. */
  const say = (name, text) => { if (field(name).textContent !== text) field(name).textContent = text; };

  // The kinds of computers, with the fields that matter for each. "none" has no graphics card.
  const fieldsFor = { phone: ["ramGb", "name", "system"], mac: ["ramGb", "name"], card: ["ramGb", "vramGb", "name", "system"], none: ["ramGb", "system"] };
  /** The kind of computer that a system runs on: phone, mac, or card for all others. */
  const kindWith = (system) => platformTable.find(([slug]) => slug === system)?.[1].kind;
  const kindOf = ({ system, gpuVendor, vramGb }) => (kindWith(system) === "phone" ? "phone" : isUnified(gpuVendor) || kindWith(system) === "mac" ? "mac"
    : vramGb === 0 ? "none" : vramGb > 0 ? "card" : "");
  const kindBoxes = () => box.querySelectorAll("[type=radio]");
  const area = (name) => field(name).closest("label");
  const areas = ["ramGb", "vramGb", "name", "system", "arch", "none"];
  /** Empties the fields whose texts are not those of the computer, and forgets what they were about. */
  function reset() {
    for (const name of ["name", ...numbers]) field(name).value = "";
    [kind, narrow, seen, unlisted, device] = ["", false, null, false, null];
  }

  /** Forgets the name of a device. */
  function unname() {
    field("name").value = "";
    [unlisted, device] = [false, null];
  }

  /** Takes what follows from a kind, and shows its fields. */
  function choose(chosen) {
    const own = platformTable.map(([slug]) => slug).filter((slug) => kindWith(slug) === (chosen === "none" ? "card" : chosen)), { system, gpuVendor, vramGb } = machine;
    const stays = isUnified(gpuVendor) ? chosen === "mac" : chosen === "card";
    reset();
    [kind, narrow] = [chosen, true];
    change({
      ...machine, system: own.includes(system) ? system : own[1] ? undefined : own[0],
      gpuVendor: stays ? gpuVendor : undefined, vramGb: chosen === "none" ? 0 : (stays && vramGb) || undefined,
    });
  }

  /** What detect has found, and what it asks for, in sentences. */
  function report() {
    if (!seen) return "";
    const { memory, name } = seen, said = seen.isMore ? t("at least {gb} GB RAM", { gb: memory }) : memory && t("about {gb} GB RAM", { gb: memory });
    const found = [name || vendors[machine.gpuVendor], said, CATALOG.platforms[machine.system], machine.arch].filter(Boolean).join(", ");
    const sold = (key, label) => (seen.sold?.[key] ? t("{field} (sold with {sizes} GB)", { field: label, sizes: seen.sold[key] }) : label);
    const asked = [
      (!known(machine.ramGb) || machine.ramGb === seen.rough) && sold("ramGb", "RAM"),
      !["phone", "mac"].includes(kindOf(machine)) && (!known(machine.vramGb) ? t("VRAM or graphics card") : machine.vramGb ? seen.sold?.vramGb && sold("vramGb", "VRAM")
        : seen.integrated && t("any graphics card besides {name}", { name })),
      !known(machine.system) && area("system") && t("system"),
    ].filter(Boolean).join(", ");
    return [t("Your browser says: {found}.", { found: found || t("nothing") }), asked && t("Please enter or check: {fields}.", { fields: asked })].join(" ");
  }

  /** What the device that was named leaves open, or lacks. */
  const about = () => (device?.open && !known(machine.ramGb) ? t("{name} is sold with different amounts of memory: enter yours.", { name: device.names[0] })
    : device?.integrated && device.sizes[0].filters.vramGb === 0 && machine.vramGb === 0 ? t("{name} is a part of the processor, and no graphics card.", { name: device.names[0] }) : "");

  /** Shows the computer in the form. */
  function draw() {
    say("label", linked && isSet() ? t("The computer in this link:") : t("My computer:"));
    // What is left out does not open the form: that would move the page. The form says it in full.
    const out = n(wrong.length, "{n} value left out", "{n} values left out");
    say("text", [text() || !wrong.length && t("not set"), wrong.length && out].filter(Boolean).join(", "));
    field("text").classList.toggle("over", wrong.length > 0);
    // What is no figure stays in its field until there is one.
    for (const name of ["ramGb", "vramGb", "system", "arch"]) if (field(name).validity.valid || known(machine[name])) field(name).value = machine[name] ?? "";
    say("linked", linked ? t("This is not the computer that you saved in this browser.") : "");
    field("mine").hidden = !linked;
    field("none").checked = machine.vramGb === 0;
    if (machine.vramGb === 0) field("vramGb").value = "";
    field("keep").checked = kept;
    const is = kindOf(machine);
    if (is && is !== kind) [kind, narrow] = [is, false];
    for (const radio of kindBoxes()) radio.checked = radio.value === kind;
    for (const name of areas) area(name)?.toggleAttribute("hidden", narrow && !fieldsFor[kind].includes(name));
    field("all").hidden = !narrow;
    say("found", report());
    const { min, max } = field("ramGb"), isWrong = numbers.some((name) => !field(name).validity.valid);
    say("note", [...wrong, about(), unlisted && t("This name is not in the list: give the memory instead."), isWrong && t("Give a number of GB from {least} to {most}.", { least: min, most: max })].filter(Boolean).join(" "));
  }

  /** Takes the computer of the address, or else the one that is kept. */
  function take() {
    const given = fromAddress(location), asked = valid(given), own = stored.get(), isAsked = Object.keys(asked).length > 0;
    linked = isAsked && own !== null && names.some((name) => asked[name] !== own[name]);
    machine = isAsked ? asked : own ?? {};
    kept = own !== null && !linked;
    wrong = names.filter((name) => known(given[name]) && !known(asked[name]))
      .map((name) => t("Left out: {filter} “{value}”, which is not known here.", { filter: field(name).labels[0].firstChild.textContent.trim(), value: given[name] }));
    reset();
    draw();
  }

  function change(values) {
    machine = valid(values);
    wrong = [];
    if (kept) stored.set(machine);
    draw();
    toAddress();
    for (const listener of listeners) listener();
  }

  let hardware; // a promise of the devices and of detect.js, once asked for
  const simple = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "");
  async function load() {
    hardware ??= Promise.all([fetch(hardwareFile).then((response) => response.json()), import(detectFile)])
      .then(([list, code]) => ({ ...list, ...code })).catch(() => {
        hardware = undefined; // asked for again next time
        return { devices: [] };
      });
    const list = await hardware;
    if (!field("help")) {
      field("names").append(...list.devices.flatMap((d) => d.sizes.map(({ name }) => new Option(name, name))));
      box.insertAdjacentHTML("beforeend", list.help ?? "");
    }
    return list;
  }
  async function named() {
    const name = simple(field("name").value), { devices } = await load(), is = (text) => simple(text) === name;
    const sizeOf = ({ names, sizes: all }) => (names.some(is) ? all.find((s) => s.filters.ramGb === soldAs("ramGb", machine.ramGb)) ?? all[0] : all.find(({ size }) => names.some((n) => is(n + size))));
    device = (name && devices.find(sizeOf)) || null;
    unlisted = Boolean(name) && !device;
    seen = null;
    if (device) change({ ...machine, gpuVendor: undefined, vramGb: undefined, ...sizeOf(device).filters });
    else draw();
  }

  /** Fills in what the browser knows of this computer. It asks nobody else. */
  async function detect() {
    const own = linked ? {} : machine, { look, ...list } = await load();
    const told = await look?.(own, list, vendors, (system) => kindWith(system) === "phone");
    const offered = (name) => ([...(field(name).options ?? [])].some((o) => o.value === told.filters[name]) ? told.filters[name] : own[name]);
    reset();
    if (!told) return say("found", t("This cannot be loaded just now."));
    const found = { ...own, ...told.filters, system: offered("system"), arch: offered("arch") };
    seen = told;
    kind = kindOf(found);
    narrow = kind !== "";
    change(found);
  }

  function start() {
    box.insertAdjacentHTML("beforeend", fields);
    // The fields name this form, so that they do not belong to the one around them.
    document.body.append(Object.assign(document.createElement("form"), { id: "computer-form", hidden: true }));
    take();
    if (isSet()) toAddress();
    box.addEventListener("toggle", () => { if (box.open) load(); });
    // The form around this one must not take these fields for its own.
    for (const type of ["input", "change"]) box.addEventListener(type, (event) => event.stopPropagation());
    field("name").addEventListener("focus", load);
    field("name").addEventListener("change", named);
    // WebKit closes its list of names with the first Enter, and tells of no change.
    field("name").addEventListener("keydown", ({ key }) => { if (key === "Enter") named(); });
    // A name is taken as soon as it is chosen from the list.
    field("name").addEventListener("input", async () => {
      await load();
      if ([...field("names").options].some((o) => o.value === field("name").value)) named();
    });
    for (const name of ["ramGb", "vramGb", "system", "arch"]) {
      for (const type of ["input", "change"]) {
        field(name).addEventListener(type, () => {
          const { value, validity } = field(name), figure = validity.valid ? value : "";
          if (String(machine[name] ?? "") === figure) return draw();
          const more = name === "vramGb" ? { gpuVendor: undefined } : name === "ramGb" && seen?.sold?.ramGb && seen.vendor === machine.gpuVendor ? seen.withRam(soldAs("ramGb", Number(figure)))
            : name === "ramGb" ? device?.sizes.find((s) => s.filters.ramGb === soldAs("ramGb", Number(figure)))?.filters : {};
          if (name === "vramGb" || unlisted) unname();
          change({ ...machine, ...more, [name]: figure });
        });
      }
    }
    field("none").addEventListener("change", () => {
      field("vramGb").value = "";
      unname();
      change({ ...machine, gpuVendor: undefined, vramGb: field("none").checked ? 0 : undefined });
    });
    field("keep").addEventListener("change", () => {
      kept = field("keep").checked;
      stored.set(kept ? machine : {});
      linked = false;
      draw();
      toAddress();
    });
    field("mine").addEventListener("click", () => {
      reset();
      linked = false;
      kept = true;
      change(stored.get() ?? {});
      box.querySelector("summary").focus();
    });
    field("clear").addEventListener("click", () => {
      reset();
      change({});
    });
    for (const radio of kindBoxes()) radio.addEventListener("change", () => choose(radio.value));
    field("all").addEventListener("click", () => {
      const first = areas.find((name) => area(name)?.hidden);
      narrow = false;
      draw();
      field(first).focus();
    });
    field("look").hidden = !(navigator.userAgentData || navigator.deviceMemory || globalThis.WebGLRenderingContext);
    field("detect").addEventListener("click", detect);
    // Links lead the computer on where it is not kept.
    for (const kind of ["click", "auxclick"]) {
      document.addEventListener(kind, (event) => {
        const link = event.target.closest?.("a[href]");
        if (!link || kept || !isSet() || link.origin !== location.origin || !`${link.pathname}/`.startsWith(`${CATALOG.base}/`) || /\.\w+$/.test(link.pathname)) return;
        if (link.pathname === location.pathname && link.hash && !link.hash.startsWith(mark)) return; // a place on this page
        link.href = addTo(new URL(link.href));
      }, true);
    }
    // So do the forms that lead to the search page.
    document.addEventListener("submit", (event) => {
      if (event.defaultPrevented || kept || !isSet() || !isSearch(new URL(event.target.action).pathname)) return;
      for (const [name, value] of Object.entries(machine)) {
        event.target.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
      }
    });
    addEventListener("popstate", () => {
      if (!isSearch(location.pathname) && location.hash && !location.hash.startsWith(mark)) return; // a place on this page
      take();
    });
    addEventListener("hashchange", () => {
      if (!location.hash.startsWith(mark)) return;
      take();
      for (const listener of listeners) listener();
    });
  }
  if (box) start();

  const sentences = {
    fits: t("Fits my computer"), likely: t("Likely fits my computer"), unknown: t("Its makers do not say whether it runs on my computer"),
    unlikely: t("Unlikely to fit my computer"), "needs-more": t("Needs more than my computer has"),
  };
  const missing = { ramGb: t("It also needs RAM: enter that of my computer to be sure."), vramGb: t("It also needs VRAM: enter that of my computer to be sure.") };
  const runnerName = (slug) => models?.runners[slug]?.name ?? slug;
  /** Through which platforms a listing runs, if it probably does. */
  const way = ({ verdict }, platforms) => (verdict === "fits" || verdict === "likely") && through(platforms);
  /** A fit in sentences, for the page of a listing. */
  const sentence = (fit, platforms) => [
    `${[sentences[fit.verdict], way(fit, platforms)].filter(Boolean).join(", ")} (${text()}).`, fit.estimate && t("This is an estimate: {reason}.", { reason: fit.estimate.because }), ...fit.unasked.map((name) => missing[name]),
    fit.largestModel && t("With {runner}, it has memory for models up to {size}, which take {gb} GB with a context of {tokens} tokens.", { runner: runnerName(fit.largestModel.runner), size: fit.largestModel.name, gb: fit.largestModel.memoryGb, tokens: models.contextTokens }),
  ].filter(Boolean).join(" ");
  /** A fit on one line: the verdict, and on what it depends. */
  const verdictText = ({ verdict, unasked }) => (unasked.length && verdict === "fits"
    ? t("fits, depending on {memory}", { memory: unasked.map((name) => (name === "ramGb" ? "RAM" : "VRAM")).join(", ") }) : verdicts[verdict]);
  /** What a fit rests on, in a few words: which uses are met or what is estimated, and the largest model. */
  const reasons = ({ setups, estimate, largestModel }) => [
    estimate ? t("estimate: {reason}", { reason: estimate.because }) : setups.slice(0, 2).join("; ") + (setups.length > 2 ? " …" : ""),
    largestModel && t("models up to {size} with {runner}", { size: largestModel.name, runner: runnerName(largestModel.runner) }),
  ].filter(Boolean).join("; ");
  /** All of that in a few words. */
  const fitText = (fit, platforms) => [[verdictText(fit), way(fit, platforms)].filter(Boolean).join(", "), reasons(fit)].filter(Boolean).join(": ");
  /** What the line of verdictText leaves out, or "". */
  const fitDetails = (fit, platforms) => [way(fit, platforms), reasons(fit)].filter(Boolean).join("; ");

  const figures = { ramGb: (gb) => t("{gb} GB RAM", { gb }), vramGb: (gb) => t("{gb} GB VRAM", { gb }), diskGb: (gb) => t("{gb} GB disk", { gb }) };
  const levels = { recommended: t("recommended"), example: t("example") };
  /** A setup in words, as Setup.String of api/hardware. */
  const setupText = (s) => `${s.for}: ${[...Object.keys(figures).filter((key) => known(s[key])).map((key) => figures[key](s[key])), vendors[s.gpuVendor] ?? s.gpuVendor, ...(s.system ?? []).map((slug) => CATALOG.platforms[slug] ?? slug), s.modelsElsewhere && t("model elsewhere")].filter(Boolean).join(", ")}` +
    (s.measured ? ` (${t("measured")})` : s.level === "minimum" ? "" : ` (${levels[s.level] ?? s.level})`);

  /** The figures of an estimate in a few words, without what is stated, as BriefEstimate of generator/render. */
  const estimateTexts = ({ fitNotes, estimate }) => {
    const stated = (key) => fitNotes?.setups?.some((s) => (s.level ?? "minimum") === "minimum" && known(s[key]));
    return [ // no line breaks between a figure and its unit
      known(estimate?.ramGb) && !stated("ramGb") && t("about {gb} GB RAM (estimate)", { gb: estimate.ramGb }),
      estimate?.vramGb > 0 && !stated("vramGb") && t("about {gb} GB VRAM (estimate)", { gb: estimate.vramGb }),
    ].filter(Boolean).map((text) => text.replace(" GB", "\u00a0GB"));
  };

  return {
    names, setupText, fit, largest, estimateTexts, fitOf, fitText, fitDetails, verdictText, sentence, isSet, text,
    /** Calls f whenever the computer changes. */
    onChange: (f) => listeners.push(f),
    /** The computer as parameters of an address: none if it is kept. */
    address,
    /** The computer as parameters of a search. */
    parameters: () => ({ ...machine }),
  };
})();
