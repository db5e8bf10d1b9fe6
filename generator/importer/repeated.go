package importer

// repeated is what happened to many values, and is told once, at the first of them.
type repeated struct {
	kind  string
	count int
	tell  func(count int)
}

// once counts something that happens to a value. tell tells of the first one, with the number of all.
func (c *converter) once(kind string, tell func(count int)) {
	for _, r := range c.repeated {
		if r.kind == kind {
			r.count++
			return
		}
	}
	c.repeated = append(c.repeated, &repeated{kind, 1, tell})
}

// tellRepeated tells what happened to many values.
func (c *converter) tellRepeated() {
	for _, r := range c.repeated {
		r.tell(r.count)
	}
}
