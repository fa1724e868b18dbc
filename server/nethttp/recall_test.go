package nethttp_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sansmcp/mcp/server/nethttp"
)

// What was read last is kept: twice 16 MiB of records at most and one more of each half, and the newest in any case. What
// is put again counts once, and what is forgotten not at all.
func TestRecallIsBounded(t *testing.T) {
	const mib, each = 1 << 20, 1 << 10
	for _, c := range []struct {
		n, size int
		first   int // of those that are there, beside the one that was put last
	}{
		{1, mib, 0}, {16, mib, 0}, {17, mib - each, 0}, {33, mib - each, 0}, {34, mib - each, 17}, {35, mib - each, 17}, {52, mib - each, 34}, {100, mib, 80}, {3, 20 * mib, 2}, {1, 40 * mib, 0},
	} {
		sizes := slices.Repeat([]int{c.size}, c.n)
		bytes, has, left := nethttp.Recalled(sizes...)
		if i := slices.IndexFunc(has, func(i int) bool { return i > 0 }); i >= 0 && has[i] != max(c.first, 1) || has[0] != 0 || has[len(has)-1] != c.n-1 {
			t.Errorf("%d of %d bytes: %v", c.n, c.size, has)
		}
		if bytes > 2*(16*mib+c.size) || left != 0 {
			t.Errorf("%d of %d bytes: %d bytes, %d left", c.n, c.size, bytes, left)
		}
	}
}

// At most 64 sessions of a dead process come before its others, each once.
func TestFirstAreBounded(t *testing.T) {
	var list []string
	for i := range 64 {
		list = nethttp.First(list, fmt.Sprint(i))
		if list = nethttp.First(list, "0"); len(list) != i+1 {
			t.Fatal(len(list), "after", i+1)
		}
	}
	if got := nethttp.First(list, "64"); len(got) != 64 || slices.Contains(got, "64") {
		t.Error(got)
	}
}
