package main

import "testing"

// A template is expanded with texts, lists and objects, as they are typed.
func TestExpanded(t *testing.T) {
	for _, tt := range []struct{ template, values, want string }{
		{"file:///{name}", `{"name":"a b"}`, "file:///a%20b"},
		{"x://h{/path*}", `{"path":["a",5]}`, "x://h/a/5"},
		{"x://h{?q*}", `{"q":{"b":1,"a":"x"}}`, "x://h?a=x&b=1"},
		{"x://h{?q}", "", "x://h"},
	} {
		if got, err := expanded(tt.template, tt.values); err != nil || got != tt.want {
			t.Errorf("%s with %s: %s, %v, want %s", tt.template, tt.values, got, err, tt.want)
		}
	}
	for _, bad := range [][2]string{{"{", ""}, {"{a}", "[]"}} {
		if _, err := expanded(bad[0], bad[1]); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
