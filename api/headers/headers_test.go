package headers

import (
	"strings"
	"testing"

	"catalog.example/api/site"
)

// Only pages that search themselves may run WebAssembly and workers.
func TestPolicyOfEachSearch(t *testing.T) {
	t.Parallel()
	for mode, allowed := range map[string]bool{site.SearchByServer: false, site.SearchInBrowser: true, site.SearchNone: false} {
		s := site.Defaults()
		s.Search = mode
		policy := Page(&s)[0].Value
		if strings.Contains(policy, "script-src 'self' 'wasm-unsafe-eval'; ") != allowed || strings.Contains(policy, "; worker-src 'self'; ") != allowed || strings.Contains(policy, "wasm") != allowed || strings.Contains(policy, "worker") != allowed {
			t.Errorf("search %s: %s", mode, policy)
		}
	}
}

func TestHashedName(t *testing.T) {
	t.Parallel()
	const want = "assets/style-ca978112ca1b.css"
	if got := HashedName("assets/style.css", []byte("a")); got != want {
		t.Errorf("the name is %s, want %s", got, want)
	}
	if HashedName("assets/style.css", []byte("b")) == want {
		t.Error("other content has the same name")
	}
	for name, hashed := range map[string]bool{
		want: true, HashedName("assets/search.wasm.lzma", nil): true,
		"assets/style.css": false, "assets/style-ca978112ca1.css": false, "assets/style-CA978112CA1B.css": false, "assets/ca978112ca1b.css": false,
		"style-ca978112ca1b.css": false, "assets/a/style-ca978112ca1b.css": false, "assets/style-ca978112ca1b": false, "index.html": false,
	} {
		if IsHashed(name) != hashed {
			t.Errorf("%s holds a hash: %v", name, !hashed)
		}
	}
}
