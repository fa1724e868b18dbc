package oauth_test

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/conformance/authz"
)

// knownAt returns the issuers, without a last slash, that know a client.
func (p *party) knownAt(id string) (all []string) {
	for _, i := range p.w.Issuers {
		if i.Clients[id] != nil {
			all = append(all, strings.TrimSuffix(i.ID, "/"))
		}
	}
	return all
}

// checkPage holds what a person is to open.
func (p *party) checkPage(page oauth.Page) {
	_, query, _ := strings.Cut(page.URL, "?")
	q, err := url.ParseQuery(query)
	if err != nil {
		p.errorf("", "the page %s", page.URL)
	}
	p.checkURL(page.URL)
	p.checkServer()
	from := p.known.last
	if from.issuer == "" { // no metadata: the server's own origin
		from = described{issuer: authz.Origin(p.own()), s256: true}
	}
	if !from.s256 {
		p.errorf("AUTH-105", "a page of a server that does not say S256")
	}
	for name, v := range q {
		if len(v) != 1 {
			p.errorf("AUTH-017", "%s is %q", name, v)
		}
	}
	for _, v := range []struct{ rows, name, value string }{
		{"", "response_type", "code"}, {"AUTH-115", "code_challenge_method", "S256"}, {"AUTH-046", "state", page.State},
		{"AUTH-044", "redirect_uri", redirectTo}, {"AUTH-017 AUTH-018", "resource", p.resource()},
	} {
		if q.Get(v.name) != v.value {
			p.errorf(v.rows, "the page has the %s %q, want %q", v.name, q.Get(v.name), v.value)
		}
	}
	if id := q.Get("client_id"); id == "" {
		p.errorf("AUTH-222", "the page %v has no client", q)
	} else if home := p.knownAt(id); home != nil && !slices.Contains(home, strings.TrimSuffix(from.issuer, "/")) {
		p.errorf("AUTH-202 AUTH-210", "the client of %q at %s", home, from.issuer)
	}
	if len(q.Get("code_challenge")) != 43 {
		p.errorf("AUTH-043", "the page %v has no challenge", q)
	}
	if p.known.unique[page.State] || p.known.unique[q.Get("code_challenge")] || len(page.State) < 22 {
		p.errorf("AUTH-043", "the state or the challenge was used before: %v", q)
	}
	p.known.unique[page.State], p.known.unique[q.Get("code_challenge")] = true, true
	scope := strings.Fields(q.Get("scope"))
	if slices.Contains(scope, "offline_access") && !from.offline {
		p.errorf("AUTH-215", "offline_access is asked for, and not listed")
	}
	missing := func(s string) bool {
		ok := s != "offline_access" && (p.cfg.Scopes == nil || slices.Contains(p.cfg.Scopes, s)) && !strings.ContainsAny(s, `"\`)
		return ok && !slices.Contains(scope, s)
	}
	all := slices.Concat(p.known.asked, strings.Fields(p.known.need.Challenge.Scope))
	if len(scope) < 60 && slices.ContainsFunc(all, missing) {
		p.errorf("AUTH-218", "the scopes %q are asked for, want all of %q", scope, all)
	}
	p.known.asked, p.known.page, p.known.from, p.known.bad = scope, q, from, false
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
			p.errorf("AUTH-046", "%s ended the phase", query)
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
	if q.Get("state") != state || len(query) > 8<<10 { // not the answer; what is that long may be anything
		if p.Phase != oauth.Person {
			p.errorf("AUTH-046", "what is not the answer ended the phase")
		}
		p.do("cancel", func(f oauth.Flow) oauth.Flow { return f.Cancel(p.now) })
		return
	}
	if p.known.bad && p.Phase != oauth.Failed {
		p.errorf("AUTH-201 AUTH-207", "phase %v after a wrong iss", p.Phase)
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
			p.errorf("SEC-111", "the secret %q is shown: …%s", s, text[max(0, at-300):at])
		}
	}
}
