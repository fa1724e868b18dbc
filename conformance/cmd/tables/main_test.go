package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

func TestUpToDate(t *testing.T) {
	for _, p := range pages { // for the test cache
		if _, err := os.Stat("../../../docs/" + p.name); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(false, true, nil); err != nil {
		t.Error(err)
	}
}

// -check finds a page that differs in one byte.
func TestCompare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	if err := compare(path, []byte("x")); err == nil {
		t.Error("a page that is not there is up to date")
	}
	if err := os.WriteFile(path, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := compare(path, []byte("text")); err != nil {
		t.Error(err)
	}
	if err := compare(path, []byte("test")); err == nil {
		t.Error("a page that differs is up to date")
	}
}

func TestPrint(t *testing.T) {
	var b bytes.Buffer
	if err := run(false, false, &b); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.HasPrefix(text, "# Phases") || !strings.Contains(text, "\n# Methods") || strings.Contains(text, "<no value>") {
		t.Errorf("%.300s", text)
	}
}

// The types of a row are those of its method: the codec of the table accepts what the type
// writes.
func TestBodies(t *testing.T) {
	for _, r := range protocol.AllRevisions() {
		for _, row := range r.Rows() {
			params, result := row.Types()
			if params == nil || params.Method() != row.Method {
				t.Errorf("%s: params are %T", row.Method, params)
			}
			if (result == nil) != row.Notification || result != nil && row.CheckResult(protocol.Raw(`7`), jsonrpc.Span{}) == nil {
				t.Errorf("%s: result is %T", row.Method, result)
			}
		}
	}
}

// The prose names every phase and trigger of the table, and explains every type that the tables
// mention.
func TestProse(t *testing.T) {
	text, err := render("transitions.md.tmpl", newLifecycle())
	if err != nil {
		t.Fatal(err)
	}
	prose, _, _ := strings.Cut(string(text), "## The table")
	for i := range lifecycle.TriggerCount {
		if name := lifecycle.Trigger(i).String(); !strings.Contains(prose, "\n| "+name+" | ") {
			t.Errorf("nothing on %q", name)
		}
	}
	for i := range protocol.PhaseCount {
		if name := lifecycle.Phase(i).String(); !strings.Contains(prose, "\n| "+name+" | ") {
			t.Errorf("nothing on %q", name)
		}
	}
	if text, err = render("methods.md.tmpl", newVocabulary()); err != nil {
		t.Fatal(err)
	}
	v := newVocabulary()
	cells := ""
	for _, m := range append(v.Requests, v.Notifications...) {
		cells += " " + m.Params + " " + m.Result
	}
	for _, r := range v.Stateless {
		for _, m := range r.Methods {
			cells += " " + m.Params + " " + m.Result
		}
	}
	for _, m := range v.Types {
		cells += " " + m.Members
	}
	_, section, _ := strings.Cut(string(text), "## Types")
	section, _, _ = strings.Cut(section, "## Older")
	for _, name := range regexp.MustCompile(`\b[A-Z][A-Za-z]+`).FindAllString(strings.ReplaceAll(cells, "JSON Schema", ""), -1) {
		if !strings.Contains(section, "\n| "+name+" |") && !regexp.MustCompile(`[( ]`+name+`[,)]`).MatchString(section[:400]) {
			t.Errorf("nothing on %s", name)
		}
	}
}
