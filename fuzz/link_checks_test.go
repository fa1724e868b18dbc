package fuzz_test

import (
	"slices"

	"github.com/sansmcp/mcp/lifecycle"
)

// expired reports whether a call was answered because the application did not.
func expired(out lifecycle.Output, call lifecycle.Call) bool {
	return slices.ContainsFunc(out.Events, func(ev lifecycle.Event) bool { return ev.Kind == lifecycle.RequestExpired && ev.Call == call })
}

// fated checks that the Fate of an Output says what its other fields do.
func (l *link) fated(i int, out lifecycle.Output) {
	l.t.Helper()
	pending, taken, direct := false, false, false
	for call := range out.OpenedCalls() {
		pending = pending || l.ends[i].open[call.Seq()]
	}
	for _, ev := range out.Events {
		taken = taken || ev.Kind == lifecycle.RequestReceived || ev.Kind == lifecycle.NotificationReceived || ev.Kind == lifecycle.ResponseReceived
	}
	for _, o := range out.Send {
		direct = direct || o.Direct
	}
	switch {
	case out.Fate == lifecycle.FateAnswered && (pending || !direct),
		out.Fate == lifecycle.FateRefused && (pending || taken),
		out.Fate == lifecycle.FateNone && direct,
		pending && (out.Fate != lifecycle.FateAccepted || !l.ends[i].open[out.Opened.Seq()]):
		l.t.Fatalf("end %d: %v: %+v", i, out.Fate, out)
	}
}
