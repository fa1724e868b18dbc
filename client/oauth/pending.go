package oauth

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/lifecycle/engine"
)

// Record returns the tokens and registrations to store, with secrets; in the phase Person also the
// login, for Resume.
func (f Flow) Record() Record {
	r := f.rec
	if f.phase == Person {
		r.Pending = f.pending()
	}
	r.Asked, r.Registrations = slices.Clone(r.Asked), slices.Clone(r.Registrations)
	return r
}

// pending returns the login in phase Person as text, for Resume; "" in any other phase.
func (f Flow) pending() Secret {
	if f.phase != Person {
		return ""
	}
	w := engine.NewWriter(0)
	w.Number("version", version)
	w.Text("server", f.Resource())
	codec{w: w, secrets: true}.object("run", func(c codec) { c.run(&f.run) })
	return Secret(append(w.Dst, '}'))
}

// Resume returns a Flow that continues the pending login of a Record, in place of its own run: any process with the
// same Config can take the answer, and exactly one must. ok is false, and the Flow unchanged, if the Record has no
// pending login, or one of another server or redirect, or one that Config does not allow or that has expired. live
// reports whether the Record has an unexpired one of any Config.
func (f Flow) Resume(now time.Time, rec Record) (next Flow, live, ok bool) {
	f.clock(now)
	if f.c == nil || rec.Pending == "" {
		return f, false, false
	}
	in := engine.ReadFields([]byte(rec.Pending))
	if in.Err() == nil && (in.Number("version") != version || in.Text("server") != f.c.resource) {
		return f, false, false
	}
	next = f
	next.phase, next.run, next.failure, next.rec = Person, run{}, nil, bounded(rec)
	codec{f: in}.object("run", func(c codec) { c.run(&next.run) })
	if live = in.Err() == nil && next.whole() && next.now.Before(next.run.until); live && next.permitted() {
		return next, true, true
	}
	return f, live, false
}

// permitted reports whether Config, which may have changed, would still begin this login.
func (f *Flow) permitted() bool {
	server, client := &f.run.server, f.run.client
	if f.c.Grant != AuthorizationCode || f.run.redirect != f.c.Redirect || len(f.ordered([]string{server.Issuer})) == 0 {
		return false
	}
	k, preset := f.configured(server.Issuer)
	switch {
	case preset && (k.ID != client.ID || k.Secret != client.Secret || k.Method != client.Method):
		return false
	case !preset && f.c.Document != "" && server.Documents && client.ID != f.c.Document:
		return false
	}
	asked := without(f.run.scope, offline)
	return len(f.allowed(asked)) == len(asked)
}
