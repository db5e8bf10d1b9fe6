package search

import (
	"cmp"
	"strings"

	"catalog.example/api"
)

// sortKeys are what the orders of contract 4 compare. Each order ends in the
// slug, ascending, so that it is total.
type sortKeys struct {
	slug             string
	stars            *int
	added            api.Date
	created, updated *api.Date
}

func sortKeysOf(p *api.Project) sortKeys {
	return sortKeys{p.Slug, p.Stars, p.AddedAt, p.CreatedAt, p.UpdatedAt}
}

func (a *sortKeys) comparePopular(b *sortKeys) int {
	return cmp.Or(nullsLast(a.stars, b.stars), strings.Compare(a.slug, b.slug))
}

func (a *sortKeys) compareNewest(b *sortKeys) int {
	return cmp.Or(cmp.Compare(b.added, a.added), nullsLast(a.created, b.created), strings.Compare(a.slug, b.slug))
}

func (a *sortKeys) compareUpdated(b *sortKeys) int {
	return cmp.Or(nullsLast(a.updated, b.updated), strings.Compare(a.slug, b.slug))
}

// ComparePopular orders by stars, highest first, null last.
func ComparePopular(a, b *api.Project) int {
	x, y := sortKeysOf(a), sortKeysOf(b)
	return x.comparePopular(&y)
}

// CompareNewest orders by the day of joining the catalog, then by the day of
// upstream's first commit (null last), latest first.
func CompareNewest(a, b *api.Project) int {
	x, y := sortKeysOf(a), sortKeysOf(b)
	return x.compareNewest(&y)
}

// CompareRecentlyUpdated orders by the day of upstream's latest commit or
// release, latest first, null last.
func CompareRecentlyUpdated(a, b *api.Project) int {
	x, y := sortKeysOf(a), sortKeysOf(b)
	return x.compareUpdated(&y)
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
