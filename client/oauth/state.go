package oauth

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Flow is the authorization of one principal at one server. It is a value: methods return the next Flow,
// and old ones stay valid. The zero Flow is not usable; call New.
type Flow struct {
	c       *settled
	phase   Phase
	now     time.Time // the latest time seen
	rec     Record
	run     run // zero unless phase is Running
	failure *Failure

	logins  int       // runs begun by a 401 or 403 since a request was last accepted
	loginAt time.Time // when the last of them began
	again   bool      // one of them was for scopes already granted
	denied  []string  // the scopes that were denied
	until   time.Time // when denied is forgotten
}

// settled is the immutable part of a Flow.
type settled struct {
	Config
	resource string // the canonical form of the server's url
	server   *url.URL
	policy   policy
}

// step is a step of a run.
type step uint8

const (
	stepNone     step = iota
	stepResource      // reads protected resource metadata
	stepIssuer        // reads the metadata of an authorization server
	stepIdentity      // determines the client id
	stepRegister      // registers the client
	stepPage          // sends a person to the authorization server
	stepGrant         // begins a grant without a person
	stepProvider      // exchanges the Subject at the identity provider
	stepToken         // requests the token
	stepCount
)

// kind is the reason of a run.
type kind uint8

const (
	login   kind = iota // the server accepts no token that the Flow has
	renewal             // the token is about to expire
	stepUp              // the token has too few scopes
	kindCount
)

// run is one attempt to get a token, from discovery to the token.
type run struct {
	why      kind
	step     step
	next     step      // to be entered; stepNone while the run waits
	until    time.Time // when it fails
	at       time.Time // when Waiting ends
	requests int
	tries    int    // of this request
	hops     int    // redirects of this request
	url      string // of this request
	reach    Reach

	hint   string   // the metadata url in the challenge; "" if none
	wanted []string // the scopes of the challenge

	place    int // index of the current place
	found    bool
	meta     resourceDocument
	issuers  []string // to try; the first is current
	mismatch bool     // one of them claimed another issuer
	barred   string   // one of them that may not be requested
	silent   bool     // one of them did not answer
	server   issuerDocument

	client   Registration
	refresh  bool // stepToken uses the refresh token
	renewed  bool // the registration was dropped once
	twice    bool // the ID-JAG was exchanged again
	scope    []string
	redirect string
	state    string
	verifier Secret
	foreign  int // answers with another state
	code     Secret
	subject  Secret
	grant    Secret // the ID-JAG
	signing  string // the data that Asking must sign
	signed   Secret // signing with its signature
	nonce    string // of DPoP, from the authorization server
	nonced   bool   // the request was repeated for the nonce
}

// Limits of a run.
const (
	maxRequests = 40
	maxTries    = 3 // repetitions of a request
	maxHops     = 3 // redirects
	maxForeign  = 16
	maxLogins   = 3
	maxKept     = 8 // registrations
	memory      = 10 * time.Minute
	firstWait   = time.Second
	longestWait = 30 * time.Second
)

// clock advances the time of the Flow; it never goes back.
func (f *Flow) clock(now time.Time) {
	if now.After(f.now) {
		f.now = now
	}
}

// fail ends the run.
func (f *Flow) fail(x Failure) {
	if x.Issuer == "" && f.run.step >= stepIdentity {
		x.Issuer = f.run.server.Issuer
	}
	x.URL, x.Issuer = shown(cmp.Or(x.URL, f.run.url)), shown(x.Issuer)
	if f.run.why == renewal { // the token may still be valid: do not try again with each request
		f.rec.Token.Renew = f.now.Add(longestWait)
	}
	f.phase, f.failure, f.run = Failed, &x, run{}
}

// repeated reports whether a step-up wants only scopes that the token has.
func (f *Flow) repeated(why kind, wanted []string) bool {
	have := strings.Fields(f.rec.Token.Scope)
	if f.c.Grant != AuthorizationCode {
		have = f.rec.Asked // asking again would grant no more
	}
	return why == stepUp && subset(wanted, have)
}

// count counts a login. It is called once the authorization server and the client are known: failures before
// that may be retried.
func (f *Flow) count() {
	if f.run.why != renewal {
		f.logins, f.loginAt, f.again = min(f.logins+1, maxLogins), f.now, f.again || f.repeated(f.run.why, f.run.wanted)
	}
}

// enter sets the next step.
func (f *Flow) enter(s step) {
	f.run.next, f.run.tries, f.run.hops, f.run.url = s, 0, 0, ""
}

// request makes raw the request's url, if the policy allows it.
func (f *Flow) request(raw string) bool {
	reach, ok := f.reach(raw)
	if ok {
		f.run.url, f.run.reach, f.phase = raw, reach, Requesting
	}
	return ok
}

// demand makes raw the request's url, or fails the run.
func (f *Flow) demand(raw string) {
	if !f.request(raw) {
		f.fail(Failure{Reason: OutOfReach, URL: raw})
	}
}

// usable reports whether a url from a document may be used.
func (f *Flow) usable(raw string) bool {
	_, ok := f.reach(raw)
	return ok
}

// reach returns how far a request to a url may go; ok is false if it is not allowed.
func (f *Flow) reach(raw string) (reach Reach, ok bool) {
	u, err := parseURL(raw)
	if err != nil {
		return 0, false
	}
	return f.c.policy.reach(u)
}

// derive returns 43 unguessable characters that differ by purpose and by Flow.
func (f *Flow) derive(r Random, purpose string) string {
	sum := hmac.New(sha256.New, r[:])
	sum.Write([]byte(purpose + "\x00" + f.c.resource))
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
}

// allowed returns the scopes that Config.Scopes allows.
func (f *Flow) allowed(list []string) []string {
	if f.c.Scopes == nil {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !slices.Contains(f.c.Scopes, s) })
}

// union returns the scopes of both lists, up to the largest number of scopes.
func union(a, b []string) []string { return scopes(slices.Concat(a, b)) }

// subset reports whether all elements of a are in b.
func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// registration returns the registration of the client at an issuer.
func (r Record) registration(issuer string) (Registration, bool) {
	i := slices.IndexFunc(r.Registrations, func(k Registration) bool { return k.Issuer == issuer })
	if i < 0 {
		return Registration{}, false
	}
	return r.Registrations[i], true
}

// keep returns the Record with k in place of the earlier registration at its issuer. It drops the
// oldest registration if there are too many.
func (r Record) keep(k Registration) Record {
	r = r.drop(k.Issuer)
	r.Registrations = append(r.Registrations, k)
	r.Registrations = r.Registrations[max(0, len(r.Registrations)-maxKept):]
	return r
}

// drop returns the Record without the registration at an issuer.
func (r Record) drop(issuer string) Record {
	r.Registrations = slices.DeleteFunc(slices.Clone(r.Registrations), func(k Registration) bool { return k.Issuer == issuer })
	return r
}

// bounded returns a copy of a Record within its limits.
func bounded(r Record) Record {
	r.Asked = scopes(r.Asked)
	r.Registrations = slices.Clone(r.Registrations[max(0, len(r.Registrations)-maxKept):])
	return r
}

// unix returns the time of a number of seconds since 1970, at most the latest that a Duration reaches.
func unix(seconds int64) time.Time {
	const most = 1 << 33 // in the year 2242
	return time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(min(max(seconds, 0), most)) * time.Second)
}
