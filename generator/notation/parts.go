package notation

import (
	_ "embed" // for the table of signs
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
)

//go:embed currencies.txt
var currenciesText string

// signs has the currencies that a sign or a word may stand for.
var signs = func() map[string][]string {
	all := map[string][]string{}
	for _, words := range table(currenciesText) {
		all[words[0]] = words[1:]
	}
	return all
}()

// amountText matches an amount between what may say its currency: € 12, 12.50 EUR, CHF 12.–.
var amountText = regexp.MustCompile(`^([^0-9]*?)\s*(` + figure + `)(?:[.,:][-–—]{1,2})?\s*([^0-9]*)$`)

// colonText matches an amount with a colon before its hundredths: 29:50.
var colonText = regexp.MustCompile(`([0-9]):([0-9]{2})(\s|$)`)

// roughly matches what may stand before an amount that is not exact.
var roughly = regexp.MustCompile(`(?i)^[~≈\s]+|^(?:` + roughWords + `)\.?(?:\s+|$)`)

// free matches what stands for an amount of nothing.
var free = regexp.MustCompile(`(?i)^\s*(free|gratis|gratuite?|gratuito|kostenlos)\s*$`)

// Money reads an amount, with the currency if the text says it. usual is the currency of amounts without one. It
// also says what a sign of several currencies stands for.
func Money(text, usual string) (parts map[string]string, wrong string) {
	if free.MatchString(text) {
		text = "0"
	}
	m := amountText.FindStringSubmatch(colonText.ReplaceAllString(strings.TrimSpace(text), "$1,$2$3"))
	if m == nil {
		return nil, "it is not one amount of money, such as 12.50 EUR"
	}
	behind := m[3]
	switch letter := firstWord.FindString(behind); {
	case letter == "K", letter == "m" && m[1] != "": // €1.2m is no length
		behind = map[string]string{"K": "k", "m": "M"}[letter] + behind[1:]
	}
	by, unit := Scale(behind)
	if by == 0 {
		return nil, InTwoScales
	}
	parts = map[string]string{"amount": strings.TrimSpace(m[2] + " " + strings.TrimSuffix(behind, unit))}
	for _, sign := range []string{roughly.ReplaceAllString(m[1], ""), unit} {
		if sign = strings.TrimSpace(sign); sign == "" {
			continue
		}
		code, wrong := Currency(sign, usual)
		switch {
		case wrong != "":
			return nil, wrong
		case parts["currency"] != "" && parts["currency"] != code:
			return nil, fmt.Sprintf("it has two currencies, %s and %s", parts["currency"], code)
		}
		parts["currency"] = code
	}
	return parts, ""
}

// Currency returns the code of the currency for which a text stands.
func Currency(text, usual string) (code, wrong string) {
	text = strings.TrimSuffix(text, ".")
	codes := signs[text]
	switch {
	case api.IsCurrency(text):
		return text, ""
	case slices.Contains(codes, usual):
		return usual, ""
	case codes == nil && rate.MatchString(text):
		return "", fmt.Sprintf("it is an amount for each of something: to have such amounts, give the fact kind: "+
			"number and unit: %q", text)
	case codes == nil:
		return "", fmt.Sprintf("%q is no known sign or code of a currency: write the amount with a code of ISO 4217, "+
			"such as 12 EUR", text)
	case codes[0] == "?":
		return "", fmt.Sprintf("%q may stand for %s: write the code, or name it as the currency of the fact", text,
			strings.Join(codes[1:], ", "))
	}
	return codes[0], ""
}

const (
	figure  = `[-+]?[0-9](?:[0-9.,'’\x{a0}\x{202f}\x{2009} _]*[0-9])?`
	between = `(?:-|–|—|−|\.\.\.?|…|/|\bto\b|\bbis\b|\buntil\b|\btill\b|à)`
)

// rangeText matches two numbers, perhaps with a unit behind each: 8–10, 8 to 10 h, 8 h - 10 h.
var rangeText = regexp.MustCompile(`^(` + figure + `)\s*([^-–—−0-9./…]*?)\s*` + between + `\s*(` + figure +
	`)\s*(` + unitText + `)$`)

// Range reads two numbers, one that is both ends, or the upper end alone: up to 90. A rate, such as h / week, is
// another unit than the hours of the fact.
func Range(text, unit string) (parts map[string]string, wrong string) {
	found := Figures(text)
	if found == nil {
		return nil, "it is neither a range of numbers, such as 8–10, nor one number"
	}
	first, last := found[0], found[len(found)-1]
	if by, _ := Scale(last.Unit); by == 0 {
		return nil, InTwoScales
	}
	if rate.MatchString(last.Unit) && !rate.MatchString(unit) {
		return nil, fmt.Sprintf(OtherUnit, last.Unit, unit)
	}
	if IsUpTo(text) {
		return map[string]string{"to": last.Number}, ""
	}
	return map[string]string{"from": first.Number, "to": last.Number}, ""
}

// digitsOfDate matches a date of digits.
const digitsOfDate = `[0-9]{4}(?:-[0-9]{2}){0,2}|[0-9]{1,2}\.[0-9]{1,2}\.(?:[0-9]{2}){1,2}`

// datesBetween matches what stands between two dates, which have hyphens themselves, and datesText two dates between
// which it does not: 1852-1899, 2026-04/2026-09.
var (
	datesBetween = regexp.MustCompile(`\s+(?:-|to|bis|until|till)\s+|\s*(?:–|—|−|\.\.\.?|…)\s*`)
	datesText    = regexp.MustCompile(`^(` + digitsOfDate + `)\s*[-/]\s*(` + digitsOfDate + `)$`)
)

// Dates reads two dates, or one that is both ends.
func Dates(text string) (parts map[string]string, wrong string) {
	ends := datesBetween.Split(strings.TrimPrefix(text, "from "), -1)
	if m := datesText.FindStringSubmatch(text); m != nil {
		ends = m[1:]
	}
	if len(ends) > 2 {
		return nil, "it is not one range of dates, such as 2026-04-01 – 2026-09-30"
	}
	return map[string]string{"from": ends[0], "to": ends[len(ends)-1]}, ""
}

// degreesText is a latitude or a longitude: 52.5, 52.5° N, W 13° 24′ 18.5″, 11° Ost.
const degreesText = toward + `\s*([-+−]?[0-9]{1,3}(?:[.,][0-9]+)?)\s*(?:[°º]\s*(?:([0-9]{1,2}(?:[.,][0-9]+)?)\s*['′’]\s*` +
	`(?:([0-9]{1,2}(?:[.,][0-9]+)?)\s*(?:["″”]|''|′′)\s*)?)?)?\s*` + toward

const toward = `((?:N(?:ORD)?|S(?:ÜD)?|E|O(?:ST)?|W(?:EST)?)?)`

var (
	degreesPattern = regexp.MustCompile(`^\s*` + degreesText + `\s*$`)
	placeText      = regexp.MustCompile(`^(?:GEO:)?\s*(` + degreesText + `)(?:\s*[,;/]\s*|\s+)(` + degreesText + `)\s*$`)
)

// isToward reports whether a latitude or longitude names one of some directions, before or behind it.
func isToward(letters, before, behind string) bool {
	name := before + behind
	return name != "" && strings.Contains(letters, name[:1])
}

// Place reads a latitude and a longitude. The letters E, O and W say that the longitude comes first.
func Place(text string) (parts map[string]string, wrong string) {
	m := placeText.FindStringSubmatch(strings.ToUpper(strings.Trim(text, "()[] ")))
	if m == nil {
		return nil, "it is no latitude and longitude: write them as 52.52, 13.4"
	}
	parts = map[string]string{"latitude": m[1], "longitude": m[7]}
	if isToward("EOW", m[2], m[6]) && isToward("NS", m[8], m[12]) {
		parts = map[string]string{"latitude": m[7], "longitude": m[1]}
	}
	return parts, ""
}

// Degrees reads a latitude or a longitude in a language (BCP 47).
func Degrees(text, lang string) (degrees any, wrong string) {
	m := degreesPattern.FindStringSubmatch(strings.ToUpper(text))
	if m == nil {
		return nil, "it is no number of degrees: write it as 13.4 or 13° 24′ 0″ E"
	}
	isWest := isToward("SW", m[1], m[5])
	if isToward("O", m[1], m[5]) && m[1]+m[5] != "OST" {
		switch lang, _, _ := strings.Cut(lang, "-"); lang {
		case "ca", "es", "fr", "gl", "it", "pt": // oeste
			isWest = true
		case "de", "nl": // Ost
		default:
			return nil, "O is the east for some, and the west for others: write E or W"
		}
	}
	number := 0.0
	for i, unit := range []float64{1, 60, 3600} {
		digits := strings.NewReplacer(",", ".", "+", "", "−", "", "-", "").Replace(m[2+i])
		n, _ := strconv.ParseFloat(digits, 64) // the pattern has checked it; minutes and seconds may be ""
		number += n / unit
	}
	if isWest != strings.ContainsAny(m[2], "-−") {
		number = -number
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(number, 'f', 6, 64), 64) // a tenth of a metre
	return rounded, ""
}
