package headers_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// What is near a header is read as it was.
func TestAllNearHeaders(t *testing.T) {
	accepts := func(s string) string {
		return fmt.Sprint(headers.Accepts(s, headers.JSON), headers.Accepts(s, headers.EventStream))
	}
	texts.Same(t, "33027 of 33027, 76631d45", texts.Near("text/event-stream;q=0.5, application/json; charset=utf-8;q=1.000", "*/*;q=0, application/*;q=0.001", `application/json;a="b,\"c";q=0.000`), accepts)
	texts.Same(t, "19608 of 19608, 6d8c11a4", texts.Every(5, "*/*", "application/json", "text/*", ";q=0", ";q=0.1", ",", " "), accepts)
	kind := func(s string) string { return fmt.Sprint(headers.IsJSON(s), headers.IsEventStream(s)) }
	texts.Same(t, "17547 of 17547, 70a59e49", texts.Near("application/json; charset=utf-8", "Text/Event-Stream ;x", " application/json"), kind)
	texts.Same(t, "7484 of 7484, 62b0678c", texts.Near("Bearer abc.D-_~+/9==", "bearer  x"), func(s string) string {
		token, ok := headers.Bearer(s)
		return fmt.Sprintf("%q %v", token, ok)
	})
	texts.Same(t, "1035 of 1035, 72b6fc33", texts.Near("a!~", "1", ""), func(s string) string {
		return fmt.Sprint(headers.ValidSession(s), headers.ValidEventID(s))
	})
	texts.Same(t, "140 of 16003, 5378d4c7", texts.Near("localhost", "127.0.0.1", "[::1]", "::1", "LOCALHOST.", "a.localhost", "127.255.255.254"), func(s string) string {
		return texts.If(headers.Loopback(s))
	})
}

// What is near a challenge is read as it was, and written.
func TestAllNearChallenges(t *testing.T) {
	read := func(s string) string {
		c, ok := headers.ParseChallenge([]string{s})
		two, both := headers.ParseChallenge([]string{"Basic realm=x", s})
		return fmt.Sprintf("%+v %v %v %q", c, ok, two == c && both == ok, c.String())
	}
	texts.Same(t, "38444 of 38444, c0758988", texts.Near(`Basic a=b, Bearer realm="x\"y", scope="a b",error=invalid_token , resource_metadata="https://é"`, `bearer abc==, Bearer error_description='x', error="y"`), read)
	texts.Same(t, "37449 of 37449, b8b61d14", texts.Every(5, "Bearer", " ", ",", "scope", "=", `"a b"`, "x", `"`), read)
}

// Hosts and Origins that are near those of the rules are admitted as they were.
func TestAllNearOrigins(t *testing.T) {
	local := headers.Rules{Local: true, Hosts: []string{"mcp.example.com", "b.example:8443"}, Origins: []string{"https://a.example", "http://c.example:81"}}
	other := headers.Rules{Hosts: []string{"*.example.com", "localhost"}, Origins: []string{"null"}}
	guard := func(host, origin string) string {
		h := headers.Head{Method: "POST", Host: host, Origin: origin, HasOrigin: origin != ""}
		return texts.If(local.Guard(h) == nil) + "," + texts.If(other.Guard(h) == nil) + "," + texts.If(headers.Rules{}.Guard(h) == nil)
	}
	texts.Same(t, "18582 of 18582, ea897963", texts.Near("localhost:80", "MCP.example.com", "b.example:8443", "127.0.0.1", "[::1]:8", "x.example.com:1"), func(s string) string { return guard(s, "") })
	texts.Same(t, "24258 of 24258, abe13d2d", texts.Near("https://a.example", "http://c.example:81", "http://localhost:3000", "https://a.example:443", "null", "http://[::1]"), func(s string) string { return guard("localhost", s) })
	texts.Same(t, "12386 of 12386, a25f2a3c", texts.Near("http://mcp.example.com:80", "https://mcp.example.com"), func(s string) string { return guard("mcp.example.com", s) })
	texts.Same(t, "12388 of 12388, 7cf498e0", texts.Near("https://a.example", "a.example:80", "http://[::1]:65535", "*"), func(s string) string {
		a, b, c := headers.Rules{Origins: []string{s}}.Unmatched()
		d, e, f := headers.Rules{Hosts: []string{s}}.Unmatched()
		return fmt.Sprint(a, b, c, d, e, f)
	})
}

// Values that headers repeat from the body are written and compared as they were.
func TestAllNearMirrors(t *testing.T) {
	list := []headers.Param{{Header: "Mcp-Param-A", Path: []string{"a"}}}
	message := func(value string) jsonrpc.Message {
		return jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":` + value + `},` + envelope + `}}`)
	}
	texts.Same(t, "14195 of 14195, a926eef9", texts.Near(`"a b\u00e9"`, `" =?base64?YQ==?= "`, "-12.0", "9007199254740993", "true"), func(s string) string {
		out := ""
		for _, f := range headers.Mirror(message(s), protocol.Revision20260728, list) {
			out += f.Name + ":" + f.Value + ";"
		}
		return out
	})
	differs := func(value, name string) func(string) string {
		fields := map[string]string{}
		for _, f := range headers.Mirror(message(value), protocol.Revision20260728, list) {
			fields[f.Name] = f.Value
		}
		return func(s string) string {
			return headers.Differs(message(value), func(other string) []string {
				if other == name {
					return []string{s}
				}
				return []string{fields[other]}
			}, list)
		}
	}
	texts.Same(t, "6675 of 6712, ffcc54c8", texts.Near("12", "12.0", "1.2e1", "=?base64?MTI=?="), differs("12", "Mcp-Param-A"))
	texts.Same(t, "3852 of 3871, d2302f91", texts.Near("=?base64?w6k=?="), differs(`"é"`, "Mcp-Param-A"))
	texts.Same(t, "4097 of 4130, 8d83a8b7", texts.Near("t", "=?base64?dA==?="), differs("12", "Mcp-Name"))
	texts.Same(t, "2570 of 2581, 6b3aec75", texts.Near("tools/call"), differs("12", "Mcp-Method"))
	texts.Same(t, "2570 of 2581, 35b3b111", texts.Near("2026-07-28"), differs("12", "Mcp-Protocol-Version"))
}
