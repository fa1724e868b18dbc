package oauth_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/conformance/authz"
	"github.com/sansmcp/mcp/conformance/cases"
	"github.com/sansmcp/mcp/protocol/headers"
)

var (
	runs = flag.Int("runs", 1500, "runs of TestRandom")
	seed = flag.Uint64("seed", 1, "the seed of the first run; each run has the next one")
)

// party is a Flow, what its program does, and the servers. It holds every step to the rules.
type party struct {
	*rand.Rand
	drawing
	now  time.Time
	f    oauth.Flow
	twin *oauth.Flow // restored once, gets the same inputs since
	view

	known known // what the servers said, as far as the rules depend on it
	shown strings.Builder
	trace []string
	steps []string // of the trace, what a driver sees
	found cases.Findings
	bad   bool // found has something
	most  int  // bytes of the largest snapshot

	refused int // requests since the Flow was told of one that was accepted
}

// view is all that a driver sees of a Flow.
type view struct {
	Phase   oauth.Phase
	Call    oauth.HTTPRequest
	Page    oauth.Page
	Ask     oauth.Ask
	At      time.Time
	Failure *oauth.Failure
	Record  oauth.Record
}

func look(f oauth.Flow) view {
	at, _ := f.NextDeadline()
	rec := f.Record()
	if len(rec.Registrations) == 0 {
		rec.Registrations = nil
	}
	return view{f.Phase(), f.Call(), f.Page(), f.Ask(), at, f.Failure(), rec}
}

// A Flow against servers that are slow, lie, redirect, lose and rotate: each run ends, no secret comes
// to a wrong place, and nobody is fooled. A longer search: -runs 100000 -seed 7.
//
// rows: AUTH-011 AUTH-017 AUTH-018 AUTH-027 AUTH-032 AUTH-036 AUTH-041 AUTH-043 AUTH-044 AUTH-046 AUTH-056
// rows: AUTH-059 AUTH-060 AUTH-062 AUTH-105 AUTH-113 AUTH-115 AUTH-118 AUTH-119 AUTH-201 AUTH-202 AUTH-205 AUTH-206
// rows: AUTH-207 AUTH-209 AUTH-210 AUTH-215 AUTH-218 AUTH-222 SEC-012 SEC-103 SEC-104 SEC-105 SEC-111
// rows: SEC-112 SEC-203
// revisions: all 2026-07-28
func TestRandom(t *testing.T) {
	ends := map[string]int{}
	for n := range *runs {
		p := newParty(*seed+uint64(n), func(*drawing) {})
		p.live()
		for _, s := range p.trace {
			if strings.HasPrefix(s, "end: ") {
				ends[strings.TrimPrefix(s, "end: ")]++
			}
		}
		if p.bad {
			t.Logf("%s\nagain: go test ./client/oauth -run TestRandom -runs 1 -seed %d", strings.Join(p.trace, "\n"), *seed+uint64(n))
			p.found.Report(t)
			return
		}
	}
	t.Log(ends)
	if *runs >= 1500 && (len(ends) < 14 || ends["accepted"] < *runs/2) {
		t.Errorf("too few of some ends: %v", ends)
	}
}

func newParty(seed uint64, twist func(*drawing)) *party {
	p := &party{Rand: rand.New(rand.NewPCG(seed, 20)), now: time.Unix(1e9, 0).UTC()}
	p.drawing = draw(p.Rand)
	twist(&p.drawing)
	p.known = newKnown()
	p.note("%s %+v", p.server, p.w.Resources[0])
	for _, i := range p.w.Issuers {
		p.note("%+v", i)
	}
	for _, l := range p.w.Lies {
		p.note("lie %s at %s %s, skip %d, times %d: %.200s %v", l.Name, l.At, l.Host, l.Skip, l.Times, fmt.Sprint(l.Change), l.Late)
	}
	f, err := oauth.New(p.cfg, p.server)
	if err != nil {
		p.errorf("", "%v", err)
	}
	p.f, p.view = f, look(f)
	return p
}

func (p *party) note(format string, args ...any) {
	p.trace = append(p.trace, p.now.UTC().Format("15:04:05 ")+fmt.Sprintf(format, args...))
	if strings.HasPrefix(format, "end: ") {
		p.trace = append(p.trace, fmt.Sprintf(format, args...))
	}
}

// errorf notes what breaks some rows, and ends the run. What comes after it may follow from it.
func (p *party) errorf(rows, format string, args ...any) {
	if !p.bad {
		p.note("FAILURE: "+format, args...)
		p.found.Add(rows, format, args...)
	}
	p.bad = true
}

func (p *party) random() (r oauth.Random) {
	for i := 0; i < len(r); i += 8 {
		binary.LittleEndian.PutUint64(r[i:], p.Uint64())
	}
	return r
}

// live uses the server several times, with changes between.
func (p *party) live() {
	for range 1 + p.IntN(6) {
		p.use()
		if p.bad {
			return
		}
		p.between()
	}
	p.secrets()
}

// use makes one request at the server, with as many runs of the Flow as it takes.
func (p *party) use() {
	p.run("before", oauth.Need{})
	for n := 0; ; n++ {
		if n > 8 {
			p.errorf("AUTH-118", "the program asks for ever")
			return
		}
		token, ok := p.f.Token(p.now)
		r := authz.Request{Method: "POST", URL: p.w.Resources[0].URL, Header: map[string]string{}}
		if ok {
			r.Header["Authorization"] = token.Type + " " + string(token.Access)
		}
		out := p.serve(r)
		challenge, _ := headers.ParseChallenge([]string{out.Header["Www-Authenticate"]})
		p.note("%s: %d %.200q", r.URL, out.Status, out.Header["Www-Authenticate"])
		need := oauth.Need{Status: out.Status, Challenge: challenge, Used: token.Access}
		if out.Status == 200 {
			p.note("end: accepted")
			if p.IntN(4) > 0 {
				p.do("accepted", func(f oauth.Flow) oauth.Flow { return f.Want(p.now, oauth.Random{}, need) })
				p.refused = 0
			}
			return
		}
		p.refused++
		p.run("wanted", need)
		if p.bad {
			return
		}
		if p.Phase != oauth.Ready {
			if p.Phase != oauth.Failed {
				p.errorf("SEC-012", "phase %v without a token after a refusal", p.Phase)
			} else {
				p.note("end: %v", p.Failure.Reason)
			}
			if p.honest && !p.known.left && out.Status != 403 && p.refused <= 3 { // three logins without success are enough
				p.errorf("", "nobody lies, and still: %v", p.Failure)
			}
			return
		}
	}
}

// run wants a token, and does what the Flow asks for until that ends.
func (p *party) run(what string, n oauth.Need) {
	p.known.begin(p.now, n)
	r := p.random()
	p.do(what, func(f oauth.Flow) oauth.Flow { return f.Want(p.now, r, n) })
	for steps := 0; p.Phase.Running() && !p.bad; steps++ {
		if steps > 200 {
			p.errorf("SEC-012", "a run without end")
			return
		}
		p.stray()
		switch p.Phase {
		case oauth.Requesting:
			p.call()
		case oauth.Person:
			p.person()
		case oauth.Asking:
			p.give()
		case oauth.Waiting:
			p.now = p.At
			p.tick()
		}
	}
	if took, most := p.now.Sub(p.known.began), 2*oauth.DefaultPatience+10*time.Minute; took > most {
		p.errorf("SEC-012", "a run of %v, at most %v", took, most)
	}
}

// do makes a transition, twice with the same result, and once more of a Flow that was restored.
func (p *party) do(what string, verb func(oauth.Flow) oauth.Flow) {
	old := p.f
	p.f = verb(old)
	if p.IntN(8) == 0 {
		if again := verb(old); !reflect.DeepEqual(again, p.f) {
			p.errorf("AUTH-206", "%s twice:\n%+v\n%+v", what, look(p.f), look(again))
		}
	}
	p.view = look(p.f)
	p.note("%s: %v %s", what, p.Phase, p.Call.URL)
	p.steps = append(p.steps, fmt.Sprint(what, p.Phase, p.Call, p.Page, p.Ask.Kind, p.At, p.Failure))
	if p.Failure != nil {
		p.note("failure: %v", p.Failure)
	}
	if p.twin != nil {
		*p.twin = verb(*p.twin)
		if got := look(*p.twin); !reflect.DeepEqual(got, p.view) {
			p.errorf("AUTH-206", "restored, %s gives\n%+v, want\n%+v", what, got, p.view)
		}
	}
	p.keep()
	p.rules()
}

// keep restores a Flow now and then, and holds what it shows and keeps.
func (p *party) keep() {
	if p.IntN(3) > 0 {
		return
	}
	whole := p.f.Snapshot(oauth.With)
	p.most = max(p.most, len(whole))
	f, err := oauth.Restore(p.cfg, p.server, whole)
	if err != nil {
		p.errorf("AUTH-206", "restore: %v", err)
		return
	}
	if got := look(f); !reflect.DeepEqual(got, p.view) {
		p.errorf("AUTH-206", "restored is\n%+v, want\n%+v", got, p.view)
	}
	if len(whole) > 256<<10 {
		p.errorf("SEC-012", "a snapshot of %d bytes", len(whole))
	}
	if p.twin == nil {
		p.twin = &f
	} else if p.IntN(2) == 0 {
		p.f = f // the process was started anew
	}
	p.shown.Write(p.f.Snapshot(oauth.Without))
	fmt.Fprintf(&p.shown, "%v %+v %#v %v %+v %#v\n", p.f, p.f, p.f, p.view, p.view, p.Ask.Kind)
	if p.Failure != nil {
		fmt.Fprintf(&p.shown, "%v %+v\n", p.Failure, *p.Failure)
	}
}

// stray gives the Flow what does not belong to its phase.
func (p *party) stray() {
	r, last := p.random(), p.known.query
	for _, s := range []struct {
		name  string
		phase oauth.Phase
		verb  func(oauth.Flow) oauth.Flow
	}{
		{"Want", oauth.Idle, func(f oauth.Flow) oauth.Flow { return f.Want(p.now, r, oauth.Need{Status: 401}) }},
		{"Respond", oauth.Requesting, func(f oauth.Flow) oauth.Flow {
			return f.Respond(p.now, r, oauth.Answer{Status: 200, Body: []byte("{}")})
		}},
		{"Unanswered", oauth.Requesting, func(f oauth.Flow) oauth.Flow { return f.Unanswered(p.now, r) }},
		{"Returned", oauth.Person, func(f oauth.Flow) oauth.Flow { return f.Returned(p.now, r, last) }},
		{"Given", oauth.Asking, func(f oauth.Flow) oauth.Flow { return f.Given(p.now, r, []byte("x")) }},
		{"Tick", oauth.Waiting, func(f oauth.Flow) oauth.Flow { return f.Tick(p.now, r) }},
	} {
		if s.phase == p.Phase {
			continue
		}
		if got := s.verb(p.f); !reflect.DeepEqual(got, p.f) {
			p.errorf("SEC-112", "%s in phase %v gives\n%+v, want\n%+v", s.name, p.Phase, look(got), p.view)
		}
	}
}

// between lets time pass, and changes what the server wants or has.
func (p *party) between() {
	foreign := oauth.Record{Issuer: p.w.Issuers[0].ID, Token: oauth.Token{Access: "foreign", Type: "Bearer", Resource: "https://other.example/mcp"}}
	if got, _ := p.f.Adopt(p.now, foreign).Token(p.now); got.Access == foreign.Token.Access {
		p.errorf("AUTH-032", "the token of another server is adopted")
	}
	p.now = p.now.Add(pick(p.Rand, 0, time.Second, time.Minute, 11*time.Minute, 2*time.Hour))
	res := p.w.Resources[0]
	switch p.IntN(9) {
	case 0, 1:
		res.Need = some(p.Rand, "read", "write", "admin")
	case 2: // revoked
		for _, t := range p.w.Issued {
			t.Dead = t.Dead || t.Kind != "code"
		}
	case 3, 6: // the server moves to another authorization server
		if len(p.w.Issuers) > 1 && p.cfg.Grant == oauth.AuthorizationCode {
			res.Issuers = []string{pick(p.Rand, p.w.Issuers...).ID}
			p.honest = false
		}
	case 7: // in another order
		res.Issuers = slices.Clone(res.Issuers)
		slices.Reverse(res.Issuers)
	case 4: // registrations are lost
		if p.cfg.Clients == nil {
			for _, i := range p.w.Issuers {
				for _, c := range i.Clients {
					c.Redirects, c.Method = nil, "lost"
				}
			}
			p.honest = false
		}
	case 5: // another process, with what the store has
		f, err := oauth.New(p.cfg, p.server)
		if err != nil {
			p.errorf("", "%v", err)
		}
		p.f, p.twin = f.Adopt(p.now, p.Record), nil
		p.view = look(p.f)
		p.note("adopted: %v", p.Phase)
	}
}
