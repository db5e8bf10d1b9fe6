package indexfile

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"catalog.example/api/search"
)

// Where there is no room for the copy of a large index, the error says so, and not
// that the index is missing. The test needs the bound that Linux puts on names.
func TestNoRoomForALargeIndex(t *testing.T) {
	// The folder is one in which a file of a longer name than that of the index
	// cannot be made: even root cannot write there.
	const longest = 4095
	public := t.TempDir()
	for left := longest - len("/"+search.FileName) - len(public); left > 1; left = longest - len("/"+search.FileName) - len(public) {
		public += "/" + strings.Repeat("x", min(left-1, 200))
	}
	write(t, public, indexBytes(t))
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	t.Setenv("TMPDIR", nowhere)
	_, err := openIn(public, limits{})
	if !errors.Is(err, search.ErrUnusable) {
		t.Fatal(err)
	}
	for _, part := range []string{"TMPDIR", nowhere, "1 MiB"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	for _, part := range []string{"catalog build", "\n"} {
		if strings.Contains(err.Error(), part) {
			t.Errorf("%q says %q", err, part)
		}
	}
	if ix, err := openIn(public, limits{spare: defaultLimits.spare}); err != nil || ix.Len() == 0 {
		t.Errorf("an index that fits into memory: %v", err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	if ix, err := openIn(public, limits{}); err != nil || ix.Len() == 0 {
		t.Errorf("with room: %v", err)
	}
}
