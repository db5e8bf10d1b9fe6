package api

import "testing"

// Builds normalise a listing from several goroutines, so its advisories may not change.
func TestNormalizedChangesNoAdvisories(t *testing.T) {
	t.Parallel()
	p := ProjectDetail{Advisories: &Advisories{Known: []Advisory{{ID: "TEST-1"}}}}
	got := p.Normalized().Advisories
	if got.Known[0].URL != AdvisoryURL("TEST-1") || got.Known[0].Fixed == nil || got.Read == nil {
		t.Errorf("the copy is %+v", got)
	}
	if before := p.Advisories; before.Known[0].URL != "" || before.Known[0].Fixed != nil || before.Read != nil {
		t.Errorf("the original is %+v", before)
	}
}
