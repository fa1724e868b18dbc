package server

import "time"

// A Companion takes part in each turn of one session: it sees the Output of the turn before the
// driver acts on it, and may take further steps, such as to answer a call. server/host,
// server/stdio and server/nethttp call their Options.Companion for each session. Keep makes one
// from a value; registry.Follow gives tools their timeouts, and a session its own tools.
//
// A loop of your own calls Step after each step of its State, at the time that the last Step returned,
// and when the Companion has other input; then Commit, at once:
//
//	s, out = s.Receive(now, m)
//	s, out, wake = c.Step(s, now, out)
//	c.Commit()
//
// Its methods are called for one turn at a time. They must not block, make a turn or call a method
// of the driver. A panic ends the program, unless the driver reports it: see Recover of
// host.WorkOptions and of nethttp.Options.
type Companion interface {
	// Step returns the State and the Output that replace those of the turn, and when it wants the
	// next step; the zero Time means never. Events that it leaves in the Output are handled as
	// without it: requests go to functions, others to the application. Over HTTP the messages of
	// the turn are already sent and not in the Output; those that Step adds are sent. s may have
	// been restored from a snapshot since the last Step: then make handles again by State.Call and
	// State.Req.
	//
	// If another process stores a turn first, or the Store fails, Step is called again on the newest
	// State, without Commit, and the earlier result is dropped. So Step must not change state that
	// the next Step reads: Commit does.
	//
	// The last Output has a lifecycle.PhaseChanged to Disconnected or Failed, however the session
	// ended. s is the zero State if the Store no longer has the session.
	Step(s State, now time.Time, out Output) (State, Output, time.Time)
	// Commit says that the turn of the last Step is stored. It is called before any of its messages
	// is sent, and before the next Step.
	Commit()
	// Handlers returns the functions of this session; nil means those of the driver. A Companion that answers calls
	// by itself may have a method HeaderParams(tool string) []headers.Param, as a Catalog has: over HTTP the headers
	// of calls without a session are compared with it. Before each message the driver gives the session their catalog
	// (State.Offer), so that the session can list and call only that. Do not change returned Handlers. Sealed ones
	// are the cheapest.
	Handlers() *Handlers
}

// SkipsBriefCalls reports whether c has a method SkipsBriefCalls() bool that returns true: then a driver
// may skip its Step for a call that its Handlers answer at once, before anything else happens in the
// session. Step sees one turn for it, with Output.Opened and no event.
func SkipsBriefCalls(c Companion) bool {
	b, ok := c.(interface{ SkipsBriefCalls() bool })
	return ok && b.SkipsBriefCalls()
}

// Peer describes the client of the session that a Companion is for. The fields are empty if the driver
// does not know them: over stdio all of them are.
type Peer struct {
	// Session is the id of the session, as nethttp.Handler.StepNow takes it.
	Session string
	// Stateless says that it is no session: it is one request of a revision without sessions, over HTTP.
	Stateless bool
	// Principal is the ID of the principal that opened the session.
	Principal string
	// Address is the address that a Stateless request came from, of IPv6 its first 64 bits: that of a
	// proxy, if one stands between.
	Address string
	// Value is what the application knows of the request that the Companion is made for, as
	// nethttp.Principal.Value.
	Value any
}

// Stepper is a machine that works with a State, as a value (ADR 0009), for Keep. M is the type
// itself. A method Handlers() *Handlers gives it its own functions; a method SkipsBriefCalls() bool
// counts too.
type Stepper[M any] interface {
	// Step does what Companion.Step documents, and returns the next value. It does not change the
	// receiver.
	Step(s State, now time.Time, out Output) (M, State, Output)
	// NextDeadline returns when the next step is due; false if none is.
	NextDeadline() (time.Time, bool)
}

// Keep returns a Companion that keeps a machine: at Commit, the value that Step returned replaces m.
func Keep[M Stepper[M]](m M) Companion { return &kept[M]{now: m, next: m} }

type kept[M Stepper[M]] struct{ now, next M }

func (k *kept[M]) Step(s State, now time.Time, out Output) (State, Output, time.Time) {
	k.next, s, out = k.now.Step(s, now, out)
	wake, ok := k.next.NextDeadline()
	if !ok {
		wake = time.Time{}
	}
	return s, out, wake
}

func (k *kept[M]) Commit() { k.now = k.next }

func (k *kept[M]) Handlers() *Handlers {
	if h, ok := any(k.now).(interface{ Handlers() *Handlers }); ok {
		return h.Handlers()
	}
	return nil
}

func (k *kept[M]) SkipsBriefCalls() bool {
	b, ok := any(k.now).(interface{ SkipsBriefCalls() bool })
	return ok && b.SkipsBriefCalls()
}
