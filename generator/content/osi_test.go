package content

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var updateOSI = flag.Bool("update-osi", false, "write the table of licences that the Open Source Initiative approves anew")

// The table is the one of the SPDX list by which licences are checked: the module
// that does so brings the list along, and says of each licence what its own table
// leaves out.
func TestOSITableIsCurrent(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/github/go-spdx/v2").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimSpace(string(out))
	text, err := os.ReadFile(filepath.Join(dir, "cmd", "licenses.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		LicenseListVersion string
		Licenses           []struct {
			LicenseID     string
			IsOSIApproved bool
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	var approved []string
	for _, l := range list.Licenses {
		if l.IsOSIApproved {
			approved = append(approved, l.LicenseID)
		}
	}
	slices.Sort(approved)
	if len(approved) < 100 {
		t.Fatalf("the list approves of %d licences", len(approved))
	}
	want := strings.Join(approved, "\n") + "\n"
	if *updateOSI {
		if err := os.WriteFile("osi.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile("osi.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Error("osi.txt is not current; run: make licences")
	}
}

func TestOSIApproved(t *testing.T) {
	yes, no := true, false
	for expression, want := range map[string]*bool{
		"MIT": &yes, "Apache-2.0": &yes, "BUSL-1.1": &no, "Elastic-2.0": &no, "GPL-3.0-or-later": &yes, "GPL-3.0": &yes, "GPL-2.0+": &yes, "AFL-3.0+": &yes,
		"MIT OR BUSL-1.1": &yes, "BUSL-1.1 OR SSPL-1.0": &no, "MIT AND BUSL-1.1": &no, "MIT AND ISC": &yes,
		"GPL-2.0-only WITH Classpath-exception-2.0": &yes, "BUSL-1.1 AND GPL-2.0-only WITH Classpath-exception-2.0": &no,
		"LicenseRef-Own": nil, "MIT OR LicenseRef-Own": &yes, "MIT AND LicenseRef-Own": nil, "BUSL-1.1 AND LicenseRef-Own": &no, "BUSL-1.1 OR LicenseRef-Own": nil,
		"DocumentRef-a:LicenseRef-b":                            nil,
		"(MIT OR BUSL-1.1) AND ISC":                             &yes,
		"MIT OR BUSL-1.1 AND SSPL-1.0":                          &yes, // AND binds closer
		"(MIT OR BUSL-1.1) AND SSPL-1.0":                        &no,
		"((MIT)) AND (BUSL-1.1 OR (Elastic-2.0 OR Apache-2.0))": &yes,
		"mit or busl-1.1":                                       &yes,
	} {
		got := osiApproved(expression)
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: %s, want %s", expression, shownTruth(got), shownTruth(want))
		}
	}
}

func shownTruth(b *bool) string {
	if b == nil {
		return "unknown"
	}
	return fmt.Sprint(*b)
}
