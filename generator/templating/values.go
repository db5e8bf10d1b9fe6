package templating

import (
	"cmp"
	"reflect"
	"strings"
	"sync/atomic"
)

// indirect follows pointers and interfaces to a value.
func indirect(v reflect.Value) (_ reflect.Value, isNil bool) {
	for ; v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface; v = v.Elem() {
		if v.IsNil() {
			return v, true
		}
	}
	return v, false
}

// isTrue reports whether a condition with this value holds.
func isTrue(v reflect.Value) bool {
	if v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() > 0
	case reflect.Chan, reflect.Func, reflect.Pointer, reflect.UnsafePointer, reflect.Interface:
		return !v.IsNil()
	case reflect.Struct:
		return true
	}
	return !v.IsZero()
}

// access is how to get a field or method of values of a type.
type access struct {
	of        reflect.Type
	canAddr   bool
	isPointer bool  // whether the method is one of the pointer
	method    int   // -1 for none
	field     []int // nil for none
}

// accessTo finds a field or method, as text/template does: methods come first.
func accessTo(v reflect.Value, name string) *access {
	a := &access{of: v.Type(), canAddr: v.CanAddr(), method: -1}
	t := a.of
	if a.canAddr {
		a.isPointer, t = true, reflect.PointerTo(t)
	}
	if m, ok := t.MethodByName(name); ok {
		a.method = m.Index
		return a
	}
	if a.of.Kind() == reflect.Struct {
		if f, ok := a.of.FieldByName(name); ok && f.IsExported() {
			a.field = f.Index
			return a
		}
	}
	panic(unsupported{})
}

// chain compiles fields and methods of a value. The last one gets the arguments.
func chain(value expression, names []string, args []expression) expression {
	for i, name := range names {
		if i == len(names)-1 {
			value = member(value, name, args)
		} else {
			value = member(value, name, nil)
		}
	}
	return value
}

// member compiles a field or method of a value. It remembers where it found it in the last value,
// because most members are always of the same type.
func member(value expression, name string, args []expression) expression {
	var last atomic.Pointer[access]
	return func(s *state, dot reflect.Value) reflect.Value {
		v, isNil := indirect(value(s, dot))
		if isNil || !v.IsValid() {
			panic(unsupported{})
		}
		a := last.Load()
		if a == nil || a.of != v.Type() || a.canAddr != v.CanAddr() {
			a = accessTo(v, name)
			last.Store(a)
		}
		if a.method >= 0 {
			if a.isPointer {
				v = v.Addr()
			}
			return called(v.Method(a.method), evaluated(args, s, dot))
		}
		if len(args) > 0 {
			panic(unsupported{})
		}
		if len(a.field) == 1 {
			return v.Field(a.field[0])
		}
		f, err := v.FieldByIndexErr(a.field)
		if err != nil {
			panic(unsupported{})
		}
		return f
	}
}

func evaluated(args []expression, s *state, dot reflect.Value) []reflect.Value {
	if len(args) == 0 {
		return nil
	}
	values := make([]reflect.Value, len(args))
	for i, arg := range args {
		values[i] = arg(s, dot)
	}
	return values
}

// called returns the result of a function.
func called(f reflect.Value, args []reflect.Value) reflect.Value {
	t := f.Type()
	fixed := t.NumIn()
	if t.IsVariadic() {
		fixed--
	}
	if len(args) < fixed || len(args) > fixed && !t.IsVariadic() {
		panic(unsupported{})
	}
	for i := range args {
		if i < fixed {
			args[i] = fitting(args[i], t.In(i))
		} else {
			args[i] = fitting(args[i], t.In(fixed).Elem())
		}
	}
	results := f.Call(args)
	if len(results) != 1 && (len(results) != 2 || !results[1].IsNil()) {
		panic(unsupported{})
	}
	return results[0]
}

// fitting returns a value as an argument of a type.
func fitting(v reflect.Value, t reflect.Type) reflect.Value {
	if !v.IsValid() {
		panic(unsupported{})
	}
	switch {
	case v.Type().AssignableTo(t):
		return v
	case v.Kind() == reflect.Interface && !v.IsNil() && v.Elem().Type().AssignableTo(t):
		return v.Elem()
	case v.Kind() == reflect.Pointer && !v.IsNil() && v.Type().Elem().AssignableTo(t):
		return v.Elem()
	}
	panic(unsupported{})
}

// interfaces returns the values of arguments of the type any.
func interfaces(args []expression, s *state, dot reflect.Value) []any {
	values := make([]any, len(args))
	for i, arg := range args {
		v := arg(s, dot)
		if !v.IsValid() {
			panic(unsupported{})
		}
		values[i] = v.Interface()
	}
	return values
}

// function compiles the call of a function. It calls functions of the most common types without
// reflection.
func (c *compiler) function(name string, args []expression) expression {
	if f, ok := c.set.functions[name]; ok {
		switch f := f.Interface().(type) {
		case func(string, ...any) any:
			if len(args) > 0 {
				return func(s *state, dot reflect.Value) reflect.Value {
					text := fitting(args[0](s, dot), text)
					return reflect.ValueOf(f(text.String(), interfaces(args[1:], s, dot)...))
				}
			}
		case func(...any) string: // those with which html/template escapes
			return func(s *state, dot reflect.Value) reflect.Value {
				return reflect.ValueOf(f(interfaces(args, s, dot)...))
			}
		case func(a, b any) any:
			if len(args) == 2 {
				return func(s *state, dot reflect.Value) reflect.Value {
					values := interfaces(args, s, dot)
					return reflect.ValueOf(f(values[0], values[1]))
				}
			}
		}
		return func(s *state, dot reflect.Value) reflect.Value { return called(f, evaluated(args, s, dot)) }
	}
	builtin, ok := builtins[name]
	if !ok {
		panic(unsupported{})
	}
	return builtin(args)
}

// builtins are the functions of text/template that are supported.
var builtins = map[string]func(args []expression) expression{
	"not": func(args []expression) expression {
		needs(args, 1)
		return func(s *state, dot reflect.Value) reflect.Value { return reflect.ValueOf(!isTrue(args[0](s, dot))) }
	},
	"and": func(args []expression) expression { return untilTrueIs(false, args) },
	"or":  func(args []expression) expression { return untilTrueIs(true, args) },
	"len": func(args []expression) expression {
		needs(args, 1)
		return func(s *state, dot reflect.Value) reflect.Value {
			switch v, _ := indirect(args[0](s, dot)); v.Kind() {
			case reflect.Slice, reflect.String, reflect.Map, reflect.Array:
				return reflect.ValueOf(v.Len())
			}
			panic(unsupported{})
		}
	},
	"eq": comparing(func(order int) bool { return order == 0 }),
	"ne": comparing(func(order int) bool { return order != 0 }),
	"lt": comparing(func(order int) bool { return order < 0 }),
	"le": comparing(func(order int) bool { return order <= 0 }),
	"gt": comparing(func(order int) bool { return order > 0 }),
	"ge": comparing(func(order int) bool { return order >= 0 }),
}

func needs(args []expression, n int) {
	if len(args) != n {
		panic(unsupported{})
	}
}

// untilTrueIs compiles a function that returns its first argument with this truth, or the last one.
func untilTrueIs(truth bool, args []expression) expression {
	if len(args) == 0 {
		panic(unsupported{})
	}
	return func(s *state, dot reflect.Value) (v reflect.Value) {
		for _, arg := range args {
			if v = arg(s, dot); isTrue(v) == truth {
				break
			}
		}
		return v
	}
}

// comparing compiles a comparison of two whole numbers or two texts.
func comparing(holds func(order int) bool) func(args []expression) expression {
	return func(args []expression) expression {
		needs(args, 2)
		return func(s *state, dot reflect.Value) reflect.Value {
			return reflect.ValueOf(holds(order(args[0](s, dot), args[1](s, dot))))
		}
	}
}

// order returns a number below, at or above 0, if a is less than b, equal or greater.
func order(a, b reflect.Value) int {
	if a.Kind() == reflect.Interface {
		a = a.Elem()
	}
	if b.Kind() == reflect.Interface {
		b = b.Elem()
	}
	switch {
	case a.Kind() == reflect.String && b.Kind() == reflect.String:
		return strings.Compare(a.String(), b.String())
	case a.Kind() == reflect.Int && b.Kind() == reflect.Int:
		return cmp.Compare(a.Int(), b.Int())
	}
	panic(unsupported{})
}
