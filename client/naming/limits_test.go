package naming

import (
	"strings"
	"testing"
)

// The settings of a Form are good exactly to their limits.
func TestFormLimits(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		n    Form
		good bool
	}{
		{Form{Max: minMax - 1}, false},
		{Form{Max: minMax}, true},
		{Form{Max: -1}, false},
		{Form{Profile: Provider, Max: minMax - 1}, false},
		{Form{Profile: Provider, Max: minMax}, true},
		{Form{Profile: Provider, Max: defaultProviderMax}, true},
		{Form{Profile: Provider, Max: defaultProviderMax + 1}, false},
		{Form{Separator: "...."}, true},
		{Form{Separator: "....."}, false},
		{Form{Separator: "____", Profile: Provider}, true},
		{Form{Separator: "_____", Profile: Provider}, false},
		{Form{Prefix: x(31), Max: 64}, true},
		{Form{Prefix: x(32), Max: 64}, false},
		{Form{Prefix: x(30), Separator: "__", Max: 64}, true},
		{Form{Prefix: x(31), Separator: "__", Max: 64}, false},
		{Form{Prefix: x(63)}, true},
		{Form{Prefix: x(64)}, false},
		{Form{Prefix: x(30), Profile: Provider}, true},
		{Form{Prefix: x(31), Profile: Provider}, false},
		{Form{Prefix: x(32), Max: 65}, false}, // half of 65 is 32
		{Form{Prefix: x(31), Max: 65}, true},
		{Form{Profile: Provider}, true},
		{Form{Profile: Provider + 1}, false},
	} {
		if err := (Policy{Form: c.n}).Check(); (err == nil) != c.good {
			t.Errorf("%+v: %v", c.n, err)
		}
	}
}

// A name is whole up to one byte less than Max, and has Max bytes from there on.
func TestLengths(t *testing.T) {
	for _, n := range []Form{{Max: 40}, {}, {Profile: Provider}, {Bare: true, Separator: "__", Max: 40}, {Prefix: strings.Repeat("p", 19), Max: 40}} {
		most := n.form().max
		for size := most - 2; size <= most+2; size++ {
			tool := strings.Repeat("t", size-len(n.ID("s", "")))
			id := n.ID("s", tool)
			server, again, ok := n.Parse(id)
			if whole := size < most; ok != whole || whole && (server != "s" || again != tool) || len(id) != min(size, most) || n.Long(id) != (size >= most) {
				t.Errorf("%+v: of %d bytes %q, %q, %q, %v", n, size, id, server, again, ok)
			}
		}
		if n.Long("other"+strings.Repeat("x", most)) != n.Bare {
			t.Errorf("%+v: a name of another prefix is long", n)
		}
	}
}

// What is left of the name of the server in a name that was cut ends in a minus, where there is room.
func TestRoom(t *testing.T) {
	n := Form{Max: 40} // mcp. and 16 bytes of a hash leave 20
	server := strings.Repeat("s", 30)
	for tool := 16; tool < 30; tool++ {
		id := n.ID(server, strings.Repeat("t", tool))
		kept := min(tool, 19)
		left := 19 - kept
		want := "mcp."
		if left > 0 {
			want += server[:left-1] + "-"
		}
		if len(id) != 40 || !strings.HasPrefix(id, want) || !strings.HasSuffix(id, "."+strings.Repeat("t", kept)) || strings.Contains(id[len(want):len(want)+16], ".") {
			t.Errorf("a tool of %d bytes: %q, want %q and 16 bytes and %d of the tool", tool, id, want, kept)
		}
	}
}

// The scheme of a server is one to one, begins with a letter, and is found again in a uri.
func TestScheme(t *testing.T) {
	for server, want := range map[string]string{
		"files": "files", "a": "a", "z": "z", "a-9": "a-9", "a0": "a0", "qa": "q.71a", "aq": "aq", "9": "q.39", "0a": "q.30a", "-a": "q.2da",
		"A": "q.41", "aZ": "a.5a", "a.b": "a.2eb", "a b": "a.20b", "é": "q.c3.a9", "": "", "a`{": "a.60.7b", "a/:": "a.2f.3a",
	} {
		got := Scheme(server)
		if got != want {
			t.Errorf("%q: %q, want %q", server, got, want)
		}
		scheme, rest, ok := SplitURI(got + "+file:///a")
		if ok != (server != "") || ok && (scheme != want || rest != "file:///a") {
			t.Errorf("%q: %q, %q, %v", server, scheme, rest, ok)
		}
	}
	for uri, want := range map[string][2]string{
		"A+b": {"a", "b"}, "a+": {"a", ""}, "a+b+c": {"a", "b+c"}, "+b": {}, "": {}, "a": {}, "a:+b": {}, "a/+b": {}, "a?+b": {}, "a#+b": {}, "a+b:c": {"a", "b:c"},
	} {
		scheme, rest, ok := SplitURI(uri)
		if scheme != want[0] || rest != want[1] || ok != (want[0] != "") {
			t.Errorf("%q: %q, %q, %v", uri, scheme, rest, ok)
		}
	}
}

// A name is valid up to the most bytes that it may have, at either end as in the middle.
func TestValidLength(t *testing.T) {
	for _, most := range []int{1, 4, 256} {
		for n, good := range map[int]bool{0: false, 1: true, most: true, most + 1: false} {
			if Valid(strings.Repeat("x", n), most) != good {
				t.Errorf("%d bytes of %d: %v", n, most, !good)
			}
		}
	}
	if !Valid("éé", 4) || Valid("éé", 3) {
		t.Error("a name is measured in bytes")
	}
}
