package naming

import (
	"strings"
	"testing"
)

// texts returns all texts of up to n of the characters.
func texts(chars string, n int) []string {
	all, last := []string{""}, []string{""}
	for range n {
		var next []string
		for _, s := range last {
			for i := range len(chars) {
				next = append(next, s+chars[i:i+1])
			}
		}
		all, last = append(all, next...), next
	}
	return all
}

// Every separator of up to five characters, against the rule in words.
func TestSeparators(t *testing.T) {
	for _, sep := range texts("._-a", 5) {
		for _, profile := range []Profile{0, Provider} {
			has := func(c string) bool { return strings.Contains(sep, c) }
			want := len(sep) <= 4 && !has("a") && !(has("_") && has("-")) && !(profile == Provider && has("."))
			if err := (Policy{Form: Form{Profile: profile, Separator: sep}}).Check(); (err == nil) != want {
				t.Errorf("%q in profile %d: %v", sep, profile, err)
			}
		}
	}
}

// A text begins with a separator that follows it if the two together do.
func TestSeparates(t *testing.T) {
	for _, sep := range texts("._-", 4)[1:] {
		f := form{sep: sep}
		for _, s := range texts("._-a", 5)[1:] {
			if got := f.separates(s); got != strings.HasPrefix(s+sep, sep) {
				t.Errorf("%q before %q: %v", s, sep, got)
			}
		}
	}
}
