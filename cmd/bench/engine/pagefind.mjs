// Pagefind as a peer of bench relevance: its binary indexes a page for each
// listing, and the script that it writes for browsers answers the queries.
//
//   node pagefind.mjs FOLDER   a folder for its files, which the caller removes

import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import * as pagefind from "pagefind";

import { fields, serve, withoutStopWords } from "./protocol.mjs";

const scratch = path.resolve(process.argv[2]);

// In a browser the bundle fetches its parts from the site; here they are files.
globalThis.fetch = async (address) => {
  const file = String(address).startsWith("file:") ? fileURLToPath(new URL(address)) : String(address).replace(/\?.*$/, "");
  return new Response(await readFile(file));
};

// Its log must not mix with the answers.
console.log = console.info = console.error;

const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

// metaNames are the texts that are also metadata, each with the setting of its
// weight. Other texts would only repeat the page.
const metaNames = { name: ["title", "metaName"], aliases: ["aliases", "metaAliases"], replaces: ["replaces", "metaReplaces"] };

// page makes the page of a listing. Every text is a separate block, with the
// weight that the settings give to its field.
function page(document, settings) {
  const blocks = fields.map((field) => {
    const texts = [document[field]].flat().filter((text) => text !== "");
    const element = field === "name" ? "h1" : "div";
    const meta = field in metaNames && texts.length > 0 ? ` data-pagefind-meta="${metaNames[field][0]}"` : "";
    const body = texts.map((text) => (element === "h1" ? escape(text) : `<p data-pagefind-weight="${settings[field]}">${escape(text)}</p>`)).join("\n");
    return `<${element} data-pagefind-weight="${settings[field]}"${meta}>${body}</${element}>`;
  });
  return `<!doctype html><html lang="en"><head><title>${escape(document.name)}</title></head><body data-pagefind-body>${blocks.join("\n")}</body></html>`;
}

let builds = 0;

// build indexes the pages and returns the folder of the bundle.
async function build(documents, settings) {
  const created = await pagefind.createIndex({ forceLanguage: "en" });
  const failed = [...created.errors];
  for (const document of documents) {
    const added = await created.index.addHTMLFile({ url: `/${document.slug}/`, content: page(document, settings) });
    failed.push(...added.errors);
  }
  const outputPath = path.join(scratch, String(builds++));
  const written = await created.index.writeFiles({ outputPath });
  failed.push(...written.errors);
  await created.index.deleteIndex();
  if (failed.length > 0) throw new Error(failed.join("; "));
  return outputPath;
}

await serve((documents, stopWords) => {
  // The pages depend only on their weights, so tuning the ranking needs no build.
  let built = { weights: "", bundle: null };

  return async (settings, queries, limit) => {
    const weights = JSON.stringify(fields.map((field) => settings[field]));
    if (weights !== built.weights) {
      const folder = await build(documents, settings);
      built = { weights, folder, bundle: await import(pathToFileURL(path.join(folder, "pagefind.js"))) };
    }
    const search = built.bundle.createInstance({
      basePath: built.folder + "/",
      ranking: {
        pageLength: settings.pageLength,
        termFrequency: settings.termFrequency,
        termSimilarity: settings.termSimilarity,
        termSaturation: settings.termSaturation,
        metaWeights: Object.fromEntries(Object.values(metaNames).map(([meta, setting]) => [meta, settings[setting]])),
      },
    });
    await search.init();
    const answers = [];
    for (const query of queries) {
      const found = await search.search(settings.stopWords ? withoutStopWords(query, stopWords) : query);
      const pages = await Promise.all(found.results.slice(0, limit).map((result) => result.data()));
      answers.push(pages.map((data) => data.url.split("/").at(-2)));
    }
    await search.destroy();
    return answers;
  };
});
await pagefind.close();
