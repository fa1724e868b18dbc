package toolset

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultMaxName is Limits.Name.
const DefaultMaxName = 256

// ValidateName reports whether a catalogue takes a name of a tool (E24). MCP allows any text and
// recommends letters, digits, _, - and dots; what is refused is what no honest server needs
// and a log, a terminal or a prompt may be fooled by: the empty name, one of more than most bytes,
// bytes that are not UTF-8, control characters, line and paragraph separators, characters that
// have no width or change the direction of text, and white space at either end. The error is
// ErrToolName. A most of 0 means DefaultMaxName.
func ValidateName(name string, most int) error {
	if most == 0 {
		most = DefaultMaxName
	}
	if name == "" || len(name) > most || !utf8.ValidString(name) || strings.TrimSpace(name) != name {
		return ErrToolName
	}
	for _, r := range name {
		if !unicode.IsPrint(r) && r != ' ' || unicode.Is(unicode.Cf, r) {
			return ErrToolName
		}
	}
	return nil
}
