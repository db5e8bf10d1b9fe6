package index

import "strings"

// Keep returns what is kept of a listing of a Catalog, by its number. If nothing is, it keeps what read returns, and
// returns it. What is kept must depend on the listing, the settings and the taxonomy, and on the program.
type Keep func(listing int, read func() []byte) []byte

// keptDoc is what a reader has read in a listing, without the reader's numbers.
type keptDoc struct {
	terms   string   // distinct, one after the other
	lengths []uint32 // of each
	// texts and places have numbers of these terms. In FieldReplaces, the words of the product's name and the words
	// joined take the place of the product's number.
	texts, places []uint32

	platforms, licenses, matches, needs, uses string
}

// code encodes or decodes it.
func (k *keptDoc) code(c *codec) {
	c.values(&k.terms, &k.lengths, &k.texts, &k.places, &k.platforms, &k.licenses, &k.matches, &k.needs, &k.uses)
}

// readOrKept reads the words of a listing, or takes what was kept of them.
func (r *reader) readOrKept(d *builtDoc, read func(), keep func(read func() []byte) []byte) {
	if keep == nil {
		read()
		return
	}
	isRead := false
	kept := keep(func() []byte {
		isRead = true
		read()
		return r.pack(d)
	})
	if !isRead {
		r.unpack(kept, d)
	}
}

// pack returns what the reader has read in a listing.
func (r *reader) pack(d *builtDoc) []byte {
	k := keptDoc{platforms: d.platforms, licenses: d.licenses, matches: d.matches, needs: d.needs, uses: string(d.uses)}
	var terms strings.Builder
	var known []uint32
	r.packed = append(r.packed, make([]uint32, len(r.terms.texts)-len(r.packed))...)
	number := func(term uint32) uint32 {
		if r.packed[term] == 0 {
			known = append(known, term)
			r.packed[term] = uint32(len(known)) // fits: these are some of all terms
			terms.WriteString(r.terms.texts[term])
			k.lengths = append(k.lengths, uint32(len(r.terms.texts[term]))) // fits: see maxDocumentBytes
		}
		return r.packed[term] - 1
	}
	eachText(d.texts, func(head textHead, text []uint32) {
		if head.field() == FieldReplaces {
			text = r.productTexts[text[0]]
			head = newTextHead(FieldReplaces, false, len(text))
		}
		k.texts = append(k.texts, uint32(head))
		for _, term := range text {
			k.texts = append(k.texts, number(term))
		}
	})
	for _, p := range d.places {
		k.places = append(k.places, number(p.term), uint32(p.class))
	}
	for _, term := range known {
		r.packed[term] = 0
	}
	k.terms = terms.String()
	var c codec
	k.code(&c)
	return c.bytes
}

// unpack adds to a listing what pack has returned.
func (r *reader) unpack(kept []byte, d *builtDoc) {
	var k keptDoc
	k.code(&codec{bytes: kept, decoding: true})
	terms := make([]uint32, len(k.lengths))
	for i, n := range k.lengths {
		terms[i], k.terms = r.term(k.terms[:n]), k.terms[n:]
	}
	eachText(k.texts, func(head textHead, text []uint32) {
		for i := range text {
			text[i] = terms[text[i]]
		}
		if last := len(text) - 1; head.field() == FieldReplaces {
			head = newTextHead(FieldReplaces, false, 1)
			text = []uint32{r.product(text[:last], func() uint32 { return text[last] })}
		}
		d.texts = append(append(d.texts, uint32(head)), text...)
	})
	for ; len(k.places) > 0; k.places = k.places[2:] {
		d.places = append(d.places, place{terms[k.places[0]], Class(k.places[1])})
	}
	d.platforms, d.licenses = r.share([]byte(k.platforms)), r.share([]byte(k.licenses))
	d.matches, d.needs, d.uses = r.share([]byte(k.matches)), r.share([]byte(k.needs)), []byte(k.uses)
}
