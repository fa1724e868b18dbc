package config

import (
	"fmt"
	"strings"
)

// expand puts values in the place of ${…}. The error says what is wrong with one.
func (p *parser) expand(s string) (string, error) {
	var b strings.Builder
	for {
		before, rest, some := strings.Cut(s, "${")
		b.WriteString(before)
		if !some {
			return b.String(), nil
		}
		inner, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("${%s has no closing brace", brief(rest))
		}
		v, err := p.variable(inner)
		if err != nil {
			return "", err
		}
		b.WriteString(v)
		s = after
	}
}

// variable returns what ${inner} stands for.
func (p *parser) variable(inner string) (string, error) {
	switch inner {
	case "userHome":
		for _, name := range []string{"HOME", "USERPROFILE"} {
			if home, ok := p.env(name); ok {
				return home, nil
			}
		}
		return "", fmt.Errorf("${userHome}: the home of the user is not known")
	case "workspaceFolder":
		return p.folder, nil
	}
	if id, ok := strings.CutPrefix(inner, "input:"); ok {
		return "", fmt.Errorf("${input:%s}: nobody can be asked for it here; use a variable of the environment", brief(id))
	}
	name := strings.TrimPrefix(inner, "env:")
	name, otherwise, has := strings.Cut(name, ":-")
	if !isName(name) {
		return "", fmt.Errorf("${%s} is no variable", brief(inner))
	}
	v, set := p.env(name)
	switch {
	case has && v == "":
		return otherwise, nil
	case !set:
		return "", fmt.Errorf("the variable %s is not set; ${%s:-text} would give it a default", name, name)
	}
	return v, nil
}

// isName reports whether a text can be the name of a variable.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') && (i == 0 || c != '(' && c != ')') {
			return false
		}
	}
	return s != ""
}

// brief is the beginning of a text, for errors.
func brief(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}
