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
// and old ones stay valid. The zero Flow has no use; New returns one.
type Flow struct {
	c       *settled
	phase   Phase
	now     time.Time // the latest that it was told
	rec     Record
	run     run // zero unless phase is Running
	failure *Failure

	logins  int       // runs since a request was accepted that an answer 401 or 403 began
	loginAt time.Time // when the last of them began
	again   bool      // one of them was for scopes that were granted before
	denied  []string  // the scopes that were refused for good
	until   time.Time // when that is forgotten
}

// settled is what does not change during the life of a Flow.
type settled struct {
	Config
	resource string // the canonical form of the server's url
	server   *url.URL
	policy   policy
}

// step is what a run is at.
type step uint8

const (
	stepNone     step = iota
	stepResource      // reads protected resource metadata
	stepIssuer        // reads the metadata of an authorization server
	stepIdentity      // finds out what the client is known by
	stepRegister      // registers the client
	stepPage          // sends a person to the authorization server
	stepGrant         // begins the grant of a machine
	stepProvider      // exchanges the Subject at the identity provider
	stepToken         // asks for the token
	stepCount
)

// kind is why a run is made.
type kind uint8

const (
	login   kind = iota // there is no token that the server takes
	renewal             // the token is about to expire
	stepUp              // the token has too few scopes
	kindCount
)

// run is one try to get a token, from discovery to the token.
type run struct {
	why      kind
	step     step
	next     step      // to be entered; stepNone while something is waited for
	until    time.Time // when it fails
	at       time.Time // when Waiting ends
	requests int
	tries    int    // of this request
	hops     int    // redirects of this request
	url      string // of this request
	reach    Reach

	hint   string   // the url of the challenge, "" if it has none
	wanted []string // the scopes of the challenge

	place    int // which of the places is asked
	found    bool
	meta     resourceDocument
	issuers  []string // to be tried, the first one now
	mismatch bool     // one of them said that it is another one
	barred   string   // one of them that may not be asked
	silent   bool     // one of them gave no answer
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
	signing  string // what Asking has signed
	signed   Secret // with its signature
	nonce    string // of DPoP, at the authorization server
	nonced   bool   // the request was repeated for it
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

// clock moves the time of the Flow on; it never goes back.
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
	if f.run.why == renewal { // the token may be good for a while: not with each request
		f.rec.Token.Renew = f.now.Add(longestWait)
	}
	f.phase, f.failure, f.run = Failed, &x, run{}
}

// repeated reports whether more scopes are wanted than the token has, and are not.
func (f *Flow) repeated(why kind, wanted []string) bool {
	have := strings.Fields(f.rec.Token.Scope)
	if f.c.Grant != AuthorizationCode {
		have = f.rec.Asked // asking once more gives no more
	}
	return why == stepUp && subset(wanted, have)
}

// count counts a login, which begins where its authorization server and client are known: what failed before may be
// tried again.
func (f *Flow) count() {
	if f.run.why != renewal {
		f.logins, f.loginAt, f.again = min(f.logins+1, maxLogins), f.now, f.again || f.repeated(f.run.why, f.run.wanted)
	}
}

// enter makes a step the next one.
func (f *Flow) enter(s step) {
	f.run.next, f.run.tries, f.run.hops, f.run.url = s, 0, 0, ""
}

// request makes the request to a url, if the policy allows it.
func (f *Flow) request(raw string) bool {
	reach, ok := f.reach(raw)
	if ok {
		f.run.url, f.run.reach, f.phase = raw, reach, Requesting
	}
	return ok
}

// demand makes the request to a url, or fails the run.
func (f *Flow) demand(raw string) {
	if !f.request(raw) {
		f.fail(Failure{Reason: OutOfReach, URL: raw})
	}
}

// usable reports whether a url of a document can be used.
func (f *Flow) usable(raw string) bool {
	_, ok := f.reach(raw)
	return ok
}

// reach returns where a request to a url may go; ok is false for one that may not be made.
func (f *Flow) reach(raw string) (reach Reach, ok bool) {
	u, err := parseURL(raw)
	if err != nil {
		return 0, false
	}
	return f.c.policy.reach(u)
}

// derive returns 43 characters that nobody can guess, and that differ by purpose and by Flow.
func (f *Flow) derive(r Random, purpose string) string {
	sum := hmac.New(sha256.New, r[:])
	sum.Write([]byte(purpose + "\x00" + f.c.resource))
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
}

// allowed returns the scopes that Config.Scopes lets be asked for.
func (f *Flow) allowed(list []string) []string {
	if f.c.Scopes == nil {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !slices.Contains(f.c.Scopes, s) })
}

// union returns the scopes of both lists, at most as many as a list may have.
func union(a, b []string) []string { return scopes(slices.Concat(a, b)) }

// subset reports whether all of a are in b.
func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// registration returns what an issuer knows the client by.
func (r Record) registration(issuer string) (Registration, bool) {
	i := slices.IndexFunc(r.Registrations, func(k Registration) bool { return k.Issuer == issuer })
	if i < 0 {
		return Registration{}, false
	}
	return r.Registrations[i], true
}

// keep returns the Record with a registration in place of what its issuer knew before. The oldest gives
// way if there are too many.
func (r Record) keep(k Registration) Record {
	r = r.drop(k.Issuer)
	r.Registrations = append(r.Registrations, k)
	r.Registrations = r.Registrations[max(0, len(r.Registrations)-maxKept):]
	return r
}

// drop returns the Record without what an issuer knows the client by.
func (r Record) drop(issuer string) Record {
	r.Registrations = slices.DeleteFunc(slices.Clone(r.Registrations), func(k Registration) bool { return k.Issuer == issuer })
	return r
}

// bounded returns a copy of a Record within its bounds.
func bounded(r Record) Record {
	r.Asked = scopes(r.Asked)
	r.Registrations = slices.Clone(r.Registrations[max(0, len(r.Registrations)-maxKept):])
	return r
}

// unix returns the time of a number of seconds since 1970. What is later than a Duration reaches is as late as
// that.
func unix(seconds int64) time.Time {
	const most = 1 << 33 // in the year 2242
	return time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(min(max(seconds, 0), most)) * time.Second)
}
