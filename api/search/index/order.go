package index

import (
	"cmp"
	"slices"
	"strings"

	"catalog.example/api"
)

// All orders of lists compare the slugs last, so that no two listings are equal.

// ordered holds what orders compare of a listing.
type ordered struct {
	slug                 string
	stars                *int
	addedAt              api.Date
	createdAt, updatedAt *api.Date
}

func orderedOf(p *api.Project) ordered {
	return ordered{slug: p.Slug, stars: p.Stars, addedAt: p.AddedAt, createdAt: p.CreatedAt, updatedAt: p.UpdatedAt}
}

// compareProjects compares two projects by what orders compare of them.
func compareProjects(compare func(a, b *ordered) int, a, b *api.Project) int {
	x, y := orderedOf(a), orderedOf(b)
	return compare(&x, &y)
}

// ComparePopular orders by stars, highest first and null last.
func ComparePopular(a, b *api.Project) int { return compareProjects(comparePopular, a, b) }

func comparePopular(a, b *ordered) int {
	return cmp.Or(nullsLast(a.stars, b.stars), strings.Compare(a.slug, b.slug))
}

// CompareNewest orders by the day on which a listing was added to the catalogue, then by the day of
// upstream's first commit; latest first and null last.
func CompareNewest(a, b *api.Project) int { return compareProjects(compareNewest, a, b) }

func compareNewest(a, b *ordered) int {
	return cmp.Or(
		cmp.Compare(b.addedAt, a.addedAt), nullsLast(a.createdAt, b.createdAt), strings.Compare(a.slug, b.slug))
}

// CompareRecentlyUpdated orders by the day of upstream's latest commit or release; latest first and
// null last.
func CompareRecentlyUpdated(a, b *api.Project) int {
	return compareProjects(compareRecentlyUpdated, a, b)
}

func compareRecentlyUpdated(a, b *ordered) int {
	return cmp.Or(nullsLast(a.updatedAt, b.updatedAt), strings.Compare(a.slug, b.slug))
}

// nullsLast orders values from high to low, with nil last.
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

// orders returns, first for sort=newest and then for sort=recently-updated, the listings in that
// order, followed by the rank of each listing.
func (b *Builder) orders() []byte {
	column := make([]byte, 0, 16*len(b.docs))
	for _, compare := range []func(x, y *ordered) int{compareNewest, compareRecentlyUpdated} {
		order := make([]uint32, len(b.docs))
		for i := range order {
			order[i] = uint32(i) // at most maxDocuments
		}
		slices.SortFunc(order, func(x, y uint32) int { return compare(&b.docs[x].order, &b.docs[y].order) })
		ranks := make([]uint32, len(b.docs))
		for rank, doc := range order {
			ranks[doc] = uint32(rank) // at most maxDocuments
		}
		column = appendNumbers(appendNumbers(column, order), ranks)
	}
	return column
}

// Order returns the listings in the order of a sort, and the rank of each listing, as numbers of 4
// bytes. It returns nil for sort=popular, because listings are numbered in that order.
func (ix *Index) Order(sort string) (order, ranks []byte) {
	switch sort {
	case api.SortNewest:
		return ix.orders[:4*ix.n], ix.orders[4*ix.n : 8*ix.n]
	case api.SortRecentlyUpdated:
		return ix.orders[8*ix.n : 12*ix.n], ix.orders[12*ix.n:]
	default:
		return nil, nil
	}
}
