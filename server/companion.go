package server

import "time"

// A Companion takes part in each turn of one session: it sees the Output of the turn before the
// driver acts on it, and may take further steps, such as answering a call. server/host,
// server/stdio and server/nethttp call their Options.Companion to get one for each session. Keep
// makes one from a value; registry.Follow gives calls of tools their deadlines, and a session its
// own tools.
//
// Your own loop calls Step after each step of its State, at the time that the last Step returned, and
// when something for the Companion has arrived from elsewhere; then Commit, at once:
//
//	s, out = s.Receive(now, m)
//	s, out, wake = c.Step(s, now, out)
//	c.Commit()
//
// Its methods are called for one turn at a time and must not block: they must not begin a turn or
// call a method of the driver. A panic ends the program, unless the driver reports it: see Recover
// of host.WorkOptions and of nethttp.Options.
type Companion interface {
	// Step returns the State and the Output that replace those of the turn, and when it wants the
	// next step; the zero Time means never. Events that it leaves in the Output are handled as
	// usual: requests by functions, the rest by the application. Over HTTP the messages of the turn
	// are on their way by then and not in the Output; messages that Step adds are sent. s may have
	// been restored from a snapshot since the last Step: then State.Call and State.Req make new
	// handles for earlier ones.
	//
	// If another process stores a turn first, or the Store fails, Step is called again with the
	// newest State, without Commit, and its earlier results are dropped. So Step must not change
	// anything that the next Step reads: only Commit may.
	//
	// The last Output has a lifecycle.PhaseChanged to Disconnected or Failed, however the session
	// ended. s is the zero State if the Store no longer has the session.
	Step(s State, now time.Time, out Output) (State, Output, time.Time)
	// Commit reports that the turn of the last Step is stored. It is called before anything of the
	// turn is sent, and before the next Step.
	Commit()
	// Handlers returns the functions of this session; nil means those of the driver. Before each message the driver
	// gives the session their catalog (State.Offer), so that the session can see and call nothing else. Do not change
	// Handlers that were returned. Sealed ones cost least.
	//
	// A Companion that answers calls itself may have a method HeaderParams(tool string) []headers.Param, like that of
	// Catalog: over HTTP the headers of calls without a session are compared with it.
	Handlers() *Handlers
}

// SkipsBriefCalls reports whether c has a method SkipsBriefCalls() bool that returns true: then a driver
// may omit Step for the request of a call that its Handlers answer at once, before anything else happens
// in the session. Step sees one turn of such a call, with Output.Opened and without an event.
func SkipsBriefCalls(c Companion) bool {
	b, ok := c.(interface{ SkipsBriefCalls() bool })
	return ok && b.SkipsBriefCalls()
}

// Peer describes the client of the session that a Companion is for. The fields are empty if the driver
// does not know them; over stdio all are.
type Peer struct {
	// Session is the id of the session, as nethttp.Handler.StepNow accepts it.
	Session string
	// Stateless means that there is no session: the Companion is for one request of a revision without
	// sessions, over HTTP.
	Stateless bool
	// Principal is the ID of the principal that opened the session.
	Principal string
	// Address is the address that a Stateless request came from, for IPv6 its first 64 bits. It is
	// the address of the proxy, if there is one.
	Address string
	// Value is what the application knows of the request that the Companion is made for, such as
	// nethttp.Principal.Value.
	Value any
}

// Stepper is a machine that takes part in the turns of a State, as a value (ADR 0009). Keep makes a
// Companion of it. M is the type itself. The Companion also uses the methods Handlers() *Handlers
// and SkipsBriefCalls() bool, if M has them.
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
