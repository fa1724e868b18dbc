package engine

import (
	"strings"

	"github.com/sansmcp/mcp/protocol"
)

// Meant returns the method that a name differs from by case or blanks alone, "" if there is none: the
// name is a slip then, and not a method of the application.
func meant(name string) string {
	plain := strings.Join(strings.Fields(name), "")
	for _, rev := range protocol.Revisions() {
		for _, row := range rev.Rows() {
			if row.Method != name && strings.EqualFold(row.Method, plain) {
				return row.Method
			}
		}
	}
	return ""
}
