// The reader's computer: the form "My computer", and whether listings run on it. Where no
// listing has setups, the build leaves this out, and COMPUTER is null.
const COMPUTER = (() => {
  const numbers = ["ramGb", "vramGb"], names = [...numbers, "gpuVendor", "arch", "system"];
  const known = (value) => value !== undefined && value !== null && value !== "";

  /**
   * Whether a listing runs on a machine: {verdict, setups}, with the setups that the machine meets by their use. It does
   * what Machine.Verdict of api/fit.go does, and is held to the same cases.
   */
  function fit(machine, { gpu, arch, gpuVendors, setups = [] }) {
    const asked = (name) => known(machine[name]);
    const contradicts = (list, value) => Boolean(value) && list?.length > 0 && !list.includes(value);
    const onProcessor = gpu === "none" || gpu === "optional";
    const otherVendor = gpu !== "none" && contradicts(gpuVendors, machine.gpuVendor);
    const result = (verdict, met = []) => ({ verdict, setups: [...new Set(met.map((s) => s.for))] });
    if (contradicts(arch, machine.arch) || (otherVendor && !onProcessor) || (gpu === "required" && machine.vramGb === 0)) return result("needs-more");
    if (!asked("ramGb") && !asked("vramGb")) {
      const unsaid = (asked("arch") && !arch?.includes(machine.arch)) || (asked("gpuVendor") && gpu !== "none" && !gpuVendors?.includes(machine.gpuVendor));
      return result(unsaid ? "unknown" : "fits");
    }
    // 0: met, 1: not stated, 2: missed
    const ram = (s) => (!asked("ramGb") ? 0 : !known(s.ramGb) ? 1 : s.ramGb <= machine.ramGb ? 0 : 2);
    const vram = (s) => {
      const unusable = asked("gpuVendor") && gpu !== "none" && ((otherVendor && known(s.vramGb)) || (known(s.gpuVendor) && s.gpuVendor !== machine.gpuVendor));
      if (unusable) return onProcessor ? 1 : 2;
      if (!asked("vramGb")) return 0;
      if (!known(s.vramGb)) return gpu === "none" || (gpu === "optional" && !known(s.gpuVendor)) ? 0 : 1;
      return s.vramGb <= machine.vramGb ? 0 : onProcessor ? 1 : 2;
    };
    const worst = (s) => Math.max(ram(s), vram(s));
    const least = setups.filter((s) => (s.level ?? "minimum") === "minimum"), met = setups.filter((s) => worst(s) === 0);
    if (least.length && least.every((s) => worst(s) === 2)) return result("needs-more");
    return result(met.length || (!asked("ramGb") && !setups.length && onProcessor) ? "fits" : "unknown", met);
  }

  let machine = {}, kept = false;
  const listeners = [];
  const isSet = () => names.some((name) => known(machine[name]));

  /** Whether a listing with these facts runs on the computer: as fit, or null where no computer is named. */
  function fitOf({ fitNotes, platforms }) {
    if (!isSet()) return null;
    const result = fit(machine, fitNotes);
    if (!machine.system || platforms?.includes(machine.system)) return result;
    return { ...result, verdict: platforms?.length ? "needs-more" : result.verdict === "fits" ? "unknown" : result.verdict };
  }

  const vendors = { nvidia: "NVIDIA", amd: "AMD", intel: "Intel", apple: "Apple" };
  /** The computer in words, or "". */
  const text = () => [
    known(machine.ramGb) && t("{gb} GB RAM", { gb: machine.ramGb }),
    machine.vramGb === 0 ? t("no graphics card") : known(machine.vramGb) && t("{gb} GB VRAM", { gb: machine.vramGb }),
    machine.gpuVendor && (vendors[machine.gpuVendor] ?? machine.gpuVendor), CATALOG.platforms[machine.system], machine.arch,
  ].filter(Boolean).join(", ");

  // Storage may be switched off.
  const stored = {
    get: () => { try { return JSON.parse(localStorage.getItem("computer")); } catch { return null; } },
    set: (value) => { try { if (value) localStorage.setItem("computer", JSON.stringify(value)); else localStorage.removeItem("computer"); } catch { /* not kept */ } },
  };

  /** What is valid of an object or of the parameters of an address. */
  function valid(values) {
    const result = {};
    for (const name of names) {
      const value = values[name];
      if (!known(value)) continue;
      if (!numbers.includes(name)) result[name] = String(value);
      else if (Number(value) >= 0 && Number(value) <= 4096) result[name] = Number(value);
    }
    return result;
  }

  // A search has the computer in its query. Other pages have it after the #, which browsers send to nobody.
  const isSearch = (path) => path === `${CATALOG.base}/search/`;
  const mark = "#computer?";
  function fromAddress({ pathname, search, hash }) {
    const query = isSearch(pathname) ? search : hash.startsWith(mark) ? hash.slice(mark.length) : "";
    return valid(Object.fromEntries(new URLSearchParams(query)));
  }
  function addTo(url) {
    for (const name of names) url.searchParams.delete(name);
    const entries = Object.entries(machine).map(([name, value]) => [name, String(value)]);
    if (isSearch(url.pathname)) for (const [name, value] of entries) url.searchParams.set(name, value);
    else if (!url.hash || url.hash.startsWith(mark)) url.hash = entries.length ? mark + new URLSearchParams(entries) : "";
    return url;
  }
  const toAddress = () => history.replaceState(null, "", String(addTo(new URL(location.href))).replaceAll("%2C", ","));

  const byId = (id) => document.getElementById(id);
  const box = byId("computer");
  const field = (name) => byId(`computer-${name}`);

  /** Shows the computer in the form. */
  function draw() {
    byId("computer-text").textContent = text() || t("not set");
    for (const name of ["ramGb", "vramGb", "system", "arch"]) field(name).value = machine[name] ?? "";
    field("none").checked = machine.vramGb === 0;
    if (machine.vramGb === 0) field("vramGb").value = "";
    field("keep").checked = kept;
  }

  function change(values) {
    machine = valid(values);
    if (kept) stored.set(machine);
    draw();
    toAddress();
    for (const listener of listeners) listener();
  }

  let hardware; // a promise of the names, once asked for
  const simple = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "");
  async function load() {
    hardware ??= fetch(box.dataset.hardware).then((response) => response.json()).catch(() => []);
    const list = await hardware, options = byId("computer-names");
    if (!options.options.length) for (const h of list) options.append(new Option(h.name, h.name));
    return list;
  }
  async function named() {
    const note = byId("computer-note"), name = simple(field("name").value);
    note.textContent = "";
    if (!name) return;
    const found = (await load()).find((h) => h.names.some((n) => simple(n) === name));
    if (found) change({ ...machine, gpuVendor: undefined, ...found.filters });
    else note.textContent = t("This name is not in the list: give the memory instead.");
  }

  function start() {
    kept = Boolean(stored.get());
    const asked = fromAddress(location);
    machine = Object.keys(asked).length ? asked : valid(stored.get() ?? {});
    draw();
    if (isSet()) toAddress();
    byId("computer-form").addEventListener("submit", (event) => event.preventDefault()); // the Enter key
    box.addEventListener("toggle", () => { if (box.open) load(); });
    field("name").addEventListener("focus", load);
    field("name").addEventListener("change", (event) => { event.stopPropagation(); named(); });
    // A name is taken as soon as it is chosen from the list.
    field("name").addEventListener("input", async (event) => {
      event.stopPropagation();
      if ((await load()).some((h) => h.name === field("name").value)) named();
    });
    for (const name of ["ramGb", "vramGb", "system", "arch"]) {
      for (const kind of ["input", "change"]) {
        field(name).addEventListener(kind, (event) => {
          event.stopPropagation();
          const value = field(name).value;
          if (!field(name).validity.valid || String(machine[name] ?? "") === value) return;
          const more = name === "vramGb" ? { gpuVendor: undefined } : {};
          if (name === "vramGb") field("name").value = "";
          change({ ...machine, ...more, [name]: value });
        });
      }
    }
    field("none").addEventListener("change", (event) => {
      event.stopPropagation();
      field("name").value = "";
      change({ ...machine, gpuVendor: undefined, vramGb: field("none").checked ? 0 : undefined });
    });
    field("keep").addEventListener("change", (event) => {
      event.stopPropagation();
      kept = field("keep").checked;
      stored.set(kept ? machine : null);
    });
    byId("computer-clear").addEventListener("click", () => {
      field("name").value = byId("computer-note").textContent = "";
      change({});
    });
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
      machine = fromAddress(location);
      draw();
    });
    addEventListener("hashchange", () => {
      if (!location.hash.startsWith(mark)) return;
      machine = fromAddress(location);
      draw();
      for (const listener of listeners) listener();
    });
  }
  if (box) start();

  const figures = { ramGb: (gb) => t("{gb} GB RAM", { gb }), vramGb: (gb) => t("{gb} GB VRAM", { gb }), diskGb: (gb) => t("{gb} GB disk", { gb }) };
  const levels = { recommended: t("recommended"), example: t("example") };
  /** A setup in words, as Setup.String of api/setup.go. */
  const setupText = (s) => `${s.for}: ${[...Object.keys(figures).filter((key) => known(s[key])).map((key) => figures[key](s[key])), vendors[s.gpuVendor] ?? s.gpuVendor].filter(Boolean).join(", ")}` +
    (s.level === "minimum" ? "" : ` (${levels[s.level] ?? s.level})`);

  return {
    names, setupText, fit, fitOf, isSet, text,
    /** Calls f whenever the computer changes. */
    onChange: (f) => listeners.push(f),
    /** The computer as parameters of an address. */
    address: () => ({ ...machine }),
    /** The computer as parameters of a search. */
    parameters: () => Object.fromEntries(Object.entries(machine).map(([name, value]) => [name === "system" ? "platform" : name, value])),
  };
})();
