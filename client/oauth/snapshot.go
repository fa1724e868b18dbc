package oauth

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
)

// Secrets says whether a text includes secrets.
type Secrets bool

// The choices. A Flow that is restored Without has neither a token nor a run.
const (
	Without Secrets = false
	With    Secrets = true
)

// version is that of snapshots.
const version = 1

// maxSnapshotText is the longest text of a snapshot, in bytes.
const maxSnapshotText = maxAnswer

// codec writes members of a snapshot, or reads them: what is written and what is read is said in one
// place. Times are nanoseconds since 1970, for a token expires wherever it is.
type codec struct {
	w       *engine.Writer // nil to read
	f       *engine.Fields
	secrets bool
}

func (c codec) text(name string, p *string) {
	if c.w != nil {
		c.w.Text(name, *p)
	} else if *p = c.f.Text(name); len(*p) > maxSnapshotText {
		c.f.Fail("a text that is too long")
	}
}

func (c codec) secret(name string, p *Secret) {
	if c.w == nil || c.secrets {
		c.text(name, (*string)(p))
	}
}

func (c codec) flag(name string, p *bool) {
	if c.w != nil {
		c.w.Flag(name, *p)
	} else {
		*p = c.f.Flag(name)
	}
}

// number is one of 0 to most.
func (c codec) number(name string, p *int, most int) {
	if c.w != nil {
		c.w.Number(name, uint64(*p)) //nolint:gosec // none is negative
		return
	}
	n := c.f.Number(name)
	if n > uint64(most) {
		c.f.Fail("a number that is too large")
		n = 0
	}
	*p = int(n)
}

func (c codec) time(name string, p *time.Time) {
	epoch := unix(0)
	if c.w != nil {
		if !p.IsZero() {
			c.w.Raw(name, strconv.FormatInt(p.UnixNano(), 10))
		}
		return
	}
	raw := c.f.Raw(name)
	if raw == "" {
		return
	}
	n, ok := rawjson.Int(raw)
	if !ok {
		c.f.Fail("a time that is none")
		return
	}
	*p = epoch.Add(time.Duration(n))
}

func (c codec) list(name string, p *[]string) {
	if c.w == nil {
		c.f.Texts(name, maxList+1, func(s string) { *p = append(*p, s) })
	} else if len(*p) > 0 {
		c.w.Raw(name, string(quotes(*p)))
	}
}

// object is a member of its own.
func (c codec) object(name string, do func(codec)) {
	if c.w != nil {
		c.w.Object(name, func() { do(c) })
	} else if raw := c.f.Raw(name); raw != "" {
		do(codec{f: c.f.Object(raw)})
	}
}

func (c codec) token(t *Token) {
	c.secret("access", &t.Access)
	c.text("type", &t.Type)
	c.text("resource", &t.Resource)
	c.text("scope", &t.Scope)
	c.time("expires", &t.Expires)
	c.time("renew", &t.Renew)
	c.secret("refresh", &t.Refresh)
}

func (c codec) registration(k *Registration) {
	c.text("issuer", &k.Issuer)
	c.text("id", &k.ID)
	c.secret("secret", &k.Secret)
	c.text("method", &k.Method)
	c.text("redirect", &k.Redirect)
	c.time("expires", &k.Expires)
	c.flag("bound", &k.Bound)
}

func (c codec) record(r *Record) {
	c.text("issuer", &r.Issuer)
	c.object("token", func(c codec) { c.token(&r.Token) })
	c.list("asked", &r.Asked)
	c.flag("legacy", &r.Legacy)
	if c.w != nil {
		c.secret("pending", &r.Pending)
	} else { // it is a snapshot of its own, which is as long as the texts in it are together
		r.Pending = Secret(c.f.Text("pending"))
	}
	if c.w == nil {
		c.f.Items("clients", maxKept, func(raw string) {
			var k Registration
			codec{f: c.f.Object(raw)}.registration(&k)
			r.Registrations = append(r.Registrations, k)
		})
		return
	}
	engine.Each(c.w, "clients", slices.Values(r.Registrations), func(k Registration) { c.registration(&k) })
}

func (c codec) server(s *issuerDocument) {
	c.text("issuer", &s.Issuer)
	c.text("authorize", &s.Authorize)
	c.text("token", &s.Token)
	c.text("register", &s.Register)
	listed := s.Methods != nil
	c.flag("listed", &listed)
	c.list("methods", &s.Methods)
	if listed && s.Methods == nil {
		s.Methods = []string{}
	}
	c.flag("s256", &s.S256)
	c.flag("documents", &s.Documents)
	c.flag("returns", &s.Returns)
	c.flag("offline", &s.Offline)
	c.flag("legacy", &s.Legacy)
}

func (c codec) run(r *run) {
	why, at, reach := int(r.why), int(r.step), int(r.reach)
	c.number("why", &why, int(kindCount)-1)
	c.number("step", &at, int(stepCount)-1)
	c.number("reach", &reach, int(Anywhere))
	r.why, r.step, r.reach = kind(why), step(at), Reach(reach) //nolint:gosec // they were looked at
	c.time("until", &r.until)
	c.time("at", &r.at)
	c.number("requests", &r.requests, maxRequests)
	c.number("tries", &r.tries, maxTries)
	c.number("hops", &r.hops, maxHops)
	c.text("url", &r.url)
	c.text("hint", &r.hint)
	c.list("wanted", &r.wanted)
	c.number("place", &r.place, maxHops+1)
	c.flag("found", &r.found)
	c.text("resource", &r.meta.Resource)
	c.list("scopes", &r.meta.Scopes)
	c.list("issuers", &r.issuers)
	c.flag("mismatch", &r.mismatch)
	c.text("barred", &r.barred)
	c.flag("silent", &r.silent)
	c.object("server", func(c codec) { c.server(&r.server) })
	c.object("client", func(c codec) { c.registration(&r.client) })
	c.flag("refresh", &r.refresh)
	c.flag("renewed", &r.renewed)
	c.flag("twice", &r.twice)
	c.list("scope", &r.scope)
	c.text("redirect", &r.redirect)
	c.secret("state", (*Secret)(&r.state))
	c.secret("verifier", &r.verifier)
	c.number("foreign", &r.foreign, maxForeign)
	c.secret("code", &r.code)
	c.secret("subject", &r.subject)
	c.secret("grant", &r.grant)
	c.secret("signing", (*Secret)(&r.signing))
	c.secret("signed", &r.signed)
	c.text("nonce", &r.nonce)
	c.flag("nonced", &r.nonced)
}

func (c codec) failure(x *Failure) {
	reason := int(x.Reason)
	c.number("reason", &reason, int(reasonCount)-1)
	x.Reason = Reason(reason) //nolint:gosec // it was looked at
	c.text("issuer", &x.Issuer)
	c.text("url", &x.URL)
	c.number("status", &x.Status, 999)
	c.text("code", &x.Code)
	c.text("text", &x.Text)
}

func (c codec) flow(f *Flow) {
	phase := int(f.phase)
	c.number("phase", &phase, int(phaseCount)-1)
	f.phase = Phase(phase) //nolint:gosec // it was looked at
	c.time("now", &f.now)
	c.object("record", func(c codec) { c.record(&f.rec) })
	if f.phase.Running() {
		c.object("run", func(c codec) { c.run(&f.run) })
	}
	if f.phase == Failed {
		x := Failure{}
		if f.failure != nil {
			x = *f.failure
		}
		c.object("failure", func(c codec) { c.failure(&x) })
		f.failure = &x
	}
	c.number("logins", &f.logins, maxLogins)
	c.time("login", &f.loginAt)
	c.flag("again", &f.again)
	c.list("denied", &f.denied)
	c.time("remembered", &f.until)
}

// Snapshot returns the Flow as text, for Restore. With secrets protect it like a password; Without
// them it has no run and no token.
func (f Flow) Snapshot(s Secrets) []byte {
	if s == Without && f.phase.Running() {
		f.phase, f.run = Idle, run{}
	}
	w := engine.NewWriter(0)
	w.Number("version", version)
	w.Text("server", f.Resource())
	codec{w: w, secrets: bool(s)}.flow(&f)
	return append(w.Dst, '}')
}

// MarshalJSON fails: Snapshot says whether secrets are written.
func (Flow) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }

// Format implements fmt.Formatter: every verb writes only the server and the phase, because the rest has
// secrets.
func (f Flow) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprint(s, strings.TrimSpace(f.Resource()+" "+f.phase.String()))
}

// Restore returns the Flow of a Snapshot, for the same server and the Config of this process. Errors are
// those of New, and lifecycle.ErrSnapshot.
func Restore(c Config, server string, snapshot []byte) (Flow, error) {
	f, err := New(c, server)
	if err != nil {
		return Flow{}, err
	}
	in := engine.ReadFields(snapshot)
	if in.Err() == nil && in.Number("version") != version {
		in.Fail("another version")
	}
	if in.Err() == nil && in.Text("server") != f.c.resource {
		in.Fail("a flow for another server")
	}
	codec{f: in}.flow(&f)
	if in.Err() == nil && !f.whole() {
		in.Fail("a run without what it needs")
	}
	if err := in.Err(); err != nil {
		return Flow{}, err
	}
	if f.phase == Ready && f.rec.Token.Access == "" {
		f.phase = Idle
	}
	return f, nil
}

// whole reports whether a run has what its phase and its step need.
func (f *Flow) whole() bool {
	r := &f.run
	if !f.phase.Running() {
		return true
	}
	if r.until.IsZero() || f.phase == Waiting && r.at.IsZero() || r.step == stepNone || r.step > stepIssuer && (r.server.Issuer == "" || r.meta.Resource == "") {
		return false
	}
	switch {
	case f.phase == Person:
		return r.step == stepPage && r.state != "" && r.verifier != "" && f.usable(r.server.Authorize)
	case f.phase == Asking:
		return r.step >= stepGrant
	}
	return r.step != stepPage && r.step != stepGrant && r.step != stepIdentity && f.usable(r.url) &&
		(r.step != stepIssuer || len(r.issuers) > 0)
}

// AppendRecord appends a Record with its secrets as a JSON object, for ParseRecord.
func AppendRecord(dst []byte, r Record) []byte {
	w := &engine.Writer{Writer: rawjson.Writer{Dst: append(dst, '{')}}
	codec{w: w, secrets: true}.record(&r)
	return append(w.Dst, '}')
}

// ParseRecord returns the Record that AppendRecord has written. Errors: lifecycle.ErrSnapshot.
func ParseRecord(text []byte) (Record, error) {
	var r Record
	in := engine.ReadFields(text)
	codec{f: in}.record(&r)
	if err := in.Err(); err != nil {
		return Record{}, err
	}
	return bounded(r), nil
}
