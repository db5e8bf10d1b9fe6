#!/bin/sh
# parse-link-header 2.0.0 and li 1.3.0 of npm keep one link for each relation: of two alternates
# in a Link header, only the last is left. parse-link-header gives null for a header of more than
# 2000 characters, as for none at all, so the next page of a long list is lost without an error; it
# also ends a quoted title at its first semicolon. Both miss REL=next, though names of parameters
# have no case (RFC 8288, 3). li loses a link that has an escaped quotation mark in its title.
# http-link-header 1.1.4 reads all of these.
# Whoever writes a Link header gives each relation once, keeps it short, and plain.
# It needs Node.js and npm. Seen (relation, last character of the address, title if told):
#   <https://a.example/1>; rel="alternate", <https://a.example/2>; rel="alternate"
#     parse-link-header: alternate 2; li: alternate 2; http-link-header: alternate 1, alternate 2
#   2000 characters
#     parse-link-header: next 1; li: next 1; http-link-header: next 1
#   2001 characters
#     parse-link-header: null; li: next 1; http-link-header: next 1
#   <https://a.example/1>; REL=next
#     parse-link-header: none; li: none; http-link-header: next 1
#   <https://a.example/1>; title="one; two"; rel="next"
#     parse-link-header: next 1 (one); li: next 1; http-link-header: next 1 (one; two)
#   <https://a.example/1>; title="say \"hi\""; rel="next"
#     parse-link-header: next 1 (say \); li: none; http-link-header: next 1 (say "hi")
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent parse-link-header@2.0.0 li@1.3.0 http-link-header@1.1.4 > /dev/null
cat > read.cjs <<'EOF'
const parse = require("parse-link-header"), li = require("li"), http = require("http-link-header");
const readers = {
  "parse-link-header": (text) => {
    const links = parse(text);
    return links && Object.values(links).map(({ rel, url, title }) => [rel, url, title]);
  },
  li: (text) => Object.entries(li.parse(text)),
  "http-link-header": (text) => http.parse(text).refs.map(({ rel, uri, title }) => [rel, uri, title]),
};
function told(links) {
  const all = links?.map(([rel, url, title]) => `${rel} ${url.at(-1)}${title ? ` (${title})` : ""}`);
  return all ? all.join(", ") || "none" : String(links);
}
const end = "/1>; rel=next", long = (size) => "<https://a.example/".padEnd(size - end.length, "a") + end;
for (const text of [
  '<https://a.example/1>; rel="alternate", <https://a.example/2>; rel="alternate"',
  long(2000),
  long(2001),
  "<https://a.example/1>; REL=next",
  '<https://a.example/1>; title="one; two"; rel="next"',
  '<https://a.example/1>; title="say \\"hi\\""; rel="next"',
]) {
  console.log(text.length < 200 ? text : `${text.length} characters`);
  console.log("  " + Object.entries(readers).map(([name, read]) => `${name}: ${told(read(text))}`).join("; "));
}
EOF
node read.cjs > seen
cat > expected <<'EOF'
<https://a.example/1>; rel="alternate", <https://a.example/2>; rel="alternate"
  parse-link-header: alternate 2; li: alternate 2; http-link-header: alternate 1, alternate 2
2000 characters
  parse-link-header: next 1; li: next 1; http-link-header: next 1
2001 characters
  parse-link-header: null; li: next 1; http-link-header: next 1
<https://a.example/1>; REL=next
  parse-link-header: none; li: none; http-link-header: next 1
<https://a.example/1>; title="one; two"; rel="next"
  parse-link-header: next 1 (one); li: next 1; http-link-header: next 1 (one; two)
<https://a.example/1>; title="say \"hi\""; rel="next"
  parse-link-header: next 1 (say \); li: none; http-link-header: next 1 (say "hi")
EOF
cat seen
diff expected seen
