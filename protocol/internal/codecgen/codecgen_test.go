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
