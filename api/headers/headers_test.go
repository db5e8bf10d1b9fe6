package headers

import "testing"

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
		want: true, HashedName("assets/search.wasm.gz", nil): true,
		"assets/style.css": false, "assets/style-ca978112ca1.css": false, "assets/style-CA978112CA1B.css": false, "assets/ca978112ca1b.css": false,
		"style-ca978112ca1b.css": false, "assets/a/style-ca978112ca1b.css": false, "assets/style-ca978112ca1b": false, "index.html": false,
	} {
		if IsHashed(name) != hashed {
			t.Errorf("%s holds a hash: %v", name, !hashed)
		}
	}
}
