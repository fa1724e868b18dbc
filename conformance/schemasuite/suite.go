package schemasuite

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Test is one test of the official suite.
type Test struct {
	// Name is the file, the group and the test.
	Name string
	// Schema and Value are the texts. Schema names its dialect.
	Schema, Value string
	// Valid is whether the value satisfies the schema.
	Valid bool
}

// Suite returns the tests in a directory of the official suite and below: with
// optional only those that a complete implementation may fail, without it only the others.
// dialect is the default dialect of the schemas.
func Suite(dir, dialect string, optional bool) ([]Test, error) {
	var list []Test
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || strings.HasPrefix(filepath.ToSlash(rel), "optional/") != optional {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var groups []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(text, &groups); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, g := range groups {
			for _, t := range g.Tests {
				list = append(list, Test{filepath.ToSlash(rel) + ": " + g.Description + ": " + t.Description, named(string(g.Schema), dialect), string(t.Data), t.Valid})
			}
		}
		return nil
	})
	return list, err
}

// named is the schema with its dialect.
func named(s, dialect string) string {
	if s[0] != '{' || strings.Contains(s, `"$schema"`) {
		return s
	}
	if rest := strings.TrimLeft(s[1:], " \t\r\n"); rest == "}" {
		return `{"$schema":"` + dialect + `"}`
	}
	return `{"$schema":"` + dialect + `",` + s[1:]
}
