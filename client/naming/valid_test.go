package naming

import (
	"strings"
	"testing"
)

// Names of tools that nobody honest has are refused, others are not (E24).
func TestValid(t *testing.T) {
	for _, name := range []string{"a", "read_file", "fs.read", "a/b", "a:b", "résumé", "a b", "読む", strings.Repeat("a", 256)} {
		if !Valid(name, 256) {
			t.Errorf("%q is not valid", name)
		}
	}
	for _, name := range []string{"", " ", "a ", "\ta", "a\x00b", "a\nb", "a\x1b[31m", "a\u2028b", "a\u202eb", "a\u200bb", "a\ufeff", "\xff", "a\u00a0", strings.Repeat("a", 257), "a\u2066"} {
		if Valid(name, 256) {
			t.Errorf("%q is valid", name)
		}
	}
	if Valid("abc", 2) || !Valid("ab", 2) {
		t.Error("the limit does not hold")
	}
}
