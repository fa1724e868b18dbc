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
	resource string               // of the metadata that the server gave last in this run
	issuers  map[string]described // by authorization endpoint, as told last
	asked    []string             // scopes of all pages
	left     bool                 // the person did not come back in this run
	page     url.Values           // the last one
	from     described            // whose it is
	query    string               // by which a person came back last
	bad      bool                 // its iss says that it is not to be believed
	unique   map[string]bool      // states, challenges
	codes    map[string]int
	secrets  map[string]bool // verifiers
}

// described is what the rules need to know of an authorization server.
type described struct {
	issuer           string
	returns, offline bool
}

func newKnown() known {
	return known{issuers: map[string]described{}, unique: map[string]bool{}, codes: map[string]int{}, secrets: map[string]bool{}}
}

func (k *known) begin(now time.Time, n oauth.Need) {
	k.began, k.need, k.calls, k.resource, k.left = now, n, 0, "", false
}

// learn takes what a server said.
func (k *known) learn(place authz.Place, out authz.Response) {
	var m map[string]any
	if out.Status != 200 || json.Unmarshal([]byte(out.Body), &m) != nil {
		return
	}
	switch place {
	case authz.Described:
		if s, ok := m["resource"].(string); ok {
			k.resource = s
		}
	case authz.Metadata:
		at, _ := m["authorization_endpoint"].(string)
		d := described{returns: m["authorization_response_iss_parameter_supported"] == true}
		d.issuer, _ = m["issuer"].(string)
		list, _ := m["scopes_supported"].([]any)
		d.offline = slices.Contains(list, any("offline_access"))
		k.issuers[at] = d
	}
}

// serve lets the servers answer, and looks at where the request went.
func (p *party) serve(r authz.Request) authz.Response {
	from := len(p.w.Seen)
	out := p.w.Serve(p.now, r)
	for _, bad := range p.w.Misplaced(from) {
		p.errorf("misplaced: %s", bad)
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
}

func (p *party) tick() {
	random := p.random()
	p.do("tick", func(f oauth.Flow) oauth.Flow { return f.Tick(p.now, random) })
	if p.Phase.Running() && !p.At.After(p.now) {
		p.errorf("after Tick at %v it is due at %v", p.now, p.At)
	}
}

// allowed reports whether a request may go to a url: https to a name, or this machine from itself.
func (p *party) allowed(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	local := strings.HasPrefix(p.server, "http:")
	switch host := u.Hostname(); {
	case host == "127.0.0.1", host == "::ffff:127.0.0.1":
		return local
	default:
		return u.Scheme == "https" && strings.HasSuffix(strings.ToLower(host), ".example")
	}
}

// own is the canonical form of the url of the server.
func (p *party) own() string {
	return strings.TrimSuffix(strings.Replace(p.server, "MCP.example:443", "mcp.example", 1), "/")
}

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

func (p *party) checkCall(c oauth.Call) {
	if p.known.calls++; p.known.calls > 40 {
		p.errorf("%d requests in a run", p.known.calls)
	}
	if !p.allowed(c.URL) || c.MaxBytes < 1 || c.MaxBytes > 256<<10 {
		p.errorf("a call to %s of %d bytes", c.URL, c.MaxBytes)
	}
	if c.Method == headers.MethodGet && c.Body != "" || c.Method != headers.MethodGet && c.Method != headers.MethodPost {
		p.errorf("%s with %d bytes", c.Method, len(c.Body))
	}
	form, err := url.ParseQuery(string(c.Body))
	if err != nil || !form.Has("grant_type") {
		return
	}
	grant, want := form.Get("grant_type"), p.resource()
	if got := form["resource"]; len(got) != 1 || got[0] != want {
		p.errorf("a token request for %q, want %q", got, want)
	}
	switch grant {
	case "refresh_token":
		if p.known.need.Status == 403 {
			p.errorf("a step-up by refresh")
		}
	case "authorization_code":
		code, verifier := form.Get("code"), form.Get("code_verifier")
		if p.known.codes[code+verifier]++; p.known.codes[code+verifier] > 1 {
			p.errorf("the code %s again", code)
		}
		if authz.S256(verifier) != p.known.page.Get("code_challenge") {
			p.errorf("the verifier is that of another page")
		}
		if p.known.bad {
			p.errorf("a token request after a wrong iss: %s", p.known.query)
		}
		if form.Get("redirect_uri") != p.known.page.Get("redirect_uri") {
			p.errorf("redirect_uri %s", form.Get("redirect_uri"))
		}
		p.known.secrets[verifier] = true
	}
}

// rules holds what is true after each step.
func (p *party) rules() {
	if p.Failure != nil && p.known.bad && p.Failure.Reason == oauth.IssuerMismatch && (p.Failure.Code != "" || p.Failure.Text != "") {
		p.errorf("a text of nobody knows whom: %v", p.Failure)
	}
	if p.Phase == oauth.Person && p.Page.State != p.known.page.Get("state") {
		p.checkPage(p.Page)
	}
}

// checkPage holds what a person is to open.
func (p *party) checkPage(page oauth.Page) {
	at, query, _ := strings.Cut(page.URL, "?")
	q, err := url.ParseQuery(query)
	if err != nil || !p.allowed(page.URL) {
		p.errorf("the page %s", page.URL)
	}
	for name, v := range q {
		if len(v) != 1 {
			p.errorf("%s is %q", name, v)
		}
	}
	want := p.resource()
	for name, v := range map[string]string{"response_type": "code", "code_challenge_method": "S256", "state": page.State, "redirect_uri": redirectTo, "resource": want} {
		if q.Get(name) != v {
			p.errorf("the page has the %s %q, want %q", name, q.Get(name), v)
		}
	}
	if q.Get("client_id") == "" || len(q.Get("code_challenge")) != 43 {
		p.errorf("the page %v", q)
	}
	if p.known.unique[page.State] || p.known.unique[q.Get("code_challenge")] || len(page.State) < 22 {
		p.errorf("the state or the challenge was used before: %v", q)
	}
	p.known.unique[page.State], p.known.unique[q.Get("code_challenge")] = true, true
	scope := strings.Fields(q.Get("scope"))
	from := p.known.issuers[at]
	if slices.Contains(scope, "offline_access") && !from.offline {
		p.errorf("offline_access is asked for, and not listed")
	}
	missing := func(s string) bool {
		ok := s != "offline_access" && (p.cfg.Scopes == nil || slices.Contains(p.cfg.Scopes, s)) && !strings.ContainsAny(s, `"\`)
		return ok && !slices.Contains(scope, s)
	}
	all := slices.Concat(p.known.asked, strings.Fields(p.known.need.Challenge.Scope))
	if len(scope) < 60 && slices.ContainsFunc(all, missing) {
		p.errorf("the scopes %q are asked for, want all of %q", scope, all)
	}
	p.known.asked, p.known.page, p.known.from, p.known.bad = scope, q, from, false
	if from.issuer == "" { // no metadata: the server's own origin
		p.known.from = described{issuer: authz.Origin(p.own())}
	}
}

// person opens the page, and comes back in the end, or does not. Somebody else may come before, and
// after.
func (p *party) person() {
	random := p.random()
	state := p.known.page.Get("state")
	for range p.IntN(8) / 5 {
		query := pick(p.Rand, p.known.query, "code=forged", "code=forged&state=x", "error=access_denied&state="+state+"x", "state=%zz", "code=forged&state="+state+"&state="+state)
		if strings.HasSuffix(query, "state="+state) && !strings.Contains(query, "&state="+state+"&state=") || strings.Contains(query, "state="+state+"&iss") {
			continue
		}
		p.do("foreign", func(f oauth.Flow) oauth.Flow { return f.Returned(p.now, random, query) })
		if p.Phase != oauth.Person {
			p.errorf("%s ended the phase", query)
			return
		}
	}
	if p.IntN(30) == 0 {
		p.known.left = true
		p.do("cancel", func(f oauth.Flow) oauth.Flow { return f.Cancel(p.now) })
		return
	}
	back := p.w.Approve(p.now, p.Page.URL)
	p.note("%s leads to %.400s", p.Page.URL, back)
	if back == "" || p.honest && p.IntN(30) == 0 {
		p.now, p.known.left = p.Page.Until, true
		p.tick()
		return
	}
	p.now = p.now.Add(pick(p.Rand, time.Second, time.Minute))
	_, query, _ := strings.Cut(back, "?")
	q, _ := url.ParseQuery(query)
	_, has := q["iss"]
	p.known.query, p.known.bad = query, p.known.from.returns && !has || has && q.Get("iss") != p.known.from.issuer
	p.do("returned", func(f oauth.Flow) oauth.Flow { return f.Returned(p.now, random, query) })
	if q.Get("state") != state {
		if p.Phase != oauth.Person {
			p.errorf("a foreign state ended the phase")
		}
		p.do("cancel", func(f oauth.Flow) oauth.Flow { return f.Cancel(p.now) })
		return
	}
	if p.known.bad && p.Phase != oauth.Failed {
		p.errorf("phase %v after a wrong iss", p.Phase)
	}
}

// give signs, or has the token of somebody.
func (p *party) give() {
	random, b := p.random(), []byte(subject)
	if p.Ask.Kind == oauth.Signature {
		b = sign(string(p.Ask.Data))
	}
	p.do("given", func(f oauth.Flow) oauth.Flow { return f.Given(p.now, random, b) })
}

// secrets looks for secrets in all that was shown.
func (p *party) secrets() {
	for _, t := range p.w.Issued {
		p.known.secrets[t.Value] = true
	}
	for _, i := range p.w.Issuers {
		for _, c := range i.Clients {
			p.known.secrets[c.Secret] = true
		}
	}
	p.known.secrets[subject] = true
	text := p.shown.String()
	for s := range p.known.secrets {
		if s != "" && strings.Contains(text, s) {
			at := strings.Index(text, s)
			p.errorf("the secret %q is shown: …%s", s, text[max(0, at-300):at])
		}
	}
}
