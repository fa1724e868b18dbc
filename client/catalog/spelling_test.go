package catalog

import (
	"strings"
	"testing"
)

// Escapes of escapes are read to the last, at a cost that grows with the text alone.
func TestPlainURI(t *testing.T) {
	for uri, want := range map[string]string{
		"A://Host/x/./y/../%7Ez": "a://host/x/~z",
		"a:/%2525%32%45/b":       "a:/b",
		"a:/%%32%35%32e%252e/b":  "a:/b",
		"a:/%2":                  "a:/%2",
		"a:/%zz%":                "a:/%zz%",
		"a:/x%3Fq":               "a:/x?q",
		"nothing%2F":             "nothing/",
		"a:/x/..":                "a:/",
		"a:/":                    "a:/",
		"a:x":                    "a:x",
		"a:x/..":                 "a:x",
		"a://h":                  "a://h",
		"a://h/..":               "a://h/",
		"a://h?q":                "a://h?q",
		"a:/%" + strings.Repeat("25", 1<<19) + "41": "a:/A",
	} {
		if got := plainURI(uri); got != want {
			t.Errorf("%.60s: %.60s, want %s", uri, got, want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { unescaped("%" + strings.Repeat("25", 1000)) }); n > 5 {
		t.Errorf("%v allocations", n)
	}
}
