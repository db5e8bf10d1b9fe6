#!/bin/sh
# rss-parser 3.13.0 of npm changes the order of words in XHTML content of an Atom feed: it puts all
# text of an element before its child elements. A title of type xhtml becomes an object instead of
# a text. A link without rel is an alternate (RFC 4287, 4.2.7.2), but as the link of the feed it
# takes the first link there is, such as self, unless one says rel="alternate". An entry's date is
# its published date, so an update does not show.
# @rowanmanning/feed-parser 2.1.5 reads the same feed as it is meant.
# Whoever writes a feed for all readers uses type html, writes rel="alternate", and puts that
# link first.
# It needs Node.js and npm. Seen:
#   rss-parser
#     link: https://a.example/feed.xml
#     title: {"$":{"type":"xhtml"},"div":[{"_":"A  title","$":{"xmlns":"http://www.w3.org/1999/xhtml"},"em":["new"]}]}
#     content: Runs on  CPU or .<b>one</b><b>GPU</b>
#     date: 2025-05-01T00:00:00.000Z
#   feed-parser
#     link: https://a.example/
#     title: "A new title"
#     content: Runs on <b>one</b> CPU or <b>GPU</b>.
#     date: 2026-05-01T00:00:00.000Z
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent rss-parser@3.13.0 @rowanmanning/feed-parser@2.1.5 > /dev/null
cat > feed.xml <<'EOF'
<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>urn:example:feed</id>
  <title>Tools</title>
  <author><name>Editors</name></author>
  <updated>2026-05-01T00:00:00Z</updated>
  <link rel="self" href="https://a.example/feed.xml"/>
  <link href="https://a.example/"/>
  <entry>
    <id>urn:example:entry</id>
    <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A <em>new</em> title</div></title>
    <published>2025-05-01T00:00:00Z</published>
    <updated>2026-05-01T00:00:00Z</updated>
    <link href="https://a.example/entry"/>
    <content type="xhtml">
      <div xmlns="http://www.w3.org/1999/xhtml">Runs on <b>one</b> CPU or <b>GPU</b>.</div>
    </content>
  </entry>
</feed>
EOF
cat > read.mjs <<'EOF'
import { readFileSync } from "node:fs";
import { parseFeed } from "@rowanmanning/feed-parser";
import Parser from "rss-parser";

const xml = readFileSync("feed.xml", "utf8");
function tell(name, link, { title, content }, date) {
  console.log(`${name}\n  link: ${link}\n  title: ${JSON.stringify(title)}`);
  console.log(`  content: ${content.replace(/<\/?div[^>]*>/g, "").trim()}\n  date: ${date}`);
}
const one = await new Parser().parseString(xml), other = parseFeed(xml);
tell("rss-parser", one.link, one.items[0], one.items[0].isoDate);
tell("feed-parser", other.url, other.items[0], other.items[0].updated.toISOString());
EOF
node read.mjs > seen
cat > expected <<'EOF'
rss-parser
  link: https://a.example/feed.xml
  title: {"$":{"type":"xhtml"},"div":[{"_":"A  title","$":{"xmlns":"http://www.w3.org/1999/xhtml"},"em":["new"]}]}
  content: Runs on  CPU or .<b>one</b><b>GPU</b>
  date: 2025-05-01T00:00:00.000Z
feed-parser
  link: https://a.example/
  title: "A new title"
  content: Runs on <b>one</b> CPU or <b>GPU</b>.
  date: 2026-05-01T00:00:00.000Z
EOF
cat seen
diff expected seen
