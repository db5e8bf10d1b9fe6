package search

import (
	"cmp"
	"strings"

	"catalog.example/api"
)

// The orders of contract 4. Each ends in the slug, ascending, so that it is
// total.

// ComparePopular orders by stars, highest first, null last.
func ComparePopular(a, b *api.Project) int {
	return cmp.Or(nullsLast(a.Stars, b.Stars), strings.Compare(a.Slug, b.Slug))
}

// CompareNewest orders by the day of joining the catalog, then by the day of
// upstream's first commit (null last), latest first.
func CompareNewest(a, b *api.Project) int {
	return cmp.Or(cmp.Compare(b.AddedAt, a.AddedAt), nullsLast(a.CreatedAt, b.CreatedAt), strings.Compare(a.Slug, b.Slug))
}

// CompareRecentlyUpdated orders by the day of upstream's latest commit or
// release, latest first, null last.
func CompareRecentlyUpdated(a, b *api.Project) int {
	return cmp.Or(nullsLast(a.UpdatedAt, b.UpdatedAt), strings.Compare(a.Slug, b.Slug))
}

// nullsLast orders known values from high to low, and unknown ones after them.
func nullsLast[T cmp.Ordered](a, b *T) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	default:
		return cmp.Compare(*b, *a)
	}
}
