package main

import (
	"io"
	"os"
	"strings"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
	"github.com/sansmcp/mcp/conformance/explore/plants"
)

// look inserts the plants of a file into the product and searches for each. It returns the exit code: 1 if one is not found.
func (o *options) look(out, errs io.Writer) int {
	bad := func(err error) int {
		say(errs, "explore: -plant: %v\n", err)
		return 2
	}
	text, err := os.ReadFile(o.plant)
	if err != nil {
		return bad(err)
	}
	list, err := plants.Read(string(text))
	if err != nil {
		return bad(err)
	}
	root, err := coverage.Root()
	if err != nil {
		return bad(err)
	}
	dir, err := os.MkdirTemp("", "explore")
	if err != nil {
		return bad(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program, err := plants.Build(root, dir, list)
	if err != nil {
		return bad(err)
	}
	code := 0
	for i, p := range list {
		finds, text := plants.Look(program, i+1, append([]string{"-stop"}, o.others...)...)
		for _, f := range finds {
			say(out, "plant %d, %s: %s; %d steps: -world %s -replay '%s'\n", i+1, p.File, f.What, f.Steps, f.Scope, f.Trace)
		}
		if len(finds) == 0 {
			code = 1
			say(out, "plant %d, %s: not found\n", i+1, p.File)
			if !strings.Contains(text, " states ") && !strings.Contains(text, " steps in ") {
				say(errs, "%s", text) // the search failed
			}
		}
	}
	return code
}
