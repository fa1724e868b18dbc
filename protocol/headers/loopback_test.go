package headers_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Loopback agrees with net/netip on addresses.
func TestLoopback(t *testing.T) {
	for _, name := range []string{"localhost", "LocalHost", "localhost."} {
		if !headers.Loopback(name) {
			t.Error(name)
		}
	}
	for _, name := range []string{"", ".", "localhost..", "localhost.example", "evil.example", "127.1", "127.0.0.1.", "127.0.0.1.evil.example", "0177.0.0.1", "127.0.0.01", "127.0.0.256", "127.0..1", "2130706433", "127.0.0.1.1", "[::1]", "::ffff:", "::ffff:7f", "::ffff:7f00:", "::ffff:7f00:00001", "::ffff:localhost", "0.0.0.0", "::"} {
		if headers.Loopback(name) {
			t.Error(name)
		}
	}
	for _, text := range []string{
		"127.0.0.1", "127.0.0.2", "127.0.1.1", "127.255.255.255", "126.255.255.255", "128.0.0.0", "10.0.0.1", "::1", "::2", "0:0:0:0:0:0:0:1",
		"::ffff:127.0.0.1", "::ffff:127.9.8.7", "::ffff:7f00:1", "::ffff:7fff:ffff", "::ffff:7faf:af", "::ffff:7e00:1", "::ffff:8000:1", "::ffff:10.0.0.1", "::FFFF:127.0.0.1", "2001:db8::1", "fe80::1",
	} {
		want := netip.MustParseAddr(text).Unmap().IsLoopback()
		if got := headers.Loopback(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
		if got := headers.Loopback(strings.ToUpper(text)); got != want {
			t.Errorf("%s in upper case: %v", text, got)
		}
	}
}

// A host may be any IPv6 address, from its first digit to its last.
func TestAddressHosts(t *testing.T) {
	for host, want := range map[string]bool{"[a::f:0:9]": true, "[A::F:0:9]:80": true, "[a::f:0:8]": false, "[`::f:0:9]": false, "[a::g:0:9]": false} {
		if no := (headers.Rules{Hosts: []string{"[a::f:0:9]"}}).Guard(read("GET", host)); (no == nil) != want {
			t.Errorf("%s: %v", host, no)
		}
	}
	for _, bad := range []string{"[`::1]", "[g::1]", "[/::1]", "[;::1]"} { // those that it names itself, too
		if no := (headers.Rules{Hosts: []string{bad}}).Guard(read("GET", bad)); no == nil {
			t.Error(bad)
		}
	}
}

// A compressed body is refused, whatever its content.
func TestCompressed(t *testing.T) {
	for encoding, ok := range map[string]bool{"": true, "identity": true, " Identity ": true, "gzip": false, "br": false, "identity, gzip": false} {
		h := read("POST", "x", headers.ContentType, headers.JSON, headers.ContentEncoding, encoding)
		if _, no := (headers.Rules{}).Admit(h); (no == nil) != ok || no != nil && no.Status != 415 {
			t.Errorf("%q: %v", encoding, no)
		}
	}
}

// Without sessions a message needs none, and its version is checked.
func TestNoSession(t *testing.T) {
	rules := headers.Rules{NoSession: true, NoListen: true, NoEnd: true}
	ping := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if no := rules.Check(read("POST", "x"), ping); no != nil {
		t.Error(no)
	}
	if no := rules.Check(read("POST", "x", headers.Session, "a b"), ping); no != nil {
		t.Error(no)
	}
	if no := rules.Check(read("POST", "x", headers.Version, "1999-01-01"), ping); no == nil || no.Status != 400 {
		t.Error(no)
	}
	for _, session := range []string{"-", "s"} {
		if no := rules.Check(read("POST", "x", headers.Session, session), jsonrpc.DecodeString("{")); no == nil || no.Status != 400 {
			t.Error(no)
		}
	}
}

// Shares reports only Origins.
func TestShares(t *testing.T) {
	rules := headers.Rules{Origins: []string{"https://app.example/"}, AnyOrigin: true}
	for origin, want := range map[string]bool{"https://app.example": true, "https://APP.example:443": true, "http://app.example": false, "https://x": false, "null": false, "": false, "-": false} {
		if got := rules.Shares(read("GET", "x", headers.Origin, origin)); got != want {
			t.Errorf("%q: %v", origin, got)
		}
	}
}
