#!/bin/sh
# yaml 2.9.1 of npm, in its YAML 1.1 mode, reads the plain scalars E5, e-12, "." and "+." as the
# number NaN. None of them is a number of YAML 1.1: its floats need a digit (yaml.org/type/float).
# In its 1.2 mode they are texts, and so they are in js-yaml 3.15.2, a reader of YAML 1.1. A text
# that becomes NaN is lost: it cannot be written back.
# Whoever writes YAML for all readers puts quotation marks around such texts.
# It needs Node.js and npm. Seen:
#   E5 1.1: NaN, 1.2: "E5", js-yaml: "E5"
#   e-12 1.1: NaN, 1.2: "e-12", js-yaml: "e-12"
#   . 1.1: NaN, 1.2: ".", js-yaml: "."
#   +. 1.1: NaN, 1.2: "+.", js-yaml: "+."
#   E5x 1.1: "E5x", 1.2: "E5x", js-yaml: "E5x"
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent yaml@2.9.1 js-yaml@3.15.2 > /dev/null
cat > read.cjs <<'EOF'
const yaml = require("yaml"), old = require("js-yaml");
const text = (value) => (typeof value === "number" ? String(value) : JSON.stringify(value));
for (const word of ["E5", "e-12", ".", "+.", "E5x"]) {
  const source = `a: ${word}\n`;
  console.log(`${word} 1.1: ${text(yaml.parse(source, { version: "1.1" }).a)}, 1.2: ${text(yaml.parse(source).a)}, js-yaml: ${text(old.load(source).a)}`);
}
EOF
node read.cjs > seen
cat > expected <<'EOF'
E5 1.1: NaN, 1.2: "E5", js-yaml: "E5"
e-12 1.1: NaN, 1.2: "e-12", js-yaml: "e-12"
. 1.1: NaN, 1.2: ".", js-yaml: "."
+. 1.1: NaN, 1.2: "+.", js-yaml: "+."
E5x 1.1: "E5x", 1.2: "E5x", js-yaml: "E5x"
EOF
cat seen
diff expected seen
