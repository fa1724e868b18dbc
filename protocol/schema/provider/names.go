package provider

import (
	"strconv"
	"strings"
)

const (
	maxName  = 64 // bytes that all providers allow
	hashSize = 13 // digits of base 32 in 64 bits
)

// Names maps the names of tools one to one to names that a provider allows: letters of ASCII,
// digits, _ and -, at most 64, for Gemini not starting with a digit or -. A name that is
// allowed stays as it is. Any other keeps what it can, and gets a hash of the whole at its end.
// The zero Names has no names. It does not change and may be shared by goroutines.
type Names struct {
	to, from map[string]string
}

// NameError says that two tools have one name.
type NameError struct {
	// Name is the name, cut after 64 bytes.
	Name string
}

// Error returns the name.
func (e *NameError) Error() string { return "provider: two tools are named " + strconv.Quote(e.Name) }

// NewNames returns the mapping of these names. The error is a *NameError. What a name becomes
// depends on the others only where two would become one.
func NewNames(p Provider, names []string) (Names, error) {
	n := Names{to: make(map[string]string, len(names)), from: make(map[string]string, len(names))}
	for _, name := range names {
		if _, there := n.to[name]; there {
			return Names{}, &NameError{Name: cut(name)}
		}
		n.to[name] = ""
		if p.allows(name) {
			n.set(name, name)
		}
	}
	for _, name := range names {
		for try := 0; n.to[name] == ""; try++ {
			if to := p.changed(name, try); n.from[to] == "" {
				n.set(name, to)
			}
		}
	}
	if _, there := n.to[""]; there { // which "" in from would not tell from nothing
		n.from[n.to[""]] = ""
	}
	return n, nil
}

func (n Names) set(name, to string) {
	n.to[name], n.from[to] = to, name
	if name == "" {
		n.from[to] = to // until all are there
	}
}

// Provider returns the name that a tool has for the provider.
func (n Names) Provider(tool string) (name string, ok bool) {
	name, ok = n.to[tool]
	return name, ok
}

// Tool returns the tool that has a name for the provider.
func (n Names) Tool(name string) (tool string, ok bool) {
	tool, ok = n.from[name]
	return tool, ok
}

// allows reports whether the provider allows a name.
func (p Provider) allows(name string) bool {
	if name == "" || len(name) > maxName || !p.starts(name[0]) {
		return false
	}
	for i := range len(name) {
		if !plain(name[i]) {
			return false
		}
	}
	return true
}

func (p Provider) starts(b byte) bool { return p != Gemini || b != '-' && (b < '0' || b > '9') }

func plain(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '-'
}

// changed returns a name that the provider allows, another one for each try.
func (p Provider) changed(name string, try int) string {
	const room = maxName - 1 - hashSize
	var b strings.Builder
	for _, r := range name {
		switch {
		case r < 0x80 && plain(byte(r)):
			if b.Len() == 0 && !p.starts(byte(r)) {
				b.WriteByte('_')
			}
			b.WriteByte(byte(r))
		default:
			b.WriteByte('_')
		}
		if b.Len() >= room {
			break
		}
	}
	if b.Len() == 0 {
		b.WriteString("tool")
	}
	b.WriteByte('_')
	const digits = "abcdefghijklmnopqrstuvwxyz234567"
	h := hash(name, try)
	for range hashSize {
		b.WriteByte(digits[h%32])
		h /= 32
	}
	return b.String()
}

// hash is FNV-1a of 64 bits. That nobody finds two names with one hash is not needed: NewNames
// looks.
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
