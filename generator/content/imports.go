package content

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"catalog.example/api"
)

// ImportsFolder is the folder below the content folder that keeps what imports wrote last.
const ImportsFolder = "imports"

// Import says of which list an import made listings, and when it last did. It is the first line of its file.
type Import struct {
	List     string   `json:"list,omitempty"` // where it can be read, or the name of its file
	Imported api.Date `json:"imported,omitempty"`
}

// imports returns what the page about the catalogue says of all imports; "" if there are none.
func imports(root fs.FS, lang string) (string, error) {
	names, err := fs.Glob(root, path.Join(ImportsFolder, "*.jsonl"))
	var lists []string
	for _, name := range names {
		file, err := root.Open(name)
		if err != nil {
			return "", err
		}
		line, _ := bufio.NewReader(file).ReadSlice('\n') // the next import says what is wrong
		var from Import
		if json.Unmarshal(line, &from) == nil && from.List != "" {
			list, day := "`"+from.List+"`", string(from.Imported)
			if address, _, _ := strings.Cut(from.List, " "); strings.HasPrefix(address, "https://") {
				list = "[" + strings.TrimPrefix(address, "https://") + "](" + address + ")"
			}
			lists = append(lists, programText(lang, listImported, list+", "+day, "list", list, "day", day))
		}
		if err := file.Close(); err != nil {
			return "", err
		}
	}
	slices.Sort(lists)
	all := strings.Join(slices.Compact(lists), ", ")
	if all == "" {
		return "", err
	}
	return programText(lang, madeOfLists, all+".", "lists", all), err
}
