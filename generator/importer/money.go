package importer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"catalog.example/api"
)

// signs has the currencies (ISO 4217) that a sign or a word may stand for. The first one counts, unless the fact has
// another of them; "" says that none does.
var signs = map[string][]string{
	"$": {"USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD", "MXN", "ARS", "BBD", "BMD", "BND", "BSD", "BZD", "CLP",
		"COP", "DOP", "FJD", "GYD", "JMD", "KYD", "LRD", "NAD", "NIO", "SBD", "SRD", "TTD", "UYU", "XCD"},
	"£": {"GBP", "EGP", "FKP", "GIP", "LBP", "SDG", "SHP", "SSP", "SYP"},
	"¥": {"JPY", "CNY"}, "￥": {"JPY", "CNY"}, "円": {"JPY"}, "元": {"CNY"},
	"kr": {"", "DKK", "ISK", "NOK", "SEK"},
	"€":  {"EUR"}, "Euro": {"EUR"}, "Euros": {"EUR"}, "euro": {"EUR"}, "euros": {"EUR"},
	"US$": {"USD"}, "A$": {"AUD"}, "AU$": {"AUD"}, "C$": {"CAD"}, "CA$": {"CAD"}, "HK$": {"HKD"}, "MX$": {"MXN"},
	"NT$": {"TWD"}, "NZ$": {"NZD"}, "R$": {"BRL"}, "S$": {"SGD"},
	"₡": {"CRC"}, "₦": {"NGN"}, "₩": {"KRW", "KPW"}, "₪": {"ILS"}, "₫": {"VND"}, "₭": {"LAK"}, "₮": {"MNT"},
	"₱": {"PHP"}, "₲": {"PYG"}, "₴": {"UAH"}, "₵": {"GHS"}, "₸": {"KZT"}, "₹": {"INR"}, "₺": {"TRY"}, "₼": {"AZN"},
	"₽": {"RUB"}, "₾": {"GEL"}, "฿": {"THB"}, "৳": {"BDT"}, "៛": {"KHR"}, "֏": {"AMD"},
	"Fr": {"CHF"}, "SFr": {"CHF"}, "Ft": {"HUF"}, "Kč": {"CZK"}, "zł": {"PLN"}, "lei": {"RON"},
}

// amountText matches an amount between what may say its currency: € 12, 12.50 EUR, CHF 12.–.
var amountText = regexp.MustCompile(`^([^0-9]*?)\s*` +
	`([-+]?[0-9](?:[0-9.,'’\x{a0}\x{202f}\x{2009} _]*[0-9])?)(?:[.,][-–—]{1,2})?\s*([^0-9]*)$`)

// splitMoney reads an amount, with the currency if the text says it. usual is the currency of amounts without one. It
// also says what a sign of several currencies stands for.
func splitMoney(text, usual string) (parts map[string]string, wrong string) {
	m := amountText.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return nil, "it is not one amount of money"
	}
	parts = map[string]string{"amount": m[2]}
	for _, sign := range []string{strings.TrimLeft(m[1], "~≈ "), m[3]} {
		if sign = strings.TrimSpace(sign); sign == "" {
			continue
		}
		code, wrong := currencyNamed(sign, usual)
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

// currencyNamed returns the code of the currency for which a text stands.
func currencyNamed(text, usual string) (code, wrong string) {
	text = strings.TrimSuffix(text, ".")
	codes := signs[text]
	switch {
	case api.IsCurrency(text):
		return text, ""
	case slices.Contains(codes, usual) && usual != "":
		return usual, ""
	case codes == nil:
		return "", fmt.Sprintf("%q is no known sign or code of a currency: write the amount with a code of ISO 4217, "+
			"such as 12 EUR", text)
	case codes[0] == "":
		return "", fmt.Sprintf("%q may stand for %s: write the code, or name it as the currency of the fact", text,
			strings.Join(codes[1:], ", "))
	}
	return codes[0], ""
}
