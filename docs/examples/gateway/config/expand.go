package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// expand replaces variables by their values: ${…}, and $NAME and {env:NAME} in the dialects that
// have them. The error says what is wrong with one.
func (p *parser) expand(s string) (string, error) {
	var b strings.Builder
	for s != "" {
		at := strings.IndexAny(s, "${")
		if at < 0 {
			break
		}
		b.WriteString(s[:at])
		s = s[at:]
		v, n, err := p.variableAt(s)
		if err != nil {
			return "", err
		}
		if n == 0 { // not a variable
			v, n = s[:1], 1
		}
		b.WriteString(v)
		s = s[n:]
	}
	b.WriteString(s)
	return b.String(), nil
}

// variableAt returns the value and the length of the variable at the beginning of a text; 0 if
// there is none.
func (p *parser) variableAt(s string) (v string, n int, err error) {
	switch {
	case strings.HasPrefix(s, "${"):
		inner, _, closed := strings.Cut(s[2:], "}")
		if !closed {
			return "", 0, fmt.Errorf("${%s has no closing brace", spelled(s[2:]))
		}
		if strings.Contains(inner, "${") {
			return "", 0, fmt.Errorf("${%s}: a variable within another is not understood", spelled(inner))
		}
		v, err = p.variable(inner)
		return v, len(inner) + 3, err
	case strings.HasPrefix(s, "$"):
		name := leadingName(s[1:])
		if name == "" || p.dialect != nil && !p.dialect.dollar {
			return "", 0, nil
		}
		if p.dialect == nil {
			return "", 0, errors.New("$ and a name are a variable for Gemini CLI and a text for others; write ${NAME} for the variable, or say which by -dialect")
		}
		if v, ok := p.opt.Env(name); ok {
			return v, len(name) + 1, nil
		}
		if strings.ToUpper(name) != name { // it may be a part of a secret
			name = "after a $"
		}
		return "", 0, fmt.Errorf("the variable %s is not set; -dialect says that $ is no variable", name)
	case p.dialect != nil && p.dialect.brace && (strings.HasPrefix(s, "{env:") || strings.HasPrefix(s, "{file:")):
		inner, _, closed := strings.Cut(s[1:], "}")
		if name, is := strings.CutPrefix(inner, "env:"); closed && is && isName(name) {
			v, err = p.lookup(name)
			return v, len(inner) + 2, err
		}
		return "", 0, fmt.Errorf("{%s…} is not understood; write {env:NAME}", s[1:strings.IndexByte(s, ':')])
	}
	return "", 0, nil
}

// leadingName returns the name of a variable at the beginning of a text.
func leadingName(s string) string {
	n := 0
	for n < len(s) && isName(s[:n+1]) && s[n] != '(' && s[n] != ')' {
		n++
	}
	return s[:n]
}

func (p *parser) lookup(name string) (string, error) {
	v, set := p.opt.Env(name)
	if !set {
		return "", fmt.Errorf("the variable %s is not set; ${%s:-text} would give it a default", name, name)
	}
	return v, nil
}

// variable returns the value of ${inner}.
func (p *parser) variable(inner string) (string, error) {
	switch inner {
	case "userHome":
		return p.userHome()
	case "workspaceFolder":
		return p.opt.Folder, nil
	case "workspaceFolderBasename":
		return filepath.Base(p.opt.Folder), nil
	case "pathSeparator", "/":
		return string(filepath.Separator), nil
	}
	if id, ok := strings.CutPrefix(inner, "input:"); ok {
		return p.input(id)
	}
	name := strings.TrimPrefix(inner, "env:")
	name, otherwise, has := strings.Cut(name, ":-")
	if !isName(name) {
		return "", fmt.Errorf("${%s} is not a variable", spelled(inner))
	}
	if v, set := p.opt.Env(name); has && (!set || v == "") {
		return otherwise, nil
	}
	return p.lookup(name)
}

// input returns the user's value for an input of VS Code.
func (p *parser) input(id string) (string, error) {
	in, declared := p.inputs[id]
	if !declared {
		return "", fmt.Errorf("${input:%s}: inputs has no text or choice with this id", brief(id))
	}
	if p.opt.Input != nil {
		v, ok := p.opt.Input(in)
		if ok && in.Choices != nil && !slices.Contains(in.Choices, v) {
			return "", fmt.Errorf("${input:%s}: the value is not one of its options", brief(id))
		}
		if ok {
			return v, nil
		}
	}
	return "", fmt.Errorf("${input:%s}: no terminal to ask; set -input %s=value", brief(id), brief(id))
}

func (p *parser) userHome() (string, error) {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if home, ok := p.opt.Env(name); ok && home != "" {
			return home, nil
		}
	}
	return "", fmt.Errorf("unknown home directory; set HOME, or write the full path")
}

// home returns a path with a leading ~ replaced by the home of the user.
func (p *parser) home(path string) (string, error) {
	switch {
	case path == "~", strings.HasPrefix(path, "~/"), strings.HasPrefix(path, `~\`):
		home, err := p.userHome()
		return home + path[1:], err
	case strings.HasPrefix(path, "~"):
		return "", fmt.Errorf("a path begins with ~ and a name; write the full path")
	}
	return path, nil
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

// spelled returns the beginning of the text between braces, for errors: the part that may be the
// name. The rest may be a secret, such as a default, or what follows a missing brace.
func spelled(inner string) string {
	for i := range len(inner) {
		if c := inner[i]; c != ':' && c != ' ' && !isName("_"+inner[i:i+1]) {
			return brief(inner[:i]) + "…"
		} else if (c == ':' || c == ' ') && i > 0 && inner[:i] != "env" {
			return brief(inner[:i]) + "…"
		}
	}
	return brief(inner)
}

// brief returns the beginning of a text, for errors.
func brief(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}
