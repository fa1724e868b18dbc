package server

import "testing"

func TestCapped(t *testing.T) {
	if n, rest, err := Capped(5, 3); n != 3 || rest != "half" || err != nil {
		t.Error(n, rest, err)
	}
}

func TestJoin(t *testing.T) {
	if s, n := Join([]string{"a", "bc"}, 9); s != "abc" || n != 2 {
		t.Error(s, n)
	}
}
