#!/bin/sh
# github.com/tdewolff/minify/v2 v2.24.25 merges neighbouring declarations of one kind, and moves
# the first that takes an array or object apart to the front, which saves a space. So it runs before
# what stood above it:
# - of var, always, even where it reads the variable above;
# - of const and let, where it names no variable above. What a call changes does not count, and a
#   name in parentheses is not seen.
# The first program below has another result after that, without any error; the next two throw.
# A declaration of another kind, as let after const, is not merged, and so it stays in its place.
# It needs Node.js and Go. Seen (what the program prints before and after):
#   { const a = next(); const [b] = next(); console.log(a, b); }
#   before: one t
#   after: two o
#   { const a = [next()]; const [b] = (a); console.log(b); }
#   before: one
#   after: ReferenceError
#   { var a = [next()]; var [b] = a; console.log(b); }
#   before: one
#   after: TypeError
#   { const a = next(); let [b] = next(); console.log(a, b); }
#   before: one t
#   after: one t
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
cat > programs <<'EOF'
{ const a = next(); const [b] = next(); console.log(a, b); }
{ const a = [next()]; const [b] = (a); console.log(b); }
{ var a = [next()]; var [b] = a; console.log(b); }
{ const a = next(); let [b] = next(); console.log(a, b); }
EOF
cat > main.go <<'EOF'
package main

import (
	"os"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/js"
)

func main() {
	m := minify.New()
	m.AddFunc("application/javascript", js.Minify)
	if err := m.Minify("application/javascript", os.Stdout, os.Stdin); err != nil {
		panic(err)
	}
}
EOF
go mod init example > /dev/null 2>&1
go get github.com/tdewolff/minify/v2@v2.24.25 > /dev/null 2>&1
go build -o minify .
# The result of a program: what it prints, or the name of its error.
result() {
  node "$1" 2> error || sed -n 's/^\([A-Za-z]*Error\):.*/\1/p' error
}
while read -r program; do
  {
    echo 'const words = ["one", "two"];'
    echo 'function next() { return words.shift(); }'
    echo "$program"
  } > before.cjs
  ./minify < before.cjs > after.cjs
  echo "$program"
  echo "before: $(result before.cjs)"
  echo "after: $(result after.cjs)"
done < programs > seen
cat > expected <<'EOF'
{ const a = next(); const [b] = next(); console.log(a, b); }
before: one t
after: two o
{ const a = [next()]; const [b] = (a); console.log(b); }
before: one
after: ReferenceError
{ var a = [next()]; var [b] = a; console.log(b); }
before: one
after: TypeError
{ const a = next(); let [b] = next(); console.log(a, b); }
before: one t
after: one t
EOF
cat seen
diff expected seen
