// Command program uses what a shrunk program must still be able to do.
package main

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
)

type node struct{ next *node }

// deep needs a stack that grows, while garbage is collected.
func deep(n int, list *node) int {
	if n == 0 {
		runtime.GC()
		return 0
	}
	if n%1000 == 0 {
		list = &node{list}
	}
	return 1 + deep(n-1, &node{list})
}

func fails(i int) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	list := make([]int, i)
	return fmt.Sprint(list[i+1])
}

// recoversTooDeep calls recover where it must not stop a panic.
func recoversTooDeep() (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	defer func() { func() { _ = recover() }() }()
	panic("not stopped")
}

func main() {
	fmt.Println(deep(100_000, nil), fails(3), recoversTooDeep())
	var group sync.WaitGroup
	sums := make([]int, 20)
	for i := range sums {
		group.Go(func() {
			for k := range 1000 {
				sums[i] += len(strings.Repeat("x", k))
			}
		})
	}
	group.Wait()
	fmt.Println(sums, runtime.NumGoroutine())
	double := reflect.MakeFunc(reflect.TypeFor[func(int) int](), func(in []reflect.Value) []reflect.Value {
		runtime.GC()
		return []reflect.Value{reflect.ValueOf(int(2 * in[0].Int()))}
	}).Interface().(func(int) int)
	fmt.Println(double(21), slices.Sorted(slices.Values([]string{"b", "a"})))
	panic("the end")
}
