package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The checked-in file is what the generator writes.
func TestUpToDate(t *testing.T) {
	want, err := generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("../..", output))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is not up to date: run go generate in protocol", output)
	}
}

func source1(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte("package protocol\n"+text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What the generator cannot do is an error, and not code that drops a member.
func TestRefused(t *testing.T) {
	for _, text := range []string{
		"type T struct { A complex128 `json:\"a\"` }",
		"type T struct { A string `json:\"a\" mcp:\"unknown\"` }",
		"type T struct { A bool `json:\"a\"` }",                    // required, and its zero value is not written
		"type T struct { A *float64 `json:\"a\"` }",                // nil has no value
		"type T struct { A map[string]Raw `json:\"a,omitzero\"` }", // values of which type?
		"type T struct { A chan int `json:\"a\"` }",
		"type T struct { A string `json:\"a,omitempty\"` }",
		"type T struct { A string `json:\",omitzero\"` }",
		"type T struct { A, B string `json:\"a\"` }",
		"type T struct { A *T `json:\"a\"` }",
		"type T struct { A T `json:\"a,omitzero\"` }",
		"type T struct {",
	} {
		if src, err := generate(source1(t, text)); err == nil {
			t.Errorf("%s: no error, but\n%s", text, src)
		}
	}
}

// What tags and directives say is in the code.
func TestRanges(t *testing.T) {
	src, err := generate(source1(t, `
// Whole is a whole.
//
//sansmcp:schema WholeThing
type Whole struct {
	Part
	New  string   `+"`json:\"new,omitzero\" since:\"2025-03-26\"`"+`
	Old  string   `+"`json:\"old,omitzero\" until:\"2025-06-18\"`"+`
	List []Item   `+"`json:\"list\" mcp:\"one,sampling\" arrays:\"2025-06-18\"`"+`
	Map  map[string]Raw `+"`json:\"map,omitzero\" mcp:\"primitive\" arrays:\"2025-03-26\"`"+`
	TTL  int64    `+"`json:\"ttl\"`"+`
	Item *Item    `+"`json:\"item,omitzero\"`"+`
	Free *Free    `+"`json:\"free,omitzero\"`"+`
}
type Part struct {
	Name string `+"`json:\"name\" mcp:\"name\"`"+`
	TTL  string `+"`json:\"ttl\"`"+`
	More string `+"`json:\"more,omitzero\" since:\"2025-03-26\"`"+`
}
type Item struct {
	Both string `+"`json:\"both,omitzero\" since:\"2024-11-05\" until:\"2025-03-26\"`"+`
}
type Free struct {
	Text string `+"`json:\"text,omitzero\"`"+`
}
const Kind = "kind" //sansmcp:schema KindContent since:"2025-03-26"
`))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(src)), " ")
	for _, want := range []string{
		`case "new": if how.age.in(ages{age20250326, 0}) { m[`,
		`case "old": if how.age.in(ages{0, age20250618}) { m[`,
		`if !how.age.in(ages{age20250618, 0}) && given(m[4]) && m[4][0] == '[' { return fault("Whole", "list", ReasonType) }`,
		`if err := setOne(&v.List, "Whole", "list", m[4], true, how.at(sampling))`,
		`if len(v.List) == 1 { dst = v.List[0].AppendJSON(dst) } else { dst = append(dst, '[')`,
		`setPrimitiveMap(into(&v.Map, how.skim), m[5], how.age.in(ages{age20250326, 0}))`,
		`setInt(&v.TTL, m[6], true)`, `strconv.AppendInt(append(dst, ` + "`,\"ttl\":`" + `...), v.TTL, 10)`,
		`func (v Whole) AppendJSON(dst []byte) []byte { dst = rawjson.AppendQuote(append(dst, ` + "`{\"name\":`" + `...), v.Name) if v.More`,
		`idWhole: {"WholeThing", []member{{"more", ages{age20250326, 0}, idOpen, 0, 0, nil}, {"new", ages{age20250326, 0}, idOpen, 0, 0, nil}, {"old", ages{0, age20250618}, idOpen, 0, 0, nil}, {"list", ages{}, idSamplingContent, age20250618, 0, nil}, {"item", ages{}, idItem, 0, 0, nil}}},`,
		`idItem: {"Item", []member{{"both", ages{age20241105, age20250326}, idOpen, 0, 0, nil}}},`,
		`const maxMembers = 5 `, `const maxParts = 7 `,
		`var contentKinds = [...]contentKind{ {Kind, "KindContent", ages{age20250326, 0}}, }`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %s", want)
		}
	}
	if strings.Contains(text, `setString(&v.TTL, m[2]`) || strings.Contains(text, `idFree: {"Free", []member`) {
		t.Errorf("the ttl of the part is still there, or Free has ranges:\n%s", src)
	}
}

func TestGenerated(t *testing.T) {
	src, err := generate(source1(t, `
type helper struct { A complex128 }
type Untagged struct { A complex128 }
type NoteParams struct {
	Text string `+"`json:\"text\"`"+`
	Hidden int
}
func (v *NoteParams) Validate() error { return nil }`))
	if err != nil {
		t.Fatal(err)
	}
	text := string(src)
	for _, want := range []string{"func (v NoteParams) AppendJSON", "func (v *NoteParams) DecodeJSON", "func checkNoteParams", "DO NOT EDIT"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %s", want)
		}
	}
	for _, not := range []string{"Validate", "Untagged", "helper", "Hidden"} {
		if strings.Contains(text, not) {
			t.Errorf("has %s:\n%s", not, text)
		}
	}
}
