package oauth

import (
	"net/url"
	"strings"
	"time"

	"github.com/sansmcp/mcp/protocol/headers"
)

// New returns the Flow for a server, by its url. Errors are a *lifecycle.ConfigError, what is wrong with the
// url, and a *Failure of OutOfReach for an http url that is neither of this machine nor in Config.Trusted.
func New(c Config, server string) (Flow, error) {
	c, err := c.filled()
	if err != nil {
		return Flow{}, err
	}
	resource, u, err := canonical(server)
	if err != nil {
		return Flow{}, err
	}
	s := &settled{Config: c, resource: resource, server: u, policy: policy{server: u, trusted: c.Trusted}}
	if _, ok := s.policy.reach(u); !ok {
		return Flow{}, &Failure{Reason: OutOfReach, URL: shown(resource)}
	}
	return Flow{c: s}, nil
}

// Resource returns the canonical form of the server's url, "" for the zero Flow.
func (f Flow) Resource() string {
	if f.c == nil {
		return ""
	}
	return f.c.resource
}

// Phase returns what the Flow waits for.
func (f Flow) Phase() Phase { return f.phase }

// Failure returns why the last run failed; nil except in phase Failed.
func (f Flow) Failure() *Failure { return f.failure }

// Token returns the token for a request at a time; ok is false without a valid one. It is also
// valid during a step-up.
func (f Flow) Token(now time.Time) (t Token, ok bool) {
	f.clock(now)
	return f.live()
}

// NextDeadline returns when Tick is next due; ok is false if it is not.
func (f Flow) NextDeadline() (at time.Time, ok bool) {
	switch {
	case !f.phase.Running():
		return time.Time{}, false
	case f.phase == Waiting && f.run.at.Before(f.run.until):
		return f.run.at, true
	}
	return f.run.until, true
}

// Want says that a token is needed, and why. It begins a run if there is none, unless there is a token
// that the request has not used, or the server has refused too often (AUTH-118). Discovery begins only
// after a refusal (AUTH-001).
func (f Flow) Want(now time.Time, r Random, n Need) Flow {
	f.clock(now)
	if f.c == nil || f.phase.Running() {
		return f
	}
	t, good := f.live()
	switch {
	case n.Status/100 == 2:
		if n.Used != "" && n.Used == t.Access {
			f.logins, f.again = 0, false
		}
		return f
	case n.Status == 0:
		return f.renew(r)
	case n.Status != 401 && (n.Status != 403 || !n.scopes()):
		f.phase, f.failure = Failed, &Failure{Reason: Forbidden, Status: n.Status, Code: code(n.Challenge.Error)}
		return f
	case good && n.Used != t.Access:
		f.phase, f.failure = Ready, nil // somebody was faster
		return f
	case n.Status == 401:
		f.rec.Token.Access = ""
		f.begin(login, n.Challenge)
	default:
		f.begin(stepUp, n.Challenge)
	}
	f.advance(r)
	return f
}

// renew begins to renew a token that is about to expire, where that needs no person, and Config still has its
// issuer (AUTH-059).
func (f Flow) renew(r Random) Flow {
	t := f.rec.Token
	if t.Renew.IsZero() || f.now.Before(t.Renew) || f.c.Grant == AuthorizationCode && t.Refresh == "" {
		return f
	}
	if len(f.ordered([]string{f.rec.Issuer})) == 0 {
		return f
	}
	f.failure = nil
	f.run = run{why: renewal, until: f.now.Add(f.c.Patience), refresh: t.Refresh != "", meta: resourceDocument{Resource: t.Resource}}
	f.run.issuers, f.run.server.Legacy = []string{f.rec.Issuer}, f.rec.Legacy
	f.enter(stepIssuer)
	f.advance(r)
	return f
}

// begin begins a run that an answer of the server made necessary, for more scopes as well (AUTH-103, AUTH-117),
// unless it has been too many (SEC-205).
func (f *Flow) begin(why kind, c headers.Challenge) {
	wanted := scopes(strings.Fields(c.Scope))
	if f.now.Sub(f.loginAt) >= memory {
		f.logins, f.again = 0, false
	}
	switch {
	case why == stepUp && f.now.Before(f.until) && subset(wanted, f.denied):
		f.deny(wanted)
		return
	case f.logins >= maxLogins, f.repeated(why, wanted) && (f.again || f.c.Grant != AuthorizationCode):
		f.until = f.now.Add(memory)
		f.deny(wanted)
		return
	}
	f.failure = nil
	f.run = run{why: why, until: f.now.Add(f.c.Patience), hint: c.ResourceMetadata, wanted: wanted}
	f.run.refresh = why == login && f.rec.Token.Refresh != ""
	f.enter(stepResource)
}

// deny ends a run before it begins: the server wants what it does not get.
func (f *Flow) deny(wanted []string) {
	f.denied = wanted
	f.phase, f.failure, f.run = Failed, &Failure{Reason: Denied, Issuer: f.rec.Issuer, Code: "insufficient_scope"}, run{}
}

// advance enters steps until one waits for something.
func (f *Flow) advance(r Random) {
	for f.run.next != stepNone {
		f.run.step, f.run.next = f.run.next, stepNone
		if f.run.requests >= maxRequests {
			f.fail(Failure{Reason: TooMuch})
			return
		}
		switch f.run.step {
		case stepResource:
			f.enterResource()
		case stepIssuer:
			f.enterIssuer()
		case stepIdentity:
			f.enterIdentity()
		case stepRegister:
			f.demand(f.run.server.Register) // AUTH-007
		case stepPage:
			f.enterPage(r)
		case stepGrant:
			f.enterGrant()
		case stepProvider:
			f.ask(r, f.c.Provider.TokenURL) // for an ID-JAG (AUTH-303), at a url of the application
		case stepToken:
			f.ask(r, f.run.server.Token)
		}
	}
}

// Call returns the request to be made; it is zero in any phase but Requesting. The same Flow returns the same
// one.
func (f Flow) Call() HTTPRequest {
	if f.phase != Requesting {
		return HTTPRequest{}
	}
	c := HTTPRequest{Method: headers.MethodGet, URL: f.run.url, MaxBytes: maxDocument, Reach: f.run.reach}
	switch f.run.step {
	case stepRegister:
		c.Method, c.MaxBytes, c.Body = headers.MethodPost, maxAnswer, Secret(f.registrationBody())
		c.Fields = []headers.Field{{Name: headers.Accept, Value: headers.JSON}, {Name: headers.ContentType, Value: headers.JSON}}
	case stepProvider, stepToken:
		c.Method, c.MaxBytes = headers.MethodPost, maxAnswer
		c.Fields, c.Body = f.tokenRequest()
		c.Proof, c.Nonce = f.c.Proof && f.run.step == stepToken, f.run.nonce
	default:
		c.Fields = []headers.Field{{Name: headers.Accept, Value: headers.JSON}, {Name: headers.Version, Value: f.c.Revision.String()}}
	}
	return c
}

// Respond takes the answer to the request.
func (f Flow) Respond(now time.Time, r Random, a Answer) Flow {
	f.clock(now)
	if f.phase != Requesting {
		return f
	}
	f.run.requests++
	posted := f.run.step >= stepRegister                                      // what is sent then goes to nobody else (AUTH-062)
	if f.run.step == stepToken && token(a.Nonce) && len(a.Nonce) <= maxText { // others have their own (AUTH-306)
		f.run.nonce = strings.Clone(a.Nonce)
	}
	switch {
	case a.Status/100 == 3 && a.Location != "" && !posted:
		f.follow(a.Location)
	case a.Status == 429 || a.Status >= 500 || a.Status < 200:
		f.repeat(a.RetryAfter)
	default:
		most := maxDocument
		if posted {
			most = maxAnswer
		}
		d, ok := parse(a.Body, most)
		f.answer(a.Status, d, ok)
	}
	f.advance(r)
	return f
}

// answer takes the answer to the request of the step.
func (f *Flow) answer(status int, d document, ok bool) {
	switch f.run.step {
	case stepResource:
		f.answerResource(status, d, ok)
	case stepIssuer:
		f.answerIssuer(status, d, ok)
	case stepRegister:
		f.answerRegister(status, d, ok)
	case stepProvider:
		f.answerProvider(status, d, ok)
	case stepToken:
		f.answerToken(status, d, ok)
	}
}

// Unanswered says that the request got no readable answer.
func (f Flow) Unanswered(now time.Time, r Random) Flow {
	f.clock(now)
	if f.phase != Requesting {
		return f
	}
	f.run.requests++
	f.repeat(0)
	f.advance(r)
	return f
}

// repeat makes the request again in a while. What must not be sent twice, and what was sent often enough,
// is not (a code is used once).
func (f *Flow) repeat(after time.Duration) {
	once := f.run.step == stepToken && f.c.Grant == AuthorizationCode && !f.run.refresh
	if !once && f.run.tries < maxTries && f.run.requests < maxRequests {
		wait := min(max(after, firstWait<<f.run.tries), longestWait)
		f.run.tries++
		f.run.at, f.phase = f.now.Add(wait), Waiting
		return
	}
	if f.run.step == stepIssuer { // the next form may be served
		f.run.silent = true
		f.run.place++
		f.enter(stepIssuer)
		return
	}
	f.fail(Failure{Reason: Unreachable})
}

// follow makes the request at another url, by the rules that hold for the first one (SEC-105).
func (f *Flow) follow(location string) {
	from, _ := url.Parse(f.run.url) // it was looked at
	to, err := from.Parse(location)
	if err != nil || f.run.hops >= maxHops || f.run.requests >= maxRequests {
		f.fail(Failure{Reason: OutOfReach})
		return
	}
	f.run.hops++
	if f.run.step == stepResource && origin(to) != origin(f.c.server) || !f.request(to.String()) {
		f.fail(Failure{Reason: OutOfReach, URL: f.run.url})
	}
}

// Returned takes the query of the redirect by which the person returned, or the form posted to it. One
// with another state changes nothing; after 16 of those the run fails (AUTH-046).
func (f Flow) Returned(now time.Time, r Random, query string) Flow {
	f.clock(now)
	if f.phase != Person || f.late() {
		return f
	}
	f.returned(query)
	f.advance(r)
	return f
}

// late ends a run whose time is over.
func (f *Flow) late() bool {
	if f.now.Before(f.run.until) {
		return false
	}
	reason := TooMuch
	if f.phase == Person || f.phase == Asking {
		reason = Abandoned
	}
	f.fail(Failure{Reason: reason})
	return true
}

// Tick handles deadlines. Before NextDeadline it only takes the time.
func (f Flow) Tick(now time.Time, r Random) Flow {
	f.clock(now)
	if !f.phase.Running() || f.late() || f.phase != Waiting || f.now.Before(f.run.at) {
		return f
	}
	if tries := f.run.tries; f.run.step >= stepProvider { // an assertion is signed anew
		f.run.signed = ""
		f.enter(f.run.step)
		f.advance(r)
		f.run.tries = tries
		return f
	}
	f.phase = Requesting
	return f
}

// Cancel ends a run: its result is no longer wanted, or the person declined.
func (f Flow) Cancel(now time.Time) Flow {
	f.clock(now)
	if f.phase.Running() {
		f.fail(Failure{Reason: Abandoned})
	}
	return f
}

// Adopt takes a Record of the store, which another process may have written: its token ends a run if it is
// good and another one than that of the Flow. A Record for another resource is left out.
func (f Flow) Adopt(now time.Time, rec Record) Flow {
	f.clock(now)
	if f.c == nil || rec.Token.Resource != "" && !covers(rec.Token.Resource, f.c.server, f.c.StrictResource) {
		return f
	}
	old, _ := f.live()
	if f.phase.Running() && (rec.Token.Access == "" || rec.Token.Access == old.Access) {
		return f
	}
	before := f.rec
	f.rec = bounded(rec)
	t, good := f.live()
	switch {
	case f.phase.Running() && (!good || !t.Renew.IsZero() && !f.now.Before(t.Renew)):
		f.rec = before
	case good:
		f.phase, f.run, f.failure = Ready, run{}, nil
	case !f.phase.Running() && f.phase != Failed:
		f.phase = Idle
	}
	return f
}
