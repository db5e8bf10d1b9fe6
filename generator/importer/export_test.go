package importer

// CopyFolder is copyFolder for tests.
func CopyFolder(from, to string) error { return copyFolder(from, to) }

// Functions returns the functions of maps as rows of a table in Markdown.
func Functions() (rows []string) {
	for _, f := range functions {
		name := f.name
		if f.argument {
			name += " …"
		}
		rows = append(rows, "| `"+name+"` | "+f.does+" |")
	}
	return rows
}
