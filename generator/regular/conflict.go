package regular

import (
	"bytes"
	"fmt"
	"strings"
)

// ReadText works like ReadFile, for a text that people write. A text with a merge conflict is an
// *Error, too.
func ReadText(name string, most int64) ([]byte, error) {
	text, err := ReadFile(name, most)
	if err != nil {
		return text, err
	}
	return text, unmerged(text)
}

// unmerged returns an *Error for a text with conflict markers of Git, Mercurial or Subversion.
// These are lines that begin with <<<<<<< or >>>>>>> and, between such lines, with ======= or
// |||||||. Elsewhere, the latter two may underline a heading or begin a table.
func unmerged(text []byte) error {
	if !bytes.Contains(text, []byte("<<<<<<<")) && !bytes.Contains(text, []byte(">>>>>>>")) {
		return nil
	}
	const length = len("<<<<<<<")
	var lines []string
	first, open := 0, false
	for i, line := range bytes.Split(text, []byte("\n")) {
		line = bytes.TrimRight(line, "\r")
		if i == 0 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(line) < length || len(line) > length && line[length] != ' ' {
			continue
		}
		switch mark := string(line[:length]); {
		case mark == "<<<<<<<":
			open = true
		case mark == ">>>>>>>":
			open = false
		case !open || mark != "=======" && mark != "|||||||":
			continue
		}
		if lines = append(lines, fmt.Sprint(i+1)); len(lines) == 1 {
			first = i + 1
		}
	}
	const most = 6
	marks := ""
	switch n := len(lines); {
	case n == 0:
		return nil
	case n == 1:
		marks = "the conflict marker on line " + lines[0]
	case n > most:
		marks = fmt.Sprintf("the conflict markers on lines %s and on %d more lines", strings.Join(lines[:most], ", "),
			n-most)
	default:
		marks = fmt.Sprintf("the conflict markers on lines %s and %s", strings.Join(lines[:n-1], ", "), lines[n-1])
	}
	return &Error{Conflict: first,
		Reason: fmt.Sprintf("has a merge conflict: keep one of the versions, and delete %s; indent a marker that is "+
			"only an example", marks)}
}
