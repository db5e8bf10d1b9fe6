package server

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exposed is what /metrics shows: for each name its type and, by label, the
// values.
type exposed map[string]exposedMetric

type exposedMetric struct {
	kind   string // as in # TYPE
	labels map[string][]string
}

// targetLabels are those that Prometheus adds to whatever it scrapes.
var targetLabels = []string{"job", "instance"}

func readExposed(t testing.TB, text string) exposed {
	t.Helper()
	e := exposed{"up": {kind: "gauge"}} // Prometheus makes it itself
	kinds := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`).FindAllStringSubmatch(text, -1) {
		kinds[m[1]] = m[2]
	}
	for _, s := range parseSamples(t, text) {
		kind := kinds[s.name]
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if base, ok := strings.CutSuffix(s.name, suffix); ok && kind == "" {
				kind = kinds[base]
			}
		}
		if _, ok := e[s.name]; !ok {
			e[s.name] = exposedMetric{kind, map[string][]string{}}
		}
		for label, value := range s.labels {
			if !slices.Contains(e[s.name].labels[label], value) {
				e[s.name].labels[label] = append(e[s.name].labels[label], value)
			}
		}
	}
	return e
}

// promType is what an expression of PromQL gives.
type promType uint8

const (
	promScalar promType = iota
	promVector
	promRange
)

// promValue is the type of an expression, and for a vector the labels of its
// series.
type promValue struct {
	promType promType
	labels   []string // sorted
	metric   string   // of a plain selector, for rate
}

// promParser reads that part of PromQL which our alerts and dashboards use, and
// checks it against the metrics there are: names, labels, label values, types,
// and that both sides of an operator can have series of equal labels. What it
// does not know is an error. Prometheus's own parser would bring 60 modules and
// newer versions of others into go.mod; this is what is needed of it.
type promParser struct {
	metrics exposed
	tokens  []string
	used    map[string]bool // names of metrics
}

var promToken = regexp.MustCompile(`^(?:[0-9]+(?:ms|[smhdwy])\b|[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?|[a-zA-Z_:][a-zA-Z0-9_:]*|"(?:[^"\\]|\\.)*"|=~|!~|==|!=|>=|<=|[-+*/%^<>=(){}\[\],])`)

// promError is what is wrong with an expression.
type promError string

func (p *promParser) fail(format string, args ...any) {
	panic(promError(fmt.Sprintf(format, args...)))
}

// check returns what an expression gives, or what is wrong with it.
func (p *promParser) check(expression string) (value promValue, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			text, ok := reason.(promError)
			if !ok {
				panic(reason)
			}
			err = fmt.Errorf("%s: %s", expression, string(text))
		}
	}()
	p.tokens = nil
	for rest := strings.TrimSpace(expression); rest != ""; rest = strings.TrimSpace(rest) {
		token := promToken.FindString(rest)
		if token == "" {
			p.fail("cannot be read from %q on", rest)
		}
		p.tokens, rest = append(p.tokens, token), rest[len(token):]
	}
	value = p.expression(0)
	if len(p.tokens) > 0 {
		p.fail("%q is too much", p.tokens[0])
	}
	return value, nil
}

func (p *promParser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *promParser) next() string {
	token := p.peek()
	if token == "" {
		p.fail("it ends too soon")
	}
	p.tokens = p.tokens[1:]
	return token
}

func (p *promParser) expect(token string) {
	if got := p.next(); got != token {
		p.fail("%q stands where %q is needed", got, token)
	}
}

func (p *promParser) accept(token string) bool {
	if p.peek() == token {
		p.tokens = p.tokens[1:]
		return true
	}
	return false
}

var promPrecedence = map[string]int{
	"or": 1, "and": 2, "unless": 2, "==": 3, "!=": 3, ">": 3, "<": 3, ">=": 3, "<=": 3, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5,
}

func (p *promParser) expression(least int) promValue {
	left := p.term()
	for {
		operator := p.peek()
		precedence, ok := promPrecedence[operator]
		if !ok || precedence <= least {
			return left
		}
		p.next()
		matching, labels, group := p.matching()
		left = p.combine(operator, left, p.expression(precedence), matching, labels, group)
	}
}

// matching reads on (…) or ignoring (…), and group_left (…) or group_right (…).
func (p *promParser) matching() (kind string, labels []string, group string) {
	if token := p.peek(); token == "on" || token == "ignoring" {
		kind, labels = p.next(), p.labelList()
	}
	if token := p.peek(); token == "group_left" || token == "group_right" {
		group = p.next()
		p.labelList()
	}
	return kind, labels, group
}

func (p *promParser) combine(operator string, left, right promValue, matching string, labels []string, group string) promValue {
	if left.promType == promRange || right.promType == promRange {
		p.fail("%s has a range on one side", operator)
	}
	if left.promType == promScalar || right.promType == promScalar {
		if matching != "" || promPrecedence[operator] < 3 {
			p.fail("%s needs vectors", operator)
		}
		if left.promType == promVector {
			return promValue{promVector, left.labels, ""}
		}
		return promValue{right.promType, right.labels, ""}
	}
	matched := func(side []string) []string {
		return slices.DeleteFunc(slices.Clone(side), func(l string) bool {
			return matching == "on" && !slices.Contains(labels, l) || matching == "ignoring" && slices.Contains(labels, l)
		})
	}
	if operator != "or" && !slices.Equal(matched(left.labels), matched(right.labels)) {
		p.fail("the sides of %s never match: they have the labels %v and %v", operator, left.labels, right.labels)
	}
	if group == "group_right" {
		left = right
	}
	return promValue{promVector, left.labels, ""}
}

var promAggregations = []string{"sum", "min", "max", "count", "avg"}

func (p *promParser) term() promValue {
	token := p.next()
	switch {
	case token == "(":
		v := p.expression(0)
		p.expect(")")
		return v
	case token == "-":
		return p.term()
	case token[0] >= '0' && token[0] <= '9' || token[0] == '.':
		return promValue{promType: promScalar}
	case slices.Contains(promAggregations, token):
		return p.aggregation(token)
	case p.peek() == "(":
		return p.call(token)
	case regexp.MustCompile(`^[a-zA-Z_]`).MatchString(token):
		return p.selector(token)
	}
	p.fail("%q stands where an expression is needed", token)
	return promValue{}
}

func (p *promParser) labelList() []string {
	p.expect("(")
	var labels []string
	for !p.accept(")") {
		labels = append(labels, p.next())
		if !p.accept(",") && p.peek() != ")" {
			p.fail("%q stands in a list of labels", p.peek())
		}
	}
	slices.Sort(labels)
	return labels
}

func (p *promParser) aggregation(name string) promValue {
	by, labels := "", []string(nil)
	if token := p.peek(); token == "by" || token == "without" {
		by, labels = p.next(), p.labelList()
	}
	p.expect("(")
	inner := p.expression(0)
	p.expect(")")
	if inner.promType != promVector {
		p.fail("%s needs a vector", name)
	}
	for _, label := range labels {
		if !slices.Contains(inner.labels, label) {
			p.fail("%s %s (%s): there are only the labels %v", name, by, label, inner.labels)
		}
	}
	if by == "without" {
		labels = slices.DeleteFunc(slices.Clone(inner.labels), func(l string) bool { return slices.Contains(labels, l) })
	}
	return promValue{promVector, labels, ""}
}

func (p *promParser) call(name string) promValue {
	p.expect("(")
	var arguments []promValue
	for !p.accept(")") {
		arguments = append(arguments, p.expression(0))
		if !p.accept(",") && p.peek() != ")" {
			p.fail("%q stands among the arguments of %s", p.peek(), name)
		}
	}
	takes := map[string][]promType{
		"rate": {promRange}, "increase": {promRange}, "changes": {promRange}, "histogram_quantile": {promScalar, promVector},
		"time": {}, "scalar": {promVector}, "absent": {promVector},
	}
	types, ok := takes[name]
	if !ok {
		p.fail("the function %s is not known here", name)
	}
	if len(arguments) != len(types) {
		p.fail("%s has %d arguments", name, len(arguments))
	}
	for i, wanted := range types {
		if arguments[i].promType != wanted {
			p.fail("argument %d of %s is of another type", i+1, name)
		}
	}
	switch name {
	case "time", "scalar":
		return promValue{promType: promScalar}
	case "absent":
		return promValue{promType: promVector}
	case "histogram_quantile":
		labels := slices.DeleteFunc(slices.Clone(arguments[1].labels), func(l string) bool { return l == "le" })
		if len(labels) == len(arguments[1].labels) {
			p.fail("histogram_quantile needs the label le")
		}
		return promValue{promVector, labels, ""}
	case "rate", "increase":
		if kind := p.metrics[arguments[0].metric].kind; kind != "counter" && kind != "histogram" {
			p.fail("%s of %s, which is a %s", name, arguments[0].metric, kind)
		}
	}
	return promValue{promVector, arguments[0].labels, ""}
}

func (p *promParser) selector(name string) promValue {
	metric, ok := p.metrics[name]
	if !ok {
		p.fail("there is no metric %s", name)
	}
	p.used[name] = true
	if p.accept("{") {
		for !p.accept("}") {
			p.matcher(name, metric)
			if !p.accept(",") && p.peek() != "}" {
				p.fail("%q stands among the labels of %s", p.peek(), name)
			}
		}
	}
	v := promValue{promVector, slices.Sorted(maps.Keys(metric.labels)), name}
	v.labels = append(v.labels, targetLabels...)
	slices.Sort(v.labels)
	if p.accept("[") {
		p.duration()
		p.expect("]")
		v.promType = promRange
	}
	if p.accept("offset") {
		p.duration()
	}
	return v
}

func (p *promParser) duration() {
	if token := p.next(); !regexp.MustCompile(`^[0-9]+(ms|[smhdwy])$`).MatchString(token) {
		p.fail("%q is no duration", token)
	}
}

func (p *promParser) matcher(name string, metric exposedMetric) {
	label, operator, value := p.next(), p.next(), strings.Trim(p.next(), `"`)
	if slices.Contains(targetLabels, label) {
		return
	}
	values, ok := metric.labels[label]
	if !ok {
		p.fail("%s has no label %s", name, label)
	}
	alternatives := []string{value}
	switch operator {
	case "=~", "!~":
		alternatives = strings.Split(value, "|")
	case "=", "!=":
	default:
		p.fail("%q stands in a selector of %s", operator, name)
	}
	for _, a := range alternatives {
		if !slices.Contains(values, a) {
			p.fail("%s is never %q: it is one of %v", label, a, values)
		}
	}
}

// The parser refuses what Prometheus refuses, and what it would accept and never
// find.
func TestPromParser(t *testing.T) {
	metrics := exposed{
		"requests_total":  {"counter", map[string][]string{"route": {"a", "b"}}},
		"seconds_bucket":  {"histogram", map[string][]string{"le": {"1", "+Inf"}, "route": {"a"}}},
		"slots":           {"gauge", nil},
		"slots_in_use":    {"gauge", nil},
		"by_reason_total": {"counter", map[string][]string{"reason": {"x"}}},
	}
	for expression, wrong := range map[string]string{
		`slots`: "",
		`sum by (route) (rate(requests_total{route="a",job="x"}[5m])) > 0.5e-3`:       "",
		`histogram_quantile(0.9, sum by (le) (rate(seconds_bucket{route=~"a"}[5m])))`: "",
		`slots_in_use / slots > .8 or slots == 1 * 2`:                                 "",
		`time() - slots > 14 * 24 * 3600`:                                             "",
		`slots < 0.8 * (slots offset 1d)`:                                             "",
		`-slots + count(absent(slots))`:                                               "never match",
		`sum(slots) + count(absent(slots))`:                                           "",
		`sum by (job, instance) (slots) and slots unless slots`:                       "",
		`rate(by_reason_total[5m]) > 0 and slots > 1`:                                 "never match",
		`rate(by_reason_total[5m]) > 0 and on (job, instance) slots > 1`:              "",
		`rate(by_reason_total[5m]) / ignoring (reason) group_left () slots`:           "",
		`rate(requests_total[5m]) / rate(by_reason_total[5m])`:                        "never match",
		`sum without (route) (rate(requests_total[5m])) > 2 * scalar(sum(slots))`:     "",
		`slots{`:                         "too soon",
		`slots)`:                         "too much",
		`(slots`:                         "too soon",
		`sum by (route) (slots)`:         "only the labels",
		`slotz`:                          "no metric slotz",
		`slots{colour="red"}`:            "no label colour",
		`requests_total{route="c"}`:      "never \"c\"",
		`requests_total{route=~"a|c"}`:   "never \"c\"",
		`rate(requests_total)`:           "another type",
		`rate(slots[5m])`:                "is a gauge",
		`rate(requests_total[5])`:        "no duration",
		`requests_total[5m] > 1`:         "range",
		`histogram_quantile(0.9, slots)`: "label le",
		`predict(slots)`:                 "not known",
		`slots ~ 1`:                      "cannot be read",
		`sum(1)`:                         "needs a vector",
		`1 and 2`:                        "needs vectors",
		`slots >`:                        "too soon",
		`rate(requests_total[5m], 1)`:    "2 arguments",
	} {
		p := promParser{metrics: metrics, used: map[string]bool{}}
		_, err := p.check(expression)
		if wrong == "" && err != nil || wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong)) {
			t.Errorf("%s: %v, want %q", expression, err, wrong)
		}
	}
}
