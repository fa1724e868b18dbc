package schemasuite_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/schemasuite"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// verdict is the verdict of package schema on a test: accept, reject, or undecided because it does not
// check all of the schema.
func verdict(formats schema.Formats, s, value string) (accept, decided bool, err error) {
	err = schema.Basic{Formats: formats}.Validate(jsonrpc.Raw(s), jsonrpc.Raw(value))
	var f schema.Fault
	if errors.As(err, &f) {
		return false, f.Keyword != schema.KeywordSchema && f.Keyword != schema.KeywordLimit, err
	}
	return true, len(schema.Ignored(jsonrpc.Raw(s))) == 0, nil
}

var drafts = []struct {
	dir, dialect string
	least        float64 // the decided part of the required tests
}{
	{"draft2020-12", schema.Dialect202012, 0.95},
	{"draft2019-09", schema.Dialect201909, 0.95},
	{"draft7", schema.DialectDraft07, 0.95},
	{"draft6", schema.DialectDraft06, 0.95},
	{"draft4", schema.DialectDraft04, 0.90},
}

// No verdict on a required test is false, and undecided ones are listed.
func TestOfficialSuite(t *testing.T) {
	var undecided strings.Builder
	for _, d := range drafts {
		tests, err := schemasuite.Suite("testdata/suite/tests/"+d.dir, d.dialect, false)
		if err != nil || len(tests) < 500 {
			t.Fatal(d.dir, len(tests), err)
		}
		open := 0
		for _, c := range tests {
			accept, decided, err := verdict(0, c.Schema, c.Value)
			switch {
			case !decided:
				open++
				fmt.Fprintf(&undecided, "%s/%s\n", d.dir, c.Name)
			case accept != c.Valid:
				t.Errorf("%s/%s: %v\n%s\n%s", d.dir, c.Name, err, c.Schema, c.Value)
			}
			if f := (schema.Fault{}); errors.As(err, &f) && decided {
				located(t, c.Schema, f)
			}
			// The lenient reader does not refuse falsely either.
			if err := (schema.Lenient{}).Validate(jsonrpc.Raw(c.Schema), jsonrpc.Raw(c.Value)); err != nil && c.Valid {
				t.Errorf("%s/%s: lenient: %v", d.dir, c.Name, err)
			}
		}
		part := 1 - float64(open)/float64(len(tests))
		t.Logf("%s: %d of %d tests decided, %.1f %%", d.dir, len(tests)-open, len(tests), 100*part)
		if part < d.least {
			t.Errorf("%s: %.1f %% are decided, want %.1f %%", d.dir, 100*part, 100*d.least)
		}
	}
	golden(t, "testdata/undecided.txt", undecided.String())
}

// The optional tests, with all formats: decided verdicts are correct too.
func TestOfficialSuiteOptional(t *testing.T) {
	var undecided strings.Builder
	tests, err := schemasuite.Suite("testdata/suite/tests/draft2020-12", schema.Dialect202012, true)
	if err != nil || len(tests) < 500 {
		t.Fatal(len(tests), err)
	}
	open := 0
	for _, c := range tests {
		accept, decided, err := verdict(schema.AllFormats, c.Schema, c.Value)
		if accept && !formatKnown(c.Schema, c.Value) {
			decided = false
		}
		switch {
		case !decided:
			open++
			fmt.Fprintf(&undecided, "%s\n", c.Name)
		case accept != c.Valid:
			t.Errorf("%s: %v\n%s\n%s", c.Name, err, c.Schema, c.Value)
		}
	}
	t.Logf("%d of %d optional tests decided", len(tests)-open, len(tests))
	golden(t, "testdata/undecided-optional.txt", undecided.String())
}

// formatKnown reports whether the format of an accepted value was checked: then not
// refuses it, while it accepts a value whose format is unknown.
func formatKnown(s, value string) bool {
	if !strings.Contains(s, `"format"`) {
		return true
	}
	return schema.Basic{Formats: schema.AllFormats}.Validate(jsonrpc.Raw(`{"$schema":"`+schema.Dialect202012+`","not":`+s+`}`), jsonrpc.Raw(value)) != nil
}

// located checks that the path of a fault in the schema leads to its keyword.
func located(t *testing.T, s string, f schema.Fault) {
	t.Helper()
	way := strings.Split(f.SchemaPath, "/")
	if f.Keyword != schema.KeywordFalse && way[len(way)-1] != f.Keyword {
		t.Errorf("%s: %q does not lead to %s", s, f.SchemaPath, f.Keyword)
	}
	if !leads(s, f.SchemaPath) {
		t.Errorf("%s: %q leads nowhere", s, f.SchemaPath)
	}
}

// golden compares text with the file, and writes it there with -update.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.SplitAfter(text, "\n")
	old := strings.SplitAfter(string(want), "\n")
	for _, line := range got {
		if !slices.Contains(old, line) {
			t.Errorf("%s does not have %q", file, line)
		}
	}
	for _, line := range old {
		if !slices.Contains(got, line) {
			t.Errorf("%s has %q", file, line)
		}
	}
}
