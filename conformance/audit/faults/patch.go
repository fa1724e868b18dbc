package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Patch breaks one row.
type Patch struct {
	Row     string   // the id of the row
	Text    string   // a sentence on what it breaks
	Also    []string // ids of dependent rows
	changes []change
}

// change is a change in one place of a file.
type change struct {
	file     string // relative to the root of the module
	old, new []string
}

var also = regexp.MustCompile(`^also: ([A-Z]+-[0-9]{3}) \S`)

// Read reads the patches of a folder, sorted by row.
func Read(dir string) ([]Patch, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.patch"))
	if err != nil {
		return nil, err
	}
	var list []Patch
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		p, err := parse(strings.TrimSuffix(filepath.Base(path), ".patch"), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, p)
	}
	return list, nil
}

func parse(row, text string) (Patch, error) {
	p := Patch{Row: row}
	file, open := "", (*change)(nil)
	for n, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		mark, rest := "", ""
		if line != "" {
			mark, rest = line[:1], line[1:]
		}
		switch {
		case mark == "#" && file == "":
			rest = strings.TrimPrefix(rest, " ")
			if m := also.FindStringSubmatch(rest); m != nil {
				p.Also = append(p.Also, m[1])
				continue
			}
			p.Text = strings.TrimSpace(p.Text + " " + rest)
		case strings.HasPrefix(line, "--- "):
			file, open = line[len("--- "):], nil
		case line == "@@" && file != "":
			p.changes = append(p.changes, change{file: file})
			open = &p.changes[len(p.changes)-1]
		case open != nil && mark == "+":
			open.new = append(open.new, rest)
		case open != nil && mark == "-":
			open.old = append(open.old, rest)
		case open != nil && (mark == " " || mark == "" || mark == "\t"):
			open.old, open.new = append(open.old, line), append(open.new, line)
		default:
			return p, fmt.Errorf("line %d is out of place: %s", n+1, line)
		}
	}
	switch {
	case p.Text == "" || strings.Contains(p.Text, "also:"):
		return p, fmt.Errorf("the head does not say what is broken, or has a line also: without a row and a reason")
	case len(p.changes) == 0:
		return p, fmt.Errorf("no change")
	}
	return p, nil
}

// Name returns the row.
func (p Patch) Name() string { return p.Row }

// Files returns the files that the patch changes.
func (p Patch) Files() []string {
	var list []string
	for _, c := range p.changes {
		if !slices.Contains(list, c.file) {
			list = append(list, c.file)
		}
	}
	return list
}

// Apply returns the text of one of its files with the patch applied.
func (p Patch) Apply(file, text string) (string, error) {
	lines := strings.Split(text, "\n")
	for _, c := range p.changes {
		if c.file != file {
			continue
		}
		var places []int
		for i := range len(lines) - len(c.old) + 1 {
			if slices.EqualFunc(lines[i:i+len(c.old)], c.old, func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }) {
				places = append(places, i)
			}
		}
		if len(c.old) == 0 || len(places) != 1 {
			return "", fmt.Errorf("%s: %d places in %s read\n%s", p.Row, len(places), file, strings.Join(c.old, "\n"))
		}
		lines = slices.Concat(lines[:places[0]], c.new, lines[places[0]+len(c.old):])
	}
	return strings.Join(lines, "\n"), nil
}
