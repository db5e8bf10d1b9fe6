package api

import (
	"slices"
	"strconv"
	"strings"

	"catalog.example/api/spelling"
)

// meantBy lists names that programs try for a parameter that is called otherwise.
type meantBy struct {
	parameter string
	same      []string // names that can mean only the parameter, in its unit
	alike     []string // names that may have another unit or meaning
	about     string   // what to say of the parameter where one of alike is given
}

// otherNames lists names that language models try, as foldName writes them. Another spelling of a
// parameter's own name, such as ram_gb, needs no entry.
var otherNames = []meantBy{
	{parameter: "q", same: []string{"query", "text", "search", "searchquery", "searchterm", "keyword",
		"keywords"}},
	{parameter: "category", same: []string{"categories"}},
	{parameter: "platform", same: []string{"platforms"}},
	{parameter: "license", same: []string{"licence", "licenses", "licences", "spdx", "spdxid"}},
	{"ramGb", []string{"ramgib"}, []string{"ram", "memory", "memorygb", "rammb"}, "the computer's RAM in GB"},
	{"vramGb", []string{"vramgib", "gpumemorygb", "gpuramgb", "gpuvramgb"},
		[]string{"vram", "gpumemory", "gpuram", "gpuvram", "videomemory", "vrammb"}, "its VRAM in GB; 0 for none"},
	{"gpuVendor", []string{"gpumaker"}, []string{"gpuname", "gpumodel", "graphicscard"},
		"the maker of its card; a card's name goes into q"},
	{"arch", []string{"architecture", "cpuarch", "cpuarchitecture"}, []string{"cpu", "processor"},
		"the kind of its processor"},
	{"system", nil, []string{"os", "operatingsystem"}, "the system of the computer"},
	{parameter: "sort", same: []string{"sortby", "order", "orderby"}},
	{parameter: "limit", same: []string{"maxresults", "numresults", "numberofresults", "maxitems", "topk", "topn",
		"count", "pagesize", "perpage"}},
	{"offset", []string{"skip"}, []string{"page", "start", "cursor"}, "how many hits to skip"},
	{"slug", []string{"slugs", "id", "project", "projectid", "projectslug"}, []string{"name", "title"},
		"the slug of a hit"},
	{"slugs", []string{"slug", "ids", "projects", "projectids", "projectslugs"}, []string{"names", "titles", "tools"},
		"the slugs of hits"},
}

// foldName returns a name without what programs write differently: maxResults and max_results are
// the same.
func foldName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

// maxOtherName bounds a name that is looked up in otherNames, in bytes.
const maxOtherName = 40

// meant is what a name that is not a parameter stands for.
type meant struct {
	parameter string // the parameter; "" if none is known
	isSame    bool   // whether its value can be taken
	about     string // what to say of the parameter; "" for nothing
}

// meaning returns what a name stands for that is not in known.
func meaning(name string, known []Parameter) meant {
	if len(name) > maxOtherName {
		return meant{}
	}
	folded := foldName(name)
	for i := range known {
		if foldName(known[i].Name) == folded {
			return meant{parameter: known[i].Name, isSame: true}
		}
	}
	for _, o := range otherNames {
		isSame := slices.Contains(o.same, folded)
		if (isSame || slices.Contains(o.alike, folded)) &&
			slices.ContainsFunc(known, func(p Parameter) bool { return p.Name == o.parameter }) {
			m := meant{parameter: o.parameter, isSame: isSame}
			if !isSame {
				m.about = o.about
			}
			return m
		}
	}
	return meant{}
}

// unknownWarning is the warning about a parameter that was ignored. It names the one that is meant, or
// else the nearest in spelling.
func unknownWarning(name string, known []Parameter) Warning {
	message := "The parameter " + quote(name) + " is unknown and was ignored."
	if m := meaning(name, known); m.parameter != "" {
		message += " " + m.advice()
	} else {
		names := make([]string, len(known))
		for i := range known {
			names[i] = known[i].Name
		}
		if nearest := spelling.Nearest(name, names, 1); len(nearest) > 0 {
			message += " The nearest known one is " + strconv.Quote(nearest[0]) + "."
		}
	}
	return nameWarning(name, message)
}

// advice says which parameter to use instead.
func (m meant) advice() string {
	if m.about == "" {
		return "Use " + strconv.Quote(m.parameter) + "."
	}
	return "Use " + strconv.Quote(m.parameter) + ": " + m.about + "."
}

func nameWarning(name, message string) Warning {
	short := name[:min(len(name), maxEchoed)]
	return Warning{Code: WarnUnknownParameter, Parameter: strings.ToValidUTF8(short, "\uFFFD"), Message: message}
}

// OtherNames returns what page code needs to do as RightNames does: by the names that foldName
// returns, the parameter whose value can be taken, and otherwise the advice.
func OtherNames(known []Parameter) (same, advice map[string]string) {
	same, advice = map[string]string{}, map[string]string{}
	names := func(list []string) {
		for _, name := range list {
			if m := meaning(name, known); m.isSame {
				same[name] = m.parameter
			} else if m.parameter != "" {
				advice[name] = m.advice()
			}
		}
	}
	for _, o := range otherNames {
		names(o.same)
		names(o.alike)
	}
	for i := range known {
		names([]string{foldName(known[i].Name)})
	}
	return same, advice
}

// RightNames returns the arguments of a tool under the names of its parameters. An argument with another name
// of a parameter is taken, with a warning, if the name can mean nothing else and the parameter is
// not given; otherwise, a known other name is an error. A list of one value is taken as that value, so that slugs
// can be slug. Unknown arguments stay: the parsers warn about them. An argument that is null is absent.
func RightNames(given map[string]any, known []Parameter) (
	named map[string]any, warnings []Warning, wrong []ParameterError) {
	named = map[string]any{}
	var others []string
	for name, value := range given {
		if value == nil {
			continue
		}
		if slices.ContainsFunc(known, func(p Parameter) bool { return p.Name == name }) {
			named[name] = value
		} else {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	for _, name := range others {
		m := meaning(name, known)
		_, isGiven := named[m.parameter]
		switch {
		case m.parameter == "":
			named[name] = given[name]
		case m.isSame && !isGiven:
			named[m.parameter] = given[name]
			if list, ok := given[name].([]any); ok && len(list) == 1 {
				named[m.parameter] = list[0]
			}
			warnings = append(warnings, nameWarning(name, TakenAs(name, m.parameter)))
		case m.isSame:
			wrong = append(wrong, ParameterError{Parameter: Shorten(name, maxEchoed),
				Message: GivenTwice(m.parameter)})
		default:
			wrong = append(wrong, ParameterError{Parameter: Shorten(name, maxEchoed),
				Message: NoArgument + " " + m.advice()})
		}
	}
	return named, warnings, wrong
}

// NoArgument begins what is said of an argument whose name may mean several things.
const NoArgument = "is not an argument."

// GivenTwice says that an argument and the parameter that it stands for are both given.
func GivenTwice(parameter string) string {
	return "means the same as " + strconv.Quote(parameter) + ", which is given, too: give only that."
}

// GivenAs returns the name under which a parameter was given, by the warnings of RightNames; "" if it is its own.
func GivenAs(parameter string, warnings []Warning) string {
	for _, w := range warnings {
		if w.Message == TakenAs(w.Parameter, parameter) {
			return w.Parameter
		}
	}
	return ""
}

// TakenAs says that an argument was taken for a parameter.
func TakenAs(name, parameter string) string {
	return "The argument " + quote(name) + " was taken as " + strconv.Quote(parameter) + ": use that name."
}
