package oauth

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/protocol/headers"
)

// policy decides which urls from documents may be requested (SEC-103, SEC-104).
type policy struct {
	server  *url.URL
	trusted []string // of Config
}

// reach returns how far a request to the url may go; ok is false if it is not allowed. https is
// required (AUTH-040, AUTH-041), except between a server and a url on this machine.
func (p policy) reach(u *url.URL) (r Reach, ok bool) {
	host := strings.ToLower(u.Hostname())
	local := headers.Loopback(p.server.Hostname())
	switch {
	case p.trusts(u):
		return Anywhere, true
	case u.Scheme != "https" && (!local || !loopbackName(host)):
		return 0, false
	case host == strings.ToLower(p.server.Hostname()):
		return Anywhere, true
	case local:
		r = Local
	}
	if loopbackName(host) {
		return r, r == Local
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return r, r.Allows(a)
	}
	return r, !numeric(host)
}

// trusts reports whether Config.Trusted has the host of a url, with or without its port.
func (p policy) trusts(u *url.URL) bool {
	return slices.ContainsFunc(p.trusted, func(t string) bool {
		return strings.EqualFold(t, u.Host) || strings.EqualFold(t, u.Hostname())
	})
}

// loopbackName reports whether host is this machine; all names below localhost are (RFC 6761,
// section 6.3).
func loopbackName(host string) bool {
	host = strings.TrimSuffix(host, ".")
	return headers.Loopback(host) || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// numeric reports whether a resolver may read host as an address though it is not in the usual form:
// such as 127.1, 0x7f.1 and 2130706433.
func numeric(host string) bool {
	if strings.Contains(host, ":") || strings.Contains(host, "%") {
		return true
	}
	host = strings.TrimSuffix(host, ".")
	last := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// Allows reports whether a request may go to an address.
func (r Reach) Allows(a netip.Addr) bool {
	switch {
	case r == Anywhere:
		return a.IsValid()
	case a.Zone() != "":
		return false
	}
	a = a.Unmap()
	return r == Local && a.IsLoopback() || public(a)
}

// public reports whether an address is in the public network and embeds no other address.
func public(a netip.Addr) bool {
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.Is6() && !assigned.Contains(a) {
		return false
	}
	return !slices.ContainsFunc(reserved[:], func(p netip.Prefix) bool { return p.Contains(a) })
}

// assigned contains all public IPv6 addresses. Outside it are blocks that embed IPv4 addresses.
var assigned = netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20}), 3)

// reserved are the special-purpose blocks of the IANA registries (RFC 6890) that netip does not
// check, and those that embed addresses.
var reserved = [...]netip.Prefix{
	netip.PrefixFrom(netip.AddrFrom4([4]byte{}), 8),
	netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64}), 10),
	netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 0, 0}), 24),
	netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 18}), 15),
	netip.PrefixFrom(netip.AddrFrom4([4]byte{240}), 4),
	netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, 0}), 24),
	netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 88, 99, 0}), 24),
	netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 51, 100, 0}), 24),
	netip.PrefixFrom(netip.AddrFrom4([4]byte{203, 0, 113, 0}), 24),
	netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20, 0x01, 0x00}), 23),       // Teredo and other protocols
	netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20, 0x01, 0x0D, 0xB8}), 32), // documentation
	netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20, 0x02}), 16),             // 6to4
	netip.PrefixFrom(netip.AddrFrom16([16]byte{0x3F, 0xFF}), 20),             // documentation
}
