package oauth_test

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// private are hosts that no url of a stranger may have, in every spelling.
var private = []string{
	"127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "127.0.0.1.", "0x7f.1", "0x7f000001", "0X7F.0.0.1", "2130706433", "017700000001", "0177.0.0.1", "127.0.0.01", "0", "0.0.0.0", "0x0",
	"localhost", "LocalHost", "localhost.", "a.localhost", "a.LOCALHOST.",
	"10.0.0.1", "10.1", "0xa.0.0.1", "012.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "192.168.257", "3232235777",
	"169.254.169.254", "169.254.43518", "0xA9FEA9FE", "2852039166", "100.64.0.1", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
	"[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]", "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]",
	"[fc00::1]", "[fd12:3456::1]", "[fe80::1]", "[fe80::1%25eth0]", "[2606:4700::1%25eth0]", "[febf::1]", "[ff02::1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::]", "[2001::1]", "[2001:db8::1]",
	"[100::1]", "[3fff::1]", "[5f00::1]", "[::ffff:0:127.0.0.1]", "evil.example%25eth0",
}

// refusals are urls that are wrong in other ways.
var refusals = []string{
	"", "x", "/x", "//evil.example/x", "http://evil.example/x", "HTTP://evil.example/x", "ftp://evil.example/x", "file:///etc/passwd", "javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "\tjavascript:alert(1)",
	"data:text/html,x", "vbscript:x", "ms-settings:x", "myapp://x", "blob:https://evil.example/x", "view-source:https://evil.example", "https:", "https://", "https:///x", "https:evil.example", "https://:443/x",
	"https://u@evil.example/x", "https://u:p@evil.example/x", "https://@evil.example/x", "https://evil.example/x#f", "https://evil.example/#",
	" https://evil.example/x", "https://evil.example/x ", "https://evil.example/a b", "https://evil.example/\n", "https://evil.example/\x00", "https://evil.example/\x1b[2J", "https://evil.example/\x7f", "https://evil.example/é",
	`https://evil.example/"x`, "https://evil.example/'x", "https://evil.example/`x", `https://evil.example\@as.example/x`, "https://evil.example/<x>", "https://evil.example/{x}", "https://evil.example/|x", "https://evil.example/^x",
	"https://evil.example:x/", "https://evil.example/%zz", "https://[::1/x", "https://evil.example/" + strings.Repeat("x", 8<<10),
}

// refused returns all urls that nothing may go to.
func refused() []string {
	list := slices.Clone(refusals)
	for _, host := range private {
		list = append(list, "https://"+host+"/x", "https://"+host+":8443/x", "http://"+host+"/x")
	}
	return list
}

// quoted returns a text as JSON.
func quoted(s string) string {
	return strings.NewReplacer(`\x00`, `\u0000`, `\x1b`, `\u001b`, `\x7f`, `\u007f`).Replace(strconv.Quote(s))
}

// printable reports whether a text is one line that a terminal takes for nothing else.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c >= 0x7F })
}

// Urls that others name lead to no request, no page and no other step, wherever they stand.
//
// rows: SEC-103 SEC-104 SEC-106 AUTH-040 AUTH-041
// revisions: all 2026-07-28
func TestRefusedURLs(t *testing.T) {
	for place, w := range map[string]func(url string) web{
		"issuer": func(at string) web {
			return usual().with(resourceAt, strings.ReplaceAll(resourceOf(server, "", issuer), `"`+issuer+`"`, quoted(at)))
		},
		"authorization": func(at string) web {
			return usual().with(issuerAt, issuerOf(issuer, `,"authorization_endpoint":`+quoted(at)))
		},
		"token": func(at string) web { return usual().with(issuerAt, issuerOf(issuer, `,"token_endpoint":`+quoted(at))) },
		"registration": func(at string) web {
			return usual().with(issuerAt, issuerOf(issuer, `,"registration_endpoint":`+quoted(at)))
		},
	} {
		for _, at := range refused() {
			x := start(t, oauth.Config{}, server, w(at)).begin()
			want := oauth.OutOfReach
			if len(at) > 8<<10 || at == "" { // no text at all
				if want = oauth.NoMetadata; place == "registration" {
					want = oauth.NoClient
				}
			}
			if x.reason() != want || x.f.Page() != (oauth.Page{}) || !printable(x.f.Failure().Error()) {
				t.Errorf("%s %.60q: %v, %v", place, at, x.f.Phase(), x.f.Failure())
			}
			for _, c := range x.calls {
				if !strings.HasPrefix(c.URL, "https://mcp.example/") && !strings.HasPrefix(c.URL, issuer+"/") {
					t.Errorf("%s %.60q: asks %s", place, at, c.URL)
				}
			}
		}
	}
	for _, at := range refused() { // of the server's own origin or not asked at all
		x := start(t, oauth.Config{}, server, usual()).refuse(401, headers.Challenge{ResourceMetadata: at})
		if got := x.f.Call().URL; got != resourceAt {
			t.Errorf("%.60q: asks %s", at, got)
		}
	}
	for _, c := range []oauth.Config{{}, {Trusted: []string{"other.example"}}} {
		c.Redirect = callback
		var f *oauth.Failure
		if _, err := oauth.New(c, "http://mcp.example/mcp?key=secret"); !errors.As(err, &f) || f.Reason != oauth.OutOfReach || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v", err)
		}
	}
	provider := oauth.Provider{TokenURL: "https://10.0.0.1/token", Client: oauth.Credentials{ID: "p"}}
	x := start(t, oauth.Config{Grant: oauth.Enterprise, Clients: []oauth.Credentials{{ID: "c"}}, Provider: provider}, server, usual()).begin()
	if x.step(x.f.Given(x.now, x.random(), []byte("subject"))); x.reason() != oauth.OutOfReach || x.f.Failure().URL != provider.TokenURL {
		t.Errorf("%v", x.f.Failure())
	}
}

// Trust in a host, or a server on this machine, lets http pass and nothing else.
//
// rows: SEC-103 SEC-106
// revisions: all 2026-07-28
func TestSchemes(t *testing.T) {
	for at, ok := range map[string]bool{
		"https://HOST/x": true, "http://HOST/x": true, "HTTP://HOST/x": true, "javascript://HOST/%0aalert(1)": false, "file://HOST/etc/passwd": false, "ftp://HOST/x": false, "data://HOST/text/html,x": false, "myapp://HOST/x": false, "ws://HOST/x": false,
	} {
		for host, cfg := range map[string]oauth.Config{"trusted.example": {Trusted: []string{"trusted.example"}}, "127.0.0.1:9": {}} {
			own := map[bool]string{true: server, false: "http://localhost:8080/mcp"}[cfg.Trusted != nil]
			url := strings.Replace(at, "HOST", host, 1)
			x := start(t, cfg, own, usual().with(issuerAt, issuerOf(issuer, `,"authorization_endpoint":"`+url+`"`)))
			x.refuse(401, headers.Challenge{})
			x.web[x.f.Call().URL] = resourceOf(own, "", issuer)
			if x.run(); (x.f.Phase() == oauth.Person) != ok || !ok && x.reason() != oauth.OutOfReach {
				t.Errorf("%s: %v, %v", url, x.f.Phase(), x.f.Failure())
			}
		}
	}
}

// How far a request may go: anywhere at the server's own host and at a host of Config.Trusted, on this machine if the
// server is on it, and elsewhere at public addresses alone.
//
// rows: SEC-103 SEC-104 AUTH-040
// revisions: all 2026-07-28
func TestReach(t *testing.T) {
	const no = oauth.Reach(9)
	for _, c := range []struct {
		server, issuer, trusted string
		want                    oauth.Reach
	}{
		{server, "https://as.example", "", oauth.Public},
		{server, "https://8.8.8.8", "", oauth.Public},
		{server, "https://[2606:4700::1]:8443", "", oauth.Public},
		{server, "https://127-0-0-1.example", "", oauth.Public},
		{server, "https://0x.example", "", oauth.Public},
		{server, "https://1.1.example", "", oauth.Public},
		{server, "https://0xbad.horse", "", oauth.Public},
		{server, "https://MCP.example:8443", "", oauth.Anywhere},
		{"https://10.0.0.1/mcp", "https://10.0.0.1:8443", "", oauth.Anywhere},
		{"https://10.0.0.1/mcp", "https://10.0.0.2", "", no},
		{"https://10.0.0.1/mcp", "http://10.0.0.1", "", no},
		{server, "http://mcp.example", "", no},
		{server, "http://as.example", "", no},
		{server, "http://as.example", "as.example", oauth.Anywhere},
		{server, "http://as.example:8080", "AS.example", oauth.Anywhere},
		{server, "http://as.example:8080", "as.example:8080", oauth.Anywhere},
		{server, "http://as.example:8080", "as.example:80", no},
		{server, "http://as.example", "as.example:8080", no},
		{server, "http://sub.as.example", "as.example", no},
		{server, "https://10.0.0.1", "10.0.0.1", oauth.Anywhere},
		{server, "https://[fc00::1]:8443", "fc00::1", oauth.Anywhere},
		{server, "https://[fc00::1]:8443", "[fc00::1]:8443", oauth.Anywhere},
		{server, "http://localhost:1", "localhost", oauth.Anywhere},
		{"http://127.0.0.1:8080/mcp", "http://127.0.0.1:9", "", oauth.Anywhere},
		{"http://127.0.0.1:8080/mcp", "http://localhost:9", "", oauth.Local},
		{"http://127.0.0.1:8080/mcp", "http://as.localhost:9", "", oauth.Local},
		{"http://127.0.0.1:8080/mcp", "https://[::1]:9", "", oauth.Local},
		{"http://127.0.0.1:8080/mcp", "http://127.0.0.2", "", oauth.Local},
		{"http://localhost/mcp", "http://[::ffff:127.0.0.1]", "", oauth.Local},
		{"http://[::1]/mcp", "https://as.example", "", oauth.Local},
		{"http://127.0.0.1:8080/mcp", "http://as.example", "", no},
		{"http://127.0.0.1:8080/mcp", "https://10.0.0.1", "", no},
		{"http://127.0.0.1:8080/mcp", "https://169.254.169.254", "", no},
		{"http://127.0.0.1:8080/mcp", "http://127.1", "", no},
	} {
		cfg := oauth.Config{Redirect: callback, NoLegacy: true}
		if c.trusted != "" {
			cfg.Trusted = []string{c.trusted}
		}
		x := start(t, cfg, c.server, web{})
		x.refuse(401, headers.Challenge{})
		x.web[x.f.Call().URL] = resourceOf(x.f.Resource(), "", c.issuer)
		if x.f.Call().Reach != oauth.Anywhere {
			t.Errorf("%s itself: %v", c.server, x.f.Call().Reach)
		}
		x.answer()
		if c.want == no {
			if x.reason() != oauth.OutOfReach || x.f.Failure().Issuer != c.issuer {
				t.Errorf("%s from %s: %v, %v", c.issuer, c.server, x.f.Call(), x.f.Failure())
			}
			continue
		}
		if got := x.f.Call(); got.Reach != c.want || !strings.HasPrefix(got.URL, strings.ToLower(c.issuer)) {
			t.Errorf("%s from %s: %s, %d; %v", c.issuer, c.server, got.URL, got.Reach, x.f.Failure())
		}
	}
}

// Which addresses a name may resolve to.
//
// rows: SEC-104
// revisions: all 2026-07-28
func TestReachAllows(t *testing.T) {
	for text, want := range map[string]oauth.Reach{
		"8.8.8.8": oauth.Public, "2606:4700::1": oauth.Public, "::ffff:8.8.8.8": oauth.Public, "172.32.0.1": oauth.Public, "100.128.0.1": oauth.Public, "2001:200::1": oauth.Public,
		"127.0.0.1": oauth.Local, "127.9.9.9": oauth.Local, "::1": oauth.Local, "::ffff:127.0.0.1": oauth.Local,
		"10.0.0.1": oauth.Anywhere, "::ffff:10.0.0.1": oauth.Anywhere, "169.254.169.254": oauth.Anywhere, "0.0.0.0": oauth.Anywhere, "::": oauth.Anywhere, "fe80::1": oauth.Anywhere, "fe80::1%e": oauth.Anywhere, "::1%e": oauth.Anywhere, "2606:4700::1%e": oauth.Anywhere,
		"fc00::1": oauth.Anywhere, "224.0.0.1": oauth.Anywhere, "255.255.255.255": oauth.Anywhere, "100.64.0.1": oauth.Anywhere, "64:ff9b::a00:1": oauth.Anywhere, "2002:a00:1::": oauth.Anywhere, "0.1.2.3": oauth.Anywhere,
		"::a00:1": oauth.Anywhere, "fec0::1": oauth.Anywhere, "64:ff9b:1::1": oauth.Anywhere, "100::1": oauth.Anywhere, "2001::1": oauth.Anywhere, "2001:1ff::1": oauth.Anywhere, "2001:db8::1": oauth.Anywhere, "3fff::1": oauth.Anywhere, "5f00::1": oauth.Anywhere,
	} {
		for _, r := range []oauth.Reach{oauth.Public, oauth.Local, oauth.Anywhere} {
			if got := r.Allows(netip.MustParseAddr(text)); got != (r >= want) {
				t.Errorf("%d allows %s: %v", r, text, got)
			}
		}
	}
	if oauth.Anywhere.Allows(netip.Addr{}) || oauth.Public.Allows(netip.Addr{}) {
		t.Error("no address is allowed")
	}
}

// Where a person may be sent back to.
//
// rows: AUTH-042
// revisions: all 2026-07-28
func TestRedirects(t *testing.T) {
	for at, ok := range map[string]bool{
		"http://127.0.0.1:3000/callback": true, "http://127.0.0.1": true, "http://[::1]:3000/": true, "http://localhost:3000/callback": true, "https://app.example/callback": true, "https://app.example/callback?x=1": true,
		"": false, "http://app.example/callback": false, "http://10.0.0.1/": false, "http://localhost.example/": false, "ftp://localhost/": false, "myapp://callback": false, "https://app.example/callback#f": false,
		"https://app.example/#": false, "/callback": false, "https://": false, "https://u@app.example/": false, "https://app.example/ ": false, "javascript:alert(1)": false,
	} {
		_, err := oauth.New(oauth.Config{Redirect: at}, server)
		var bad *lifecycle.ConfigError
		if (err == nil) != ok || err != nil && (!errors.As(err, &bad) || bad.Field != "Redirect") {
			t.Errorf("%q: %v", at, err)
		}
	}
	if _, err := oauth.New(oauth.Config{Grant: oauth.Assertion}, server); err != nil {
		t.Errorf("a grant without a person wants a redirect: %v", err)
	}
}
