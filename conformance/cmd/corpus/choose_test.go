package main

import (
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	got := parse("mode: count\na.go:1.2,3.4 5 0\nb.go:1.2,3.4 5 1\nc.go:1.1,2.2 1 2\nd.go:1.1,2.2 1 900\n")
	for block, often := range map[string]int{"a.go:1.2,3.4": 0, "b.go:1.2,3.4": 1, "c.go:1.1,2.2": 1, "d.go:1.1,2.2": 3} {
		n := 0
		for f := range got {
			if f.block == block {
				n++
			}
		}
		if n != often {
			t.Errorf("%s: %d features, want %d", block, n, often)
		}
	}
	if got.blocks() != 3 {
		t.Errorf("%d blocks", got.blocks())
	}
}

func TestChoose(t *testing.T) {
	shows := func(blocks ...string) features {
		f := features{}
		for _, b := range blocks {
			f[feature{b, 0}] = true
		}
		return f
	}
	list := []input{
		{"known", []byte("x"), shows("a")},
		{"two", []byte("xxx"), shows("b", "c")},
		{"large", []byte("xxxx"), shows("a", "b", "d")},
		{"part", []byte("x"), shows("c")},
		{"last", []byte("xxx"), shows("e")},
	}
	for most, want := range [][]string{0: nil, 1: {"two"}, 2: {"two", "last"}, 3: {"two", "last", "large"}, 9: {"two", "last", "large"}} {
		if want == nil && most > 0 {
			continue
		}
		var got []string
		for _, in := range choose(shows("a"), list, most) {
			got = append(got, in.name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %d: %v, want %v", most, got, want)
		}
	}
}

func TestTargets(t *testing.T) {
	got, err := targetsIn("../../../fuzz")
	if err != nil || !slices.Contains(got, "FuzzServer") || !slices.Contains(got, "FuzzDecode") || !slices.IsSorted(got) {
		t.Errorf("%v, %v", got, err)
	}
}
