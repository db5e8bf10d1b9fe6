// A client of the API as its users make one: openapi-typescript makes schema.d.ts
// from the served OpenAPI document, openapi-fetch sends the requests. The first
// part shows that the types are of use; the second reads operations and parameters
// from the document, so that none is forgotten, and tries each with each value.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };
const [baseUrl, documentUrl] = process.argv.slice(2) as [string, string];
const client = createClient<paths>({ baseUrl });

function check(right: boolean, what: string, ...details: unknown[]): asserts right {
  if (!right) throw new Error([what, ...details.map((d) => JSON.stringify(d)?.slice(0, 600))].join(" "));
}

async function typed() {
  const found = await client.GET("/api/v1/search", {
    params: { query: { q: "transcribe meetings", category: ["speech-to-text", "translation"], docker: "1", sort: "popular", limit: 3 } },
  });
  check(found.data !== undefined, "a search is refused:", found.error);
  check("facets" in found.data, "the answer is brief, as nobody asked for:", found.data);
  const hits: components["schemas"]["Hit"][] = found.data.hits;
  const counts: number[] = found.data.facets?.category.map((f) => f.count) ?? [];
  check(hits.length > 0 && counts.length > 0, "nothing is found");

  const brief = await client.GET("/api/v1/search", { params: { query: { q: "transcribe meetings", view: "brief", limit: 3 } } });
  check(brief.data !== undefined && !("sort" in brief.data) && brief.data.hits[0]?.pageUrl !== undefined, "a brief answer is", brief);
  const facts: components["schemas"]["BriefHit"][] = brief.data.hits;
  check(facts.every((h) => h.memory?.ramBasis !== undefined || h.memory?.ramGb === undefined), "memory has no basis:", facts);

  const slug: string = hits[0]!.slug;
  const one = await client.GET("/api/v1/projects/{slug}", { params: { path: { slug } } });
  check(one.data !== undefined, "a listing is refused:", one.error);
  check("sources" in one.data, "the listing is brief, as nobody asked for:", one.data);
  const memory: number | null = one.data.fitNotes.minRamGb;
  check(one.data.slug === slug && (memory === null || memory >= 0), "another listing:", one.data.slug);

  const list = await client.GET("/api/v1/projects", { params: { query: { limit: 2, offset: 2 } } });
  check(list.data?.projects.length === 2 && list.data.warnings.length === 0, "the list is", list);

  // Problems have a type of their own.
  const none = await client.GET("/api/v1/projects/{slug}", { params: { path: { slug: `${slug}x` } } });
  check(none.response.status === 404 && none.error?.code === "unknown-project" && none.error.suggestions?.[0] === slug, "no problem:", none.error);
  const wrong = await client.GET("/api/v1/search", {
    // @ts-expect-error: the types know which categories and orders there are.
    params: { query: { category: ["nosuch"], sort: "stars" } },
  });
  check(wrong.response.status === 400 && wrong.error?.errors?.map((e) => e.parameter).join() === "category,sort", "no problem:", wrong.error);
}

type Schema = { type: string; enum?: string[]; minimum?: number; maximum?: number; default?: unknown; maxLength?: number; maxItems?: number; items?: Schema };
type Parameter = { name: string; in: "query" | "path"; schema: Schema };
type Operation = { operationId: string; parameters?: Parameter[] };
type Document = {
  "x-sandbox-key": string;
  paths: Record<string, { get: Operation }>;
  components: { securitySchemes: Record<string, { type: string; name?: string }> };
};
type Values = Record<string, unknown>;
type Answer = { data?: Values & { query?: Values }; error?: { code: string; errors?: { parameter: string }[] }; response: Response };

/** The client as one that takes what it is given. */
const untyped = client as unknown as { GET(path: string, options: object): Promise<Answer> };

/** The slug of a listing that there is, for the parameter in the path. */
let slug = "";

/** The values to try: each of a few, the bounds of many, lists of one, of two, and of as many as there may be. */
function right({ name, schema }: Parameter): unknown[] {
  if (name === "slugs") return [[slug], [slug, "no-such-listing"]];
  if (schema.type === "array") {
    const values = schema.items?.enum ?? ["MIT", "Apache-2.0", "AGPL-3.0"];
    const most = Array.from({ length: schema.maxItems! }, (_, i) => values[i % values.length]);
    return [...values.map((v) => [v]), ...values.slice(1).map((v, i) => [values[i], v]), most];
  }
  if (schema.enum) return schema.enum;
  if (schema.type === "integer" || schema.type === "number") return [schema.minimum, schema.minimum! + 1, schema.default, schema.maximum].filter((n) => n !== undefined);
  return name === "slug" ? [slug] : ["chat", "transcribe meetings", "übersetzen & notes=chat, d+e%20#/?", "x".repeat(schema.maxLength!)];
}

/** Values that are refused. */
function wrong({ name, schema }: Parameter): unknown[] {
  if (name === "slugs") return [Array.from({ length: 21 }, (_, i) => `s${i}`)];
  if (schema.type === "array") return [["<none>"], Array(schema.maxItems! + 1).fill((schema.items?.enum ?? ["MIT"])[0])];
  if (schema.enum) return ["nosuch"];
  if (schema.type === "integer" || schema.type === "number") return [schema.minimum! - 1, "x", ...(schema.maximum === undefined ? [] : [schema.maximum + 1])];
  return name === "slug" ? ["no-such-listing-anywhere"] : ["x".repeat(schema.maxLength! + 1)];
}

/** What was tried: operations, each with its parameters, each with the number of its values. */
const tried: Record<string, Record<string, number>> = {};

async function call(path: string, operation: Operation, values: Values, headers = {}): Promise<Answer> {
  const params: { query: Values; path: Values } = { query: {}, path: {} };
  for (const p of operation.parameters ?? []) {
    if (p.name in values) params[p.in][p.name] = values[p.name];
    else if (p.in === "path") params.path[p.name] = slug;
  }
  return untyped.GET(path, { params, headers });
}

/** Whether the answer tells that a value was understood, where answers tell. */
function understood({ name, schema }: Parameter, value: unknown, { data }: Answer): boolean {
  const told = data?.query && name in data.query ? data.query[name] : data?.[name];
  if (name === "facets") return ("facets" in data!) === (value === "1");
  if (name === "view") return JSON.stringify(data).includes('"osiApproved"') === (value === "full");
  if (name === "correct") return data?.didYouMean === null;
  if (name === "sort") return (data?.sort as Values).requested === value;
  if (name === "lang") return JSON.stringify(data?.warnings) === "[]"; // without q, an answer has nothing to tell
  if (name === "slug") return told === value;
  if (name === "slugs") return data?.total === 1;
  if (schema.type === "array") return JSON.stringify(told) === JSON.stringify([...new Set(value as string[])]);
  return told === (schema.enum?.join() === "0,1" ? value === "1" : value);
}

async function everything() {
  const document = (await (await fetch(documentUrl)).json()) as Document;
  for (const [path, { get: operation }] of Object.entries(document.paths)) {
    const parameters = operation.parameters ?? [];
    const counts: Record<string, number> = (tried[operation.operationId] = {});
    const bare = await call(path, operation, {});
    check(bare.response.status === 200, operation.operationId, "answers", bare.response.status, bare.error);
    for (const p of parameters) {
      const values = right(p);
      counts[p.name] = values.length;
      for (const value of values) {
        const answer = await call(path, operation, { [p.name]: value });
        check(answer.response.status === 200 && understood(p, value, answer), `${operation.operationId} ${p.name}`, value, answer.error ?? answer.data);
      }
      for (const value of wrong(p)) {
        const { response, error } = await call(path, operation, { [p.name]: value });
        const [status, code] = p.in === "path" ? [404, "unknown-project"] : [400, "invalid-parameter"];
        check(response.status === status && error?.code === code, `${operation.operationId} ${p.name}`, value, "answers", response.status, error);
        check(p.in === "path" || (error?.errors?.length === 1 && error.errors[0]!.parameter === p.name), `${operation.operationId} ${p.name}`, value, error);
      }
    }
    // All at once, the last value of each; and with the key, in each of its ways.
    // slugs stands alone.
    const all = Object.fromEntries(parameters.filter((p) => p.name !== "slugs").map((p) => [p.name, right(p).at(-1)]));
    const together = await call(path, operation, all);
    check(together.response.status === 200, operation.operationId, all, together.error);
    for (const scheme of Object.values(document.components.securitySchemes)) {
      const key = document["x-sandbox-key"];
      const header = scheme.type === "http" ? { Authorization: `Bearer ${key}` } : { [scheme.name!]: key };
      const { response } = await call(path, operation, {}, header);
      check(response.status === 200 && response.headers.get("RateLimit-Policy")?.startsWith('"sandbox"') === true, operation.operationId, header, response.status);
    }
  }
}

await typed();
const list = await client.GET("/api/v1/projects", { params: { query: { limit: 1 } } });
slug = (list.data?.projects[0] as { slug: string }).slug;
await everything();
console.log(JSON.stringify(tried));
