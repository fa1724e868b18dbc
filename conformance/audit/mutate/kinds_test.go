package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Each kind that looks at several statements or conditions finds exactly its mutants in
// the toy.
func TestKinds(t *testing.T) {
	mod, err := loadModule("testdata/toy")
	if err != nil {
		t.Fatal(err)
	}
	all, err := mod.mutants()
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string][]string{
		kindArguments: {
			`Divide: open and "/" in wrap(open, "/", loud)`,
			`Tell: "a" and "b" in append(o.Send, "a", "b")`,
			`Split: s and " " in strings.Cut(s, " ")`,
			`Note.Snapshot: "text" and n.Text in add("text", n.Text)`,
			`Note.Snapshot: "tags" and n.tags[0] in add("tags", n.tags[0])`,
		},
		kindConstant: {
			`Divide: open is close in wrap(open, "/", loud)`,
			`wrap: close is open in a + b + close`,
			`Noted: Low is Loud in Level: Low`,
			`Deep: depth in n == depth`,
			`Deep: true in wrap("", "", true)`,
			`Note.Louder: Loud is Quiet in n.Level == Loud`,
			`Full: room in return room, 0, nil`,
		},
		kindCopy: {
			`Note.Clone: slices.Clone(n.tags)`,
			`Noted: strings.Clone(text)`,
			`Note.Twice: n.Clone()`,
		},
		kindField: {
			`Noted: Level: Low in Note`,
			`Noted: Text: strings.Clone(text) in Note`,
			`Noted: tags: []string{"a", "b"} in Note`,
			`Noted: "a" in []string`,
			`Noted: "b" in []string`,
			`Note.Twice: n in []Note`,
			`Note.Twice: n.Clone() in []Note`,
			`Full: {Text: "full"} in notes`,
			`Full: Text: "full" in *Note`,
			`names: Quiet: "quiet" in [...]string`,
			`names: Low: "low" in [...]string`,
		},
		kindLimit: {
			`Bound: max(n, 0) in min(max(n, 0), most)`,
			`Bound: n in max(n, 0)`,
			`Bound: 0 in max(n, 0)`,
			`Bound: most in min(max(n, 0), most)`,
			`Note.Count: 2 in min(2, int(n.Clone().Level))`,
			`Note.Count: int(n.Clone().Level) in min(2, int(n.Clone().Level))`,
			`Note.Most: 1 in max(1, n.Count())`,
			`Note.Most: n.Count() in max(1, n.Count())`,
		},
		kindOrder: {
			`Tell: o.Send = append(o.Send, "a", "b") after refuse(o, "c")`,
			`Tell: refuse(o, "c") after o.Closed = loud`,
		},
		kindStale: {
			`Note.Clone: return [n] as n was`,
			`Note.Louder: return [n], true as n was`,
			`Split: a in a, b, _ = strings.Cut(s, " ")`,
			`Split: b in a, b, _ = strings.Cut(s, " ")`,
			`Split: *n in *n = len(a)`,
		},
	} {
		t.Run(kind, func(t *testing.T) {
			var got []string
			for _, m := range all {
				if m.kind == kind && m.file != "server/hint.go" {
					got = append(got, m.fn+": "+m.what())
				}
			}
			slices.Sort(got)
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// Only the members of a snapshot are vital, not other calls with the same form.
func TestMembers(t *testing.T) {
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
		if m.vital == "member" {
			got = append(got, m.text)
		}
	}
	if !slices.Equal(got, []string{`add("text", n.Text)`, `add("tags", n.tags[0])`}) {
		t.Error(got)
	}
}

// Only tests that a mutant can affect run against it, those of its own
// package first.
func TestOrderOfJudges(t *testing.T) {
	far := &judge{pkg: "server", lit: map[int]bool{1: true, 2: true}, took: time.Second}
	own := &judge{pkg: "jsonrpc", lit: map[int]bool{1: true}, took: 2 * time.Second}
	other := &judge{pkg: "client", lit: map[int]bool{2: true}, took: time.Second}
	c := court{judges: []*judge{far, other, own}, record: map[[2]string]history{}}
	if got := c.order(&mutant{file: "jsonrpc/id.go", n: 1}); !slices.Equal(got, []*judge{own, far}) {
		t.Errorf("%d judges", len(got))
	}
}
