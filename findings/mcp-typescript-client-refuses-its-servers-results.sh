#!/bin/sh
# In @modelcontextprotocol/sdk 1.32.2 of npm (with zod 4.6.7), McpServer passes results that its own
# Client refuses. The server checks what a tool gives with zod, which drops a key too many, trims,
# and fills in defaults, but then sends the value as it was before. The JSON Schema that it
# publishes says what zod would have made: no other keys, and those with defaults are required.
# The client checks against that schema, and only after it has listed the tools. So one call, of one
# server, gives a result before listTools and throws after it.
# Whoever writes a server gives exactly the keys of the schema, or uses z.looseObject.
# It needs Node.js and npm. Seen:
#   a key too many: before {"n":1,"more":2}, after -32602
#   a key left to its default: before {}, after -32602
#   a text to trim: before {"s":" a "}, after -32602
#   a key too many, looseObject: before {"n":1,"more":2}, after {"n":1,"more":2}
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent @modelcontextprotocol/sdk@1.32.2 zod@4.6.7 > /dev/null
cat > call.mjs <<'EOF'
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const tools = [
  ["a key too many", { n: z.number() }, { n: 1, more: 2 }],
  ["a key left to its default", { n: z.number().default(3) }, {}],
  ["a text to trim", { s: z.string().trim().max(1) }, { s: " a " }],
  ["a key too many, looseObject", z.looseObject({ n: z.number() }), { n: 1, more: 2 }],
];
const server = new McpServer({ name: "server", version: "1" });
const client = new Client({ name: "client", version: "1" });
tools.forEach(([, outputSchema, structuredContent], i) => {
  server.registerTool(`tool${i}`, { outputSchema }, async () => ({ content: [], structuredContent }));
});
async function call(name) {
  try {
    const { isError, content, structuredContent } = await client.callTool({ name });
    return JSON.stringify(isError ? content : structuredContent);
  } catch (error) {
    return error.code;
  }
}
const all = () => Promise.all(tools.map((tool, i) => call(`tool${i}`)));
const [one, other] = InMemoryTransport.createLinkedPair();
await server.connect(one);
await client.connect(other);
const before = await all();
await client.listTools();
const after = await all();
tools.forEach(([what], i) => console.log(`${what}: before ${before[i]}, after ${after[i]}`));
EOF
node call.mjs > seen
cat > expected <<'EOF'
a key too many: before {"n":1,"more":2}, after -32602
a key left to its default: before {}, after -32602
a text to trim: before {"s":" a "}, after -32602
a key too many, looseObject: before {"n":1,"more":2}, after {"n":1,"more":2}
EOF
cat seen
diff expected seen
