package content

import (
	"strings"

	"catalog.example/api"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// localeOf returns how pages in a language (BCP 47) write figures. The decimal mark is that of CLDR. Where the sign
// of a currency stands is not in golang.org/x/text, which always writes it first.
func localeOf(lang string) api.Locale {
	tag := language.Make(lang)
	l := api.Locale{Money: map[string]string{}}
	if sample := message.NewPrinter(tag).Sprint(number.Decimal(0.5)); strings.Contains(sample, ",") {
		l.Decimal = ","
	}
	base, _ := tag.Base()
	_, region, _ := strings.Cut(tag.String(), "-")
	space, isFirst := signFirst[base.String()+"-"+region]
	if !isFirst {
		space, isFirst = signFirst[base.String()]
	}
	const gap = "\u00a0" // does not break
	for currency, sign := range currencySigns {
		switch {
		case !isFirst:
			l.Money[currency] = "{value}" + gap + sign
		case space || sign == "{currency}":
			l.Money[currency] = sign + gap + "{value}"
		default:
			l.Money[currency] = sign + "{value}"
		}
	}
	return l
}

// signFirst lists the languages that write the sign of a currency before the amount (CLDR 48), and whether with a
// space. The others write it behind the amount, with a space.
var signFirst = map[string]bool{"cy": false, "en": false, "es-MX": false, "es-US": false, "fil": false, "ga": false,
	"hi": false, "ja": false, "ko": false, "th": false, "tr": false, "zh": false,
	"de-AT": true, "de-CH": true, "de-LI": true, "id": true, "ms": true, "nl": true, "pt-BR": true}

// currencySigns maps currencies to signs that need no explanation. "" is for all others, which are shown by their
// codes.
var currencySigns = map[string]string{"EUR": "€", "GBP": "£", "ILS": "₪", "INR": "₹", "JPY": "¥", "KRW": "₩",
	"PLN": "zł", "TRY": "₺", "UAH": "₴", "USD": "$", "VND": "₫", "": "{currency}"}
