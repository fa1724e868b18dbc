package many

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// fault is a fault of a machine, and a part of its report.
type fault struct {
	setup string
	make  func() tamper
	want  string // one of these, separated by |
}

// done returns the index of the first OpDone of a method.
func done(out *manager.Effects, method string) int {
	return slices.IndexFunc(out.Events, func(ev manager.Event) bool { return ev.Kind == manager.OpDone && ev.Method == method })
}

// sent returns the index of the first message of a method to a server.
func sent(out *manager.Effects, method string) int {
	return slices.IndexFunc(out.Actions, func(a manager.Action) bool {
		return a.Kind == manager.ActSend && a.Out.Message.Method == method
	})
}

// outputs makes a fault of a Manager's output.
func outputs(spoil func(out *manager.Effects)) func() tamper {
	return func() tamper { return tamper{output: func(_ time.Time, out *manager.Effects) { spoil(out) }} }
}

// replies makes a fault of a Relay's answers to its client.
func replies(spoil func(list []lifecycle.Outgoing, i int) []lifecycle.Outgoing) func() tamper {
	return func() tamper {
		n := 0
		return tamper{effects: func(_ time.Time, eff *relay.Effects) {
			for i, o := range eff.Send {
				if o.Final && strings.Contains(string(o.Message.Body), "done by") {
					if n++; n > 5 {
						eff.Send = spoil(eff.Send, i)
					}
					return
				}
			}
		}}
	}
}

var faults = map[string]fault{
	"an operation never ends": {"manager", outputs(func(out *manager.Effects) {
		if i := done(out, protocol.MethodToolsCall); i >= 0 {
			out.Events = slices.Delete(out.Events, i, i+1)
		}
	}), "has not ended"},
	"an operation ends twice": {"manager", outputs(func(out *manager.Effects) {
		if i := done(out, protocol.MethodToolsCall); i >= 0 {
			out.Events = append(out.Events, out.Events[i])
		}
	}), "is not open"},
	"an operation ends a step late": {"manager", func() tamper {
		var held []manager.Event
		return tamper{output: func(_ time.Time, out *manager.Effects) {
			out.Events = append(held, out.Events...)
			held = nil
			if i := done(out, protocol.MethodResourcesRead); i >= 0 {
				held = append(held, out.Events[i])
				out.Events = slices.Delete(out.Events, i, i+1)
			}
		}}
	}, "has not ended"},
	"two servers exchange their answers": {"manager", func() tamper {
		var last jsonrpc.Raw
		return tamper{output: func(_ time.Time, out *manager.Effects) {
			if i := done(out, protocol.MethodToolsCall); i >= 0 && out.Events[i].Err == nil {
				out.Events[i].Session.Body, last = or(last, out.Events[i].Session.Body), out.Events[i].Session.Body
			}
		}}
	}, "ended with what is marked"},
	"progress of another call": {"manager", func() tamper {
		var first manager.Op
		return tamper{output: func(_ time.Time, out *manager.Effects) {
			for i, ev := range out.Events {
				if ev.Session.Kind == lifecycle.ProgressReceived {
					if first.IsZero() {
						first = ev.Op
					}
					out.Events[i].Op = first
				}
			}
		}}
	}, "progress of"},
	"a request of a server looks like that of another": {"manager", outputs(func(out *manager.Effects) {
		for i, ev := range out.Events {
			if ev.Session.Kind == lifecycle.RequestReceived {
				out.Events[i].Link.Server = "s0"
			}
		}
	}), "has what is marked|or as|of {"},
	"an answer of the server before is taken": {"manager", func() tamper {
		newest := map[string]manager.Link{}
		return tamper{
			output: func(_ time.Time, out *manager.Effects) {
				for _, a := range out.Actions {
					if a.Kind == manager.ActSend {
						newest[a.Link.Server] = a.Link
					}
				}
			},
			link: func(l manager.Link) manager.Link { return newest[l.Server] },
		}
	}, "had an effect|was answered"},
	"a message goes to another server": {"manager", func() tamper {
		open := map[string]manager.Link{}
		return tamper{output: func(_ time.Time, out *manager.Effects) {
			for i, a := range out.Actions {
				switch {
				case a.Kind == manager.ActClose || a.Kind == manager.ActKill:
					delete(open, a.Link.Server)
				case a.Out.Message.Method == protocol.MethodToolsCall:
					open[a.Link.Server] = a.Link
					for _, l := range []string{"s0", "s1", "s2", "s3"} {
						if to, ok := open[l]; ok && l != a.Link.Server {
							out.Actions[i].Link = to
							return
						}
					}
				}
			}
		}}
	}, "received what is marked|not open"},
	"a connection is forgotten": {"manager", outputs(func(out *manager.Effects) {
		out.Actions = slices.DeleteFunc(out.Actions, func(a manager.Action) bool {
			return a.Kind == manager.ActClose || a.Kind == manager.ActKill
		})
	}), "links are left"},
	"a connection is closed twice": {"manager", outputs(func(out *manager.Effects) {
		for _, a := range out.Actions {
			if a.Kind == manager.ActClose {
				out.Actions = append(out.Actions, a)
				return
			}
		}
	}), "close of a link"},
	"a server is not told that a call was given up": {"manager", outputs(func(out *manager.Effects) {
		if i := sent(out, protocol.MethodCancelled); i >= 0 {
			out.Actions = slices.Delete(out.Actions, i, i+1)
		}
	}), "nobody waits for it"},
	"a call is sent twice": {"manager", outputs(func(out *manager.Effects) {
		if i := sent(out, protocol.MethodResourcesRead); i >= 0 {
			a := out.Actions[i]
			a.Out.Message.ID = jsonrpc.String("again")
			out.Actions = append(out.Actions, a)
		}
	}), "twice"},
	"deadlines are forgotten": {"manager", func() tamper {
		return tamper{deadline: func(time.Time, bool) (time.Time, bool) { return time.Time{}, false }}
	}, "has not ended"},
	"deadlines come late": {"manager", func() tamper {
		return tamper{deadline: func(at time.Time, ok bool) (time.Time, bool) { return at.Add(50 * time.Millisecond), ok }}
	}, "has not ended"},
	"a state of a server is not told": {"manager", outputs(func(out *manager.Effects) {
		out.Events = slices.DeleteFunc(out.Events, func(ev manager.Event) bool {
			return ev.Kind == manager.ServerChanged && ev.To == manager.Handshaking
		})
	}), "and was"},
	"an old snapshot is restored": {"manager", func() tamper {
		var old []byte
		return tamper{snapshot: func(data []byte) []byte {
			if old == nil {
				old = data
			}
			return old
		}}
	}, "is not open|has the handle|after Restore|not there|not open|and was|has not ended"},

	"a call settles twice": {"calls", callOutputs(func(out *calls.Output) {
		if len(out.Done) > 0 {
			out.Done = append(out.Done, out.Done[0])
		}
	}), "is not open"},
	"a call never settles": {"calls", callOutputs(func(out *calls.Output) {
		out.Done = slices.DeleteFunc(out.Done, func(r attempt.Result) bool { return r.Outcome.Err == nil })
	}), "has not settled|result "},
	"results of a batch are out of order": {"calls", callOutputs(func(out *calls.Output) {
		for _, b := range out.Batches {
			slices.Reverse(b.Results)
		}
	}), "of batch"},
	"a change is not told": {"calls", callOutputs(func(out *calls.Output) {
		for i := range out.Changes {
			out.Changes[i].Removed = nil
		}
	}), "the Changes had|and was there|unknown_function"},
	"a result is that of another call": {"calls", func() tamper {
		var last *protocol.CallToolResult
		return tamper{calls: func(out *calls.Output) {
			for i, r := range out.Done {
				if r.Outcome.Err == nil && r.Outcome.Result != nil {
					if last != nil {
						out.Done[i].Outcome.Result = last
					}
					last = r.Outcome.Result
				}
			}
		}}
	}, "settles with"},
	"a call that may not be repeated is repeated": {"calls", callOutputs(func(out *calls.Output) {
		for _, a := range out.Actions {
			if a.Out.Message.Method == protocol.MethodToolsCall {
				a.Out.Message.ID = jsonrpc.String("again")
				out.Actions = append(out.Actions, a)
				return
			}
		}
	}), "twice"},
	"a Caller is not ticked": {"calls", func() tamper {
		return tamper{deadline: func(time.Time, bool) (time.Time, bool) { return time.Time{}, false }}
	}, "has not settled|the Caller has"},

	"a client gets no answer": {"relay", replies(func(list []lifecycle.Outgoing, i int) []lifecycle.Outgoing {
		return slices.Delete(list, i, i+1)
	}), "has no answer"},
	"a client gets the answer of another call": {"relay", func() tamper {
		var last jsonrpc.Raw
		return tamper{effects: func(_ time.Time, eff *relay.Effects) {
			for i, o := range eff.Send {
				if o.Final && strings.Contains(string(o.Message.Body), "done by") {
					eff.Send[i].Message.Body, last = or(last, o.Message.Body), o.Message.Body
				}
			}
		}}
	}, "ended with what is marked|heard what is marked"},
	"a result is written anew": {"relay", replies(func(list []lifecycle.Outgoing, i int) []lifecycle.Outgoing {
		list[i].Message.Body = jsonrpc.Raw(strings.ReplaceAll(string(list[i].Message.Body), "1e2", "100"))
		return list
	}), "without"},
	"arguments are written anew": {"relay", func() tamper {
		return tamper{effects: func(_ time.Time, eff *relay.Effects) {
			for i, a := range eff.Actions {
				eff.Actions[i].Out.Message.Body = jsonrpc.Raw(strings.ReplaceAll(string(a.Out.Message.Body), "1e2", "100"))
			}
		}}
	}, "without"},
	"a server is not told that its caller has gone": {"relay", func() tamper {
		return tamper{effects: func(_ time.Time, eff *relay.Effects) {
			eff.Actions = slices.DeleteFunc(eff.Actions, func(a manager.Action) bool { return a.Out.Message.Method == protocol.MethodCancelled })
		}}
	}, "nobody waits for it"},
	"the end of a relay leaves connections": {"relay", func() tamper {
		return tamper{effects: func(_ time.Time, eff *relay.Effects) {
			eff.Actions = slices.DeleteFunc(eff.Actions, func(a manager.Action) bool { return a.Kind == manager.ActClose || a.Kind == manager.ActKill })
		}}
	}, "links are left"},
	"a relay is not ticked": {"relay", func() tamper {
		return tamper{deadline: func(time.Time, bool) (time.Time, bool) { return time.Time{}, false }}
	}, "has no answer"},
}

// callOutputs makes a fault of a Caller's output.
func callOutputs(spoil func(out *calls.Output)) func() tamper {
	return func() tamper { return tamper{calls: spoil} }
}

func or(a, b jsonrpc.Raw) jsonrpc.Raw {
	if a != "" {
		return a
	}
	return b
}

// Faults of machines are found and reported.
func TestFaultsAreFound(t *testing.T) {
	for name, f := range faults {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(20) {
				opt := Options{Seed: 50 + seed, Servers: 6, Length: 5 * time.Second, Restore: 100}
				_, err := map[string]func(Options, tamper) (Report, error){"manager": runManager, "calls": runCalls, "relay": runRelay}[f.setup](opt, f.make())
				var found *Failure
				if !errors.As(err, &found) {
					continue
				}
				for _, want := range strings.Split(f.want, "|") {
					if strings.Contains(found.Text, want) {
						return
					}
				}
				t.Fatalf("seed %d: what is found is %q, want %q", opt.Seed, found.Text, f.want)
			}
			t.Error("nothing was found in 20 runs")
		})
	}
}
