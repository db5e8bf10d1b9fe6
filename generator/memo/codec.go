package memo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"catalog.example/api"
)

// The encoded form of a value depends on its type. Numbers are varints or 8 bytes. Texts, lists and
// maps begin with their length. Structs are their exported fields in order. The encoding has no
// type names, because only the program that wrote it reads it. Decoded texts and bytes share the memory
// of the file.

// anyTypes lists the types that values in an interface may have: the types of facts.
var anyTypes = api.FactTypes()

// encode appends a value. It panics for a type that it cannot encode, which is a mistake in the
// program.
func encode(dst []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(dst, 1)
		}
		return append(dst, 0)
	case reflect.Int, reflect.Int64, reflect.Int32:
		return binary.AppendVarint(dst, v.Int())
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(dst, v.Uint())
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.Float()))
	case reflect.String:
		return append(binary.AppendUvarint(dst, uint64(v.Len())), v.String()...)
	case reflect.Slice, reflect.Map:
		if v.IsNil() {
			return append(dst, 0)
		}
		return encodeMany(binary.AppendUvarint(dst, uint64(v.Len())+1), v)
	case reflect.Array:
		return encodeMany(dst, v)
	case reflect.Pointer:
		if v.IsNil() {
			return append(dst, 0)
		}
		return encode(append(dst, 1), v.Elem())
	case reflect.Interface:
		if v.IsNil() {
			return append(dst, 0)
		}
		if i := slices.Index(anyTypes, v.Elem().Type()); i >= 0 {
			return encode(append(dst, byte(i+1)), v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				dst = encode(dst, v.Field(i))
			}
		}
		return dst
	}
	panic(fmt.Sprintf("memo: no form for %s", v.Type()))
}

// encodeMany appends the values of a slice, an array or a map. Keys are sorted.
func encodeMany(dst []byte, v reflect.Value) []byte {
	if v.Kind() == reflect.Map {
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			dst = encode(encode(dst, k), v.MapIndex(k))
		}
		return dst
	}
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		return append(dst, v.Bytes()...)
	}
	for i := range v.Len() {
		dst = encode(dst, v.Index(i))
	}
	return dst
}

// errDamaged is returned for a text that does not encode a value of the type.
var errDamaged = errors.New("damaged")

// decode sets v to the value that a text encodes.
func decode(text string, v reflect.Value) error {
	d := decoder{rest: text}
	d.value(v)
	if d.damaged || d.rest != "" {
		return errDamaged
	}
	return nil
}

type decoder struct {
	rest    string
	damaged bool
}

// take returns the next n bytes, or fewer if there are not enough.
func (d *decoder) take(n uint64) string {
	if n > uint64(len(d.rest)) {
		d.damaged, n = true, uint64(len(d.rest))
	}
	part := d.rest[:n]
	d.rest = d.rest[n:]
	return part
}

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint([]byte(d.rest[:min(len(d.rest), binary.MaxVarintLen64)]))
	if size <= 0 {
		d.damaged = true
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

// count decodes a number of elements. Each element takes at least one byte.
func (d *decoder) count() (n int, isNil bool) {
	c := d.uvarint()
	if c == 0 {
		return 0, true
	}
	if c-1 > uint64(len(d.rest)) {
		d.damaged = true
		return 0, false
	}
	return int(c - 1), false
}

func (d *decoder) value(v reflect.Value) {
	if d.damaged {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(d.take(1) == "\x01")
	case reflect.Int, reflect.Int64, reflect.Int32:
		u := d.uvarint()
		v.SetInt(int64(u>>1) ^ -int64(u&1))
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(d.uvarint())
	case reflect.Float64:
		if b := d.take(8); len(b) == 8 {
			v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64([]byte(b))))
		}
	case reflect.String:
		v.SetString(d.take(d.uvarint()))
	case reflect.Slice, reflect.Map:
		d.many(v)
	case reflect.Array:
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	case reflect.Pointer:
		if d.take(1) == "\x01" {
			v.Set(reflect.New(v.Type().Elem()))
			d.value(v.Elem())
		}
	case reflect.Interface:
		switch i := d.take(1); {
		case i == "" || int(i[0]) > len(anyTypes):
			d.damaged = true
		case i[0] > 0:
			value := reflect.New(anyTypes[i[0]-1]).Elem()
			d.value(value)
			v.Set(value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				d.value(v.Field(i))
			}
		}
	}
}

// many decodes a slice or a map.
func (d *decoder) many(v reflect.Value) {
	n, isNil := d.count()
	switch {
	case isNil:
	case v.Kind() == reflect.Map:
		m := reflect.MakeMapWithSize(v.Type(), n)
		for range n {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			d.value(key)
			d.value(value)
			m.SetMapIndex(key, value)
		}
		v.Set(m)
	case v.Type().Elem().Kind() == reflect.Uint8:
		if text := d.take(uint64(n)); text == "" {
			v.SetBytes([]byte{})
		} else {
			v.SetBytes(bytesOf(text)) // values must not be changed
		}
	default:
		list := reflect.MakeSlice(v.Type(), n, n)
		for i := range n {
			d.value(list.Index(i))
		}
		v.Set(list)
	}
}
