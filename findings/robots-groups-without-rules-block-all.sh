#!/bin/sh
# A robots.txt that only adds a Content-Signal to its group for all bots, and then blocks one bot, is
# read as blocking all of them by github.com/temoto/robotstxt v1.1.2 (Go). It is right: RFC 9309 has
# no such line, other records must not interfere (2.2.4), an empty line ends nothing, and user-agent
# lines without rules between them are one group. robots-parser 3.0.1 (npm) ends a group at each line
# that it does not know, also at a Sitemap, which stands outside of groups: so it allows the page that
# the other forbids, and forgets a bot that was named above such a line.
# One expects that the line belongs to the group above it, as people read it.
# Whoever writes robots.txt gives each group a rule, such as Allow: /, and puts other lines after that
# rule or at the end.
# It needs Node.js, npm and Go. Seen (whether the bot may read /):
#   User-agent: * | Content-Signal: ai-train=no | | User-agent: GPTBot | Disallow: /
#     Otherbot: npm true, go false
#     GPTBot: npm false, go false
#   User-agent: * | Allow: / | Content-Signal: ai-train=no | | User-agent: GPTBot | Disallow: /
#     Otherbot: npm true, go true
#     GPTBot: npm false, go false
#   User-agent: GPTBot | Sitemap: https://a.example/sitemap.xml | User-agent: Otherbot | Disallow: /
#     Otherbot: npm false, go false
#     GPTBot: npm true, go false
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent robots-parser@3.0.1 > /dev/null
cat > main.go <<'EOF'
package main

import (
	"fmt"
	"os"

	"github.com/temoto/robotstxt"
)

func main() {
	robots, err := robotstxt.FromString(os.Args[1])
	if err != nil {
		panic(err)
	}
	fmt.Println(robots.TestAgent("/", os.Args[2]))
}
EOF
cat > may.cjs <<'EOF'
const parse = require("robots-parser"), [text, bot] = process.argv.slice(2);
console.log(parse("https://a.example/robots.txt", text).isAllowed("https://a.example/", bot));
EOF
go mod init example > /dev/null 2>&1
go get github.com/temoto/robotstxt@v1.1.2 > /dev/null 2>&1
go build -o may .
for lines in \
  'User-agent: * | Content-Signal: ai-train=no | | User-agent: GPTBot | Disallow: /' \
  'User-agent: * | Allow: / | Content-Signal: ai-train=no | | User-agent: GPTBot | Disallow: /' \
  'User-agent: GPTBot | Sitemap: https://a.example/sitemap.xml | User-agent: Otherbot | Disallow: /'; do
  text=$(echo "$lines" | sed 's/ *| */|/g' | tr '|' '\n')
  echo "$lines"
  for bot in Otherbot GPTBot; do
    echo "  $bot: npm $(node may.cjs "$text" $bot), go $(./may "$text" $bot)"
  done
done > seen
cat > expected <<'EOF'
User-agent: * | Content-Signal: ai-train=no | | User-agent: GPTBot | Disallow: /
  Otherbot: npm true, go false
  GPTBot: npm false, go false
User-agent: * | Allow: / | Content-Signal: ai-train=no | | User-agent: GPTBot | Disallow: /
  Otherbot: npm true, go true
  GPTBot: npm false, go false
User-agent: GPTBot | Sitemap: https://a.example/sitemap.xml | User-agent: Otherbot | Disallow: /
  Otherbot: npm false, go false
  GPTBot: npm true, go false
EOF
cat seen
diff expected seen
