package main

import (
	"slices"
	"strings"
	"testing"
)

// What only says how much room is made is left alone, wherever it comes from; a bound on
// it, and a number that is used for something else too, is not.
func TestHints(t *testing.T) {
	mod, err := loadModule("testdata/toy")
	if err != nil {
		t.Fatal(err)
	}
	all, err := mod.mutants()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		if m.file == "server/hint.go" {
			got = append(got, m.kind+" "+m.fn+": "+m.what())
		}
	}
	want := []string{
		"off-by-one Join: 0 in size, n := 1+len(parts), 0",
		"delete Join: for _, p := range parts",
		"delete Join: n++",
		"limit Join: size in min(size, most)",
		"limit Join: most in min(size, most)",
		"delete Join: for _, p := range list(parts, n-1, size)",
		"off-by-one Join: n-1",
		"delete Join: b.WriteString(p)",
		"return Join: return [b.String()], n",
		"return Join: return b.String(), [n]",
		"delete list: if cap(out) < last+2",
		"negate list: cap(out) < last+2",
		"off-by-one list: last+2",
		"delete list: for i := range last + 1",
		"off-by-one list: last + 1",
		"delete list: out = append(out, parts[i])",
		"off-by-one list: i",
		"return list: return [out]",
		"stale list: return [out] as parts was",
		"arguments Join: n-1 and size in list(parts, n-1, size)",
		"off-by-one list: 0 in make([]string, 0, last+2)",
		"delete Capped: if n < 0 && !strings.EqualFold(open, close)",
		"negate Capped: n < 0 && !strings.EqualFold(open, close)",
		"negate Capped: !strings.EqualFold(open, close)",
		"constant Capped: open is close in strings.EqualFold(open, close)",
		"constant Capped: close is open in strings.EqualFold(open, close)",
		"negate Capped: n < 0",
		"off-by-one Capped: n < 0",
		"return Capped: return [n], rest, err",
		"return Capped: return n, rest, [err]",
		"delete Capped: if n > most",
		"negate Capped: n > most",
		"delete Capped: if n > most/2",
		"negate Capped: n > most/2",
		"off-by-one Capped: n > most/2",
		"off-by-one Capped: 2 in most/2",
		"return Capped: return [n], rest, err #2",
		"return Capped: return n, [rest], err",
		"return Capped: return n, rest, [err] #2",
		"off-by-one list: 0 in make([]string, 0, room+1)",
	}
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
