// The peers' side of the protocol in package peer: a line of JSON in each
// direction, first the listings, then requests.

import { createInterface } from "node:readline";

// fields are the texts of a listing that are searched.
export const fields = ["name", "aliases", "replaces", "purpose", "jobs", "category", "topics", "description"];

// serve calls prepare(documents, stopWords), which returns (or resolves to) a
// function that answers a request's settings and queries with lists of slugs.
export async function serve(prepare) {
  let answer;
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const message = JSON.parse(line);
    let reply = {};
    try {
      if (answer === undefined) {
        answer = await prepare(message.documents, new Set(message.stopWords));
      } else {
        reply = { hits: await answer(message.settings, message.queries, message.limit) };
      }
    } catch (error) {
      reply = { error: error.stack ?? String(error) };
    }
    process.stdout.write(JSON.stringify(reply) + "\n");
  }
}

// withoutStopWords removes stop words from a query, unless no word would remain.
export function withoutStopWords(query, stopWords) {
  const words = query.split(/\s+/).filter((word) => word !== "");
  const rest = words.filter((word) => !stopWords.has(word.toLowerCase().replace(/[?!.,;:]+$/, "")));
  return (rest.length > 0 ? rest : words).join(" ");
}
