package api

import "strings"

// Move is a change of address: of the page and the API path of a listing, or of the page of a
// category, platform or product. From and To are the folders of the pages, relative to the base
// address, such as projects/old-slug.
type Move struct{ From, To string }

// The folders of the pages whose addresses can change.
const (
	FolderProjects   = "projects"
	FolderCategories = "categories"
	FolderPlatforms  = "platforms"
	FolderProducts   = "alternatives"
)

// Moves returns all changes of address that the taxonomy records.
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

// MovesTo returns the moves from former slugs in a folder to the present slug.
func MovesTo(folder, slug string, former []string) (moves []Move) {
	for _, old := range former {
		moves = append(moves, Move{folder + "/" + old, folder + "/" + slug})
	}
	return moves
}

// formerSlugs maps the former slugs in a folder to the present ones.
func formerSlugs(moves []Move, folder string) map[string]string {
	former := map[string]string{}
	for _, m := range moves {
		if old, ok := strings.CutPrefix(m.From, folder+"/"); ok {
			former[old] = strings.TrimPrefix(m.To, folder+"/")
		}
	}
	return former
}
