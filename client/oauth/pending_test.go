package oauth_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
)

// A login whose person is away goes on in another Flow for the same server and redirect, with the same page, until its
// time is over; and nothing else is taken for one.
func TestResume(t *testing.T) {
	x := start(t, oauth.Config{}, server, usual().with(resourceAt, resourceOf(server, `,"scopes_supported":["read"]`, issuer))).begin()
	page, pending := x.f.Page(), x.f.Record().Pending
	if page.URL == "" || pending == "" {
		t.Fatal(x.f.Phase())
	}
	rec := x.f.Record()
	rec, err := oauth.ParseRecord(oauth.AppendRecord(nil, rec))
	if err != nil || rec.Pending != pending {
		t.Fatal(err)
	}
	other := func(c oauth.Config, server string) oauth.Flow {
		f, err := oauth.New(c, server)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	c := x.cfg
	elsewhere := c
	elsewhere.Redirect = "https://elsewhere.example/callback"
	same := other(c, x.f.Resource())
	for name, tt := range map[string]struct {
		f       oauth.Flow
		now     time.Time
		pending oauth.Secret
		ok      bool
	}{
		"the same":         {same, x.now, pending, true},
		"the Flow itself":  {x.f, x.now, pending, true},
		"until the end":    {same, page.Until.Add(-1), pending, true},
		"too late":         {same, page.Until, pending, false},
		"none":             {same, x.now, "", false},
		"no text":          {same, x.now, "{", false},
		"nothing":          {same, x.now, "{}", false},
		"no run":           {same, x.now, oauth.Secret(`{"version":1,"server":"` + x.f.Resource() + `"}`), false},
		"another version":  {same, x.now, oauth.Secret(strings.Replace(string(pending), `"version":1`, `"version":9`, 1)), false},
		"another server":   {other(c, "https://other.example/mcp"), x.now, pending, false},
		"another redirect": {other(elsewhere, x.f.Resource()), x.now, pending, false},
		"no verifier":      {same, x.now, oauth.Secret(strings.Replace(string(pending), `"verifier"`, `"verifies"`, 1)), false},
		"the zero Flow":    {oauth.Flow{}, x.now, pending, false},
	} {
		r := rec
		r.Pending = tt.pending
		f, live, ok := tt.f.Resume(tt.now, r)
		if ok != tt.ok || live != (ok || name == "another redirect") || ok && f.Page() != page || !ok && f.Phase() != tt.f.Phase() {
			t.Errorf("%s: %v %v", name, ok, f.Phase())
		}
	}
	for name, change := range map[string]func(c *oauth.Config){
		"an issuer that is not used any more": func(c *oauth.Config) { c.Issuers = []string{"https://other.example"} },
		"another client":                      func(c *oauth.Config) { c.Clients = []oauth.Credentials{{Issuer: issuer, ID: "preset"}} },
		"a client of another issuer":          func(c *oauth.Config) { c.Clients = []oauth.Credentials{{Issuer: "https://other.example", ID: "c1"}} },
		"a client with another secret":        func(c *oauth.Config) { c.Clients = []oauth.Credentials{{Issuer: issuer, ID: "c1", Secret: "s"}} },
		"scopes that are not asked for":       func(c *oauth.Config) { c.Scopes = []string{"other"} },
		"a grant without a person": func(c *oauth.Config) {
			c.Grant, c.Clients = oauth.ClientCredentials, []oauth.Credentials{{Issuer: issuer, ID: "c1"}}
		},
	} {
		c := x.cfg
		change(&c)
		if f, live, ok := other(c, x.f.Resource()).Resume(x.now, rec); ok || !live {
			t.Errorf("%s: %v %v", name, f.Page(), live)
		}
	}
	for name, change := range map[string]func(c *oauth.Config){
		"the issuer":  func(c *oauth.Config) { c.Issuers = []string{issuer} },
		"the client":  func(c *oauth.Config) { c.Clients = []oauth.Credentials{{Issuer: issuer, ID: "c1", Method: "none"}} },
		"the scope":   func(c *oauth.Config) { c.Scopes = []string{"read"} },
		"other names": func(c *oauth.Config) { c.Name = "another" },
	} {
		c := x.cfg
		change(&c)
		if _, _, ok := other(c, x.f.Resource()).Resume(x.now, rec); !ok {
			t.Errorf("%s: it does not go on", name)
		}
	}
	if strings.Contains(string(x.f.Snapshot(oauth.Without)), page.State) || same.Record().Pending != "" {
		t.Error("a state where there is none to be")
	}
}

// However long what a server says of itself is, the login that waits for its person can be read again.
func TestPendingIsRead(t *testing.T) {
	long := func(begin string, n int) string { return begin + strings.Repeat("x", n-len(begin)) }
	var issuers, scopes []string
	for i := range 8 {
		issuers = append(issuers, long(fmt.Sprintf("https://as.example/%d", i), 8000))
	}
	for i := range 64 {
		scopes = append(scopes, long(fmt.Sprint("scope", i), 256))
	}
	w := web{
		resourceAt: resourceOf(server, `,"scopes_supported":["`+strings.Join(scopes, `","`)+`"]`, slices.Concat([]string{issuer}, issuers)...),
		issuerAt:   issuerOf(issuer, `,"authorization_endpoint":"`+long(issuer+"/a?", 8000)+`","token_endpoint":"`+long(issuer+"/t?", 8000)+`","registration_endpoint":"`+long(issuer+"/r?", 8000)+`"`),
	}
	w[long(issuer+"/r?", 8000)] = `{"client_id":"` + long("c", 8000) + `"}`
	x := start(t, oauth.Config{}, server, w).begin()
	rec := x.f.Record()
	if len(rec.Pending) < 64<<10 {
		t.Fatal(x.f.Phase(), x.f.Failure(), len(rec.Pending))
	}
	read, err := oauth.ParseRecord(oauth.AppendRecord(nil, rec))
	if err != nil {
		t.Fatal(len(rec.Pending), err)
	}
	f, err := oauth.New(x.cfg, server)
	if err != nil {
		t.Fatal(err)
	}
	if f, _, ok := f.Resume(x.now, read); !ok || f.Page() != x.f.Page() {
		t.Error("it does not go on")
	}
}
