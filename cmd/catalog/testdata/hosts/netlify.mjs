// Serves a folder as Netlify does, with Netlify's own parsers of _headers and _redirects and
// its own matcher of paths: node netlify.mjs FOLDER ADDRESS
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { parseAllHeaders } from "@netlify/headers-parser";
import { parseAllRedirects } from "@netlify/redirect-parser";
import redirector from "netlify-redirector";

const [folder, address] = process.argv.slice(2), [host, port] = address.split(":");
const inFolder = (name) => join(folder, name);
const rules = await parseAllHeaders({ headersFiles: [inFolder("_headers")], configHeaders: [], minimal: true });
const checked = await parseAllRedirects({ redirectsFiles: [inFolder("_redirects")], configRedirects: [], minimal: true });
for (const error of [...rules.errors, ...checked.errors]) throw error;
const matcher = await redirector.parsePlain(await readFile(inFolder("_redirects"), "utf8"), {});

const types = {
  ".html": "text/html; charset=UTF-8", ".md": "text/markdown; charset=UTF-8", ".txt": "text/plain; charset=UTF-8", ".css": "text/css; charset=UTF-8",
  ".js": "application/javascript; charset=UTF-8", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png", ".xml": "application/xml", ".gz": "application/gzip",
};
const isFile = (name) => stat(inFolder(name)).then((info) => info.isFile(), () => false);
const pattern = (rule) => new RegExp(`^${rule.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replace(/:[a-z]+/g, "[^/]+")}$`);

async function send(response, status, name, path) {
  const headers = { "Content-Type": types[extname(name)] ?? "application/octet-stream", "Cache-Control": "public, max-age=0, must-revalidate" };
  for (const rule of rules.headers) if (pattern(rule.for).test(path)) Object.assign(headers, rule.values);
  response.writeHead(status, headers).end(await readFile(inFolder(name)));
}

async function answer(request, response) {
  const { pathname, search } = new URL(request.url, `http://${address}`), path = decodeURIComponent(pathname);
  const file = path.endsWith("/") ? `${path}index.html` : path;
  if (!["GET", "HEAD"].includes(request.method)) return response.writeHead(404).end();
  if (!/^\/_(headers|redirects)$/.test(file) && await isFile(file)) return send(response, 200, file, path);
  if (await isFile(`${path}/index.html`)) return response.writeHead(301, { Location: `${pathname}/${search}` }).end();
  const rule = matcher.match({ scheme: "http", host, path, query: search.slice(1), headers: request.headers, cookieValues: {}, getHeader: (name) => request.headers[name.toLowerCase()] ?? "", getCookie: () => "" });
  if (rule && rule.status >= 300) return response.writeHead(rule.status, { Location: rule.to + search }).end();
  if (rule && await isFile(rule.to)) return send(response, 200, rule.to, path);
  return send(response, 404, "404.html", path);
}

createServer((request, response) => answer(request, response).catch((error) => response.writeHead(500).end(String(error)))).listen(Number(port), host);
