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

// orders returns the listings in the order of each sort but popular, as Order numbers them, followed by the rank
// of each listing.
func (b *Builder) orders() []byte {
	compares := []func(x, y *builtDoc) int{
		func(x, y *builtDoc) int { return compareNewest(&x.order, &y.order) },
		func(x, y *builtDoc) int { return compareRecentlyUpdated(&x.order, &y.order) },
	}
	for _, f := range b.measured {
		if f.Sort != "" {
			compares = append(compares, func(x, y *builtDoc) int {
				return cmp.Or(f.CompareFigures(x.figures[f.Low], y.figures[f.Low]),
					strings.Compare(x.order.slug, y.order.slug))
			})
		}
	}
	column := make([]byte, 0, 8*len(compares)*len(b.docs))
	for _, compare := range compares {
		order := make([]uint32, len(b.docs))
		for i := range order {
			order[i] = uint32(i) // at most maxDocuments
		}
		slices.SortFunc(order, func(x, y uint32) int { return compare(b.docs[x], b.docs[y]) })
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
	at := slices.IndexFunc(ix.sortFacts, func(f *api.Fact) bool { return f.Key == sort }) + 2
	switch {
	case sort == api.SortNewest:
		at = 0
	case sort == api.SortRecentlyUpdated:
		at = 1
	case at < 2:
		return nil, nil
	}
	from := 8 * ix.n * at
	return ix.orders[from : from+4*ix.n], ix.orders[from+4*ix.n : from+8*ix.n]
}
