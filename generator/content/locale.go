package content

import (
	"slices"
	"strings"

	"catalog.example/api"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// DecimalMark returns the sign before decimals in a language (BCP 47), by CLDR: a comma, or "" for a point.
func DecimalMark(lang string) string {
	if sample := message.NewPrinter(language.Make(lang)).Sprint(number.Decimal(0.5)); strings.Contains(sample, ",") {
		return ","
	}
	return ""
}

// localeOf returns how pages in a language (BCP 47) write figures. Where the sign of a currency stands is not in
// golang.org/x/text, which always writes it first.
func localeOf(lang string) api.Locale {
	tag := language.Make(lang)
	l := api.Locale{Money: map[string]string{}, Decimal: DecimalMark(lang)}
	base, _ := tag.Base()
	region, _ := tag.Region()
	isFirst, space := false, false
	for _, key := range []string{base.String() + "-" + region.String(), base.String()} {
		space = slices.Contains(strings.Fields(signBeforeSpace), key)
		if isFirst = space || slices.Contains(strings.Fields(signBefore), key); isFirst {
			break
		}
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

// Languages, some of them in a region, that write the sign of a currency before the amount (CLDR 48): at once, or
// after a space. Others write it behind the amount, after a space.
const (
	signBefore = "af am bn-IN ceb cy en es-419 es-BO es-BR es-BZ es-CL es-CR es-CU es-DO es-EC es-GQ es-GT es-HN " +
		"es-MX es-NI es-PA es-PR es-SV es-US es-VE fa fil ga gd gu hi id ig ja kn ko lo ml mr ms mt om or pa rm si " +
		"so ta te th ti tr ug ur xh yo yue zh zu"
	signBeforeSpace = "as de-AT de-CH de-LI en-AT en-MV es-AR es-CO es-PE es-PY es-UY fa-AF fy ha it-CH jv mi mn " +
		"ms-BN ne nl ps pt-BR rw sw ta-MY ta-SG wo"
)

// currencySigns maps currencies to signs that need no explanation. "" is for all others, which are shown by their
// codes.
var currencySigns = map[string]string{"EUR": "€", "GBP": "£", "ILS": "₪", "INR": "₹", "JPY": "¥", "KRW": "₩",
	"PLN": "zł", "TRY": "₺", "UAH": "₴", "USD": "$", "VND": "₫", "": "{currency}"}
