package api

import (
	"cmp"
	"slices"
	"strings"

	"catalog.example/api/hardware"
	"catalog.example/api/site"
)

// Category is a group of listings. Each listing has one home category.
type Category struct {
	Slug        string   `json:"slug"`
	Name        string   `json:"name"`
	Description string   `json:"description"` // one sentence that a beginner understands
	Group       string   `json:"group"`       // heading above the category
	Formerly    []string `json:"formerly"`    // former slugs, which lead to the present one
	// Asks holds phrases with which people ask for tools of the category. A query with such a
	// phrase ranks the category's listings higher. The phrases are not shown.
	Asks []string `json:"-" yaml:"asks"`
}

// Platform is something a tool runs on.
type Platform struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
	// System is set for an operating system of a computer or phone.
	System bool `json:"system"`
	// GPUVendors lists the makers of graphics cards that computers with the system have.
	GPUVendors []string `json:"gpuVendors"`
	// On lists the systems that can also run the platform's tools. For the web, these are the
	// systems with a browser; for containers, those with containers. It is empty for a system.
	On []string `json:"on"`
	// Client is set if people only use a tool on the platform, such as a web browser, and the tool
	// itself may run on another machine.
	Client bool `json:"client"`
	// Suggested holds the wordings that name the platform in a query. The query then requires it.
	Suggested []string `json:"suggested"`
	Formerly  []string `json:"formerly"` // former slugs, which lead to the present one
}

// Product is a proprietary product that listings replace.
type Product struct {
	Slug     string   `json:"slug"`
	Name     string   `json:"name"`
	Aliases  []string `json:"aliases"` // other names that people type
	Maker    string   `json:"maker"`
	Misses   string   `json:"misses"`   // what people who leave it would miss, shown on pages; "" if not known
	Formerly []string `json:"formerly"` // former slugs, which lead to the present one
}

// Taxonomy is the vocabulary of listings, in the order of the taxonomy files. Pages use
// the same order.
type Taxonomy struct {
	Categories []Category `json:"categories"`
	Platforms  []Platform `json:"platforms"`
	Products   []Product  `json:"products"`
	// Synonyms holds groups of words or phrases that mean the same in a query.
	Synonyms [][]string `json:"synonyms"`
	// Facts defines fitNotes, in the order in which pages show them.
	Facts []Fact `json:"facts"`
	// Hardware describes the computers that searches may name.
	Hardware hardware.Table `json:"hardware"`
	// Models has the sizes of language models; none if the catalogue is not about tools that run them.
	Models hardware.Models `json:"models"`
	Words  Words           `json:"words"`
	// Translations has the words of queries in other languages.
	Translations []Language `json:"translations"`
}

// Language maps words of another language to English, so that queries may be in it
// (taxonomy/translations.yml).
type Language struct {
	Code string `json:"code"` // such as de
	Name string `json:"name"` // in English
	// Spaceless says that words have no spaces between them, as in Japanese.
	Spaceless bool `json:"spaceless"`
	// Endings lists the endings that a word may have, the longest first.
	Endings []string `json:"endings"`
	// Filler lists the words that carry no meaning in a query.
	Filler []string `json:"filler"`
	// Words maps words and phrases to English ones.
	Words map[string]string `json:"words"`
}

// Words holds words of the catalogue's subject that searches treat specially (taxonomy/words.yml).
// General English words need not be listed.
type Words struct {
	// Constraints names the details that agents send besides what the user wants. Shortlist names those
	// that they return besides pageUrl, such as "licence/RAM facts".
	Constraints string `json:"constraints"`
	Shortlist   string `json:"shortlist"`
	// Filler holds words and phrases that people add to any query; they need not match.
	Filler []string `json:"filler"`
	// Weak holds words that fit any job; they need not match, but raise the rank if they do.
	Weak []string `json:"weak"`
	// Technical holds words of people who know the field. A query with none of them ranks a listing
	// higher if the fact marked Fact.Everyday is true.
	Technical []string `json:"technical"`
	// Languages maps a programming language to the wordings in a query that suggest it.
	// Licenses maps a licence family to the wordings that require it.
	Languages map[string][]string `json:"languages"`
	Licenses  map[string][]string `json:"licenses"`
}

// Steps tells agents how to use the catalogue. searchName is the name of the search operation or
// tool; fetchStep says how to get one listing.
func (t *Taxonomy) Steps(s *site.Settings, searchName, fetchStep string) []string {
	return t.steps("Call "+searchName+" with the user's "+s.Wanted()+" and "+t.constraints()+".", fetchStep)
}

// FileSteps tells agents how to use a catalogue without a search server.
func (t *Taxonomy) FileSteps(s *site.Settings) []string {
	return t.steps("In "+Address(s, PathTaxonomy)+", find the categories for the user's "+s.Wanted()+
		". Read their lists, "+s.URL(PathCategoryList)+
		" (pages count from 1), or the whole catalogue, "+s.URL(PathCatalogLines)+". Keep what meets the "+
		t.constraints()+".", "Use "+Address(s, PathProject)+" for one listing.")
}

// constraints names the user's requirements besides what is wanted.
func (t *Taxonomy) constraints() string { return cmp.Or(t.Words.Constraints, "constraints") }

func (t *Taxonomy) steps(find, fetch string) []string {
	return []string{
		"1. " + find,
		"2. Return 3 to 5 fits with `pageUrl` and " + cmp.Or(t.Words.Shortlist, "the facts that decide") + ".",
		"3. " + fetch,
	}
}

// fieldFact describes a search filter on a field of a Project, in the form of a fact.
type fieldFact struct {
	Fact  // Key is the JSON key of the field
	value func(*Project) any
}

// fieldFacts lists the filters on fields. A catalogue has those filters whose field its listings
// have.
var fieldFacts = []fieldFact{
	{Fact{
		Key: "osiApproved", Kind: FactYesNo, Label: "Open source",
		Meaning: "The Open Source Initiative approves its licence.",
		Filter:  &FactFilter{Parameter: "openSource"}, Suits: map[string]string{"1": "under an open-source licence"},
	}, func(p *Project) any { return valueOf(p.OSIApproved) }},
	{Fact{
		Key: "upkeep", Kind: FactChoice, Label: "Upkeep", Meaning: UpkeepMeaning,
		Values: []FactOption{{UpkeepActive, UpkeepActive}, {UpkeepSlow, UpkeepSlow}, {UpkeepDormant, UpkeepDormant},
			{UpkeepArchived, UpkeepArchived}},
		Filter:  &FactFilter{Parameter: "upkeep"},
		Suits:   map[string]string{UpkeepActive: "still kept up", UpkeepSlow: "still kept up"},
		Matters: map[string]string{UpkeepActive: KeptUp},
	}, func(p *Project) any { return valueOf(p.Upkeep) }},
}

// IsField reports whether the fact is a field of the listing rather than a fact of the taxonomy.
func (f *Fact) IsField() bool {
	for i := range fieldFacts {
		if f == &fieldFacts[i].Fact {
			return true
		}
	}
	return false
}

// valueOf returns the value of a field as a fact has it: nil if unknown.
func valueOf[T any](field *T) any {
	if field == nil {
		return nil
	}
	return *field
}

// SearchFacts returns the facts that a search filters by and counts: those of fieldFacts that
// listings have, and the facts of the taxonomy.
func (t *Taxonomy) SearchFacts(s *site.Settings) []*Fact {
	var list []*Fact
	for i := range fieldFacts {
		if f := &fieldFacts[i].Fact; s.HasKey(f.Key) {
			list = append(list, f)
		}
	}
	for i := range t.Facts {
		list = append(list, &t.Facts[i])
	}
	return list
}

// texts returns one text for each value of a list.
func texts[T any](list []T, of func(*T) string) []string {
	all := make([]string, len(list))
	for i := range list {
		all[i] = of(&list[i])
	}
	return all
}

// FactKeys returns the keys of all facts.
func (t *Taxonomy) FactKeys() []string { return texts(t.Facts, func(f *Fact) string { return f.Key }) }

// HasSetups reports whether listings have setups.
func (t *Taxonomy) HasSetups() bool {
	return slices.ContainsFunc(t.Facts, func(f Fact) bool { return f.Kind == FactSetups })
}

// BriefFacts returns the keys of the facts that BriefHit.FitNotes contains: those by which readers choose. There are
// none if listings have setups, because BriefHit.Memory and BriefHit.Fit then say what decides.
func (t *Taxonomy) BriefFacts() (keys []string) {
	for i := range t.Facts {
		isMember := slices.Contains([]string{OpennessKey, ModelLicenseKey, GPUKey, CaveatsKey}, t.Facts[i].Key)
		if t.Facts[i].IsCriterion() && !isMember && !t.HasSetups() {
			keys = append(keys, t.Facts[i].Key)
		}
	}
	return keys
}

// PlaceFact returns the fact whose places are on the maps of lists: the first of the kind place. It returns nil
// if there is none.
func (t *Taxonomy) PlaceFact() *Fact {
	i := slices.IndexFunc(t.Facts, func(f Fact) bool { return f.Kind == FactPlace })
	if i < 0 {
		return nil
	}
	return &t.Facts[i]
}

// HasModels reports whether the taxonomy has sizes of language models, so that listings can name
// what runs their models.
func (t *Taxonomy) HasModels() bool { return t.HasSetups() && len(t.Models.Sizes) > 0 }

// SystemsOf returns the operating systems on which people can use a listing with these platforms:
// the systems among the platforms, and the systems that the other platforms run on (Platform.On).
// own leaves out platforms on which the listing is only used (Platform.Client), so it holds the
// systems on which the listing itself runs. all is empty if the listing names no system, because
// then nothing is known.
func (t *Taxonomy) SystemsOf(platforms []string) (all, own []string) {
	named := false
	for i := range t.Platforms {
		p := &t.Platforms[i]
		if !slices.Contains(platforms, p.Slug) {
			continue
		}
		systems := p.On
		if p.System {
			systems, named = []string{p.Slug}, true
		}
		all = append(all, systems...)
		if !p.Client {
			own = append(own, systems...)
		}
	}
	slices.Sort(all)
	slices.Sort(own)
	if !named {
		all = nil
	}
	return slices.Compact(all), slices.Compact(own)
}

// WithSystems returns the machine with Systems set to the systems that may run on it.
func (t *Taxonomy) WithSystems(m hardware.Machine) hardware.Machine {
	m.Systems = nil
	for i := range t.Platforms {
		p := &t.Platforms[i]
		if p.System && (p.Slug == m.System || m.System == "" && slices.Contains(p.GPUVendors, m.GPUVendor)) {
			m.Systems = append(m.Systems, p.Slug)
		}
	}
	return m
}

// PossibleSystems returns the systems that a computer may have: those of the machine, or else all on which there are
// graphics cards, which leaves out phones.
func (t *Taxonomy) PossibleSystems(m *hardware.Machine) (slugs []string) {
	if len(m.Systems) > 0 {
		return m.Systems
	}
	for i := range t.Platforms {
		if p := &t.Platforms[i]; p.System && len(p.GPUVendors) > 0 {
			slugs = append(slugs, p.Slug)
		}
	}
	return slugs
}

// QueryLanguages returns the codes of the languages that queries may be in, the one of the listings first; nil if there
// is no other.
func (t *Taxonomy) QueryLanguages(s *site.Settings) (codes []string) {
	if base, _, _ := strings.Cut(s.Lang, "-"); base != "en" || len(t.Translations) == 0 {
		return nil // the tables are into English
	}
	codes = []string{"en"}
	for i := range t.Translations {
		codes = append(codes, t.Translations[i].Code)
	}
	return codes
}

// SystemSlugs returns the slugs of the platforms that are systems.
func (t *Taxonomy) SystemSlugs() (slugs []string) {
	for _, p := range t.Platforms {
		if p.System {
			slugs = append(slugs, p.Slug)
		}
	}
	return slugs
}

// Chips returns the texts that rows of lists show for the facts of a listing.
func (t *Taxonomy) Chips(values FactValues) (list []string) {
	for i := range t.Facts {
		list = append(list, t.Facts[i].Chips(values.Get(t.Facts[i].Key))...)
	}
	return list
}

// Fact returns the definition of the fact with that key, or nil.
func (t *Taxonomy) Fact(key string) *Fact {
	for i := range t.Facts {
		if t.Facts[i].Key == key {
			return &t.Facts[i]
		}
	}
	return nil
}

// CategorySlugs returns the slugs of all categories.
func (t *Taxonomy) CategorySlugs() []string {
	return texts(t.Categories, func(c *Category) string { return c.Slug })
}

// PlatformSlugs returns the slugs of all platforms.
func (t *Taxonomy) PlatformSlugs() []string {
	return texts(t.Platforms, func(p *Platform) string { return p.Slug })
}

// first returns the first value of a list for which is reports true.
func first[T any](list []T, is func(*T) bool) (value T, ok bool) {
	for i := range list {
		if is(&list[i]) {
			return list[i], true
		}
	}
	return value, false
}

// Category returns the category with that slug.
func (t *Taxonomy) Category(slug string) (Category, bool) {
	return first(t.Categories, func(c *Category) bool { return c.Slug == slug })
}

// Platform returns the platform with that slug.
func (t *Taxonomy) Platform(slug string) (Platform, bool) {
	return first(t.Platforms, func(p *Platform) bool { return p.Slug == slug })
}

// Product returns the product with that display name.
func (t *Taxonomy) Product(name string) (Product, bool) {
	return first(t.Products, func(p *Product) bool { return p.Name == name })
}
