package oauth_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/conformance/authz"
	"github.com/sansmcp/mcp/protocol/headers"
)

// known is what the rules need to know of what went before.
type known struct {
	began    time.Time
	need     oauth.Need
	calls    int
	resource string          // of the metadata that the server gave last in this run
	listed   []string        // issuers of those
	found    bool            // it gave any
	moved    bool            // the last answer was a redirect
	first    string          // the url of the first request of that chain
	last     described       // of the metadata that an authorization server gave last in this run
	asked    []string        // scopes of all pages
	left     bool            // the person did not come back in this run
	page     url.Values      // the last one
	from     described       // whose it is
	query    string          // by which a person came back last
	bad      bool            // its iss says that it is not to be believed
	unique   map[string]bool // states, challenges
	codes    map[string]int
	secrets  map[string]bool // verifiers
}

// described is what the rules need to know of an authorization server.
type described struct {
	issuer                 string
	returns, offline, s256 bool
}

func newKnown() known {
	return known{unique: map[string]bool{}, codes: map[string]int{}, secrets: map[string]bool{}}
}

func (k *known) begin(now time.Time, n oauth.Need) {
	k.began, k.need, k.calls, k.left = now, n, 0, false
	k.resource, k.listed, k.found, k.moved, k.last = "", nil, false, false, described{}
}

// learn takes what a server said.
func (k *known) learn(place authz.Place, out authz.Response) {
	k.found = k.found || place == authz.Described && out.Status/100 == 2
	var m map[string]any
	if out.Status != 200 || len(out.Body) > 256<<10 || json.Unmarshal([]byte(out.Body), &m) != nil {
		return
	}
	text := func(name string) string { s, _ := m[name].(string); return s }
	list := func(name string) (all []string) {
		values, _ := m[name].([]any)
		for _, v := range values {
			s, _ := v.(string)
			all = append(all, s)
		}
		return all
	}
	switch place {
	case authz.Described:
		if issuers := list("authorization_servers"); text("resource") != "" && issuers != nil {
			k.resource, k.listed = text("resource"), issuers
		}
	case authz.Metadata:
		if text("issuer") != "" && text("token_endpoint") != "" {
			k.last = described{
				text("issuer"), m["authorization_response_iss_parameter_supported"] == true,
				slices.Contains(list("scopes_supported"), "offline_access"), slices.Contains(list("code_challenge_methods_supported"), "S256"),
			}
		}
	}
}

// guessed reports whether the server's own origin may be taken for its authorization server.
func (k *known) guessed() bool { return !k.found && k.need.Challenge.ResourceMetadata == "" }

// checkServer holds that a login goes to an authorization server that the server names and that says so itself,
// and is for the server.
func (p *party) checkServer() {
	k := &p.known
	own, err := url.Parse(p.own())
	want, err2 := url.Parse(p.resource())
	if err != nil || err2 != nil || !strings.EqualFold(own.Host, want.Host) || !strings.EqualFold(own.Scheme, want.Scheme) ||
		!strings.HasPrefix(own.Path+"/", strings.TrimSuffix(want.Path, "/")+"/") {
		p.errorf("AUTH-060", "the resource %s at %s", p.resource(), p.own())
	}
	if k.last.issuer == "" {
		if !k.guessed() {
			p.errorf("AUTH-011", "a login without metadata")
		}
		return
	}
	listed := k.listed
	if listed == nil { // renewed, or as revision 2025-03-26 does
		listed = []string{p.Record.Issuer, authz.Origin(p.own())}
	}
	same := func(s string) bool {
		return s == k.last.issuer || strings.TrimSuffix(s, "/") == strings.TrimSuffix(k.last.issuer, "/") && strings.Count(strings.TrimSuffix(s, "/"), "/") == 2
	}
	if !slices.ContainsFunc(listed, same) {
		p.errorf("AUTH-205", "a login at %s, the server names %q", k.last.issuer, listed)
	}
	if old := p.Record.Issuer; len(p.w.Lies) == 0 && slices.Contains(k.listed, old) && !same(old) {
		p.errorf("AUTH-059", "a login at %s, the last one was at %s", k.last.issuer, old)
	}
}

// serve lets the servers answer, and looks at where the request went.
func (p *party) serve(r authz.Request) authz.Response {
	from := len(p.w.Seen)
	out := p.w.Serve(p.now, r)
	for _, bad := range p.w.Misplaced(from) {
		kind, _, _ := strings.Cut(bad, " ")
		p.errorf(map[string]string{"access": "AUTH-032", "code": "SEC-203", "client": "AUTH-202 AUTH-210"}[kind]+map[bool]string{true: "AUTH-202"}[kind == "refresh"], "misplaced: %s", bad)
	}
	p.known.learn(p.w.Seen[from].Place, out)
	return out
}

// call makes the request of the Flow, and gives it the answer, unless that comes too late.
func (p *party) call() {
	c := p.Call
	p.checkCall(c)
	r := authz.Request{Method: c.Method, URL: c.URL, Body: string(c.Body), Header: map[string]string{}}
	for _, f := range c.Fields {
		r.Header[f.Name] = f.Value
	}
	out := p.serve(r)
	p.note("%d after %v: %.300q", out.Status, out.After, out.Body)
	random, until := p.random(), p.now.Add(out.After)
	p.known.moved = false
	if out.After > 0 && !p.At.After(until) {
		p.now = p.At
		p.tick()
		return
	}
	p.now = until
	if out.Status == 0 {
		p.do("unanswered", func(f oauth.Flow) oauth.Flow { return f.Unanswered(p.now, random) })
		return
	}
	a := oauth.Answer{Status: out.Status, Location: out.Header["Location"], Body: []byte(out.Body)}
	a.Body = a.Body[:min(len(a.Body), c.MaxBytes+1)]
	if n, err := strconv.Atoi(out.Header["Retry-After"]); err == nil {
		a.RetryAfter = time.Duration(n) * time.Second
	}
	p.do("respond", func(f oauth.Flow) oauth.Flow { return f.Respond(p.now, random, a) })
	p.known.moved = a.Status/100 == 3
	if p.known.moved && c.Method == headers.MethodPost && p.Phase == oauth.Requesting {
		p.errorf("AUTH-062", "a POST that was redirected is made again at %s", p.Call.URL)
	}
}

func (p *party) tick() {
	random := p.random()
	p.do("tick", func(f oauth.Flow) oauth.Flow { return f.Tick(p.now, random) })
	if p.Phase.Running() && !p.At.After(p.now) {
		p.errorf("SEC-012", "after Tick at %v it is due at %v", p.now, p.At)
	}
}

// checkURL holds where a request may go and what a person may open: https to a name, or this machine from itself.
func (p *party) checkURL(raw string) {
	u, err := url.Parse(raw)
	if err != nil {
		p.errorf("", "%v", err)
		return
	}
	host, local := strings.ToLower(u.Hostname()), strings.HasPrefix(p.own(), "http:")
	switch named := strings.HasSuffix(host, ".example"); {
	case local && (host == "127.0.0.1" || host == "::ffff:127.0.0.1"):
	case !named:
		p.errorf("SEC-104", "a request to %s", raw)
	case u.Scheme != "https":
		p.errorf("AUTH-041 SEC-103", "a request to %s", raw)
	}
}

// own is the canonical form of the url of the server.
func (p *party) own() string { return p.w.Resources[0].URL }

// resource is what a token has to be asked for.
func (p *party) resource() string {
	switch {
	case p.known.resource != "":
		return p.known.resource
	case p.known.need.Status == 0: // renewed
		return p.Record.Token.Resource
	}
	return p.own()
}

func (p *party) checkCall(c oauth.HTTPRequest) {
	if p.known.calls++; p.known.calls > 40 {
		p.errorf("SEC-012", "%d requests in a run", p.known.calls)
	}
	if c.MaxBytes < 1 || c.MaxBytes > 256<<10 {
		p.errorf("SEC-012", "an answer of %d bytes", c.MaxBytes)
	}
	p.checkURL(c.URL)
	k, own := &p.known, authz.Origin(p.own())
	path := strings.TrimPrefix(c.URL, own)
	if !k.moved {
		k.first = c.URL
	}
	switch {
	case (strings.Contains(k.first, "/oauth-protected-resource") || k.first == k.need.Challenge.ResourceMetadata) && authz.Origin(strings.ToLower(c.URL)) != own:
		p.errorf("SEC-105", "metadata of the server at %s, moved from %s", c.URL, k.first)
	case !k.guessed() && slices.Contains([]string{"/.well-known/oauth-authorization-server", "/register", "/token"}, path):
		p.errorf("AUTH-056", "a guess at %s, and there are metadata", c.URL)
	}
	if c.Method == headers.MethodGet && c.Body != "" || c.Method != headers.MethodGet && c.Method != headers.MethodPost {
		p.errorf("", "%s with %d bytes", c.Method, len(c.Body))
	}
	form, err := url.ParseQuery(string(c.Body))
	if err != nil || !form.Has("grant_type") {
		return
	}
	grant, want := form.Get("grant_type"), p.resource()
	if got := form["resource"]; len(got) != 1 || got[0] != want {
		p.errorf("AUTH-017 AUTH-018", "a token request for %q, want %q", got, want)
	}
	if form.Get("requested_token_type") == "" { // the identity provider is none that the server names
		p.checkServer()
	}
	if a := form.Get("client_assertion"); a != "" {
		if k.unique[a] {
			p.errorf("AUTH-113", "an assertion is used again")
		}
		k.unique[a] = true
	}
	switch grant {
	case "refresh_token":
		if p.known.need.Status == 403 {
			p.errorf("AUTH-119", "a step-up by refresh")
		}
	case "authorization_code":
		code, verifier := form.Get("code"), form.Get("code_verifier")
		if p.known.codes[code+verifier]++; p.known.codes[code+verifier] > 1 {
			p.errorf("AUTH-036", "the code %s again", code)
		}
		if authz.S256(verifier) != p.known.page.Get("code_challenge") {
			p.errorf("AUTH-043", "the verifier is that of another page")
		}
		if p.known.bad {
			p.errorf("AUTH-201 AUTH-207", "a token request after a wrong iss: %s", p.known.query)
		}
		if form.Get("redirect_uri") != p.known.page.Get("redirect_uri") {
			p.errorf("AUTH-044", "redirect_uri %s", form.Get("redirect_uri"))
		}
		p.known.secrets[verifier] = true
	}
}

// rules holds what is true after each step.
func (p *party) rules() {
	if p.Failure != nil && p.known.bad && p.Failure.Reason == oauth.IssuerMismatch && (p.Failure.Code != "" || p.Failure.Text != "") {
		p.errorf("AUTH-209", "a text of nobody knows whom: %v", p.Failure)
	}
	if p.Phase == oauth.Person && p.Page.State != p.known.page.Get("state") {
		p.checkPage(p.Page)
	}
}
