package api_test

import (
	"testing"

	"catalog.example/api"
)

func TestParseDate(t *testing.T) {
	for text, valid := range map[string]bool{
		"2026-02-28": true, "2024-02-29": true, "2026-02-29": false, "2026-2-1": false, "26-02-01": false,
		"2026-13-01": false, "": false, "2026-02-28T00:00:00Z": false, "0000-01-01": false,
		"0001-01-01": false, "1899-12-31": false, "1900-01-01": true,
	} {
		if _, err := api.ParseDate(text); (err == nil) != valid {
			t.Errorf("%q: %v", text, err)
		}
	}
}
