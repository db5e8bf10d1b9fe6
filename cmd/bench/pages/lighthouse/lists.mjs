// Measures the time to order and filter the shortest platform list of at least 600 rows, on a
// processor slowed down four times, and compares it with List.js and the same rows. The list of
// Docker is left out, because it has no filter by Docker. Prints JSON:
// {rows, steps: [{name, ours, later, peer, peerPaged}]}, in milliseconds, each the median of all
// rounds, from the event to the end of the frame that shows the right rows in sight. Our code
// draws the rows that are out of sight after that frame: later is the longest task of these.
//
//	node lists.mjs BASE ROUNDS
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

const [base, rounds] = [process.argv[2], Number(process.argv[3])];
const least = 600; // rows

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** Runs in the page: the time from an action until a frame in which done() is true is painted. */
const measure = async (act, done) => {
  const framed = () => new Promise((end) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = end;
    channel.port2.postMessage(0);
  }));
  for (let i = 0; i < 4; i++) await framed(); // what the step before did is over
  const begin = performance.now();
  act();
  do await framed(); while (!done());
  return performance.now() - begin;
};

async function ours(page, path) {
  await page.goto(base + path, { waitUntil: "networkidle0" });
  // The first filter loads the facts; it is not measured.
  await page.evaluate(`self.measure = ${measure}`);
  return page.evaluate(async (rounds) => {
    const table = document.getElementById("search-hits"), field = document.getElementById("q");
    const head = (column) => () => table.querySelector(`[data-sort=${column}] button`).click();
    const select = (name, value) => () => {
      const control = document.getElementById(`f-${name}`);
      control.value = value;
      control.dispatchEvent(new Event("change", { bubbles: true }));
    };
    const write = (text) => () => {
      field.value = text;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    };
    const steps = [
      { name: "order by name", act: head("name"), search: "?sort=name" },
      { name: "order by day", act: head("recently-updated"), search: "?sort=recently-updated" },
      { act: select("sort", ""), search: "" },
      { name: "filter by Docker", act: select("docker", "1"), search: "?docker=1" },
      { act: select("docker", ""), search: "" },
      { name: "find a word", act: write("model"), search: "?q=model" },
      { act: write(""), search: "" },
    ];
    const wait = (milliseconds) => new Promise((end) => setTimeout(end, milliseconds));
    // A step is over once it has changed nothing in the table for half a second.
    let changed = 0;
    new MutationObserver(() => { changed = performance.now(); }).observe(table, { subtree: true, childList: true });
    const over = async (search) => {
      while (location.search !== search || performance.now() - changed < 500) await wait(50);
    };
    /** The addresses of the first rows that are shown. */
    const first = (count) => {
      const found = [];
      for (const body of table.tBodies) {
        if (!body.rows[0]?.checkVisibility()) continue; // of the step before
        for (const row of body.rows) {
          if (found.length === count) return found.join();
          found.push(row.querySelector("th a").pathname);
        }
      }
      return found.join();
    };
    write("zzxxqqvv")();
    while (!document.querySelector("#search-notes button")) await wait(20);
    write("")();
    await over("");
    for (const step of steps) {
      step.act();
      await over(step.search);
      step.inSight = [...table.querySelectorAll("tbody tr")].filter((row) => row.getBoundingClientRect().top < innerHeight).length;
      step.rows = first(step.inSight);
    }
    const times = {}, tasks = [];
    new PerformanceObserver((list) => { tasks.push(...list.getEntries()); }).observe({ type: "longtask" });
    for (let round = 0; round < rounds; round++) {
      for (const { name, act, search, inSight, rows } of steps) {
        const time = await measure(act, () => first(inSight) === rows), end = performance.now();
        await over(search);
        const later = tasks.splice(0).filter(({ startTime }) => startTime > end - 5).map(({ duration }) => duration);
        if (name) (times[name] ??= []).push({ time, later: Math.max(0, ...later) });
      }
    }
    return times;
  }, rounds);
}

/** The same with List.js, which reads the rows from the document and draws a number of them at a time. */
async function peer(page, path, rows, drawn) {
  await page.goto(base + path, { waitUntil: "networkidle0" });
  await page.evaluate((rows) => {
    const place = document.createElement("div"), head = document.querySelector("#search-hits thead").outerHTML;
    place.id = "peer";
    place.innerHTML = `<table class="listings">${head}<tbody class="list">${rows.join("")}</tbody></table>`;
    place.querySelectorAll("tbody th a").forEach((a) => a.classList.add("name"));
    document.querySelector("main").replaceChildren(place);
  }, rows);
  await page.evaluate(readFileSync(fileURLToPath(new URL("node_modules/list.js/dist/list.min.js", import.meta.url)), "utf8"));
  await page.evaluate(`self.measure = ${measure}`);
  return page.evaluate(async (rounds, drawn) => {
    const list = new List("peer", { valueNames: ["name", "updated", "fit"], page: drawn }), yes = () => true;
    const steps = { "order by name": [], "order by day": [], "filter by Docker": [], "find a word": [] };
    for (let round = 0; round < rounds; round++) {
      steps["order by name"].push(await measure(() => list.sort("name", { order: "asc" }), yes));
      steps["order by day"].push(await measure(() => list.sort("updated", { order: "desc" }), yes));
      steps["filter by Docker"].push(await measure(() => list.filter((item) => item.values().fit.includes("Docker")), yes));
      await measure(() => list.filter(), yes);
      steps["find a word"].push(await measure(() => list.search("model", ["name"]), yes));
      await measure(() => list.search(), yes);
    }
    return steps;
  }, rounds, drawn);
}

const browser = await puppeteer.launch({
  executablePath: process.env.CHROME_PATH,
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
try {
  const { platforms } = await (await fetch(`${base}/api/v1/taxonomy`)).json();
  const chosen = platforms.filter((p) => p.count >= least && p.slug !== "docker").toSorted((a, b) => a.count - b.count)[0];
  if (!chosen) throw new Error(`no platform has ${least} listings`);
  const path = `/platforms/${chosen.slug}/`, page = await browser.newPage();
  await page.setViewport({ width: 412, height: 823 }); // a telephone, as Lighthouse has it
  const rows = [];
  for (let number = 1; rows.length < chosen.count; number++) {
    await page.goto(base + path + (number > 1 ? `${number}/` : ""));
    rows.push(...await page.$$eval("#search-hits tbody tr:not(.group)", (all) => all.map((r) => r.outerHTML)));
  }
  await page.emulateCPUThrottling(4);
  const all = { ours: await ours(page, path), peer: await peer(page, path, rows, rows.length), peerPaged: await peer(page, path, rows, 50) };
  const steps = Object.keys(all.ours).map((name) => ({ name, ours: median(all.ours[name].map(({ time }) => time)), later: median(all.ours[name].map(({ later }) => later)), peer: median(all.peer[name]), peerPaged: median(all.peerPaged[name]) }));
  console.log(JSON.stringify({ rows: rows.length, steps }));
} finally {
  await browser.close();
}
