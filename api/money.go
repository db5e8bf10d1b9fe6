package api

import (
	"cmp"
	"maps"
	"strconv"
	"strings"
)

// Money is the value of a fact of the kind money.
type Money struct {
	Amount   float64 `json:"amount" jsonschema:"In whole units of the currency, such as 2.5."`
	Currency string  `json:"currency" jsonschema:"Code of ISO 4217, such as EUR."`
}

// statedMoney is how front matter states Money: as an object, or as a number in the currency of the definition.
type statedMoney struct {
	Amount   *float64 `json:"amount"`
	Currency string   `json:"currency"`
}

// moneyForm is how front matter states money.
const moneyForm = "{amount: 2.5, currency: EUR}"

// SetShort implements strictyaml.Shorthand.
func (m *statedMoney) SetShort(value any) (remedy string) {
	amount, ok := value.(float64)
	if !ok {
		return "write a number such as 2.5, or " + moneyForm
	}
	m.Amount = &amount
	return ""
}

// readMoney checks a statedMoney, and returns the Money.
func readMoney(f *Fact, stated any) (any, []ValueProblem) {
	m := stated.(statedMoney)
	if m.Currency == "" {
		m.Currency = f.Currency
	}
	switch {
	case m.Amount == nil:
		return nil, problem("amount is missing: write " + moneyForm)
	case m.Currency == "":
		return nil, problem("the currency is missing, and taxonomy/facts.yml names none for this fact: write " +
			moneyForm)
	case !IsCurrency(m.Currency):
		return nil, problem(quote(m.Currency)+" is no currency: write a code of ISO 4217 in capitals, such as EUR",
			"currency")
	}
	money := Money{*m.Amount, m.Currency}
	if m.Currency != f.Currency { // the bounds are in the currency of the definition
		return money, nil
	}
	return money, f.outOfBounds(money.Amount, "amount")
}

// figuresOfMoney returns the amount, if it is in the currency of the definition.
func figuresOfMoney(f *Fact, value any) (low, high float64, ok bool) {
	m, ok := value.(Money)
	return m.Amount, m.Amount, ok && m.Currency == f.Currency
}

func exampleMoney(f *Fact) any {
	return Money{f.within(2.5), cmp.Or(f.Currency, "EUR")}
}

func (m Money) text(f *Fact) string { return f.locale.money(m) }

// Locale is how pages write figures. The zero value is how the API writes them in texts: 2.5, and 2.50 EUR.
type Locale struct {
	Decimal string // the decimal mark; "" for a point
	// Money maps currencies to patterns, in which {value} stands for the amount. The pattern for "" is for all
	// other currencies, for whose code {currency} stands.
	Money map[string]string
}

// Decimal returns the decimal mark of texts of the fact; "" for a point.
func (f *Fact) Decimal() string { return f.locale.Decimal }

// number writes a number.
func (l Locale) number(n float64) string { return l.mark(strconv.FormatFloat(n, 'f', -1, 64)) }

func (l Locale) mark(number string) string {
	if l.Decimal == "" {
		return number
	}
	return strings.Replace(number, ".", l.Decimal, 1)
}

// money writes an amount: a whole one without decimals, any other with at least two.
func (l Locale) money(m Money) string {
	amount := strconv.FormatFloat(m.Amount, 'f', -1, 64)
	if point := strings.Index(amount, "."); point >= 0 && point == len(amount)-2 {
		amount += "0"
	}
	return strings.NewReplacer("{value}", l.mark(amount), "{currency}", m.Currency).Replace(l.pattern(m.Currency))
}

func (l Locale) pattern(currency string) string {
	for _, key := range []string{currency, ""} {
		if pattern, ok := l.Money[key]; ok {
			return pattern
		}
	}
	return "{value} {currency}"
}

// FigureText writes a figure of the fact, as Text would.
func (f *Fact) FigureText(n float64) string {
	if f.Kind == FactMoney {
		return f.locale.money(Money{n, f.Currency})
	}
	return f.Text(n)
}

// Patterns returns the texts of values that have no names, in which {value} stands for the value. Those of money are
// by currency; the one for "" is for all others.
func (f *Fact) Patterns() map[string]string {
	if f.Kind != FactMoney {
		return map[string]string{"": f.Amount(chipValue)}
	}
	patterns := map[string]string{"": f.locale.pattern("")}
	maps.Copy(patterns, f.locale.Money)
	return patterns
}

// IsCurrency reports whether a text is the code of a currency that is in use (ISO 4217).
func IsCurrency(code string) bool { return len(code) == 3 && strings.Contains(currencies, code+" ") }

// currencies lists the codes of ISO 4217 for money that is in use on 2026-01-01, each followed by a space.
const currencies = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD " +
	"CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD " +
	"HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD " +
	"MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG " +
	"QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD " +
	"TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG "
