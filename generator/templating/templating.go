// Package templating executes templates of html/template and text/template faster: it does not look
// up fields, methods and functions by name each time.
//
// It executes what those packages have parsed, with what html/template has added to escape values,
// and prints the same bytes. It supports what most templates use. If it meets anything else, such as
// an error, the standard package executes the template again, and words the error.
//
// The files:
//
//   - templating.go: sets of templates. nodes.go: what templates consist of.
//   - values.go: fields, methods and functions. html.go: values in HTML.
package templating

import (
	"fmt"
	htmltemplate "html/template"
	"io"
	"reflect"
	"sync/atomic"
	"text/template"
	"text/template/parse"
)

// Writer is where templates write. It gets each printed value in one call.
type Writer interface {
	io.Writer
	io.StringWriter
	Reset() // drops what was written
}

// Printer prints a value. It reports whether it could; if not, it has printed nothing.
type Printer func(w Writer, value reflect.Value) bool

// Escaping returns a printer of what a function returns.
func Escaping[T ~string](escape func(value any) T) Printer {
	return func(w Writer, v reflect.Value) bool {
		if !v.IsValid() {
			return false
		}
		written(w.WriteString(string(escape(v.Interface()))))
		return true
	}
}

// Set is a set of templates. It is safe for concurrent use.
type Set struct {
	standard interface {
		ExecuteTemplate(w io.Writer, name string, data any) error
	}
	functions map[string]reflect.Value
	// printers print the results of functions with one argument. Their keys are names of such
	// functions, joined by "|".
	printers map[string]Printer
	// isHTML says that each value is printed by one of the printers, because others do not escape.
	isHTML    bool
	templates map[string]*compiled
	left      atomic.Int64 // executions left to the standard package
}

// Has reports whether the set has a template.
func (s *Set) Has(name string) bool {
	_, ok := s.templates[name]
	return ok
}

// Left returns how many executions were left to the standard package.
func (s *Set) Left() int64 { return s.left.Load() }

// compiled is a template.
type compiled struct {
	steps     []step
	variables int // the most that it has at a time
	ok        bool
}

// HTML returns the templates of a set, which were parsed with the functions. quick is the same set, in
// the form in which this package executes it, such as minified.
func HTML(standard, quick *htmltemplate.Template, functions map[string]any) (*Set, error) {
	printers, err := htmlPrinters()
	if err != nil {
		return nil, err
	}
	trees := map[string]*parse.Tree{}
	for _, t := range quick.Templates() {
		// This adds the functions that escape values. Errors come again whenever the standard template
		// is executed.
		_ = t.Execute(io.Discard, nil)
		trees[t.Name()] = t.Tree
	}
	return compile(&Set{standard: standard, printers: printers, isHTML: true}, trees, functions), nil
}

// Text returns the templates of a set, which were parsed with the functions. print prints what the
// function named escape returns; it may be nil if there is none.
func Text(t *template.Template, functions map[string]any, escape string, print Printer) *Set {
	trees := map[string]*parse.Tree{}
	for _, t := range t.Templates() {
		trees[t.Name()] = t.Tree
	}
	return compile(&Set{standard: t, printers: map[string]Printer{escape: print}}, trees, functions)
}

func compile(s *Set, trees map[string]*parse.Tree, functions map[string]any) *Set {
	s.functions = map[string]reflect.Value{"print": reflect.ValueOf(fmt.Sprint), "printf": reflect.ValueOf(fmt.Sprintf)}
	s.templates = map[string]*compiled{}
	for name, f := range functions {
		s.functions[name] = reflect.ValueOf(f)
	}
	for name := range trees {
		s.templates[name] = &compiled{}
	}
	for name, tree := range trees {
		t, c := s.templates[name], &compiler{set: s, names: []string{"$"}, most: 1}
		t.ok = tree != nil && supports(func() { t.steps = c.list(tree.Root) })
		t.variables = c.most
	}
	return s
}

// Execute executes a template. Nothing must have been written to w before.
func (s *Set) Execute(w Writer, name string, data any) error {
	if t, ok := s.templates[name]; ok {
		if supports(func() { t.execute(&state{w: w}, reflect.ValueOf(data)) }) {
			return nil
		}
		w.Reset()
	}
	s.left.Add(1)
	return s.standard.ExecuteTemplate(w, name, data)
}

// state is a running execution.
type state struct {
	w         Writer
	variables []reflect.Value // of the templates that run, the innermost last
	first     int             // the first of the innermost template
	depth     int
}

// maxDepth bounds how deeply templates may use each other.
const maxDepth = 1000

func (t *compiled) execute(s *state, dot reflect.Value) {
	if !t.ok || s.depth == maxDepth {
		panic(unsupported{})
	}
	outer, end := s.first, len(s.variables)
	s.first, s.depth = end, s.depth+1
	for range t.variables {
		s.variables = append(s.variables, reflect.Value{})
	}
	s.variables[end] = dot
	run(t.steps, s, dot)
	clear(s.variables[end:])
	s.variables, s.first, s.depth = s.variables[:end], outer, s.depth-1
}

// unsupported is the panic of anything that this package leaves to the standard one.
type unsupported struct{}

// supports reports whether f meets only what this package supports. A function or method that panics
// is not supported either: the standard package turns its panic into an error.
func supports(f func()) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	f()
	return true
}
