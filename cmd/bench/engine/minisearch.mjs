// MiniSearch as a peer of bench relevance.

import MiniSearch from "minisearch";
import { stemmer } from "stemmer";

import { fields, serve, withoutStopWords } from "./protocol.mjs";

await serve((documents, stopWords) => {
  const rows = documents.map((document) => {
    const row = { id: document.slug };
    for (const field of fields) row[field] = [document[field]].flat().join("\n");
    return row;
  });
  const build = (processTerm) => {
    const index = new MiniSearch({ fields, processTerm });
    index.addAll(rows);
    return index;
  };
  const plain = build((term) => term.toLowerCase());
  const stemmed = build((term) => stemmer(term.toLowerCase()));

  return (settings, queries, limit) => {
    const index = settings.stem ? stemmed : plain;
    const searched = fields.filter((field) => settings[field] > 0);
    const options = {
      fields: searched,
      boost: Object.fromEntries(searched.map((field) => [field, settings[field]])),
      combineWith: "OR",
      fuzzy: settings.fuzzy || false,
      prefix: (term, i, terms) => settings.prefix === 2 || (settings.prefix === 1 && i === terms.length - 1),
      weights: { fuzzy: settings.fuzzyWeight, prefix: settings.prefixWeight },
      bm25: { k: settings.k, b: settings.b, d: 0.5 },
    };
    return queries.map((query) =>
      index
        .search(settings.stopWords ? withoutStopWords(query, stopWords) : query, options)
        .slice(0, limit)
        .map((hit) => hit.id),
    );
  };
});
