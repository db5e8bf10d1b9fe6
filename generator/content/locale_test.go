package content

import (
	"slices"
	"testing"

	"catalog.example/api"
	"golang.org/x/text/currency"
)

// Pages write figures as readers of their language do.
func TestLocale(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ lang, hours, euros, whole, francs string }{
		{"en", "2.5 h", "€2.50", "€10", "CHF\u00a02.50"},
		{"de", "2,5 h", "2,50\u00a0€", "10\u00a0€", "2,50\u00a0CHF"},
		{"de-CH", "2.5 h", "€\u00a02.50", "€\u00a010", "CHF\u00a02.50"},
		{"fr", "2,5 h", "2,50\u00a0€", "10\u00a0€", "2,50\u00a0CHF"},
		{"nl-BE", "2,5 h", "€\u00a02,50", "€\u00a010", "CHF\u00a02,50"},
		{"es-AR", "2,5 h", "€\u00a02,50", "€\u00a010", "CHF\u00a02,50"},
		{"es-MX", "2.5 h", "€2.50", "€10", "CHF\u00a02.50"},
		{"de-Latn-AT", "2,5 h", "€\u00a02,50", "€\u00a010", "CHF\u00a02,50"},
		{"pt", "2,5 h", "€\u00a02,50", "€\u00a010", "CHF\u00a02,50"},
		{"pt-PT", "2,5 h", "2,50\u00a0€", "10\u00a0€", "2,50\u00a0CHF"},
		{"ja", "2.5 h", "€2.50", "€10", "CHF\u00a02.50"},
		{"ar", "2.5 h", "2.50\u00a0€", "10\u00a0€", "2.50\u00a0CHF"},
	} {
		locale := localeOf(tt.lang)
		number := api.Fact{Kind: api.FactNumber, Unit: "h"}.WithLocale(locale)
		money := api.Fact{Kind: api.FactMoney}.WithLocale(locale)
		got := []string{number.Text(2.5), money.Text(api.Money{Amount: 2.5, Currency: "EUR"}), money.Text(api.Money{Amount: 10, Currency: "EUR"}), money.Text(api.Money{Amount: 2.5, Currency: "CHF"})}
		for i, want := range []string{tt.hours, tt.euros, tt.whole, tt.francs} {
			if got[i] != want {
				t.Errorf("%s: %q, want %q", tt.lang, got[i], want)
			}
		}
	}
}

// Every currency that is legal tender somewhere is known, but those that were replaced after golang.org/x/text was made.
func TestCurrencies(t *testing.T) {
	t.Parallel()
	seen := 0
	for q := currency.Query(); q.Next(); seen++ {
		if code := q.Unit().String(); !api.IsCurrency(code) && !slices.Contains([]string{"ANG", "BGN", "CUC", "HRK", "MRO", "SLL", "VEF"}, code) {
			t.Errorf("%s, of %s, is unknown", code, q.Region())
		}
	}
	for sign := range currencySigns {
		if sign != "" && !api.IsCurrency(sign) {
			t.Errorf("%s has a sign, and is no currency", sign)
		}
	}
	if seen < 150 {
		t.Errorf("only %d currencies were seen", seen)
	}
	if !api.IsCurrency("XCG") { // in place of ANG since 2025-03-31
		t.Error("XCG is unknown")
	}
	for _, wrong := range []string{"", "EU", "eur", "EURO", "UR ", "XXX"} {
		if api.IsCurrency(wrong) {
			t.Errorf("%q is a currency", wrong)
		}
	}
}
