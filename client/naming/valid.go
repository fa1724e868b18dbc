package naming

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Valid reports whether a name can be shown and called safely. MCP allows any text and recommends letters,
// digits, _, - and dots. Valid rejects names that no honest server needs and that could deceive the reader
// of a log, a terminal or a prompt: the empty name, one longer than most bytes, bytes that are not UTF-8,
// control characters, line and paragraph separators, characters without width, blank ones and those that
// change the direction of text, and white space at either end.
func Valid(name string, most int) bool {
	if name == "" || len(name) > most || !utf8.ValidString(name) || strings.TrimSpace(name) != name {
		return false
	}
	for _, r := range name {
		if !unicode.IsPrint(r) && r != ' ' || unicode.In(r, invisible...) {
			return false
		}
	}
	return true
}
