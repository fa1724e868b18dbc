package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// explanation says why a mutant survives.
type explanation struct {
	line   int
	reason string
}

// readExplanations reads survivors.txt: lines that begin with # are comments; an unindented line
// is the key of a mutant, and the indented ones below say why it
// survives.
func readExplanations(name string) (map[string]explanation, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	known, err := parseExplanations(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return known, nil
}

func parseExplanations(text string) (map[string]explanation, error) {
	known := map[string]explanation{}
	var keys []string // without a reason yet
	reasoned := true
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(line, "#"):
		case line[0] == '\t' || line[0] == ' ':
			if keys == nil {
				return nil, fmt.Errorf("line %d: a reason without a mutant", i+1)
			}
			reasoned = true
			for _, key := range keys {
				e := known[key]
				e.reason = strings.TrimSpace(e.reason + " " + trimmed)
				known[key] = e
			}
		default:
			if reasoned {
				keys, reasoned = nil, false
			}
			if _, twice := known[trimmed]; twice {
				return nil, fmt.Errorf("line %d: %q is there twice", i+1, trimmed)
			}
			keys = append(keys, trimmed)
			known[trimmed] = explanation{line: i + 1}
		}
	}
	if !reasoned {
		return nil, fmt.Errorf("%q without a reason", keys[len(keys)-1])
	}
	return known, nil
}
