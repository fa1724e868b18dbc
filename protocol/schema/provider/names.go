package provider

import (
	"strconv"
	"strings"
)

const (
	maxName  = 64 // bytes that all providers allow
	hashSize = 13 // base 32 digits of 64 bits
)

// Names maps the names of tools one to one to names that a provider allows: ASCII letters,
// digits, _ and -, for Gemini dots too, at most 64 bytes, for Gemini not starting with a digit, a dot
// or -. An allowed name stays as it is. In any other, _ replaces each character that is not allowed, or
// tool replaces a name without any allowed one. A hash of the whole is appended only if the name was too long or conflicts with another.
// The zero Names has no names. Names do not change and may be shared by goroutines.
type Names struct {
	to, from map[string]string
}

// NameError says that two tools have the same name.
type NameError struct {
	// Name is the name, cut after 64 bytes.
	Name string
}

// Error returns the name.
func (e *NameError) Error() string {
	return "provider: two tools are named " + strconv.Quote(e.Name) + "; give one of them another name"
}

// alphabet is a set of names of 1 to 64 bytes: ASCII letters, _ and these others; with a ^,
// none of the others may be the first.
type alphabet string

const (
	functionName alphabet = "0123456789-"
	geminiName   alphabet = "^0123456789-."
	anthropicKey alphabet = "0123456789-."
	identifier   alphabet = "^0123456789"
)

// alphabet returns the set of tool names of the provider.
func (p Provider) alphabet() alphabet {
	if p == Gemini {
		return geminiName
	}
	return functionName
}

// NewNames returns the mapping of these names. The error is a *NameError. A mapped name
// depends on the others only in a conflict.
func NewNames(p Provider, names []string) (Names, error) { return mapped(p.alphabet(), names) }

func mapped(a alphabet, names []string) (Names, error) {
	n := Names{to: make(map[string]string, len(names)), from: make(map[string]string, len(names))}
	seen, like := map[string]bool{}, map[string]int{} // like counts the names that map to the same one
	for _, name := range names {
		if seen[name] {
			return Names{}, &NameError{Name: cut(name)}
		}
		seen[name] = true
		if a.allows(name) {
			n.set(name, name)
		}
		like[a.changed(name)]++
	}
	for _, name := range names {
		if to := a.changed(name); like[to] == 1 && len(name) <= maxName {
			n.set(name, to)
		}
	}
	for _, name := range names {
		try := 0
		for !n.set(name, a.hashed(name, try)) {
			try++
		}
	}
	return n, nil
}

// set maps a name, unless it is mapped already or to is taken, and reports whether it is mapped.
func (n Names) set(name, to string) bool {
	_, has := n.to[name]
	if _, taken := n.from[to]; !has && !taken {
		n.to[name], n.from[to] = to, name
		has = true
	}
	return has
}

// Provider returns the provider's name of a tool.
func (n Names) Provider(tool string) (name string, ok bool) {
	name, ok = n.to[tool]
	return name, ok
}

// Tool returns the tool with that name at the provider.
func (n Names) Tool(name string) (tool string, ok bool) {
	tool, ok = n.from[name]
	return tool, ok
}

// allows reports whether a name is in the set.
func (a alphabet) allows(name string) bool {
	return name != "" && len(name) <= maxName && a.changed(name) == name
}

// has reports whether a character may be in a name.
func (a alphabet) has(b byte, first bool) bool {
	if 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '_' {
		return true
	}
	return b != '^' && strings.IndexByte(string(a), b) >= 0 && !(first && a[0] == '^')
}

// changed returns a name with _ for forbidden characters, of any length, and "tool" for a name
// without any allowed one.
func (a alphabet) changed(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 0x80 || !a.has(byte(r), false):
			b.WriteByte('_')
			continue
		case b.Len() == 0 && !a.has(byte(r), true):
			b.WriteByte('_')
		}
		b.WriteByte(byte(r))
	}
	to := b.String()
	switch {
	case name == "" || to != name && strings.Trim(to, "_") == "":
		return "tool" // there is nothing to read in it
	case a[0] == '^' && len(to) > maxName && len(name) <= maxName: // the one that was put before it
		return to[:maxName]
	}
	return to
}

// hashed returns an allowed name, a different one for each try.
func (a alphabet) hashed(name string, try int) string {
	const digits = "abcdefghijklmnopqrstuvwxyz234567"
	head := a.changed(name)
	b := []byte(head[:min(len(head), maxName-1-hashSize)] + "_")
	h := hash(name, try)
	for range hashSize {
		b = append(b, digits[h%32])
		h /= 32
	}
	return string(b)
}

// hash is 64-bit FNV-1a. It need not resist collisions: NewNames checks for them.
func hash(name string, try int) uint64 {
	h := uint64(14695981039346656037)
	add := func(b byte) { h = (h ^ uint64(b)) * 1099511628211 }
	for i := range len(name) {
		add(name[i])
	}
	for ; try > 0; try-- {
		add(0)
	}
	return h
}
