package api

// Category is a place where listings have their home.
type Category struct {
	Slug        string `json:"slug"`
	Name        string `json:"name"`
	Description string `json:"description"` // one sentence that a beginner understands
	Group       string `json:"group"`       // heading under which the category stands
}

// Platform is something a tool runs on.
type Platform struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// Product is a proprietary product that listings stand in for.
type Product struct {
	Slug    string   `json:"slug"`
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"` // other names that people type
	Maker   string   `json:"maker"`
}

// Taxonomy is the vocabulary that listings refer to. Order is the order of the
// taxonomy files, which pages follow.
type Taxonomy struct {
	Categories []Category `json:"categories"`
	Platforms  []Platform `json:"platforms"`
	Products   []Product  `json:"products"`
	// Synonyms are groups of words or phrases that mean the same to a searcher.
	Synonyms [][]string `json:"synonyms"`
}

// Category returns the category of that slug.
func (t *Taxonomy) Category(slug string) (Category, bool) {
	for _, c := range t.Categories {
		if c.Slug == slug {
			return c, true
		}
	}
	return Category{}, false
}

// Platform returns the platform of that slug.
func (t *Taxonomy) Platform(slug string) (Platform, bool) {
	for _, p := range t.Platforms {
		if p.Slug == slug {
			return p, true
		}
	}
	return Platform{}, false
}

// Product returns the product of that display name.
func (t *Taxonomy) Product(name string) (Product, bool) {
	for _, p := range t.Products {
		if p.Name == name {
			return p, true
		}
	}
	return Product{}, false
}
