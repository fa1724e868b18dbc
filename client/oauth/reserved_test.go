package oauth

import (
	"net/netip"
	"testing"
)

// Of each block that is not public the first and the last address, and their neighbours outside, which
// are.
func TestReservedBlocks(t *testing.T) {
	for _, block := range []struct{ first, last string }{
		{"0.0.0.0", "0.255.255.255"}, {"10.0.0.0", "10.255.255.255"}, {"100.64.0.0", "100.127.255.255"}, {"127.0.0.0", "127.255.255.255"},
		{"169.254.0.0", "169.254.255.255"}, {"172.16.0.0", "172.31.255.255"}, {"192.0.0.0", "192.0.0.255"}, {"192.0.2.0", "192.0.2.255"},
		{"192.88.99.0", "192.88.99.255"}, {"192.168.0.0", "192.168.255.255"}, {"198.18.0.0", "198.19.255.255"}, {"198.51.100.0", "198.51.100.255"},
		{"203.0.113.0", "203.0.113.255"}, {"224.0.0.0", "255.255.255.255"},
		{"::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}, {"2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"},
		{"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"}, {"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
		{"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"}, {"4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	} {
		first, last := netip.MustParseAddr(block.first), netip.MustParseAddr(block.last)
		for a, want := range map[netip.Addr]bool{first: false, last: false, first.Prev(): true, last.Next(): true} {
			if a.IsValid() && public(a) != want {
				t.Errorf("%v: public is %v", a, !want)
			}
		}
	}
}
