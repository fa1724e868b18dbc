package oauth

import (
	"fmt"
)

// Secret is a text that is never printed by accident: a token, a code, a password (SEC-111). Formatted with a verb of
// package fmt, logged, or written as JSON or gob it is "…", or "" if it is empty. The exceptions are %p and %w, which
// go vet reports. The conversion string(s) returns the text itself.
type Secret string

// masked replaces a Secret in output.
const masked = "…"

// text returns "…", or "" if s is empty.
func (s Secret) text() string {
	if s == "" {
		return ""
	}
	return masked
}

// Format implements fmt.Formatter: every verb writes "…", or nothing for an empty Secret.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, s.text()) }

// MarshalText returns what Format writes. JSON and package log/slog use it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.text()), nil }

// GobEncode returns what Format writes.
func (s Secret) GobEncode() ([]byte, error) { return s.MarshalText() }
