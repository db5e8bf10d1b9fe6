#!/bin/sh
# z.fromJSONSchema of zod 4.6.7 (npm) makes a zod schema of a JSON Schema, such as that of an MCP tool.
# It throws where it meets a keyword that it cannot check, such as not, if or dependentRequired. So one
# believes that it checks what it takes. It does not, and says nothing:
# - required counts only for keys that properties has beside it. The usual way to say that one of two
#   keys is needed, anyOf with required, lets everything pass.
# - minimum, maxLength and pattern are dropped where no type stands beside them, as in an allOf.
# - what stands beside $ref is dropped, as in draft 7, though the schema says draft 2020-12.
# Ajv 8.20.0 checks all of these.
# Whoever writes a schema for unknown readers repeats type and properties where a rule stands, and
# checks the input again. Whoever reads schemas of others validates with a validator.
# It needs Node.js and npm. Seen (whether the value is valid):
#   {"type":"object","properties":{"q":{},"id":{}},"anyOf":[{"required":["q"]},{"required":["id"]}]} {}: Ajv false, zod true
#   {"type":"object","required":["q"]} {}: Ajv false, zod true
#   {"type":"object","properties":{"q":{}},"required":["q"]} {}: Ajv false, zod false
#   {"allOf":[{"type":"string"},{"maxLength":1}]} "ab": Ajv false, zod true
#   {"allOf":[{"type":"string"},{"type":"string","maxLength":1}]} "ab": Ajv false, zod false
#   {"$ref":"#/$defs/gb","minimum":0,"$defs":{"gb":{"type":"number"}}} -1: Ajv false, zod true
#   {"not":{"type":"string"}} "a": Ajv false, zod throws
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent zod@4.6.7 ajv@8.20.0 > /dev/null
cat > check.mjs <<'EOF'
import Ajv from "ajv/dist/2020.js";
import { z } from "zod";

const $schema = "https://json-schema.org/draft/2020-12/schema", ajv = new Ajv({ strict: false });
function withZod(schema, value) {
  try {
    return z.fromJSONSchema({ $schema, ...schema }).safeParse(value).success;
  } catch {
    return "throws";
  }
}
for (const [schema, value] of [
  [{ type: "object", properties: { q: {}, id: {} }, anyOf: [{ required: ["q"] }, { required: ["id"] }] }, {}],
  [{ type: "object", required: ["q"] }, {}],
  [{ type: "object", properties: { q: {} }, required: ["q"] }, {}],
  [{ allOf: [{ type: "string" }, { maxLength: 1 }] }, "ab"],
  [{ allOf: [{ type: "string" }, { type: "string", maxLength: 1 }] }, "ab"],
  [{ $ref: "#/$defs/gb", minimum: 0, $defs: { gb: { type: "number" } } }, -1],
  [{ not: { type: "string" } }, "a"],
]) {
  const seen = `Ajv ${ajv.validate(schema, value)}, zod ${withZod(schema, value)}`;
  console.log(`${JSON.stringify(schema)} ${JSON.stringify(value)}: ${seen}`);
}
EOF
node check.mjs > seen
cat > expected <<'EOF'
{"type":"object","properties":{"q":{},"id":{}},"anyOf":[{"required":["q"]},{"required":["id"]}]} {}: Ajv false, zod true
{"type":"object","required":["q"]} {}: Ajv false, zod true
{"type":"object","properties":{"q":{}},"required":["q"]} {}: Ajv false, zod false
{"allOf":[{"type":"string"},{"maxLength":1}]} "ab": Ajv false, zod true
{"allOf":[{"type":"string"},{"type":"string","maxLength":1}]} "ab": Ajv false, zod false
{"$ref":"#/$defs/gb","minimum":0,"$defs":{"gb":{"type":"number"}}} -1: Ajv false, zod true
{"not":{"type":"string"}} "a": Ajv false, zod throws
EOF
cat seen
diff expected seen
