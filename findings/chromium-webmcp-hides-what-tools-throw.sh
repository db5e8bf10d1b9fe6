#!/bin/sh
# Chromium 156 with --enable-features=WebMCP does not pass on what a tool throws: executeTool
# rejects with one fixed message for all, and the tool's own goes to the console of the page alone.
# An Error that execute returns becomes {}. Every answer is a text, and a text is not quoted as JSON
# would be: undefined and "undefined", or 5 and "5", are the same. Input is not checked against the
# inputSchema of the tool: wrong values reach execute, and so do calls without a required one.
# Whoever offers a tool checks its input, catches what it throws, and returns an object such as
# { error: "limit is at most 50" }.
# It needs Node.js, npm and Chromium (Debian: chromium 156.0.8078.108). Seen:
#   throw new Error("limit is at most 50"): UnknownError, says why: false, console: true
#   return new Error("limit is at most 50"): "{}"
#   return undefined: "undefined"
#   return "undefined": "undefined"
#   return 5: "5"
#   return "5": "5"
#   return { error: "limit is at most 50" }: "{\"error\":\"limit is at most 50\"}"
#   return input, given {"limit":99}: "{\"limit\":99}"
#   return input, given {}: "{}"
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent puppeteer-core@25.16.0 > /dev/null
cat > call.mjs <<'EOF'
import { createServer } from "node:http";
import puppeteer from "puppeteer-core";

const why = "limit is at most 50";
const cases = [
  ["throw new Error(" + JSON.stringify(why) + ")", {}],
  ["return new Error(" + JSON.stringify(why) + ")", {}],
  ["return undefined", {}],
  ['return "undefined"', {}],
  ["return 5", {}],
  ['return "5"', {}],
  ["return { error: " + JSON.stringify(why) + " }", {}],
  ["return input", { limit: 99 }],
  ["return input", {}],
];
// In the page: offers a tool whose function has this body, and calls it.
async function call(i, body, given) {
  await document.modelContext.registerTool({
    name: `tool${i}`,
    description: "A tool",
    inputSchema: {
      type: "object",
      properties: { limit: { type: "integer", maximum: 50 } },
      required: ["limit"],
    },
    execute: new Function("input", body),
  });
  const tool = (await document.modelContext.getTools()).find(({ name }) => name === `tool${i}`);
  try {
    return { answer: await document.modelContext.executeTool(tool, given) };
  } catch ({ name, message }) {
    return { name, message };
  }
}
const server = createServer((request, response) => {
  response.setHeader("Content-Type", "text/html").end("<!doctype html><title>Tools</title>");
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const browser = await puppeteer.launch({
  executablePath: process.argv[2],
  args: ["--enable-features=WebMCP", ...(process.getuid() ? [] : ["--no-sandbox"])], // for root, there is no sandbox
});
try {
  console.error(await browser.version());
  const page = await browser.newPage(), lines = [];
  page.on("console", (line) => lines.push(line.text()));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const answers = [];
  for (const [i, one] of cases.entries()) answers.push(await page.evaluate(call, i, ...one));
  for (const [i, { answer, name, message }] of answers.entries()) {
    const [body, given] = cases[i];
    const told = `says why: ${message?.includes(why)}, console: ${lines.some((line) => line.includes(why))}`;
    const what = body === "return input" ? `${body}, given ${JSON.stringify(given)}` : body;
    console.log(`${what}: ${name ? `${name}, ${told}` : JSON.stringify(answer)}`);
  }
} finally {
  await browser.close();
  server.close();
}
EOF
node call.mjs "$(command -v chromium)" > seen
cat > expected <<'EOF'
throw new Error("limit is at most 50"): UnknownError, says why: false, console: true
return new Error("limit is at most 50"): "{}"
return undefined: "undefined"
return "undefined": "undefined"
return 5: "5"
return "5": "5"
return { error: "limit is at most 50" }: "{\"error\":\"limit is at most 50\"}"
return input, given {"limit":99}: "{\"limit\":99}"
return input, given {}: "{}"
EOF
cat seen
diff expected seen
