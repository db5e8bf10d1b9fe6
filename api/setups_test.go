package api_test

import (
	"slices"
	"testing"

	"catalog.example/api"
)

// An estimate is of the computers on which a listing itself runs. A phone only shows the pages of a server.
func TestNeedsOf(t *testing.T) {
	t.Parallel()
	taxonomy := api.Taxonomy{Platforms: []api.Platform{
		{Slug: "linux", System: true, GPUVendors: []string{"nvidia"}}, {Slug: "windows", System: true, GPUVendors: []string{"nvidia"}},
		{Slug: "android", System: true}, {Slug: "docker", On: []string{"linux", "windows"}},
		{Slug: "web", On: []string{"linux", "windows", "android"}, Client: true},
	}}
	for _, test := range []struct{ platforms, own []string }{
		{[]string{"linux", "web"}, []string{"linux"}},
		{[]string{"docker", "web"}, []string{"linux", "windows"}},
		{[]string{"linux", "android"}, []string{"android", "linux"}},
		{[]string{"android", "web"}, nil}, // the page is the program
		{[]string{"web"}, nil},
	} {
		if n := taxonomy.NeedsOf(&api.Project{Platforms: test.platforms}); !slices.Equal(n.Own, test.own) {
			t.Errorf("%v runs itself on %v, want %v", test.platforms, n.Own, test.own)
		}
	}
}
