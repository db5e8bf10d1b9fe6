#!/bin/sh
# spdx-correct 3.2.0 of npm makes valid SPDX identifiers of licences as people write them. Where it
# knows no word of a text, it looks for a few letters anywhere in it, also within words: "mit" is in
# LIMITED, permitted and submit, so these become MIT, and Unlimited becomes Unlicense. BSL-1.1, the
# short name of the Business Source License of much software around AI, becomes BSL-1.0, the Boost
# licence. So terms that restrict use turn into licences that allow everything, and no warning says
# that it was a guess. One expects null, as the texts without these letters give.
# Whoever reads licences of strangers takes only identifiers that are valid as they stand
# (spdx-expression-parse), and a table of one's own for the rest.
# It needs Node.js and npm. Seen:
#   Apache 2: Apache-2.0
#   Limited commercial use: MIT
#   Non-commercial use permitted: MIT
#   Non-commercial use only: null
#   Unlimited: Unlicense
#   BSL-1.1: BSL-1.0
#   BUSL-1.1: BUSL-1.1
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent spdx-correct@3.2.0 > /dev/null
cat > correct.cjs <<'EOF'
const correct = require("spdx-correct");
for (const text of [
  "Apache 2",
  "Limited commercial use",
  "Non-commercial use permitted",
  "Non-commercial use only",
  "Unlimited",
  "BSL-1.1",
  "BUSL-1.1",
]) {
  console.log(`${text}: ${correct(text)}`);
}
EOF
node correct.cjs > seen
cat > expected <<'EOF'
Apache 2: Apache-2.0
Limited commercial use: MIT
Non-commercial use permitted: MIT
Non-commercial use only: null
Unlimited: Unlicense
BSL-1.1: BSL-1.0
BUSL-1.1: BUSL-1.1
EOF
cat seen
diff expected seen
