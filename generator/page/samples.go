package page

import (
	"strconv"
	"strings"
)

// sampleView is an example program.
type sampleView struct {
	Language string // its name for people
	ID       string // its name in the page's addresses
	Code     string
}

// sampleShape is the code that handles the answer in the examples of an operation, by
// language.
type sampleShape struct{ javaScript, python, golang, goPrint string }

// listShape handles lists of projects.
var listShape = sampleShape{
	"for (const project of answer.projects) console.log(project.name, project.purpose, project.pageUrl);",
	"for project in answer[\"projects\"]:\n    print(project[\"name\"], project[\"purpose\"], project[\"pageUrl\"])",
	"Projects []struct{ Name, PageURL string }",
	"for _, project := range answer.Projects {\n\t\tfmt.Println(project.Name, project.PageURL)\n\t}",
}

var sampleShapes = map[string]sampleShape{
	"searchCatalog": {
		"for (const hit of answer.hits) console.log(hit.name, hit.fitNotes, hit.pageUrl);",
		"for hit in answer[\"hits\"]:\n    print(hit[\"name\"], hit[\"fitNotes\"], hit[\"pageUrl\"])",
		"Hits []struct {\n\t\t\tName, PageURL string\n\t\t\tFitNotes      map[string]any // nil: unknown\n\t\t}",
		"for _, hit := range answer.Hits {\n\t\tfmt.Println(hit.Name, hit.PageURL)\n\t}",
	},
	"listProjects": listShape,
	"getProject": {
		"console.log(answer.name, answer.pageUrl, answer.fitNotes);",
		"print(answer[\"name\"], answer[\"pageUrl\"], answer[\"fitNotes\"])",
		"Name, PageURL string\n\t\tFitNotes      map[string]any // nil: unknown",
		"fmt.Println(answer.Name, answer.PageURL, answer.FitNotes)",
	},
	"getList": listShape, "getCategoryList": listShape,
	"getOpenAPI": {
		"console.log(answer.info.title, Object.keys(answer.paths));",
		"print(answer[\"info\"][\"title\"], list(answer[\"paths\"]))",
		"Info struct{ Title string }",
		"fmt.Println(answer.Info.Title)",
	},
}

// samplesOf returns complete programs that request an address and need only the standard
// library of their language.
func samplesOf(operation, address string, hasServer bool) []sampleView {
	failure := "(await response.json()).detail"
	if !hasServer { // a host of files answers with a page
		failure = "`status ${response.status}`"
	}
	shape, ok := sampleShapes[operation]
	samples := []sampleView{{"curl", "curl", "curl -sS --fail-with-body " + shellQuoted(address)}}
	if !ok {
		return samples
	}
	quoted := strconv.Quote(address)
	return append(samples,
		sampleView{"JavaScript", "javascript", `const response = await fetch(` + quoted + `);
if (!response.ok) throw new Error(` + failure + `);
const answer = await response.json();
` + shape.javaScript},
		sampleView{"Python", "python", `import json
import urllib.request

with urllib.request.urlopen(` + quoted + `) as response:
    answer = json.load(response)
` + shape.python},
		sampleView{"Go", "go", `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
)

func main() {
	response, err := http.Get(` + quoted + `)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		log.Fatal(response.Status)
	}
	var answer struct {
		` + shape.golang + `
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	` + shape.goPrint + `
}`})
}

// shellQuoted quotes a word for a POSIX shell.
func shellQuoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
