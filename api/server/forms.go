package server

import (
	"container/list"
	"io/fs"
	"strconv"
	"sync"

	"catalog.example/api"
	"catalog.example/api/search"
)

// keptBytes bounds the memory of all forms that are kept, in bytes. It holds the
// pages of some hundred listings in every coding that browsers ask for, or the
// headers of 20,000 listings; a quarter of the memory that a server of a small
// catalog may take.
const keptBytes = 16 << 20

// formBytes is about what a form takes beside its body: its headers, its key, its
// places in the map and the list.
const formBytes = 768

// form is what is sent of a resource in one coding: the body, and the headers
// that follow from it. It never changes, and any number of answers share it.
type form struct {
	tag     string // what the ETags of all codings of the body begin with
	coding  coding
	size    int64 // of the body, in bytes
	shrinks bool  // it is text, which is worth compressing

	// Values of headers; nil where there is none.
	etag, contentType, contentLength, link []string

	// body is nil where it is copied from the index each time, or read from a
	// large file.
	body []byte
	// file is what the form was made of, as it was then; nil for the index.
	file fs.FileInfo
}

// newForm returns the form of a body of that size without a coding.
func newForm(tag, contentType string, size int64, shrinks bool) *form {
	return &form{
		tag: tag, size: size, shrinks: shrinks, etag: []string{etagOf(tag, identity)},
		contentType: []string{contentType}, contentLength: []string{strconv.FormatInt(size, 10)},
	}
}

// coded returns the form in a coding in which the body is these bytes.
func (f *form) coded(c coding, body []byte) *form {
	other := *f
	other.coding, other.body, other.size = c, body, int64(len(body))
	other.etag, other.contentLength = []string{etagOf(f.tag, c)}, []string{strconv.Itoa(len(body))}
	return &other
}

// memory is about what the form takes, in bytes.
func (f *form) memory() int64 { return formBytes + int64(len(f.body)) }

// sourceKind is where the body of a form comes from.
type sourceKind uint8

const (
	fromProject sourceKind = iota // the listing of a slug
	fromList                      // a page of the list
	fromOpenAPI                   // the OpenAPI document
	fromFile                      // a file of the build output
)

// source is what a form is of.
type source struct {
	kind sourceKind
	name string // a slug, or the name of a file
	list api.ListQuery
}

// appendTo appends the body of what comes from the index; it tells whether there
// is one.
func (o *source) appendTo(dst []byte, ix *search.Index) ([]byte, bool) {
	if o.kind == fromProject {
		return ix.AppendProject(dst, o.name)
	}
	return appendList(dst, ix, o.list, nil), true
}

// appendList appends a page of the list as an api.ProjectList (contract 3).
func appendList(dst []byte, ix *search.Index, q api.ListQuery, warnings []api.Warning) []byte {
	dst = ix.AppendList(append(dst, `{"projects":[`...), q.Offset, q.Limit)
	dst = strconv.AppendInt(append(dst, `],"total":`...), int64(ix.Len()), 10)
	dst = strconv.AppendInt(append(dst, `,"limit":`...), int64(q.Limit), 10)
	dst = strconv.AppendInt(append(dst, `,"offset":`...), int64(q.Offset), 10)
	dst = search.AppendWarnings(append(dst, `,"warnings":`...), warnings)
	return append(dst, '}')
}

// effort is what compressing it is worth: there are as many lists as numbers.
func (o *source) effort() effort {
	if o.kind == fromList {
		return quick
	}
	return thorough
}

// formKey is by what a form is found. What comes from an index is found by the
// edition of that, so that nothing of an index that was replaced is ever sent
// again; it falls out of use, and out. What comes from a file is compared with
// the file each time.
type formKey struct {
	edition string
	source  source
	coding  coding
}

// forms keeps forms, the most recently used ones.
type forms struct {
	most int64 // bytes

	mu    sync.Mutex
	bytes int64 // of all that are kept
	byKey map[formKey]*list.Element
	byUse list.List // of *keptForm, the most recently used first
}

type keptForm struct {
	key  formKey
	form *form
}

func newForms(most int64) *forms { return &forms{most: most, byKey: map[formKey]*list.Element{}} }

// get returns the form of a key, or nil.
func (k *forms) get(key *formKey) *form {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.byKey[*key]
	if !ok {
		return nil
	}
	k.byUse.MoveToFront(e)
	kept, _ := e.Value.(*keptForm)
	return kept.form
}

// keep keeps a form, in the place of the one that was kept for the key, and lets
// go of those that were not used for longest until all fit. What would take more
// than an eighth of the room is not kept.
func (k *forms) keep(key formKey, f *form) {
	if f.memory() > k.most/8 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if e, ok := k.byKey[key]; ok {
		k.drop(e)
	}
	k.byKey[key] = k.byUse.PushFront(&keptForm{key, f})
	for k.bytes += f.memory(); k.bytes > k.most; {
		k.drop(k.byUse.Back())
	}
}

func (k *forms) drop(e *list.Element) {
	kept, _ := k.byUse.Remove(e).(*keptForm)
	delete(k.byKey, kept.key)
	k.bytes -= kept.form.memory()
}

// vary is the header Vary of the form outside the API, which has its own.
func (f *form) vary() []string {
	if f.shrinks {
		return varyPage
	}
	return nil
}
