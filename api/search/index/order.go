package index

import (
	"cmp"
	"slices"
	"strings"

	"catalog.example/api"
)

// All orders of lists compare the slugs last, so that no two listings are equal.

// ComparePopular orders by stars, highest first and null last.
func ComparePopular(a, b *api.Project) int {
	return cmp.Or(nullsLast(a.Stars, b.Stars), strings.Compare(a.Slug, b.Slug))
}

// CompareNewest orders by the day on which a listing was added to the catalogue, then by the day of
// upstream's first commit; latest first and null last.
func CompareNewest(a, b *api.Project) int {
	return cmp.Or(
		cmp.Compare(b.AddedAt, a.AddedAt), nullsLast(a.CreatedAt, b.CreatedAt), strings.Compare(a.Slug, b.Slug))
}

// CompareRecentlyUpdated orders by the day of upstream's latest commit or release; latest first and
// null last.
func CompareRecentlyUpdated(a, b *api.Project) int {
	return cmp.Or(nullsLast(a.UpdatedAt, b.UpdatedAt), strings.Compare(a.Slug, b.Slug))
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
	for _, compare := range []func(x, y *api.Project) int{CompareNewest, CompareRecentlyUpdated} {
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
