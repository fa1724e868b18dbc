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
