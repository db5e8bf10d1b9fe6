package regular

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadText(t *testing.T) {
	for text, want := range map[string]struct {
		line  int // of the first mark; 0 for a text that is read
		marks string
	}{
		"": {0, ""}, "Heading\n=======\n": {0, ""}, "a <<<<<<< b\n": {0, ""}, "<<<<<<<<\n": {0, ""}, "<<<<<<<a\n": {0, ""}, "  <<<<<<< example\n": {0, ""}, "|||||||\n": {0, ""},
		"a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> theirs\n":             {2, "the conflict markers on lines 2, 4 and 6;"},
		"a\r\n<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> theirs\r\n": {2, "the conflict markers on lines 2, 4 and 6;"},
		"<<<<<<<\n|||||||\n=======\n>>>>>>>":                           {1, "the conflict markers on lines 1, 2, 3 and 4;"},
		"\ufeff<<<<<<< .mine\n":                                        {1, "the conflict marker on line 1;"},
		"a\n>>>>>>> only the end\n":                                    {2, "the conflict marker on line 2;"},
		strings.Repeat("<<<<<<< a\n=======\n>>>>>>> b\n", 10):          {1, "the conflict markers on lines 1, 2, 3, 4, 5, 6 and on 24 more lines;"},
	} {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadText(file, 10_000)
		var wrong *Error
		switch {
		case want.line == 0 && (err != nil || string(got) != text):
			t.Errorf("%q: %q, %v", text, got, err)
		case want.line > 0 && (!errors.As(err, &wrong) || wrong.Conflict != want.line || !strings.Contains(wrong.Reason, want.marks)):
			t.Errorf("%q: %v; want line %d and %q", text, err, want.line, want.marks)
		}
	}
}
