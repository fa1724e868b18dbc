package client_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// asking is a session whose server asks the user, with every State also as its snapshot brings it
// back.
type asking struct {
	t     *testing.T
	cfg   client.Config
	s     client.State
	now   time.Duration
	calls map[int]client.Call
}

func newAsking(t *testing.T, times lifecycle.Timeouts) *asking {
	cfg := client.Config{Serve: []string{"elicitation/create", "sampling/createMessage", "custom"}, Timeouts: times}
	return &asking{t: t, cfg: cfg, s: session(t, cfg), calls: map[int]client.Call{}}
}

func (x *asking) at() time.Time { return t0.Add(x.now) }

// step takes what a verb gave, and goes on with the State as a snapshot brings it back.
func (x *asking) step(s client.State, out client.Output, err error) client.Output {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		x.t.Fatal(err)
	}
	cfg := x.cfg
	cfg.Info = protocol.Implementation{Name: "c", Version: "1"}
	again, err := client.Restore(cfg, s.Snapshot(), x.at())
	if err != nil {
		x.t.Fatalf("%v\n%s", err, s.Snapshot())
	}
	was, _ := s.NextDeadline()
	if is, _ := again.NextDeadline(); !is.Equal(was) || string(again.Snapshot()) != string(s.Snapshot()) {
		x.t.Fatalf("restored it is due at %v, not %v\n%s\n%s", is, was, again.Snapshot(), s.Snapshot())
	}
	x.s = again
	return out
}

func (x *asking) send(p protocol.Params, opt client.RequestOptions) client.Req {
	x.t.Helper()
	s, out, err := x.s.Request(x.at(), p, opt)
	return x.step(s, out, err).Req
}

func (x *asking) receive(line string) client.Output {
	x.t.Helper()
	s, out := x.s.Receive(x.at(), jsonrpc.DecodeString(line))
	return x.step(s, out, nil)
}

// asks lets the server ask under an id.
func (x *asking) asks(id int) {
	x.t.Helper()
	out := x.receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}`, id))
	if out.Opened.IsZero() {
		x.t.Fatalf("%+v", out)
	}
	x.calls[id] = out.Opened
}

// call returns the open call of an id. Its numbers outlive the State that opened it.
func (x *asking) call(id int) client.Call { return x.s.Call(x.calls[id].Seq(), x.calls[id].Key()) }

func (x *asking) responds(id int) {
	x.t.Helper()
	s, out, err := x.s.Respond(x.at(), x.call(id), protocol.Raw(`{"action":"decline"}`))
	x.step(s, out, err)
}

// until lets time pass with all the Ticks that are due, and returns the wire ids that timed out.
func (x *asking) until(end time.Duration) (late []string) {
	x.t.Helper()
	for {
		due, ok := x.s.NextDeadline()
		if !ok || due.After(t0.Add(end)) {
			x.now = end
			return late
		}
		if !due.After(x.at()) && x.now > 0 {
			x.t.Fatalf("due at %v, at %v", due.Sub(t0), x.now)
		}
		x.now = due.Sub(t0)
		s, out := x.s.Tick(due)
		for _, ev := range x.step(s, out, nil).Events {
			if ev.Kind == lifecycle.RequestFailed && ev.Cause.Kind == lifecycle.CauseTimedOut {
				late = append(late, fmt.Sprint(ev.ID, " at ", x.now))
			}
		}
	}
}

const minute, hour = time.Minute, time.Hour

// While the server asks the user, the time of requests stands still, up to Human and Maximum. The
// call has id 2 and goes out at 0 s; Request is 60 s and Human 10 min.
//
// rows: TIME-021
func TestTimeOfQuestions(t *testing.T) {
	type times = lifecycle.Timeouts
	sec := time.Second
	ask := func(id int) func(*asking) { return func(x *asking) { x.asks(id) } }
	respond := func(id int) func(*asking) { return func(x *asking) { x.responds(id) } }
	receive := func(line string) func(*asking) { return func(x *asking) { x.receive(line) } }
	type step struct {
		at time.Duration
		do func(*asking)
	}
	for _, c := range []struct {
		name  string
		times lifecycle.Timeouts
		opt   client.RequestOptions
		steps []step
		want  string
	}{
		{name: "no question", want: "[2 at 1m0s]"},
		{name: "open at the deadline", steps: []step{{5 * sec, ask(1)}, {300 * sec, respond(1)}}, want: "[2 at 6m0s]"},
		{name: "asked at the deadline, before Tick", steps: []step{{60*sec - 1, ask(1)}, {61 * sec, respond(1)}}, want: "[2 at 2m1s]"},
		{name: "over just before the deadline", steps: []step{{5 * sec, ask(1)}, {59 * sec, respond(1)}}, want: "[2 at 1m59s]"},
		{name: "over at once", steps: []step{{5 * sec, ask(1)}, {5 * sec, respond(1)}}, want: "[2 at 1m5s]"},
		{name: "one after another", steps: []step{{5 * sec, ask(1)}, {100 * sec, respond(1)}, {150 * sec, ask(2)}, {500 * sec, respond(2)}}, want: "[2 at 9m20s]"},
		{name: "too late for the second", steps: []step{{5 * sec, ask(1)}, {100 * sec, respond(1)}, {160 * sec, ask(2)}}, want: "[2 at 2m40s]"},
		{name: "the last of two counts", steps: []step{{5 * sec, ask(1)}, {6 * sec, ask(2)}, {100 * sec, respond(2)}, {200 * sec, respond(1)}}, want: "[2 at 4m20s]"},
		{name: "cancelled", steps: []step{{5 * sec, ask(1)}, {90 * sec, receive(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)}}, want: "[2 at 2m30s]"},
		{name: "failed", steps: []step{{5 * sec, ask(1)}, {90 * sec, func(x *asking) {
			s, out, err := x.s.Fail(x.at(), x.call(1), jsonrpc.Error{Code: -1, Message: "no"})
			x.step(s, out, err)
		}}}, want: "[2 at 2m30s]"},
		{name: "finished with what does not fit", steps: []step{{5 * sec, ask(1)}, {90 * sec, func(x *asking) {
			s, out, _ := x.s.Finish(x.at(), client.Answer{Call: x.call(1), Result: protocol.Raw(`{}`)})
			x.step(s, out, nil)
		}}}, want: "[2 at 2m30s]"},
		{name: "abandoned", steps: []step{{5 * sec, ask(1)}, {90 * sec, func(x *asking) {
			s, out := x.s.Abandon(x.at(), x.call(1))
			x.step(s, out, nil)
		}}}, want: "[2 at 2m30s]"},
		{name: "expired", times: times{Inbound: 85 * sec}, steps: []step{{5 * sec, ask(1)}}, want: "[2 at 2m30s]"},
		{name: "never answered", steps: []step{{5 * sec, ask(1)}}, want: "[2 at 11m5s]"},
		{name: "answered after Human", times: times{Human: 70 * sec}, steps: []step{{5 * sec, ask(1)}, {80 * sec, respond(1)}}, want: "[2 at 2m15s]"},
		{name: "a later one has its own Human", times: times{Human: 70 * sec}, steps: []step{{5 * sec, ask(1)}, {65 * sec, ask(2)}}, want: "[2 at 3m15s]"},
		{name: "no Human", times: times{Human: lifecycle.NoTimeout}, steps: []step{{5 * sec, ask(1)}, {50 * minute, respond(1)}}, want: "[2 at 51m0s]"},
		{name: "no Human, never answered", times: times{Human: lifecycle.NoTimeout}, steps: []step{{5 * sec, ask(1)}}, want: "[2 at 1h0m0s]"},
		{name: "the maximum", opt: client.RequestOptions{Maximum: 90 * sec}, steps: []step{{5 * sec, ask(1)}}, want: "[2 at 1m30s]"},
		{name: "its own timeout", opt: client.RequestOptions{Timeout: 10 * sec}, steps: []step{{5 * sec, ask(1)}, {61 * sec, respond(1)}}, want: "[2 at 1m11s]"},
		{name: "progress after the question", opt: client.RequestOptions{ResetOnProgress: true}, steps: []step{
			{5 * sec, ask(1)}, {61 * sec, respond(1)}, {100 * sec, receive(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`)},
		}, want: "[2 at 2m40s]"},
		{name: "a question for the model", steps: []step{{5 * sec, func(x *asking) {
			x.calls[1] = x.receive(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`).Opened
		}}, {90 * sec, func(x *asking) {
			s, out, err := x.s.Fail(x.at(), x.call(1), jsonrpc.Error{Code: -1, Message: "no"})
			x.step(s, out, err)
		}}}, want: "[2 at 2m30s]"},
		{name: "what asks nobody", steps: []step{{5 * sec, receive(`{"jsonrpc":"2.0","id":1,"method":"custom"}`)}}, want: "[2 at 1m0s]"},
		{name: "a request made after the question", steps: []step{
			{5 * sec, ask(1)}, {20 * sec, respond(1)}, {30 * sec, func(x *asking) { x.send(protocol.CallToolParams{Name: "u"}, client.RequestOptions{}) }},
		}, want: "[2 at 1m20s 3 at 1m30s]"},
		{name: "a request made meanwhile", steps: []step{
			{5 * sec, ask(1)}, {20 * sec, func(x *asking) { x.send(protocol.CallToolParams{Name: "u"}, client.RequestOptions{}) }}, {90 * sec, respond(1)},
		}, want: "[2 at 2m30s 3 at 2m30s]"},
		{name: "a ping", steps: []step{
			{5 * sec, ask(1)}, {20 * sec, func(x *asking) { x.send(protocol.PingParams{}, client.RequestOptions{}) }}, {90 * sec, respond(1)},
		}, want: "[3 at 30s 2 at 2m30s]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.times.Human == 0 {
				c.times.Human = 10 * minute
			}
			x := newAsking(t, c.times)
			x.send(protocol.CallToolParams{Name: "t"}, c.opt)
			var late []string
			for _, s := range c.steps {
				late = append(late, x.until(s.at)...)
				s.do(x)
			}
			if late = append(late, x.until(2*hour)...); fmt.Sprint(late) != c.want {
				t.Errorf("%v, want %s", late, c.want)
			}
		})
	}
}

// A clock that jumps past all bounds ends what the question held, and a Tick that comes late holds
// nothing for longer than it may.
func TestLateTickWithQuestion(t *testing.T) {
	for now, want := range map[time.Duration]int{11*minute + 5*time.Second - 1: 0, 11*minute + 5*time.Second: 1, 1 << 62: 1} {
		x := newAsking(t, lifecycle.Timeouts{})
		x.send(protocol.CallToolParams{Name: "t"}, client.RequestOptions{})
		x.now = 5 * time.Second
		x.asks(1)
		x.now = now
		s, out := x.s.Tick(x.at())
		if x.step(s, out, nil); len(out.Send) != want {
			t.Errorf("after %v: %+v", now, out)
		}
	}
}

// The end of a session is the end of what was held, and the next session knows of no question.
func TestEndOfSessionWithQuestion(t *testing.T) {
	for name, end := range map[string]func(s client.State, now time.Time) (client.State, client.Output){
		"disconnected": func(s client.State, now time.Time) (client.State, client.Output) { return s.Disconnected(now, nil) },
		"aborted": func(s client.State, now time.Time) (client.State, client.Output) {
			return s.Abort(now, errors.New("x"))
		},
		"shutdown": func(s client.State, now time.Time) (client.State, client.Output) { return s.Shutdown(now, 0) },
		"after a grace": func(s client.State, now time.Time) (client.State, client.Output) {
			return s.Shutdown(now, 10*time.Second)
		},
		"input closed": client.State.InputClosed,
	} {
		x := newAsking(t, lifecycle.Timeouts{})
		x.send(protocol.CallToolParams{Name: "t"}, client.RequestOptions{})
		x.now = 5 * time.Second
		x.asks(1)
		x.until(70 * time.Second)
		s, out := end(x.s, x.at())
		x.step(s, out, nil)
		if x.until(80 * time.Second); x.s.Status().Outbound != 0 {
			t.Errorf("%s: %+v", name, x.s.Status())
		}
		s, out = x.s.Disconnected(x.at(), nil)
		x.step(s, out, nil)
		s, err := x.s.Reset(x.at())
		x.step(s, client.Output{}, err)
		s, out, err = x.s.Initialize(x.at())
		x.step(s, out, err)
		x.receive(`{"jsonrpc":"2.0","id":3,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
		x.send(protocol.CallToolParams{Name: "t"}, client.RequestOptions{})
		if late := x.until(hour); fmt.Sprint(late) != "[4 at 2m20s]" {
			t.Errorf("%s: %v", name, late)
		}
	}
}

// A snapshot of before, without the member, gives an open question all of Human; one that says
// too much is cut to it, and refused where nobody asks.
func TestRestoredQuestion(t *testing.T) {
	x := newAsking(t, lifecycle.Timeouts{})
	x.send(protocol.CallToolParams{Name: "t"}, client.RequestOptions{})
	x.now = 5 * time.Second
	x.asks(1)
	x.until(50 * time.Second)
	s, _ := x.s.Tick(x.at())
	asked := string(s.Snapshot())
	s, _, err := s.Respond(x.at(), s.Call(x.calls[1].Seq(), x.calls[1].Key()), protocol.Raw(`{"action":"decline"}`))
	if err != nil {
		t.Fatal(err)
	}
	over := string(s.Snapshot())
	for _, c := range []struct{ name, snapshot, from, to, want string }{
		{"as it is", asked, ``, ``, "[2 at 11m5s]"},
		{"of before", asked, `"still":555000000000,`, ``, "[2 at 11m50s]"},
		{"too much", asked, `"still":555000000000,`, `"still":5550000000000,`, "[2 at 11m50s]"},
		{"over", over, ``, ``, "[2 at 1m50s]"},
		{"over, of before", over, `"still":0,`, ``, "[2 at 1m0s]"},
		{"over, and said not to be", over, `"still":0,`, `"still":1,`, ""},
	} {
		y := newAsking(t, lifecycle.Timeouts{})
		y.now = x.now
		cfg := y.cfg
		cfg.Info = protocol.Implementation{Name: "c", Version: "1"}
		if !strings.Contains(c.snapshot, c.from) {
			t.Fatalf("%s: %s", c.name, c.snapshot)
		}
		s, err := client.Restore(cfg, []byte(strings.Replace(c.snapshot, c.from, c.to, 1)), y.at())
		if c.want == "" {
			if !errors.Is(err, lifecycle.ErrSnapshot) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(c.name, err)
		}
		y.step(s, client.Output{}, nil)
		if late := y.until(hour); fmt.Sprint(late) != c.want {
			t.Errorf("%s: %v, want %s", c.name, late, c.want)
		}
	}
}
