package page

import (
	_ "embed" // for the templates of the examples
	"slices"
	"strings"
	"text/template"
)

//go:embed samples.txt
var samplesText string

// samples are the templates of example programs by language.
var samples = template.Must(template.New("samples").Funcs(template.FuncMap{"shell": shellQuoted}).Parse(samplesText))

// sampleView is an example program.
type sampleView struct {
	Language string // its name for people
	ID       string // its name in the page's addresses
	Code     string
}

// programs lists the operations with examples in all languages. Other operations have only a curl
// example.
var programs = []string{"searchCatalog", "listProjects", "getProject", "getList", "getCategoryList", "getOpenAPI"}

// samplesOf returns programs that request an address.
func samplesOf(operation, address string, hasServer bool) (list []sampleView, err error) {
	languages := []string{"curl", "JavaScript", "Python", "Go"}
	if !slices.Contains(programs, operation) {
		languages = languages[:1]
	}
	for _, language := range languages {
		var code strings.Builder
		view := struct {
			ID, Address string
			HasServer   bool
		}{operation, address, hasServer}
		if err := samples.ExecuteTemplate(&code, language, view); err != nil {
			return nil, err
		}
		list = append(list, sampleView{language, strings.ToLower(language), code.String()})
	}
	return list, nil
}

// shellQuoted quotes a word for a POSIX shell.
func shellQuoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
