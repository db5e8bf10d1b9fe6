package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"catalog.example/api/hardware"
	"catalog.example/api/site"
)

// Comparison is the answer of ToolCompare.
type Comparison struct {
	Projects []ComparedProject `json:"projects"` // in the order of the call
	Warnings []Warning         `json:"warnings,omitempty"`
}

// ComparedProject is a listing beside others: for whom it is the right one, and what differs. A value is
// there only if at least one of the others is known to have another. What is unknown is left out.
type ComparedProject struct {
	Slug      string           `json:"slug"`
	Name      string           `json:"name"`
	Purpose   string           `json:"purpose"`
	Suits     []string         `json:"suits,omitempty"` // reasons to choose it, which another lacks
	License   string           `json:"license,omitempty"`
	Upkeep    string           `json:"upkeep,omitempty"`
	Memory    *hardware.Memory `json:"memory,omitempty"`
	FitNotes  FactValues       `json:"fitNotes,omitempty"` // without texts, pictures and what follows from setups
	Platforms []string         `json:"platforms,omitempty"`
	Caveat    string           `json:"caveat,omitempty"` // as in a BriefHit, whether or not it differs
	PageURL   string           `json:"pageUrl"`
}

// Compare compares listings. briefHits is the JSON of their BriefHits, separated by commas, in any order.
func Compare(s *site.Settings, t *Taxonomy, projects []*ProjectDetail, briefHits []byte) (*Comparison, error) {
	var hits []BriefHit
	if err := json.Unmarshal(append(append([]byte{'['}, briefHits...), ']'), &hits); err != nil {
		return nil, fmt.Errorf("decode brief listings: %w", err)
	}
	// Brief listings are in the order of lists, and these in that of the call.
	slices.SortFunc(hits, func(a, b BriefHit) int {
		position := func(h BriefHit) int {
			return slices.IndexFunc(projects, func(p *ProjectDetail) bool { return p.Slug == h.Slug })
		}
		return position(a) - position(b)
	})
	list, compared := &Comparison{}, make([]*Project, len(projects))
	for i, p := range projects {
		compared[i] = &p.Project
		list.Projects = append(list.Projects, ComparedProject{Slug: p.Slug, Name: p.Name, Purpose: p.Purpose,
			Caveat: hits[i].Caveat, PageURL: p.PageURL})
	}
	each := func(value func(i int) any, keep func(c *ComparedProject, i int)) {
		if !differs(len(projects), value) {
			return
		}
		for i := range projects {
			if Known(value(i)) {
				keep(&list.Projects[i], i)
			}
		}
	}
	each(func(i int) any { return valueOf(projects[i].License) },
		func(c *ComparedProject, i int) { c.License = *projects[i].License })
	upkeep := func(i int) any {
		if stopped := hits[i].Upkeep; stopped != "" {
			return stopped
		}
		return valueOf(projects[i].Upkeep)
	}
	each(upkeep, func(c *ComparedProject, i int) { c.Upkeep, _ = upkeep(i).(string) })
	each(func(i int) any { return valueOf(hits[i].Memory) },
		func(c *ComparedProject, i int) { c.Memory = hits[i].Memory })
	each(func(i int) any { return projects[i].Platforms },
		func(c *ComparedProject, i int) { c.Platforms = projects[i].Platforms })
	for k := range t.Facts {
		f := &t.Facts[k]
		if f.IsCompared() {
			each(func(i int) any { return projects[i].FitNotes.Get(f.Key) }, func(c *ComparedProject, i int) {
				value := projects[i].FitNotes.Get(f.Key)
				c.FitNotes = append(c.FitNotes, FactValue{Key: f.Key, Kind: f.Kind, Value: value})
			})
		}
	}
	for i, suits := range t.Suits(s, compared) {
		for k := range suits {
			list.Projects[i].Suits = append(list.Projects[i].Suits, suits[k].Text())
		}
	}
	return list, nil
}

// IsCompared reports whether values of the fact can be compared: texts and pictures always differ, and what
// follows from setups is in ComparedProject.Memory.
func (f *Fact) IsCompared() bool {
	return !f.Kind.IsFree() && f.Derived == nil
}

// differs reports whether two of n values are known and not the same.
func differs(n int, value func(i int) any) bool {
	var first []byte
	for i := range n {
		if v := value(i); Known(v) {
			text, err := JSON(v)
			if err != nil { // cannot happen: values came from JSON
				panic(err)
			}
			if first != nil && !bytes.Equal(first, text) {
				return true
			}
			first = text
		}
	}
	return false
}
