// What a browser tells of its computer. The form "My computer" loads this module when it is opened; computer.js uses it.

// Browsers round the memory, and tell no more than some figure, often 8: from this one on, there may be more.
const most = 8;
const known = (value) => value !== undefined && value !== null;

const systems = { android: /android/i, ios: /iphone|ipad|ipod/i, macos: /mac/i, windows: /win/i, linux: /linux/i };
function systemTold() {
  const { userAgentData: agent, userAgent, maxTouchPoints } = navigator, told = agent?.platform || userAgent;
  const system = Object.keys(systems).find((slug) => systems[slug].test(told));
  return system === "macos" && maxTouchPoints > 1 ? "ios" : system; // iPads say that they are Macs
}

const faster = { powerPreference: "high-performance" };
/** The name of the graphics as WebGL has it; "" where the processor draws. Some browsers hide it from all but the extension. */
function renderer() {
  const gl = document.createElement("canvas").getContext("webgl", faster);
  if (!gl) return "";
  const told = (key) => gl.getParameter(key) ?? "", plain = told(gl.RENDERER), more = /^webkit/i.test(plain) && gl.getExtension("WEBGL_debug_renderer_info");
  const name = more ? told(more.UNMASKED_RENDERER_WEBGL) : plain;
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name) ? "" : name;
}

/** A name in words, each between spaces. */
const words = (name) => ` ${name.toLowerCase().replace(/\((r|tm|c)\)/g, " ").replace(/[^a-z\d+]+/g, " ").trim()} `;
const size = /(\d+) ?gb\b/i;
/**
 * What a text names: {device, vendor, key, gb}. That is the device with the longest name, the maker, the memory that
 * the sizes of the device are of, and a figure of GB. All but the key may be missing.
 */
function deviceIn(text, { devices, variant, cardOf }, vendors) {
  const within = words(text.replace(size, ""));
  const vendor = Object.keys(vendors).find((v) => [v, ...(cardOf?.[v] ?? [])].some((word) => within.includes(words(word))));
  let device, longest = "";
  // Firefox names another card of the kind: "GeForce GTX 980, or similar".
  if (!/or similar/i.test(text)) for (const d of devices) for (const name of d.names.map(words)) {
    const [, after] = within.split(name);
    if (known(after) && name.length > longest.length && /[a-z]/.test(name) && !variant?.includes(after.split(" ")[0])) [device, longest] = [d, name];
  }
  return { device, vendor, key: device?.sizes.some(({ filters }) => known(filters.ramGb)) ? "ramGb" : "vramGb", gb: Number(size.exec(text)?.[1]) || undefined };
}

/** What is known of a computer by what deviceIn returns, and the memory that the reader gave. */
function filtersOf({ device, vendor, key, gb }, own) {
  if (!device) return vendor ? { gpuVendor: vendor, vramGb: undefined } : {};
  const { sizes: all, integrated } = device, { filters: usual } = all[0], figure = gb ?? own[key];
  if (integrated) return { arch: usual.arch, gpuVendor: undefined, vramGb: 0 };
  // A card has its usual size where none is given. The RAM of a computer is asked for.
  const found = all.find(({ filters }) => filters[key] === figure) ?? (key === "vramGb" || all.length === 1 ? all[0] : null);
  return { vramGb: undefined, ...(found ? { ...found.filters, ...(gb && { vramGb: gb }) } : { ...usual, ramGb: undefined, vramGb: undefined }) };
}

/**
 * Looks at this computer. own is what the reader gave, list the file of hardware, vendors has the makers of cards.
 * Returns what was found as filters, and for the sentences of the form: the memory, and whether it isMore; the RAM that
 * is a rough figure; the sizes with which the device is sold, by their memory; its name, maker, and whether it is
 * integrated. withRam returns the filters once the RAM is known.
 */
export async function look(own, list, vendors, isForPhones) {
  const { userAgentData: agent, deviceMemory: memory, gpu } = navigator, system = systemTold(), isPhone = isForPhones(system);
  const hints = (await agent?.getHighEntropyValues?.(["architecture", "bitness", "model"]).catch(() => null)) ?? {};
  const drawn = deviceIn((isPhone ? hints.model : renderer()) ?? "", list, vendors);
  // WebGPU may see a second, faster card, but tells only its maker.
  const { vendor } = (await gpu?.requestAdapter(faster).catch(() => null))?.info ?? {};
  const told = !isPhone && vendors[vendor] && vendor !== drawn.vendor ? { vendor } : drawn, { device, key } = told;
  const filters = filtersOf(told, own), all = (device?.sizes ?? []).filter((s) => known(s.filters[key])), isMore = memory >= most;
  const rough = isMore || key === "ramGb" || known(own.ramGb) ? undefined : memory;
  const arch = (hints.bitness === "64" && { x86: "amd64", arm: "arm64" }[hints.architecture]) || filters.arch;
  return {
    memory, isMore, rough, vendor: told.vendor, name: device?.names[0], integrated: device?.integrated,
    sold: all.length > 1 && !told.gb && { [key]: all.map((s) => s.filters[key]).join(" / ") },
    filters: { ...filters, ramGb: own.ramGb ?? filters.ramGb ?? rough, system, arch },
    withRam: (ramGb) => filtersOf(told, { ramGb }),
  };
}
