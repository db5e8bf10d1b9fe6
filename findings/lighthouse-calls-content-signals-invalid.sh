#!/bin/sh
# Lighthouse 12.8.2 calls a robots.txt invalid that has a Content-Signal line, which Cloudflare adds
# to the robots.txt of its customers, or a Content-Usage line of the IETF's drafts. RFC 9309 (2.2.4)
# lets a file have other records. The audit gives 0 points, so that SEO falls from 100 to 92, on every
# page. Crawl-delay, Host and Noindex, which RFC 9309 has not either, are taken.
# Whoever wants 100 points says in a header or in a licence what the content may be used for.
# It needs Node.js and npm, and no browser: the audit gets the text alone. Seen (score, what is said
# of which line):
#   none: 1
#   Content-Signal: search=yes, ai-train=no: 0 (line 2: Unknown directive)
#   Content-Usage: train-ai=n: 0 (line 2: Unknown directive)
#   Crawl-delay: 1: 1
#   Noindex: /private: 1
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent lighthouse@12.8.2 > /dev/null
cat > audit.mjs <<'EOF'
import RobotsTxt from "./node_modules/lighthouse/core/audits/seo/robots-txt.js";
for (const line of ["", "Content-Signal: search=yes, ai-train=no", "Content-Usage: train-ai=n", "Crawl-delay: 1", "Noindex: /private"]) {
  const content = `User-agent: *\n${line ? `${line}\n` : ""}Allow: /\n`;
  const { score, details } = await RobotsTxt.audit({ RobotsTxt: { status: 200, content } });
  const said = (details?.items ?? []).map((item) => ` (line ${item.index}: ${item.message})`).join("");
  console.log(`${line || "none"}: ${score}${said}`);
}
EOF
node audit.mjs > seen.txt
cat seen.txt
cat > want.txt <<'EOF'
none: 1
Content-Signal: search=yes, ai-train=no: 0 (line 2: Unknown directive)
Content-Usage: train-ai=n: 0 (line 2: Unknown directive)
Crawl-delay: 1: 1
Noindex: /private: 1
EOF
diff want.txt seen.txt
