package rawjson

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A text is cut between characters, and what was cut stays as it is.
func TestClip(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"abcdefgh":                 "abcdefgh",
		"abcdefghi":                "abcdefgh…",
		"abcdefé":                  "abcdefé",
		"abcdefgé":                 "abcdefg…",
		"abcdefg😀":                 "abcdefg…",
		"abcde😀":                   "abcde…",
		"abcdefgh…":                "abcdefgh…",
		"abcdef…xy":                "abcdef…",
		strings.Repeat("\x80", 20): strings.Repeat("\x80", 4) + "…",
	} {
		got := Clip(in, 8)
		if got != want || Clip(got, 8) != got || len(got) > 8+len("…") || utf8.ValidString(in) && !utf8.ValidString(got) {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// A member that is a string is its value; one that is something else, or is not there, is "".
func TestText(t *testing.T) {
	const object = `{"a":"é\n","b":5,"a2":"x","a2":"y","c":null}`
	for key, want := range map[string]string{"a": "é\n", "a2": "y", "b": "", "c": "", "d": ""} {
		if got := Text(object, key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if got := Text(`{"a":"x"`, "a"); got != "" {
		t.Errorf("of a text that is no object: %q", got)
	}
}

// plain stops at the same byte wherever a text begins and however long it is, and knows each of the 256 bytes.
func TestPlain(t *testing.T) {
	for size := range 26 {
		for at := range size + 1 {
			for c := range 256 {
				text := []byte(strings.Repeat("a", size))
				if at < size {
					text[at] = byte(c)
				}
				stops := at < size && (c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\')
				for from := range size + 1 {
					want := size
					if stops && from <= at {
						want = at
					}
					if got := plain(string(text), from); got != want {
						t.Fatalf("of %q from %d: %d, want %d", text, from, got, want)
					}
				}
			}
		}
	}
}
