// Package allowed may import reflect, and os not.
package allowed

import (
	_ "os" // want import
	"reflect"
)

func fields(v any) []reflect.Value {
	keys := reflect.ValueOf(v).MapKeys() // want maporder
	return keys
}
