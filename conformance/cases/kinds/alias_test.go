package kinds_test

import (
	"fmt"
	"hash/maphash"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var seed = maphash.MakeSeed()

// image returns a hash of a value and everything behind its pointers.
func image(v any) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	draw(&h, reflect.ValueOf(v), map[uintptr]bool{})
	return h.Sum64()
}

func draw(h *maphash.Hash, v reflect.Value, on map[uintptr]bool) {
	fmt.Fprint(h, v.Kind(), ":")
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || on[v.Pointer()] {
			return
		}
		on[v.Pointer()] = true
		draw(h, v.Elem(), on)
	case reflect.Interface:
		if !v.IsNil() {
			fmt.Fprint(h, v.Elem().Type())
			draw(h, v.Elem(), on)
		}
	case reflect.Struct:
		if p := v.Type().PkgPath(); p == "regexp" || strings.HasPrefix(p, "sync") || p == "time" && v.Type().Name() == "Location" {
			return
		}
		for i := range v.NumField() {
			draw(h, v.Field(i), on)
		}
	case reflect.Slice, reflect.Array:
		fmt.Fprint(h, v.Len())
		for i := range v.Len() {
			draw(h, v.Index(i), on)
		}
	case reflect.Map:
		sum := uint64(0) // independent of the order
		for k, e := range v.Seq2() {
			var one maphash.Hash
			one.SetSeed(seed)
			draw(&one, k, map[uintptr]bool{})
			draw(&one, e, map[uintptr]bool{})
			sum += one.Sum64()
		}
		fmt.Fprint(h, v.Len(), sum)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Uintptr, reflect.Invalid:
	default:
		fmt.Fprint(h, v)
	}
}

// spoil overwrites everything that a caller can reach in a value without following a pointer: the
// elements of slices, including spare capacity, and the entries of maps.
func spoil(v reflect.Value) (spoiled bool) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				spoiled = spoil(v.Field(i)) || spoiled
			}
		}
	case reflect.Interface:
		return !v.IsNil() && spoil(v.Elem())
	case reflect.Slice:
		all := v.Slice3(0, v.Cap(), v.Cap())
		for i := range all.Len() {
			spoil(all.Index(i))
			if all.Index(i).CanSet() {
				all.Index(i).SetZero()
				spoiled = true
			}
		}
	case reflect.Map:
		v.Clear()
		return true
	}
	return spoiled
}

// A machine is a value: later steps change neither it nor another of its
// successors, and neither does a caller that writes into its arguments or results.
func TestAliasing(t *testing.T) {
	each(t, func(t *testing.T, m machine) {
		type result struct {
			of    thing
			image uint64
		}
		var results []result
		later := m.now.Add(time.Minute)
		before := image(m.of)
		for _, verb := range m.list() {
			of := m.begin(verb)
			next, _, err := call(of, verb, later, m.verbs[verb])
			if err != nil {
				t.Errorf("%s: %v", verb, err)
				continue
			}
			results = append(results, result{next, image(next)})
			if image(m.of) != before {
				t.Fatalf("%s changes the value that it was called of", verb)
			}
			for i, r := range results {
				if image(r.of) != r.image {
					t.Fatalf("%s changes the value that %d verbs before it gave", verb, len(results)-1-i)
				}
			}
		}
		// Each verb after each: both have tables and slices of the first to extend.
		for i, first := range results {
			if testing.Short() && i%4 != 0 {
				continue
			}
			for _, verb := range m.list() {
				if _, special := m.from[verb]; !special && !slices.Contains(m.origin, verb) {
					_, _, _ = call(first.of, verb, later, m.verbs[verb])
				}
			}
			if image(first.of) != first.image {
				t.Fatal("an old value has changed with what came after it")
			}
		}
	})
}

// A caller that overwrites the arguments or results of a verb changes
// nothing of the machine.
func TestSpoiledArguments(t *testing.T) {
	each(t, func(t *testing.T, m machine) {
		later := m.now.Add(time.Minute)
		spoiled := 0
		for _, verb := range m.list() {
			next, out, err := call(m.begin(verb), verb, later, m.verbs[verb])
			if err != nil {
				t.Errorf("%s: %v", verb, err)
				continue
			}
			was := image(next)
			for _, o := range out {
				if v := reflect.ValueOf(o); v.IsValid() && spoil(v) {
					spoiled++
				}
			}
			if image(next) != was {
				t.Errorf("%s returns what it keeps", verb)
			}
			for _, a := range m.verbs[verb] {
				if v := reflect.ValueOf(a); v.IsValid() && spoil(v) {
					spoiled++
				}
			}
			if image(next) != was {
				t.Errorf("%s keeps an argument that is the caller's", verb)
			}
		}
		t.Logf("%d values were written over", spoiled)
	})
}

// Results of methods without arguments can be overwritten too, except for those listed here.
func TestSpoiledLooks(t *testing.T) {
	shared := map[string]string{
		"server.Roots.List": "says that the slice must not be changed",
	}
	each(t, func(t *testing.T, m machine) {
		v := reflect.ValueOf(m.of[0])
		for i := range v.NumMethod() {
			f, name := v.Method(i), v.Type().Method(i).Name
			if f.Type().NumIn() > 0 || shared[m.name+"."+name] != "" {
				continue
			}
			was := image(m.of)
			for _, o := range f.Call(nil) {
				spoil(o)
			}
			if image(m.of) != was {
				t.Errorf("%s returns what it keeps", name)
			}
		}
	})
}
