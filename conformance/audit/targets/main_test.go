package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":             "module example\n\ngo 1.25\n",
		"wide/wide.go":       "package wide\n\nconst most = 1 << 40\n\nfunc Most() int { return most }\n",
		"some/some_linux.go": "package some\n\nfunc There() {}\n",
		"some/some.go":       "package some\n\nimport _ \"unsafe\"\n",
		"uses/uses.go":       "package uses\n\nimport \"example/some\"\n\nfunc Uses() { some.There() }\n",
		"good/good.go":       "package good\n\nfunc Good() int { return 1 }\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		target, patterns string
		packages         int
		want             string // in the error; none if it is empty
	}{
		{"linux/amd64", "./...", 4, ""},
		{"linux/386", "./good ./uses", 3, ""},
		{"linux/386", "./wide", 1, "overflows"},
		{"windows/amd64", "./wide ./good", 2, ""},
		{"windows/amd64", "./uses", 2, "undefined: some.There"},
		{"windows/amd64", "./away", 1, "away"},
		{"windows/z80", "./good", 0, "z80"},
	} {
		n, err := check(dir, tt.target, strings.Fields(tt.patterns)...)
		if n != tt.packages || (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s: %d packages, %v; want %d, %q", tt.target, tt.patterns, n, err, tt.packages, tt.want)
		}
	}
}
