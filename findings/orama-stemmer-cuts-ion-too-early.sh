#!/bin/sh
# Orama 3.1.18 (npm) has Porter's stemmer for English. Of words that end in -tion and -sion, it
# takes a letter too many: detection becomes detec, where Porter and his Snowball stemmers have
# detect. The letter before -ion is lost, since "??" binds less than "+" where the parts are joined.
# @orama/stemmers does the same. Words whose -ation is replaced before, such as translation, are right.
# A search takes words that begin as the query does, which hides this in one direction: detection
# (detec) finds "Detects". But detect does not find "Object detection", which it finds without
# stemming. So a setting that should find more finds less.
# Whoever wants stems gives Orama another stemmer, such as that of snowball-stemmers.
# It needs Node.js and npm. Seen:
#   no stemming: detect 1, connect 1, extract 1, translate 0
#   Orama's: detect 0, connect 0, extract 0, translate 1
#   @orama/stemmers: detect 0, connect 0, extract 0, translate 1
#   snowball-stemmers: detect 1, connect 1, extract 1, translate 1
#   detection: detec with @orama/stemmers, detect with snowball-stemmers
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent @orama/orama@3.1.18 @orama/stemmers@3.1.18 \
  snowball-stemmers@0.6.0 > /dev/null
cat > search.mjs <<'EOF'
import { create, insert, search } from "@orama/orama";
import { stemmer } from "@orama/stemmers/english";
import snowball from "snowball-stemmers";

const english = snowball.newStemmer("english"), porter = (word) => english.stem(word);
const tokenizers = {
  "no stemming": { language: "english", stemming: false },
  "Orama's": { language: "english", stemming: true },
  "@orama/stemmers": { language: "english", stemming: true, stemmer },
  "snowball-stemmers": { language: "english", stemming: true, stemmer: porter },
};
for (const [name, tokenizer] of Object.entries(tokenizers)) {
  const tools = create({ schema: { does: "string" }, components: { tokenizer } });
  for (const noun of ["Object detection", "Database connections", "Text extraction", "Translation of speech"]) {
    await insert(tools, { does: noun });
  }
  const found = [];
  for (const term of ["detect", "connect", "extract", "translate"]) {
    found.push(`${term} ${(await search(tools, { term })).count}`);
  }
  console.log(`${name}: ${found.join(", ")}`);
}
console.log(`detection: ${stemmer("detection")} with @orama/stemmers, ${porter("detection")} with snowball-stemmers`);
EOF
node search.mjs > seen
cat > expected <<'EOF'
no stemming: detect 1, connect 1, extract 1, translate 0
Orama's: detect 0, connect 0, extract 0, translate 1
@orama/stemmers: detect 0, connect 0, extract 0, translate 1
snowball-stemmers: detect 1, connect 1, extract 1, translate 1
detection: detec with @orama/stemmers, detect with snowball-stemmers
EOF
cat seen
diff expected seen
