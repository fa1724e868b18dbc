package naming

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
)

// Profile is the set of characters of names, with the defaults of a Form.
type Profile uint8

// The profiles.
const (
	// Dotted has the characters that MCP recommends for names of tools: ASCII letters, digits, _, -
	// and the dot, at most 128 (TOOL-106). The separator is the dot.
	Dotted Profile = iota
	// Provider allows what all model providers accept: letters of ASCII, digits, _ and -, at most
	// 64. The separator is __.
	Provider
)

// Defaults of a Form, and the smallest Max.
const (
	defaultPrefix      = "mcp" // Form.Prefix
	defaultMax         = 128   // Form.Max of Dotted
	defaultProviderMax = 64    // Form.Max of Provider
	minMax             = 32    // the smallest Form.Max
)

// Form makes the qualified names of the tools of servers, such as mcp.files.read. The names are one to
// one: no two pairs of server and tool have the same name, and Parse returns the pair. The zero Form makes
// names like the example.
//
// A character that the profile does not allow is written as -x and two hexadecimal digits for each of
// its bytes; any other - is unchanged. A separator within the name of the server is escaped too. One
// within the name of the tool needs no escape, because the tool comes last.
//
// A name of Max bytes or more is cut to exactly Max bytes, a length that no other name has. It keeps as
// much of the tool's name as fits; 16 bytes with a hash of 80 bits replace the name of the server. Parse
// cannot return the pair then, but a table of all pairs can. The table must check for collisions, which a
// server could cause on purpose.
type Form struct {
	// Prefix is in front of all names. "" means mcp, unless Bare is set.
	Prefix string
	// Bare omits the prefix and its separator.
	Bare bool
	// Separator separates the parts: one to four of the characters . _ -, but not both _ and -, and
	// no dot with Provider. "" means the separator of the profile.
	Separator string
	// Profile is the set of characters.
	Profile Profile
	// Max is the length of the longest name in bytes, at least 32. 0 means 128; with Provider it is
	// at most 64, and 0 means 64.
	Max int
}

// check reports the first invalid field: an unknown profile, a separator or prefix with characters
// outside the profile, a prefix longer than half of Max, a Max out of range.
func (n Form) check(path string, fill *lifecycle.Filler) {
	f := n.form()
	fill.Choice(path+"Profile", int(n.Profile), int(Provider))
	if len(f.sep) > 4 || strings.Trim(f.sep, "._-") != "" || !f.plainAll(f.sep) || strings.Contains(f.sep, "_") && strings.Contains(f.sep, "-") {
		fill.Wrong(path+"Separator", strconv.Quote(n.Separator), "want one to four of . _ -, not both _ and -, no dot with Provider, or \"\" for that of the profile")
	}
	switch {
	case n.Profile == Provider && n.Max > defaultProviderMax, n.Profile == Provider && n.Max != 0 && n.Max < minMax:
		fill.Wrong(path+"Max", strconv.Itoa(n.Max), "want "+strconv.Itoa(minMax)+" to "+strconv.Itoa(defaultProviderMax)+" with Provider, or 0 for "+strconv.Itoa(defaultProviderMax))
	case n.Max != 0 && n.Max < minMax:
		fill.Wrong(path+"Max", strconv.Itoa(n.Max), "want "+strconv.Itoa(minMax)+" or more, or 0 for "+strconv.Itoa(defaultMax))
	case n.Bare && n.Prefix != "":
		fill.Wrong(path+"Prefix", strconv.Quote(n.Prefix), "want \"\" for a bare name")
	case !f.plainAll(f.head()) || len(f.head()) > f.max/2:
		fill.Wrong(path+"Prefix", strconv.Quote(n.Prefix), "want characters of the profile, with the separator half of Max at most, or \"\" for "+defaultPrefix)
	}
}

// ID returns the qualified name of a tool of a server. Names may be any text.
func (n Form) ID(server, tool string) string {
	f := n.form()
	var b strings.Builder
	head := f.head()
	b.Grow(len(head) + len(server) + len(f.sep) + len(tool))
	b.WriteString(head)
	f.write(&b, server, true)
	at := b.Len()
	b.WriteString(f.sep)
	f.write(&b, tool, false)
	id := b.String()
	if len(id) < f.max {
		return id
	}
	return f.cut(id, at)
}

// Parse returns the server and the tool whose ID is id; they may share its memory. ok is false if id is
// not an ID or was cut.
func (n Form) Parse(id string) (server, tool string, ok bool) {
	f := n.form()
	rest, ok := f.behind(id)
	if !ok || len(id) >= f.max {
		return "", "", false
	}
	server, tool, ok = strings.Cut(rest, f.sep)
	if !ok {
		return "", "", false
	}
	if f.plainAll(rest) && !f.escapes(rest) {
		return server, tool, true
	}
	server, tool = f.read(server), f.read(tool)
	if n.ID(server, tool) != id { // it has an unnecessary escape
		return "", "", false
	}
	return server, tool, true
}

// escapes reports whether a text contains an escape.
func (f form) escapes(s string) bool {
	for i := range len(s) {
		if f.escaped(s[i:]) {
			return true
		}
	}
	return false
}

// behind returns id without the prefix.
func (f form) behind(id string) (rest string, ok bool) {
	if f.bare {
		return id, true
	}
	if rest, ok = strings.CutPrefix(id, f.prefix); !ok {
		return "", false
	}
	return strings.CutPrefix(rest, f.sep)
}

// form is a Form with its defaults.
type form struct {
	prefix, sep string
	bare        bool
	max         int
	mark        byte // begins an escape; not in the separator
	dot         bool
}

// head returns the prefix with its separator.
func (f form) head() string {
	if f.bare {
		return ""
	}
	return f.prefix + f.sep
}

// most returns the length of the longest name.
func (n Form) most() int {
	if n.Profile == Provider {
		return max(cmp.Or(n.Max, defaultProviderMax), minMax)
	}
	return max(cmp.Or(n.Max, defaultMax), minMax)
}

func (n Form) form() form {
	f := form{sep: cmp.Or(n.Separator, "."), max: n.most(), mark: '-', dot: true}
	if n.Profile == Provider {
		f.sep, f.dot = cmp.Or(n.Separator, "__"), false
	}
	if strings.Contains(f.sep, "-") {
		f.mark = '_'
	}
	f.prefix, f.bare = cmp.Or(n.Prefix, defaultPrefix), n.Bare
	return f
}

// plain reports whether the profile has a character.
func (f form) plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.' && f.dot
}

func (f form) plainAll(s string) bool {
	for i := range len(s) {
		if !f.plain(s[i]) {
			return false
		}
	}
	return true
}

const hexDigits = "0123456789ABCDEF"

// write appends a part of a name. In the name of a server it also escapes each character that would
// begin a separator, together with the one that follows the name.
func (f form) write(b *strings.Builder, part string, server bool) {
	for i := range len(part) {
		c := part[i]
		if !f.plain(c) || c == f.mark && f.escaped(part[i:]) || server && f.separates(part[i:]) {
			b.WriteByte(f.mark)
			b.WriteByte('x')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
			continue
		}
		b.WriteByte(c)
	}
}

// separates reports whether s, followed by the separator, begins with a separator.
func (f form) separates(s string) bool {
	n := min(len(s), len(f.sep))
	return s[:n] == f.sep[:n] && strings.HasPrefix(f.sep, f.sep[n:])
}

// escaped reports whether a text begins with an escape.
func (f form) escaped(s string) bool {
	return len(s) >= 4 && s[0] == f.mark && s[1] == 'x' &&
		strings.IndexByte(hexDigits, s[2]) >= 0 && strings.IndexByte(hexDigits, s[3]) >= 0
}

// read returns a part of a name without its escapes.
func (f form) read(s string) string {
	if strings.IndexByte(s, f.mark) < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c := s[i]; !f.escaped(s[i:]) {
			b = append(b, c)
			continue
		}
		b = append(b, byte(strings.IndexByte(hexDigits, s[i+2])<<4|strings.IndexByte(hexDigits, s[i+3])))
		i += 3
	}
	return string(b)
}

// cut returns the name of exactly f.max bytes for a longer one. at is the end of the server name in
// it.
func (f form) cut(id string, at int) string {
	head, tail := f.head(), hash(id)
	room := max(f.max-len(head)-len(tail), 0)
	if room <= len(f.sep) { // a long prefix and a short Max
		return id[:f.max-len(tail)] + tail
	}
	tool := id[at+len(f.sep):]
	tool = tool[:min(len(tool), room-len(f.sep))]
	server := room - len(f.sep) - len(tool)
	if server > 0 {
		tail = id[len(head):len(head)+server-1] + "-" + tail
	}
	return head + tail + f.sep + tool
}

// hash returns 80 bits of a hash of a text, in characters that every profile has.
func hash(text string) string {
	const digits = "abcdefghijklmnopqrstuvwxyz234567"
	var tail [16]byte
	for i, tag := range [...]byte{'n', 'm'} {
		h := engine.Hash([2]uint64{}, uint64(tag), text)
		for j := range 8 {
			tail[8*i+j] = digits[h%32]
			h /= 32
		}
	}
	return string(tail[:])
}

// Long reports whether a text may be a cut name: it begins like one and has Max bytes or more. Only a
// table of all pairs tells whether it is.
func (n Form) Long(id string) bool {
	if len(id) < n.most() {
		return false
	}
	_, ok := n.form().behind(id)
	return ok
}
