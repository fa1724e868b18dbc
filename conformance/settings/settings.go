// Package settings tests the settings of a package against their documentation: zero means the
// default, and an invalid value is refused with the field, the value and the valid range.
package settings

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// Wants has the valid range of each setting, by the path of its field: the text after "want " in an error,
// or "" if the caller tests it, for example because it depends on another setting.
type Wants map[string]string

// Test tests each setting of O that is a number, a time or an enumeration: which values check refuses,
// with the other settings valid, and the text of its error. A field that is missing in wants
// fails, so that no new setting is forgotten. Structs of other packages count if they have a method
// Check, which must be called, or if wants has a field of them.
func Test[O any](t *testing.T, pkg string, good O, check func(O) error, wants Wants) {
	t.Helper()
	if err := check(good); err != nil {
		t.Errorf("%+v are refused: %v", good, err)
	}
	seen := map[string]bool{}
	for path, index := range fields(reflect.TypeFor[O](), wants, "", nil) {
		want, ok := wants[path]
		if seen[path] = true; !ok {
			t.Errorf("%s.%s: what may it be?", pkg, path)
		}
		if want == "" {
			continue
		}
		typ := reflect.TypeFor[O]().FieldByIndex(index).Type
		values := []int64{-1, -2, math.MinInt64 >> (64 - typ.Bits())}
		if typ.Kind() == reflect.Uint8 {
			values = nil
		}
		if none(want, typ) {
			values = values[1:]
			if err := check(with(good, index, -1)); err != nil {
				t.Errorf("%s: none of it is refused: %v", path, err)
			}
		}
		var last int64
		if _, err := fmt.Sscanf(want, "0 to %d", &last); err == nil {
			values = append(values, last+1)
			if err := check(with(good, index, last)); err != nil {
				t.Errorf("%s: %d is refused: %v", path, last, err)
			}
		}
		for _, v := range values {
			bad := with(good, index, v)
			value := fmt.Sprint(reflect.ValueOf(bad).FieldByIndex(index))
			if last > 0 { // names of constants are not in the error
				value = fmt.Sprint(v)
			}
			Refused(t, check(bad), fmt.Sprintf("%s: %s is %s: want %s", pkg, path, value, want))
		}
	}
	for path := range wants {
		if !seen[path] {
			t.Errorf("%s.%s is no setting", pkg, path)
		}
	}
}

// none reports whether -1 disables the setting. For a time this is usual, and errors do not mention it.
func none(want string, typ reflect.Type) bool {
	return strings.HasSuffix(want, "or NoTimeout") || strings.HasSuffix(want, "or Immediate") || strings.HasSuffix(want, "or -1 for none") ||
		typ == reflect.TypeFor[time.Duration]() && strings.HasSuffix(want, "or 0 for no limit")
}

// Refused checks an error about a setting: it must be a *lifecycle.ConfigError with that text.
func Refused(t *testing.T, err error, want string) {
	t.Helper()
	var of *lifecycle.ConfigError
	if !errors.As(err, &of) || !errors.Is(err, lifecycle.ErrConfig) || err.Error() != want || !strings.HasPrefix(want, of.Package+": ") {
		t.Errorf("%v\nwant %s", err, want)
	}
}

var checker = reflect.TypeFor[interface{ Check() error }]()

// fields returns the fields of a struct that hold integers or constants, by their paths.
func fields(typ reflect.Type, wants Wants, prefix string, index []int) map[string][]int {
	found := map[string][]int{}
	for i := range typ.NumField() {
		f := typ.Field(i)
		path, at := prefix+f.Name, append(index[:len(index):len(index)], i)
		switch k := f.Type.Kind(); {
		case k == reflect.Struct && (f.Type.PkgPath() == typ.PkgPath() || f.Type.Implements(checker) || wants.within(path)):
			for name, below := range fields(f.Type, wants, path+".", at) {
				found[name] = below
			}
		case k >= reflect.Int && k <= reflect.Int64, k == reflect.Uint8:
			found[path] = at
		}
	}
	return found
}

func (w Wants) within(path string) bool {
	for name := range w {
		if strings.HasPrefix(name, path+".") {
			return true
		}
	}
	return false
}

// with returns settings with another value of a field.
func with[O any](o O, index []int, v int64) O {
	f := reflect.ValueOf(&o).Elem().FieldByIndex(index)
	if f.CanInt() {
		f.SetInt(v)
	} else {
		f.SetUint(uint64(v))
	}
	return o
}
