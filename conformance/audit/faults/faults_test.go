package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
	"github.com/sansmcp/mcp/conformance/audit/trial"
)

// Each row of the kept sample has a patch, and all patches fit the present tree
// and compile. Which cases fail is for the command to check.
func TestPatches(t *testing.T) {
	root, err := coverage.Root()
	if err != nil {
		t.Fatal(err)
	}
	patches, err := Read(filepath.Join(root, "conformance", "audit", "faults"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range patches { // report all that do not fit
		for _, file := range p.Files() {
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
			if err == nil {
				_, err = p.Apply(file, string(text))
			}
			if err != nil {
				t.Errorf("%s: %v", p.Row, err)
			}
		}
	}
	if t.Failed() {
		return
	}
	overlay, err := trial.Overlay(root, t.TempDir(), patches)
	if err != nil {
		t.Fatal(err)
	}
	if !testing.Short() {
		build := exec.Command("go", "build", "-overlay", overlay, "./server", "./client")
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	results, err := coverage.Results(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Lacking(coverage.Sample(results, KeptRows, KeptSeed), patches) {
		t.Errorf("no patch for %s of the kept sample: %s", r.ID, r.Text)
	}
	known := map[string]bool{}
	for _, r := range results {
		known[r.ID] = true
	}
	for _, p := range patches {
		if !known[p.Row] {
			t.Errorf("a patch for %s, which is no row", p.Row)
		}
		for _, id := range p.Also {
			if !known[id] || id == p.Row {
				t.Errorf("%s names %s", p.Row, id)
			}
		}
	}
}

// Lacking and Among split a sample.
func TestLackingAndAmong(t *testing.T) {
	rows := []coverage.Result{{Row: coverage.Row{ID: "A-001"}}, {Row: coverage.Row{ID: "B-002"}}}
	patches := []Patch{{Row: "B-002"}, {Row: "C-003"}}
	if got := Lacking(rows, patches); len(got) != 1 || got[0].ID != "A-001" {
		t.Error(got)
	}
	if got := Among(patches, rows); len(got) != 1 || got[0].Row != "B-002" {
		t.Error(got)
	}
}

const sound = `package p

import "strings"

var table = []int{1, 2}

// twice is here to be broken.
func twice(s string) string {
	return s + s
}

func show(s string) {
	println(strings.ToUpper(s))
}
`

// merged returns the text of sound in an overlay with the patches.
func merged(t *testing.T, patches []Patch) (string, error) {
	t.Helper()
	root, dir := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "f.go"), []byte(sound), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := trial.Overlay(root, dir, patches); err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(dir, "f.go"))
	return string(text), err
}

// A patch finds its place only by its lines, and its bodies are added to the original ones.
func TestMerge(t *testing.T) {
	var patches []Patch
	for i, text := range []string{
		"# a\n# also: B-002 since\n--- f.go\n@@\n func twice(s string) string {\n-return s + s\n+	return s\n",
		"# b\n# c\n--- f.go\n@@\n-	println(strings.ToUpper(s))\n+	println(s)\n",
		"# d\n--- f.go\n@@\n-var table = []int{1, 2}\n+var table = []int{1}\n",
	} {
		p, err := parse("A-00"+string(rune('1'+i)), text)
		if err != nil {
			t.Fatal(err)
		}
		patches = append(patches, p)
	}
	if p := patches[0]; p.Text != "a" || !slices.Equal(p.Also, []string{"B-002"}) || patches[1].Text != "b c" {
		t.Errorf("%+v", patches)
	}
	got, err := merged(t, patches)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"if zzfault.On == 1 {\n	return s\n}", "if zzfault.On == 2 {\n	println(s)\n\nreturn }", "{ if zzfault.On == 3 { table = []int{1} } }",
		"return s + s", "println(strings.ToUpper(s))", "var table = []int{1, 2}",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
}

func TestBadPatches(t *testing.T) {
	for what, text := range map[string]string{
		"no head": "--- f.go\n@@\n-a\n", "no change": "# a\n", "no place": "# a\n-a\n", "an also without a reason": "# a\n# also: A-001\n--- f.go\n@@\n-a\n",
	} {
		if p, err := parse("A-001", text); err == nil {
			t.Errorf("%s: %+v", what, p)
		}
	}
	for what, change := range map[string]string{
		"what is not there": "-	return s + t\n+	return s\n", "what is there twice": "-}\n+}}\n",
		"a signature": "-func twice(s string) string {\n+func twice(s string) (x string) {\n", "a new function": " import \"strings\"\n+func f() {}\n",
		"no Go": "-	return s + s\n+	return (\n",
	} {
		p, err := parse("A-001", "# a\n--- f.go\n@@\n"+change)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := merged(t, []Patch{p}); err == nil {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// The rows of a case: a transcript has those of its head, a subtest those of its name.
func TestFailures(t *testing.T) {
	s := &Suite{transcripts: map[string][]string{"ping/timeout": {"PING-005"}}}
	show := func(p *pack, out string) string {
		var all []string
		for _, f := range s.failures(p, out) {
			all = append(all, f.Case+"="+strings.Join(f.Rows, "+"))
		}
		return strings.Join(all, " ")
	}
	p := &pack{dir: transcripts, rows: map[string][]string{transcriptTest: nil}}
	out := "--- FAIL: TestTranscripts (0.1s)\n    --- FAIL: TestTranscripts/ping/timeout/2025-06-18 (0s)\n    --- FAIL: TestTranscripts/ping/timeout/2025-06-18/restored (0s)\n    --- FAIL: TestTranscripts/no/rows/2025-06-18 (0s)\n"
	if got := show(p, out); got != "ping/timeout=PING-005" {
		t.Error(got)
	}
	p = &pack{dir: "x", rows: map[string][]string{"TestA": {"A-001", "B-002"}, "TestB": {"C-003"}}}
	out = "--- FAIL: TestA (0.1s)\n    --- FAIL: TestA/A-001#01 (0s)\n    --- FAIL: TestA/other (0s)\n    --- FAIL: TestA/A-001_B-002 (0s)\n--- FAIL: TestB (0s)\n    --- FAIL: TestB/a_name (0s)\n"
	if got := show(p, out); got != "x TestA/A-001=A-001 x TestA/A-001_B-002=A-001+B-002 x TestB=C-003" {
		t.Error(got)
	}
}

func TestJudge(t *testing.T) {
	p := Patch{Row: "A-001", Also: []string{"B-002"}}
	own, dependent, other := Failure{Case: "own", Rows: []string{"A-001", "C-003"}}, Failure{Case: "dependent", Rows: []string{"B-002"}}, Failure{Case: "other", Rows: []string{"C-003"}}
	whole := Failure{"whole", []string{"C-003"}, true}
	for _, c := range []struct {
		failures []Failure
		good     bool
		text     string
	}{
		{[]Failure{own, dependent}, true, "caught by own\n\tand, as the patch says, dependent (B-002)"},
		{[]Failure{own, dependent, other}, false, "caught by own\n\tand, as the patch says, dependent (B-002)\n\tBUT ALSO other (C-003)"},
		{[]Failure{own, dependent, whole}, true, "caught by own\n\tand, as the patch says, dependent (B-002)"},
		{[]Failure{own}, false, "caught by own\n\tNOTHING FAILED of B-002"},
		{[]Failure{dependent}, false, "NOT CAUGHT\n\tand, as the patch says, dependent (B-002)"},
		{nil, false, "NOT CAUGHT\n\tNOTHING FAILED of B-002"},
	} {
		if v := p.Judge(c.failures); v.Good() != c.good || v.String() != c.text {
			t.Errorf("%v: %v %q", c.failures, v.Good(), v)
		}
	}
	p.changes = []change{{file: "server/streams/post.go"}} // it goes through this file
	if v := p.Judge([]Failure{own, dependent, whole}); v.Good() {
		t.Errorf("%q", v)
	}
}
