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

// toolAnswers holds the definitions of the pages' tools, and the answers of search_catalog.
type toolAnswers struct {
	Tools []struct {
		Name, Title string
		Annotations map[string]bool
	}
	Views []string // asked for, without that argument and with view=full
	Bytes []int    // of each answer as JSON
}

// askTool runs the module with the pages' tools with Node.js instead of a browser, and calls search_catalog with
// the queries.
func askTool(ctx context.Context, s *builtSite) (*toolAnswers, error) {
	modules, err := filepath.Glob(filepath.Join(s.public, "assets", "agents-*.js"))
	if err != nil || len(modules) != 1 {
		return nil, errors.Join(err, fmt.Errorf("%d modules with tools in the build output, want one", len(modules)))
	}
	module, err := os.ReadFile(modules[0])
	if err != nil {
		return nil, err
	}
	type asked struct {
		Query  string `json:"query"`
		Answer string `json:"answer"`
	}
	input := struct {
		Module  string  `json:"module"`
		Limit   int     `json:"limit"`
		Queries []asked `json:"queries"`
	}{Module: string(module), Limit: limit}
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
		return nil, fmt.Errorf("run the tools with node (Debian: apt-get install nodejs): %w", err)
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
