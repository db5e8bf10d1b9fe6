package refresh

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/output"
)

// historyFields lists the fields whose changes matter to those who have chosen a tool.
var historyFields = []string{"license", "archived"}

// history returns the changes of a listing that belong in the history of facts. A value that
// replaces null is not a change.
func (p *plan) history(slug string, day api.Date) (list []content.Change) {
	for _, c := range p.changes {
		if c.Old == nil || !slices.Contains(historyFields, c.Field) {
			continue
		}
		change := content.Change{Day: day, Slug: slug, Field: c.Field, From: c.Old, To: c.New}
		for _, edit := range p.edits {
			if source, ok := edit.Value.(string); ok && slices.Equal(edit.Path, []string{"sources", c.Field}) {
				change.Source = source
			}
		}
		list = append(list, change)
	}
	return list
}

// writeHistory adds changes at the end of the history of facts.
func writeHistory(dir string, changes []content.Change) error {
	if len(changes) == 0 {
		return nil
	}
	name := filepath.Join(dir, content.ChangesFile)
	text, err := os.ReadFile(name) // #nosec G304 -- a file of the content folder
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			text = append(text, '\n')
		}
		for i := range changes {
			line, _ := api.JSON(&changes[i]) // texts and booleans can be encoded
			text = append(append(text, line...), '\n')
		}
		err = output.WriteFile(name, text)
	}
	if err != nil {
		return fmt.Errorf("the listings are updated, but not the history of facts: %w", err)
	}
	return nil
}
