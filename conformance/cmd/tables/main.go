// Command tables writes the tables of the documentation from the data of the code:
// docs/transitions.md, docs/methods.md and docs/limits.md. The templates next to it have the
// prose.
//
//	go run ./conformance/cmd/tables          # print them
//	go run ./conformance/cmd/tables -w       # write them
//	go run ./conformance/cmd/tables -check   # fail if they differ
package main

import (
	"bytes"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/template"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
)

//go:generate go run . -w

//go:embed *.tmpl
var templates embed.FS

// pages are the written files, in order, with their data.
var pages = []struct {
	name string
	data func() any
}{
	{"transitions.md", func() any { return newLifecycle() }},
	{"methods.md", func() any { return newVocabulary() }},
	{"limits.md", func() any { return newLimits() }},
}

func main() {
	write := flag.Bool("w", false, "write the pages below docs")
	check := flag.Bool("check", false, "fail if a page below docs is not up to date")
	flag.Parse()
	if err := run(*write, *check, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

func run(write, check bool, w io.Writer) error {
	root, err := coverage.Root()
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range pages {
		text, err := render(p.name+".tmpl", p.data())
		if err != nil {
			return err
		}
		path := filepath.Join(root, "docs", p.name)
		switch {
		case write:
			err = os.WriteFile(path, text, 0o644)
		case check:
			err = compare(path, text)
		default:
			_, err = w.Write(text)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func compare(path string, want []byte) error {
	got, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%s is not up to date: go run ./conformance/cmd/tables -w", path)
	}
	return nil
}

func render(name string, data any) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").ParseFS(templates, name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, data)
	return b.Bytes(), err
}
