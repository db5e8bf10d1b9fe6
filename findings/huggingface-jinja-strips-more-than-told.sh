#!/bin/sh
# @huggingface/jinja 0.5.11 of npm renders chat templates of language models, which are written for
# Jinja2 in Python. Some expressions give another prompt there, without an error:
# - lstrip, rstrip and strip ignore which characters to take off: they take off all white space.
#   Templates such as Qwen3's take newlines off answers. Here, the indentation of code goes, too.
# - == and != compare lists by identity, so a list of tools that is empty is not [].
# - capitalize keeps capital letters behind the first.
# - none is nothing, and "None" in Jinja2.
# A model then reads a prompt that it was not trained with, and answers a little worse.
# Whoever renders templates compares the prompts with those of Jinja2, for each model.
# It needs Node.js, npm, and Python 3 with Jinja2 (3.1.6; Debian: python3-jinja2). Seen:
#   {{ answer.lstrip("\n") }}: "return 1" in Node.js, "  return 1" in Python
#   {{ answer.strip("\n") }}: "return 1" in Node.js, "  return 1" in Python
#   {{ "<think>"|trim }}: "<think>" in both
#   {% if tools != [] %}You have tools.{% endif %}: "You have tools." in Node.js, "" in Python
#   {% if tools %}You have tools.{% endif %}: "" in both
#   {{ role|capitalize }}: "ToolResult" in Node.js, "Toolresult" in Python
#   {{ system }}: "" in Node.js, "None" in Python
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent @huggingface/jinja@0.5.11 > /dev/null
cat > cases.json <<'EOF'
{
  "templates": [
    "{{ answer.lstrip(\"\\n\") }}",
    "{{ answer.strip(\"\\n\") }}",
    "{{ \"<think>\"|trim }}",
    "{% if tools != [] %}You have tools.{% endif %}",
    "{% if tools %}You have tools.{% endif %}",
    "{{ role|capitalize }}",
    "{{ system }}"
  ],
  "values": { "answer": "\n  return 1", "tools": [], "role": "toolResult", "system": null }
}
EOF
cat > render.mjs <<'EOF'
import { readFileSync } from "node:fs";
import { Template } from "@huggingface/jinja";

const { templates, values } = JSON.parse(readFileSync("cases.json", "utf8"));
console.log(JSON.stringify(templates.map((text) => new Template(text).render(values))));
EOF
cat > compare.py <<'EOF'
import json, sys
from jinja2.sandbox import ImmutableSandboxedEnvironment

environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)  # as Transformers does
cases = json.load(open("cases.json"))
for text, node in zip(cases["templates"], json.load(sys.stdin)):
    python = environment.from_string(text).render(cases["values"])
    seen = f'"{node}" in both' if node == python else f'"{node}" in Node.js, "{python}" in Python'
    print(f"{text}: {seen}")
EOF
node render.mjs > node.json
python3 compare.py < node.json > seen
cat > expected <<'EOF'
{{ answer.lstrip("\n") }}: "return 1" in Node.js, "  return 1" in Python
{{ answer.strip("\n") }}: "return 1" in Node.js, "  return 1" in Python
{{ "<think>"|trim }}: "<think>" in both
{% if tools != [] %}You have tools.{% endif %}: "You have tools." in Node.js, "" in Python
{% if tools %}You have tools.{% endif %}: "" in both
{{ role|capitalize }}: "ToolResult" in Node.js, "Toolresult" in Python
{{ system }}: "" in Node.js, "None" in Python
EOF
cat seen
diff expected seen
