package templating

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"text/template/parse"
)

// flow says how execution goes on after a step.
type flow int

const (
	next flow = iota
	breakLoop
	continueLoop
)

// step is a compiled node.
type step func(s *state, dot reflect.Value) flow

// expression is a compiled pipeline, or a part of one.
type expression func(s *state, dot reflect.Value) reflect.Value

func run(steps []step, s *state, dot reflect.Value) flow {
	for _, f := range steps {
		if flow := f(s, dot); flow != next {
			return flow
		}
	}
	return next
}

// compiler compiles one template.
type compiler struct {
	set   *Set
	names []string // of the variables in scope
	most  int      // the most variables in scope at a time
}

func (c *compiler) list(l *parse.ListNode) (steps []step) {
	if l == nil {
		return nil
	}
	for _, n := range l.Nodes {
		if s := c.node(n); s != nil {
			steps = append(steps, s)
		}
	}
	return steps
}

func (c *compiler) node(n parse.Node) step {
	switch n := n.(type) {
	case *parse.TextNode:
		text := string(n.Text)
		return func(s *state, _ reflect.Value) flow { return written(s.w.WriteString(text)) }
	case *parse.ActionNode:
		return c.action(n)
	case *parse.IfNode:
		return c.branch(&n.BranchNode, false)
	case *parse.WithNode:
		return c.branch(&n.BranchNode, true)
	case *parse.RangeNode:
		return c.loop(n)
	case *parse.TemplateNode:
		return c.call(n)
	case *parse.BreakNode:
		return func(*state, reflect.Value) flow { return breakLoop }
	case *parse.ContinueNode:
		return func(*state, reflect.Value) flow { return continueLoop }
	case *parse.CommentNode:
		return nil
	}
	panic(unsupported{})
}

// written checks the result of a write.
func written(_ int, err error) flow {
	if err != nil {
		panic(unsupported{})
	}
	return next
}

// action compiles an action, which prints a value or sets variables.
func (c *compiler) action(n *parse.ActionNode) step {
	if len(n.Pipe.Decl) > 0 {
		set := c.pipe(n.Pipe)
		return func(s *state, dot reflect.Value) flow {
			set(s, dot)
			return next
		}
	}
	value, print := c.printed(n.Pipe)
	return func(s *state, dot reflect.Value) flow {
		if !print(s.w, value(s, dot)) {
			panic(unsupported{})
		}
		return next
	}
}

// printed compiles a pipeline that is printed, without the functions at its end for which there is
// a printer.
func (c *compiler) printed(p *parse.PipeNode) (expression, Printer) {
	for i := 1; i < len(p.Cmds); i++ {
		if print := c.set.printers[namesOf(p.Cmds[i:])]; print != nil {
			return c.commands(p.Cmds[:i]), print
		}
	}
	if c.set.isHTML {
		panic(unsupported{})
	}
	return c.commands(p.Cmds), plain
}

// namesOf returns the names of functions without arguments, joined by "|"; "" for other commands.
func namesOf(commands []*parse.CommandNode) string {
	names := make([]string, len(commands))
	for i, cmd := range commands {
		name, ok := cmd.Args[0].(*parse.IdentifierNode)
		if !ok || len(cmd.Args) > 1 {
			return ""
		}
		names[i] = name.Ident
	}
	return strings.Join(names, "|")
}

// plain prints a value as text/template does.
func plain(w Writer, v reflect.Value) bool {
	v, isNil := indirect(v)
	switch {
	case !v.IsValid() || isNil || printsItself(v.Type()):
		return false
	case v.Kind() == reflect.String:
		written(w.WriteString(v.String()))
	case v.Kind() == reflect.Int:
		written(w.WriteString(strconv.FormatInt(v.Int(), 10)))
	default:
		return false
	}
	return true
}

var (
	stringer = reflect.TypeFor[fmt.Stringer]()
	isError  = reflect.TypeFor[error]()
	text     = reflect.TypeFor[string]()
)

// printsItself reports whether values of a type have a method that says how they are printed.
func printsItself(t reflect.Type) bool {
	if t == text || t.PkgPath() == "" {
		return false
	}
	p := reflect.PointerTo(t)
	return p.Implements(stringer) || p.Implements(isError)
}

// branch compiles if and with.
func (c *compiler) branch(n *parse.BranchNode, setsDot bool) step {
	defer c.scope()()
	condition, then, other := c.pipe(n.Pipe), c.list(n.List), c.list(n.ElseList)
	return func(s *state, dot reflect.Value) flow {
		v := condition(s, dot)
		switch {
		case !isTrue(v):
			return run(other, s, dot)
		case setsDot:
			return run(then, s, v)
		}
		return run(then, s, dot)
	}
}

// loop compiles range over a list.
func (c *compiler) loop(n *parse.RangeNode) step {
	if n.Pipe.IsAssign {
		panic(unsupported{})
	}
	defer c.scope()()
	list := c.commands(n.Pipe.Cmds)
	slots := make([]int, len(n.Pipe.Decl))
	for i, v := range n.Pipe.Decl {
		slots[i] = c.declare(v.Ident[0])
	}
	each := c.list(n.List)
	none := c.list(n.ElseList)
	return func(s *state, dot reflect.Value) flow {
		v, _ := indirect(list(s, dot))
		if v.IsValid() && v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
			panic(unsupported{})
		}
		if !v.IsValid() || v.Len() == 0 {
			return run(none, s, dot)
		}
		for i := range v.Len() {
			element := v.Index(i)
			if len(slots) > 0 {
				s.variables[s.first+slots[len(slots)-1]] = element
			}
			if len(slots) > 1 {
				s.variables[s.first+slots[0]] = reflect.ValueOf(i)
			}
			if run(each, s, element) == breakLoop {
				break
			}
		}
		return next
	}
}

// call compiles the use of another template.
func (c *compiler) call(n *parse.TemplateNode) step {
	t, ok := c.set.templates[n.Name]
	if !ok {
		panic(unsupported{})
	}
	data := func(*state, reflect.Value) reflect.Value { return reflect.Value{} }
	if n.Pipe != nil {
		data = c.pipe(n.Pipe)
	}
	return func(s *state, dot reflect.Value) flow {
		t.execute(s, data(s, dot))
		return next
	}
}

// scope returns a function that ends the scope of the variables declared since.
func (c *compiler) scope() func() {
	n := len(c.names)
	return func() { c.names = c.names[:n] }
}

// declare adds a variable and returns its place.
func (c *compiler) declare(name string) int {
	c.names = append(c.names, name)
	c.most = max(c.most, len(c.names))
	return len(c.names) - 1
}

// place returns the place of a variable.
func (c *compiler) place(name string) int {
	for i := len(c.names) - 1; i >= 0; i-- {
		if c.names[i] == name {
			return i
		}
	}
	panic(unsupported{})
}

// pipe compiles a pipeline, which may set a variable.
func (c *compiler) pipe(p *parse.PipeNode) expression {
	value := c.commands(p.Cmds)
	if len(p.Decl) == 0 {
		return value
	}
	if len(p.Decl) > 1 {
		panic(unsupported{})
	}
	var at int
	if p.IsAssign {
		at = c.place(p.Decl[0].Ident[0])
	} else {
		at = c.declare(p.Decl[0].Ident[0])
	}
	return func(s *state, dot reflect.Value) reflect.Value {
		v := value(s, dot)
		s.variables[s.first+at] = v
		return v
	}
}

// commands compiles the commands of a pipeline. Each gets the value of the one before as its last
// argument.
func (c *compiler) commands(list []*parse.CommandNode) expression {
	var value expression
	for _, cmd := range list {
		value = opened(c.command(cmd, value))
	}
	return value
}

// opened returns the value inside an interface, as pipelines do.
func opened(e expression) expression {
	return func(s *state, dot reflect.Value) reflect.Value {
		v := e(s, dot)
		if v.Kind() == reflect.Interface && v.Type().NumMethod() == 0 {
			return v.Elem()
		}
		return v
	}
}

// command compiles a command. last is its last argument, or nil.
func (c *compiler) command(cmd *parse.CommandNode, last expression) expression {
	var args []expression
	for _, arg := range cmd.Args[1:] {
		args = append(args, c.operand(arg))
	}
	if last != nil {
		args = append(args, last)
	}
	switch n := cmd.Args[0].(type) {
	case *parse.FieldNode:
		return chain(func(_ *state, dot reflect.Value) reflect.Value { return dot }, n.Ident, args)
	case *parse.VariableNode:
		if len(n.Ident) > 1 {
			return chain(c.variable(n.Ident[0]), n.Ident[1:], args)
		}
	case *parse.ChainNode:
		return chain(opened(c.operand(n.Node)), n.Field, args)
	case *parse.IdentifierNode:
		return c.function(n.Ident, args)
	}
	if len(args) > 0 {
		panic(unsupported{})
	}
	return c.operand(cmd.Args[0])
}

func (c *compiler) variable(name string) expression {
	at := c.place(name)
	return func(s *state, _ reflect.Value) reflect.Value { return s.variables[s.first+at] }
}

// operand compiles a command without arguments, or an argument.
func (c *compiler) operand(n parse.Node) expression {
	constant := func(value any) expression {
		v := reflect.ValueOf(value)
		return func(*state, reflect.Value) reflect.Value { return v }
	}
	switch n := n.(type) {
	case *parse.DotNode:
		return func(_ *state, dot reflect.Value) reflect.Value { return dot }
	case *parse.FieldNode, *parse.VariableNode, *parse.ChainNode, *parse.IdentifierNode:
		if v, ok := n.(*parse.VariableNode); ok && len(v.Ident) == 1 {
			return c.variable(v.Ident[0])
		}
		return c.command(&parse.CommandNode{Args: []parse.Node{n}}, nil)
	case *parse.PipeNode:
		return c.pipe(n)
	case *parse.StringNode:
		return constant(n.Text)
	case *parse.BoolNode:
		return constant(n.True)
	case *parse.NumberNode:
		if n.IsInt && strconv.FormatInt(n.Int64, 10) == n.Text {
			return constant(int(n.Int64))
		}
	}
	panic(unsupported{})
}
