// Measures searches in the browser, on an emulated phone, and compares them with Pagefind over
// the same pages. Prints JSON; see engines in browser.go.
//
//	node browser.mjs BASE PUBLIC BUNDLE ROUNDS
//
// BASE serves the build output PUBLIC, and below /bundle/ the folder BUNDLE, into which
// Pagefind writes. The phone has 412 × 823 pixels. It is emulated in two ways: Chromium slows
// down the thread of the page, as for Lighthouse, but not its workers; or all threads of the
// page are stopped for three quarters of the time.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(new URL("../pages/lighthouse/package.json", import.meta.url));
const puppeteer = require("puppeteer-core");
const pagefind = await import(new URL("../engine/node_modules/pagefind/lib/index.js", import.meta.url));

const [base, folder, bundle, rounds] = [process.argv[2], process.argv[3], process.argv[4], Number(process.argv[5])];
const slowdown = 4, period = 20; // milliseconds
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
const query = "transcribe meetings";
const queries = [
  "chat with my documents", "instead of ChatGPT", "text to speech", "image generator without gpu", "olama", "coding assistant for vs code", "8gb ram", "rust mit licence", "translate subtitles",
  "voice assistant", "notes", "summarise papers", "agent framework", "whisper", "self hosted notion ai", "photo search", "ocr receipts", "local llm for beginners", "music generation", "home assistant voice",
  "vector database", "stable difusion", "video editor", "write unit tests", "web scraping", "customer support bot", "3d model from photo", "evaluate prompts", "fine tune a model", "run on raspberry pi",
];

async function writePagefind() {
  const { index, errors } = await pagefind.createIndex({ forceLanguage: "en" });
  const failed = [...errors];
  for (const slug of await readdir(path.join(folder, "projects"))) {
    const content = await readFile(path.join(folder, "projects", slug, "index.html"), "utf8");
    if (!content.includes("<main")) continue; // a page that redirects
    failed.push(...(await index.addHTMLFile({ url: `/projects/${slug}/`, content: content.replace("<main", "<main data-pagefind-body") })).errors);
  }
  failed.push(...(await index.writeFiles({ outputPath: bundle })).errors);
  await pagefind.close();
  if (failed.length) throw new Error(failed.join("; "));
  await writeFile(path.join(bundle, "page.html"), "<!doctype html><meta charset=utf-8><title>Pagefind</title><input id=q><ol id=hits></ol>");
}

/** Makes Chromium slow down the thread of a page until the returned function is called. */
async function slowPage(browser, page) {
  await page.emulateCPUThrottling(slowdown);
  return () => page.emulateCPUThrottling(null);
}

/** Stops the processes of pages for three quarters of the time until the returned function is called. */
async function slowAll(browser) {
  const client = await browser.target().createCDPSession();
  const { processInfo } = await client.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter((p) => p.type === "renderer").map((p) => p.id);
  const signal = (name) => { for (const id of renderers) try { process.kill(id, name); } catch { /* it has ended */ } };
  let next, stopped = false;
  const turn = () => {
    stopped = !stopped;
    signal(stopped ? "SIGSTOP" : "SIGCONT");
    next = setTimeout(turn, stopped ? period - period / slowdown : period / slowdown);
  };
  turn();
  return () => {
    clearTimeout(next);
    signal("SIGCONT");
  };
}

/** Runs in the page: returns the time for a fixed piece of work, in milliseconds. */
const work = () => {
  const begin = performance.now();
  let sum = 0;
  for (let i = 0; i < 3e8; i++) sum += i % 7;
  return performance.now() - begin + (sum ? 0 : 1);
};

/** Runs in the page: types the query and returns the time until its answer is on the page. */
const oursFirst = async (query) => {
  const field = document.getElementById("q"), status = document.getElementById("search-status");
  const before = status.textContent, begin = performance.now();
  field.value = query;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  while (status.textContent === before || !/^\d+ listing/.test(status.textContent)) await new Promise((end) => setTimeout(end, 2));
  return performance.now() - begin;
};
const peerFirst = async (query) => {
  const begin = performance.now(), bundle = await import(/* not packed */ "/bundle/pagefind.js");
  await bundle.init();
  self.searchPeer = async (text) => {
    const found = await bundle.search(text);
    const pages = await Promise.all(found.results.slice(0, 10).map((r) => r.data()));
    document.getElementById("hits").replaceChildren(...pages.map((p) => Object.assign(document.createElement("li"), { textContent: p.meta.title })));
    return pages.length;
  };
  await self.searchPeer(query);
  return performance.now() - begin;
};

/** Runs in the page: returns the time of each answer of a loaded worker. */
const oursLater = async (address, queries) => {
  const worker = new Worker(address), answers = new Map();
  const ask = (id, query) => new Promise((resolve) => {
    answers.set(id, resolve);
    worker.postMessage({ id, query });
  });
  worker.onmessage = ({ data }) => answers.get(data.id)?.(data.text);
  await ask(-1, "q=a");
  const times = [];
  for (const [id, query] of queries.entries()) {
    const begin = performance.now();
    JSON.parse(await ask(id, `${new URLSearchParams({ q: query, limit: 50 })}`));
    times.push(performance.now() - begin);
  }
  return times;
};
const peerLater = async (queries) => {
  const times = [];
  for (const query of queries) {
    const begin = performance.now();
    await self.searchPeer(query);
    times.push(performance.now() - begin);
  }
  return times;
};

/** Runs in the page: whether the browser keeps the search decompressed for the next page. */
const isKept = async () => {
  for (const name of await caches.keys()) {
    for (const { url } of await (await caches.open(name)).keys()) if (/search-.*\.idx$/.test(url)) return true;
  }
  return false;
};

const counted = async () => (await fetch(`${base}/sent`)).json(); // bytes sent since the last call

async function measure(launch, slow, { page: address, first, later, keeps }) {
  const result = { cold: [], cached: [], later: [], worst: [], factor: [] };
  for (let round = 0; round < rounds; round++) {
    const browser = await launch();
    let restore;
    try {
      const page = await browser.newPage();
      await page.setViewport({ width: 412, height: 823 });
      await page.goto(base + address, { waitUntil: "networkidle0" });
      const fast = slow ? await page.evaluate(work) : 1;
      await counted();
      restore = await slow?.(browser, page);
      if (slow) result.factor.push(await page.evaluate(work) / fast);
      result.cold.push(await page.evaluate(first, query));
      result.bytes = await counted();
      await restore?.();
      if (keeps) await page.waitForFunction(keeps, { polling: 100 });
      await page.goto("about:blank");
      await page.goto(base + address, { waitUntil: "networkidle0" });
      restore = await slow?.(browser, page);
      result.cached.push(await page.evaluate(first, query));
      await later(page, ["a"]);
      const times = await later(page, queries);
      result.later.push(median(times));
      result.worst.push(Math.max(...times));
    } finally {
      await restore?.();
      await browser.close();
    }
  }
  return Object.fromEntries(Object.entries(result).map(([name, list]) => [name, Array.isArray(list) ? median(list) ?? 1 : list]));
}

await writePagefind();
const worker = (await readdir(path.join(folder, "assets"))).find((name) => /^search-.*\.js$/.test(name));
const launch = () => puppeteer.launch({
  executablePath: process.env.CHROME_PATH,
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const ours = { page: "/search/", first: oursFirst, keeps: isKept, later: (page, queries) => page.evaluate(oursLater, `${base}/assets/${worker}`, queries) };
const peer = { page: "/bundle/page.html", first: peerFirst, later: (page, queries) => page.evaluate(peerLater, queries) };
const devices = {};
for (const [device, slow] of Object.entries({ machine: null, phone: slowPage, slowest: slowAll })) {
  devices[device] = { ours: await measure(launch, slow, ours), peer: await measure(launch, slow, peer) };
}
console.log(JSON.stringify(devices));
