package headers_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/cases"
	"github.com/sansmcp/mcp/protocol/headers"
)

// get returns a GET in which only Host and Origin can be wrong. The origin "-" means none.
func get(host, origin string) headers.Head {
	return read(headers.MethodGet, host, headers.Session, "s", headers.Origin, origin)
}

// read makes a head of pairs of name and value; the value "-" omits a header.
func read(method, host string, pairs ...string) headers.Head {
	list := map[string][]string{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "-" {
			list[pairs[i]] = append(list[pairs[i]], pairs[i+1])
		}
	}
	return headers.Read(method, host, func(name string) []string { return list[name] })
}

// Guard compares Host and Origin with the names of the server: a web page cannot use a local
// server under a name made to resolve to it, nor from another origin.
//
// rows: HTTP-002 HTTP-101
func TestGuard(t *testing.T) {
	local := headers.Rules{Local: true}
	named := headers.Rules{Hosts: []string{"mcp.example.com", "Other.example.com:8443", "[2001:DB8::1]", "bad host", ""}}
	proxied := headers.Rules{Local: true, Hosts: []string{"mcp.example.com"}}
	pages := headers.Rules{Local: true, Origins: []string{"https://App.example.com/", "vscode-webview://x", "http://a.example:80"}}
	var found cases.Findings
	for _, c := range []struct {
		name         string
		rules        headers.Rules
		host, origin string
		ok           bool
	}{
		{"local", local, "localhost:8080", "-", true},
		{"local", local, "LOCALHOST", "-", true},
		{"open", headers.Rules{}, "a-z_09.AZ", "http://a-z_09.AZ", true},
		{"open", headers.Rules{}, "a{", "http://a{", false},
		{"open", headers.Rules{}, "a`", "http://a`", false},
		{"local", local, "localhost:65535", "-", true},
		{"local", local, "127.0.0.1:1", "-", true},
		{"local", local, "[::1]:8080", "-", true},
		{"local", local, "[::1]", "http://localhost:3000", true},
		{"local", local, "localhost:8080", "http://127.0.0.1:9", true},
		{"local", local, "localhost:8080", "https://[::1]", true},
		{"local", local, "localhost:8080", "HTTP://LocalHost", true},
		{"local", local, "evil.example", "-", false},
		{"local", local, "evil.example:8080", "http://evil.example:8080", false},
		{"local", local, "localhost.evil.example", "-", false},
		{"local", local, "evil.example#localhost", "-", false},
		{"local", local, "user@localhost", "-", false},
		{"local", local, "localhost:80:80", "-", false},
		{"local", local, "localhost:123456", "-", false},
		{"local", local, "localhost:x", "-", false},
		{"local", local, "::1", "-", false},
		{"local", local, "[::1", "-", false},
		{"local", local, "[::1]x", "-", false},
		{"local", local, "[local]", "-", false},
		{"local", local, "127.0.0.2", "-", true},
		{"local", local, "localhost.:8080", "http://127.0.1.1:8080", true},
		{"local", local, "[::ffff:127.0.0.1]:1", "-", true},
		{"local", local, "128.0.0.1", "-", false},
		{"local", local, "", "-", false},
		{"local", local, ":80", "-", false},
		{"local", local, "localhost", "http://evil.example", false},
		{"local", local, "localhost", "http://localhost.evil.example", false},
		{"local", local, "localhost", "http://localhost@evil.example", false},
		{"local", local, "localhost", "http://localhost/", false},
		{"local", local, "localhost", "null", false},
		{"local", local, "localhost", "", false},
		{"local", local, "localhost", "localhost", false},
		{"local", local, "localhost", "file://localhost", false},
		{"local", local, "localhost", "ftp://localhost", false},
		{"open", headers.Rules{}, "whatever.example", "-", true},
		{"open", headers.Rules{}, "", "-", true},
		{"open", headers.Rules{}, "whatever.example", "http://whatever.example", true},
		{"open", headers.Rules{}, "whatever.example:80", "http://whatever.example", true},
		{"open", headers.Rules{}, "whatever.example", "https://whatever.example:443", true},
		{"open", headers.Rules{}, "whatever.example:443", "https://WHATEVER.example", true},
		{"open", headers.Rules{}, "whatever.example:8080", "http://whatever.example:8080", true},
		{"open", headers.Rules{}, "whatever.example:8080", "http://whatever.example", false},
		{"open", headers.Rules{}, "whatever.example", "http://localhost", false},
		{"open", headers.Rules{}, "localhost", "http://127.0.0.1", false},
		{"open", headers.Rules{}, "bad host", "http://bad host", false},
		{"open", headers.Rules{}, "", "http://", false},
		{"named", named, "mcp.example.com", "-", true},
		{"named", named, "MCP.example.com:99", "https://mcp.example.com:99", true},
		{"named", named, "other.example.com:8443", "-", true},
		{"named", named, "other.example.com", "-", false},
		{"named", named, "other.example.com:8444", "-", false},
		{"named", named, "[2001:db8::1]:8080", "-", true},
		{"named", named, "localhost", "-", false},
		{"named", named, "bad host", "-", false},
		{"named", named, "", "-", false},
		{"named", named, "mcp.example.com", "http://localhost", false},
		{"proxied", proxied, "mcp.example.com", "https://mcp.example.com", true},
		{"proxied", proxied, "localhost:1", "-", true},
		{"proxied", proxied, "mcp.example.com", "https://evil.example", false},
		{"pages", pages, "localhost", "https://app.example.com", true},
		{"pages", pages, "localhost", "https://app.example.com:443", true},
		{"pages", pages, "localhost", "http://app.example.com", false},
		{"pages", pages, "localhost", "https://app.example.com:8443", false},
		{"pages", pages, "localhost", "https://app.example.com/", false},
		{"pages", pages, "localhost", "vscode-webview://x", true},
		{"pages", pages, "localhost", "vscode-webview://y", false},
		{"pages", pages, "localhost", "http://a.example", true},
		{"pages", pages, "evil.example", "https://app.example.com", false},
		{"any host", headers.Rules{Local: true, AnyHost: true}, "evil.example", "-", true},
		{"any host", headers.Rules{Local: true, AnyHost: true}, "x.example", "http://evil.example", false},
		{"any origin", headers.Rules{Local: true, AnyOrigin: true}, "localhost", "null", true},
		{"any origin", headers.Rules{Local: true, AnyOrigin: true}, "evil.example", "null", false},
	} {
		h := get(c.host, c.origin)
		no := c.rules.Guard(h)
		_, refused := c.rules.Admit(h)
		if (no == nil) != c.ok || (refused == nil) != c.ok {
			found.Add("HTTP-101 HTTP-002", "%s: Host %q, Origin %q: %v, %v", c.name, c.host, c.origin, no, refused)
		}
		if no != nil && (no.Status != 403 || refused.Status != 403) {
			found.Add("HTTP-101 HTTP-002", "%s: Host %q, Origin %q: status %d", c.name, c.host, c.origin, no.Status)
		}
	}
	found.Report(t, "HTTP-002", "HTTP-101")
}

// Two different origins are refused, whatever the rules say of each, so that a check of one
// is never taken for a check of both.
func TestSeveralOrigins(t *testing.T) {
	for _, rules := range []headers.Rules{{Local: true}, {}, {AnyOrigin: true, AnyHost: true}} {
		for _, more := range []string{headers.Version, headers.Session, headers.ContentType} {
			h := read("GET", "localhost", headers.Session, "s", headers.Origin, "http://localhost", headers.Origin, "http://evil.example", more, "a", more, "b")
			if no := rules.Guard(h); no == nil || no.Status != 403 {
				t.Errorf("%+v, %s: %v", rules, more, no)
			}
		}
		h := read("GET", "localhost", headers.Session, "s", headers.Origin, "http://localhost", headers.Origin, "http://localhost")
		if no := rules.Guard(h); no != nil {
			t.Errorf("the same one twice: %v", no)
		}
	}
}

// All loopback names and all their origins, against an oracle that lists them.
func TestLoopbackOracle(t *testing.T) {
	names := []string{"localhost", "127.0.0.1", "[::1]", "localhost.", "127.8.9.255", "evil.example", "127.0.0.1.evil.example", "[::2]", "0.0.0.0"}
	ports := []string{"", ":80", ":8080", ":0"}
	good := names[:5]
	for _, host := range names {
		for _, from := range names {
			for _, port := range ports {
				for _, other := range ports {
					h := get(host+port, "http://"+from+other)
					want := slices.Contains(good, host) && slices.Contains(good, from)
					if no := (headers.Rules{Local: true}).Guard(h); (no == nil) != want {
						t.Errorf("%s: %v, want %v", fmt.Sprint(h.Host, " ", h.Origin), no, want)
					}
				}
			}
		}
	}
	long := strings.Repeat("a", 1<<20)
	for _, h := range []headers.Head{get(long, "http://"+long), get("localhost", "http://"+strings.Repeat(":", 1<<20)), get("["+strings.Repeat(":", 1<<20), "-")} {
		if no := (headers.Rules{Local: true}).Guard(h); no == nil {
			t.Errorf("%.40s: admitted", h.Host)
		}
	}
}

// A browser's request for a page of another origin is refused even without an Origin, as a
// GET for an image.
func TestFetchSite(t *testing.T) {
	local := headers.Rules{Local: true}
	pages := headers.Rules{Local: true, Origins: []string{"https://app.example.com"}}
	for _, c := range []struct {
		name   string
		rules  headers.Rules
		origin string
		site   []string
		ok     bool
	}{
		{"no browser", local, "-", nil, true},
		{"empty", local, "-", []string{""}, true},
		{"its own page", local, "-", []string{"same-origin"}, true},
		{"the user", local, "-", []string{"none"}, true},
		{"not known yet", local, "-", []string{"near-site"}, true},
		{"a foreign page", local, "-", []string{"cross-site"}, false},
		{"another port", local, "-", []string{"same-site"}, false},
		{"blanks", local, "-", []string{" cross-site\t"}, false},
		{"twice", local, "-", []string{"cross-site", "cross-site"}, false},
		{"two", local, "-", []string{"same-origin", "cross-site"}, false},
		{"a list", local, "-", []string{"none, same-site"}, false},
		{"any name", headers.Rules{}, "-", []string{"cross-site"}, false},
		{"any host", headers.Rules{AnyHost: true}, "-", []string{"cross-site"}, false},
		{"a page of this machine", local, "http://localhost:3000", []string{"same-site"}, true},
		{"a page that may", pages, "https://app.example.com", []string{"cross-site"}, true},
		{"one that may, without Origin", pages, "-", []string{"cross-site"}, false},
		{"one that may not", pages, "https://evil.example", []string{"cross-site"}, false},
		{"one that may not and lies", pages, "https://evil.example", []string{"same-origin"}, false},
		{"an empty Origin", local, "", []string{"same-origin"}, false},
		{"any origin", headers.Rules{Local: true, AnyOrigin: true}, "-", []string{"cross-site"}, true},
		{"any origin, with one", headers.Rules{Local: true, AnyOrigin: true}, "null", []string{"cross-site"}, true},
	} {
		pairs := []string{headers.Session, "s", headers.Origin, c.origin}
		for _, site := range c.site {
			pairs = append(pairs, headers.FetchSite, site)
		}
		h := read(headers.MethodGet, "localhost", pairs...)
		no := c.rules.Guard(h)
		if _, refused := c.rules.Admit(h); (no == nil) != c.ok || (refused == nil) != c.ok {
			t.Errorf("%s: %v, %v", c.name, no, refused)
		}
		if no != nil && no.Status != 403 {
			t.Errorf("%s: status %d", c.name, no.Status)
		}
	}
	long := read(headers.MethodGet, "localhost", headers.FetchSite, strings.Repeat(",", 1<<20)+"cross-site")
	if local.Guard(long) == nil {
		t.Error("a long list is let in")
	}
}

// Unmatched finds what no header can match, and nothing else.
func TestUnmatched(t *testing.T) {
	good := headers.Rules{
		Origins: []string{"https://App.example.com/", "http://a.example:80", "vscode-webview://x", "null", "https://[::1]:8080"},
		Hosts:   []string{"mcp.example.com", "Other.example.com:8443", "[2001:DB8::1]", "127.0.0.1"},
	}
	if field, value, _ := good.Unmatched(); field != "" {
		t.Error(field, value)
	}
	for _, bad := range []string{"", "app.example", "https://", "https://a/b", "https://*.example", "://a", "x://", "x://a/b", "x://a b", "null://a b", "*"} {
		field, value, want := headers.Rules{Origins: []string{"null", bad}}.Unmatched()
		if field != "Origins[1]" || value != strconv.Quote(bad) || want != "want a scheme and a host, as https://app.example" {
			t.Errorf("%q: %s is %s: %s", bad, field, value, want)
		}
	}
	for _, bad := range []string{"", "http://a", "a b", "*", "a/b", "::1"} {
		field, value, want := headers.Rules{Hosts: []string{bad}}.Unmatched()
		if field != "Hosts[0]" || value != strconv.Quote(bad) || want != "want a name, with a port or without, as mcp.example.com" {
			t.Errorf("%q: %s is %s: %s", bad, field, value, want)
		}
	}
}
