package main

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = "testdata/" + name
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("not as in %s:\n%s", name, got)
	}
}

// The toy module has something for each kind of mutant, incomplete tests and
// explanations, two of them stale.
func TestToy(t *testing.T) {
	var b bytes.Buffer
	if err := run(printer{&b}, "testdata/toy", options{seeds: []uint64{1}, list: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "list.txt", b.String())
	vital := strings.Count(b.String(), " (gate): ") + strings.Count(b.String(), " (emission): ") + strings.Count(b.String(), " (member): ")
	b.Reset()
	if err := run(printer{&b}, "testdata/toy", options{seeds: []uint64{1}, list: true, vital: true}); err != nil || strings.Count(b.String(), "\n") != vital {
		t.Errorf("%v, %d are vital:\n%s", err, vital, b.String())
	}
	if testing.Short() {
		return
	}
	b.Reset()
	err := run(printer{&b}, "testdata/toy", options{seeds: []uint64{1}, min: 99, parallel: 2})
	if err == nil {
		t.Fatal("all is well")
	}
	b.WriteString(err.Error() + "\n")
	idle := strings.Count(b.String(), "SURVIVED, no test comes by: ")
	early, done, _ := strings.Cut(b.String(), "ran ")
	if a, b := survivorsIn(early), survivorsIn(done); !slices.Equal(a, b) {
		t.Errorf("told as it goes: %q", a)
	}
	b.Reset()
	b.WriteString(survivor.ReplaceAllString(early, "") + "ran " + done)
	golden(t, "report.txt", regexp.MustCompile(` in [\dm]+s`).ReplaceAllString(b.String(), " in some time"))
	b.Reset()
	if err := run(printer{&b}, "testdata/toy", options{seeds: []uint64{1}, idle: true}); err != nil || strings.Count(b.String(), "\n") != 2+idle || !strings.Contains(b.String(), " Less off-by-one: a < b\n") {
		t.Errorf("%v, %d are idle:\n%s", err, idle, b.String())
	}
	b.Reset()
	if err := run(printer{&b}, "testdata/toy", options{seeds: []uint64{1, 2}, n: 9, parallel: 2}); err == nil || !strings.Contains(b.String(), " mutants, seed 1 2\n") ||
		!regexp.MustCompile(`\nseed 1: \d of 9 killed, [\d.]+ %\nseed 2: \d of 9 killed, `).MatchString(b.String()) {
		t.Errorf("%v:\n%s", err, b.String())
	}
	b.Reset()
	if err := run(printer{&b}, "testdata/toy", options{seeds: []uint64{1}, n: 5, by: "client", parallel: 1}); err == nil || !strings.Contains(b.String(), "0 of 5 killed") {
		t.Errorf("%v:\n%s", err, b.String())
	}
	b.Reset()
	if err := run(printer{&b}, "testdata/toy", options{seeds: []uint64{1}, n: 9, by: own, parallel: 1}); err == nil || !strings.Contains(b.String(), "tests of 1 packages") || !strings.Contains(b.String(), "7 of 9 killed") {
		t.Errorf("%v:\n%s", err, b.String())
	}
	b.Reset()
	if err := run(printer{&b}, "testdata/toy", options{seeds: []uint64{1}, n: 5, budget: 1, parallel: 1}); err == nil || !strings.Contains(b.String(), "SURVIVED, tests of 1 packages untried: ") || !strings.Contains(b.String(), "0 of 5 killed") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

var survivor = regexp.MustCompile(`(?mi)^survived[^:\n]*: (.*)\n`)

// survivorsIn returns the survivors in a part of the output.
func survivorsIn(text string) []string {
	var list []string
	for _, line := range survivor.FindAllStringSubmatch(text, -1) {
		list = append(list, line[1])
	}
	slices.Sort(list)
	return list
}

func TestOnly(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	var b bytes.Buffer
	mod, err := loadModule("testdata/toy")
	if err != nil {
		t.Fatal(err)
	}
	all, err := mod.mutants()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if m.kind == kindNegate && m.text == "i == most" {
			if err := run(printer{&b}, "testdata/toy", options{only: m.id + "," + all[0].id}); err == nil || !strings.Contains(b.String(), "2 of ") {
				t.Errorf("%v\n%s", err, b.String())
			}
			b.Reset()
			if err := run(printer{&b}, "testdata/toy", options{only: m.id}); err != nil || !strings.Contains(b.String(), "killed by server\n--- FAIL: TestSum") {
				t.Errorf("%v\n%s", err, b.String())
			}
			return
		}
	}
	t.Error("the condition of the loop is missing")
}

// Wraps of one span nest, and the innermost replaces an operator.
func TestRewrite(t *testing.T) {
	const text = "package p\nfunc f() bool { return a < b+c }\n"
	i := strings.Index(text, "a <")
	e := func(from, to int, before, after string) edit {
		return edit{from: i + from, to: i + to, before: before, after: after}
	}
	op := e(0, 7, "LT(#, ", ")")
	op.opFrom, op.opTo = i+2, i+3
	list := []*mutant{
		{n: 1, edits: []edit{op}}, {n: 2, edits: []edit{e(0, 7, "((", ") != On(#))")}}, {n: 3, edits: []edit{e(0, 7, "(!On(#) && (", "))")}},
		{n: 4, edits: []edit{e(4, 7, "Plus(#, ", ")")}},
	}
	got := rewrite(text, strings.Index(text, "\n"), "m", list)
	want := "package p; import mutant \"m/internal/mutant\"\nfunc f() bool { return (((!On(3) && (LT(1, a , Plus(4, b+c))))) != On(2)) }\n"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The sample of a seed does not change with mutants elsewhere.
func TestSample(t *testing.T) {
	var all []*mutant
	for i := range 100 {
		all = append(all, &mutant{file: "a/b.go", fn: "f", kind: kindDelete, text: strings.Repeat("x", i), edits: []edit{{from: i}}})
	}
	identify(all)
	a, b := sample(all, 20, 1, false), sample(all[:90], 20, 1, false)
	both := 0
	for _, m := range a {
		if withID(b, m.id) != nil {
			both++
		}
	}
	if len(a) != 20 || len(b) != 20 || both < 12 {
		t.Errorf("%d and %d mutants, %d in both", len(a), len(b), both)
	}
	if len(sample(all, 0, 1, false)) != 100 || len(sample(all, 0, 1, true)) != 100 {
		t.Error("not all of them")
	}
	few := &mutant{file: "b/a.go", kind: kindDelete, edits: []edit{{}}}
	if c := sample(append(all, few), 20, 1, true); len(c) != 21 || !slices.Equal(c[:20], a) || c[20] != few {
		t.Errorf("%d of two packages, or others of the first than with it alone", len(c))
	}
}

func TestExplanations(t *testing.T) {
	known, err := parseExplanations("# x\na\nb\n\tone\n  two\n\nc\n\tthree\n")
	if err != nil || len(known) != 3 || known["a"].reason != "one two" || known["b"].reason != "one two" || known["c"].reason != "three" {
		t.Errorf("%v %v", known, err)
	}
	for _, bad := range []string{"\treason\n", "a\n", "a\n\tx\na\n\ty\n", "a\n\tx\nb\n"} {
		if known, err := parseExplanations(bad); err == nil {
			t.Errorf("%q gives %v", bad, known)
		}
	}
	// The real file can be read.
	if _, err := readExplanations("survivors.txt"); err != nil {
		t.Error(err)
	}
}
