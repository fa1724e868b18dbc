package server

import "testing"

func TestJoin(t *testing.T) {
	if s, n := Join([]string{"a", "bc"}, 9); s != "abc" || n != 2 {
		t.Error(s, n)
	}
}
