package api

import "strings"

// Move is an address that has changed: the page and the API path of a listing, or the page
// of a category, platform or product. Both are folders of pages, such as
// projects/old-slug, below the base address.
type Move struct{ From, To string }

// The folders of the pages that can move.
const (
	FolderProjects   = "projects"
	FolderCategories = "categories"
	FolderPlatforms  = "platforms"
	FolderProducts   = "alternatives"
)

// Moves returns the addresses of the taxonomy that have changed.
func (t *Taxonomy) Moves() (moves []Move) {
	for _, c := range t.Categories {
		moves = append(moves, MovesTo(FolderCategories, c.Slug, c.Formerly)...)
	}
	for _, p := range t.Platforms {
		moves = append(moves, MovesTo(FolderPlatforms, p.Slug, p.Formerly)...)
	}
	for _, p := range t.Products {
		moves = append(moves, MovesTo(FolderProducts, p.Slug, p.Formerly)...)
	}
	return moves
}

// MovesTo returns the moves of former slugs of a folder to a present one.
func MovesTo(folder, slug string, former []string) (moves []Move) {
	for _, old := range former {
		moves = append(moves, Move{folder + "/" + old, folder + "/" + slug})
	}
	return moves
}

// formerSlugs maps former slugs of a folder to present ones.
func formerSlugs(moves []Move, folder string) map[string]string {
	former := map[string]string{}
	for _, m := range moves {
		if old, ok := strings.CutPrefix(m.From, folder+"/"); ok {
			former[old] = strings.TrimPrefix(m.To, folder+"/")
		}
	}
	return former
}
