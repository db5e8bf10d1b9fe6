package tokens

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"catalog.example/api"
)

//go:embed tool.mjs
var toolProgram string

// toolAnswers holds the definition and the answers of the pages' search_catalog tool.
type toolAnswers struct {
	Name        string          `json:"name"`
	Annotations map[string]bool `json:"annotations"`
	View        string          `json:"view"`  // default of the argument view
	Views       []string        `json:"views"` // asked for, without that argument and with view=full
	Bytes       []int           `json:"bytes"` // of the text of each answer
	Types       []string        `json:"types"` // of the parts of answers
}

// askTool runs the page code of a build with Node.js instead of a browser, and calls the tool with
// the queries.
func askTool(ctx context.Context, s *builtSite) (*toolAnswers, error) {
	scripts, err := filepath.Glob(filepath.Join(s.public, "assets", "app-*.js"))
	if err != nil || len(scripts) != 1 {
		return nil, errors.Join(err, fmt.Errorf("%d scripts in the build output, want one", len(scripts)))
	}
	script, err := os.ReadFile(scripts[0])
	if err != nil {
		return nil, err
	}
	type asked struct {
		Query  string `json:"query"`
		Answer string `json:"answer"`
	}
	input := struct {
		Script  string  `json:"script"`
		Limit   int     `json:"limit"`
		Queries []asked `json:"queries"`
	}{Script: string(script), Limit: limit}
	for _, q := range s.queries {
		answer, err := s.answer(q.Text, api.ViewBrief)
		if err != nil {
			return nil, err
		}
		input.Queries = append(input.Queries, asked{q.Text, string(answer)})
	}
	given, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, "node", "--input-type=module", "--eval", toolProgram)
	command.Stdin, command.Stderr = bytes.NewReader(given), os.Stderr
	said, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("run the page code with node (Debian: apt-get install nodejs): %w", err)
	}
	var answers toolAnswers
	if err := json.Unmarshal(said, &answers); err != nil {
		return nil, err
	}
	if len(answers.Bytes) != len(s.queries) {
		return nil, fmt.Errorf("the tool answered %d of %d queries", len(answers.Bytes), len(s.queries))
	}
	return &answers, nil
}
