// Package allowed may import reflect, and os not.
package allowed

import (
	_ "os" // want import
	"reflect"
	"slices"
	"strings"
)

func fields(v any) []reflect.Value {
	keys := reflect.ValueOf(v).MapKeys() // want maporder
	return keys
}

func sorted(v reflect.Value) []reflect.Value {
	for range v.Seq() { // want maporder
		v = v.Elem()
	}
	return slices.SortedFunc(v.Seq(), func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
}
