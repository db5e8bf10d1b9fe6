#!/bin/sh
# FlexSearch 0.8.212 (npm), as it comes, writes repeated signs of a word once. Its documentation says
# so of letters ("missing" becomes "mising"), but digits are signs, too: models of 1B and 11B
# parameters are the same word, as are 2B and 22B. A number of more than three digits is first cut
# after each third: 4000 becomes 40 and 0, and RTX 400 finds RTX 4000. One expects that numbers are
# told apart.
# With dedupe: false, sizes of models are right, but 400 still finds 4000. Charset.Exact tells all of
# them apart, and capital letters, too.
# Whoever searches for numbers makes an encoder without dedupe and without numeric.
# It needs Node.js and npm. Seen:
#   as it comes: Llama 3.2 11B is "lama" "3" "2" "1b", RTX 4000 is "rtx" "40" "0"
#     1B: Llama 3.2 1B, Llama 3.2 11B
#     22B: Gemma 2B, Codestral 22B
#     RTX 400: RTX 4000
#   dedupe: false: Llama 3.2 11B is "llama" "3" "2" "11b", RTX 4000 is "rtx" "400" "0"
#     1B: Llama 3.2 1B
#     22B: Codestral 22B
#     RTX 400: RTX 4000
#   dedupe: false, numeric: false: Llama 3.2 11B is "llama" "3" "2" "11b", RTX 4000 is "rtx" "4000"
#     1B: Llama 3.2 1B
#     22B: Codestral 22B
#     RTX 400: none
#   Charset.Exact: Llama 3.2 11B is "Llama" "3" "2" "11B", RTX 4000 is "RTX" "4000"
#     1B: Llama 3.2 1B
#     22B: Codestral 22B
#     RTX 400: none
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent flexsearch@0.8.212 > /dev/null
cat > search.cjs <<'EOF'
const { Charset, Encoder, Index } = require("flexsearch");
const names = ["Llama 3.2 1B", "Llama 3.2 11B", "Gemma 2B", "Codestral 22B", "RTX 4000"];
const quoted = (words) => words.map((word) => JSON.stringify(word)).join(" ");
for (const [label, options] of [
  ["as it comes", {}],
  ["dedupe: false", { encoder: new Encoder({ dedupe: false }) }],
  ["dedupe: false, numeric: false", { encoder: new Encoder({ dedupe: false, numeric: false }) }],
  ["Charset.Exact", { encoder: Charset.Exact }],
]) {
  const index = new Index(options);
  names.forEach((name, id) => index.add(id, name));
  const words = [names[1], names[4]].map((name) => `${name} is ${quoted(index.encoder.encode(name))}`);
  console.log(`${label}: ${words.join(", ")}`);
  for (const query of ["1B", "22B", "RTX 400"]) {
    console.log(`  ${query}: ${index.search(query).map((id) => names[id]).join(", ") || "none"}`);
  }
}
EOF
node search.cjs > seen
cat > expected <<'EOF'
as it comes: Llama 3.2 11B is "lama" "3" "2" "1b", RTX 4000 is "rtx" "40" "0"
  1B: Llama 3.2 1B, Llama 3.2 11B
  22B: Gemma 2B, Codestral 22B
  RTX 400: RTX 4000
dedupe: false: Llama 3.2 11B is "llama" "3" "2" "11b", RTX 4000 is "rtx" "400" "0"
  1B: Llama 3.2 1B
  22B: Codestral 22B
  RTX 400: RTX 4000
dedupe: false, numeric: false: Llama 3.2 11B is "llama" "3" "2" "11b", RTX 4000 is "rtx" "4000"
  1B: Llama 3.2 1B
  22B: Codestral 22B
  RTX 400: none
Charset.Exact: Llama 3.2 11B is "Llama" "3" "2" "11B", RTX 4000 is "RTX" "4000"
  1B: Llama 3.2 1B
  22B: Codestral 22B
  RTX 400: none
EOF
cat seen
diff expected seen
