#!/bin/sh
# golang.org/x/text v0.43.0: package currency writes the sign of a currency before the amount, with a space
# between them, in every language. The amount itself follows the language.
#
# Expected, as CLDR has it: "2,50 €" in German, French and Swedish, and "€2.50" in English, without a space. The
# package has the digits and the decimal mark of each language from CLDR, so one expects the pattern of amounts
# to be there, too. It has no way to ask where the sign belongs.
#
# Seen: "€ 2,50" for de, fr and sv, "€ 2.50" for en.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat > go.mod <<'END'
module finding
go 1.26
require golang.org/x/text v0.43.0
END
cat > main.go <<'END'
package main

import (
	"fmt"

	"golang.org/x/text/currency"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

func main() {
	for _, lang := range []string{"en", "de", "fr", "sv"} {
		p := message.NewPrinter(language.MustParse(lang))
		fmt.Printf("%s %q\n", lang, p.Sprint(currency.Symbol(currency.EUR.Amount(2.5))))
	}
}
END
GOFLAGS=-mod=mod go run . > seen 2> log || { cat log >&2; exit 1; }
cat seen
cat > want <<'END'
en "€ 2.50"
de "€ 2,50"
fr "€ 2,50"
sv "€ 2,50"
END
cmp seen want
