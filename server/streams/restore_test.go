package streams_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// varied returns a session with streams of every kind.
func varied(t *testing.T) *session {
	d := open(t, "2025-11-25", streams.Options{Idle: time.Hour})
	d.log("waiting")
	answered, a := d.call(1, "wait")
	d.begin(a)
	d.progress(answered, 1)
	d.wrote(a, 2)
	d.respond(answered, "x")
	waits, w := d.call(2, "wait")
	d.elicit(waits)
	d.begin(w)
	_, gone := d.call(3, "wait")
	d.detach(gone)
	hung, h := d.call(4, "wait")
	d.begin(h)
	x, s, eff, err := d.x.HangUp(d.s, d.now, hung, 3*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	d.x, d.s = x, s
	d.took(eff)
	d.listen()
	left := d.listen()
	d.detach(left)
	first := d.listen()
	d.detach(first)
	for range 8 {
		d.listen()
	}
	return d
}

// A snapshot of everything comes back as it was, under other Options with theirs.
func TestRestore(t *testing.T) {
	d := varied(t)
	d.detachListeners()
	d.log("later")
	data := d.x.Snapshot()
	s, err := server.Restore(d.cfg, d.s.Snapshot(), d.now)
	if err != nil {
		t.Fatal(err)
	}
	x, err := streams.Restore(streams.Options{Idle: time.Hour}, data, s, d.now)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(x.Snapshot()); got != string(data) {
		t.Errorf("another snapshot:\n%s\n%s", data, got)
	}
	x, err = streams.Restore(streams.Options{Keep: time.Second, MaxBytes: 1}, data, s, d.now)
	if err != nil {
		t.Fatal(err)
	}
	if due, ok := x.NextDeadline(); !ok || due.After(d.now.Add(time.Second)) {
		t.Errorf("a shorter time does not hold: %v", due)
	}
	x, s, eff := x.Tick(s, d.now.Add(time.Second))
	if eff.Lost == 0 || x.Check() != nil {
		t.Errorf("%d messages are lost", eff.Lost)
	}
	if x, err = streams.Restore(streams.Options{}, streams.Streams{}.Snapshot(), s, d.now); err != nil || x.Bytes() > 0 {
		t.Error("the zero Streams is not restored", err)
	}
}

func (d *session) detachListeners() {
	d.t.Helper()
	var eff streams.Effects
	d.x, d.s, eff = d.x.DetachAll(d.s, d.now)
	d.took(eff)
}

func TestRestoreRefuses(t *testing.T) {
	d := varied(t)
	good := string(d.x.Snapshot())
	for _, c := range []struct{ from, to string }{
		{`{"streams":1`, `{"streams":2`},
		{`{"streams":1`, `{"streams":1,"streams":1`},
		{`"open":[`, `"open":[7,`},
		{`"open":[`, `"open":[{"id":1,"id":2},`},
		{`"open":[`, `"open":7,"x":[`},
		{`"open":[{"id":1,`, `"open":[{"id":2,`},
		{`"open":[{"id":1,`, `"open":[{"id":99,`},
		{`"open":[{"id":1,`, `"open":[{"id":0,`},
		{`"last":15,"order"`, `"last":3,"order"`},
		{`"last":15,"order"`, `"last":99999999999999999999,"order"`},
		{`"last":15,"order"`, `"last":1999999999999999999,"order"`},
		{`"order":`, `"order":18446744073709551615,"x":`},
		{`"last":15,"order":11`, `"last":15`},
		{`"gen":1`, `"gen":99999999999`},
		{`"gen":1`, `"gen":0`},
		{`"gen":1`, `"gen":"1"`},
		{`"last":3,"written":2`, `"last":99999999999,"written":2`},
		{`"last":3,"written":2`, `"last":3,"written":4`},
		{`"last":3,"written":2`, `"last":3,"written":9999999999999`},
		{`"last":3,"written":2`, `"last":1,"written":1`},
		{`"calls":[3]`, `"calls":[99]`},
		{`"calls":[3]`, `"calls":[3,3]`},
		{`"calls":[3]`, `"calls":["3"]`},
		{`"calls":[3]`, `"calls":[]`},
		{`"calls":[3]`, `"calls":7`},
		{`"retry":3000000000`, `"retry":18446744073709551615`},
		{`"retry":3000000000`, `"retry":-1`},
		{`"due":`, `"due":"`},
		{`"hung":true`, `"hung":false`},
		{`"hung":true`, `"attached":true`},
		{`"dead":true`, `"mixed":true`},
		{`"message":{"jsonrpc":"2.0","id":1,"result":`, `"message":{"result":`},
		{`"message":{"jsonrpc":"2.0","id":1,"result":`, `"x":{"result":`},
		{`"message":{"jsonrpc":"2.0","id":1,"result":`, `"req":7,"message":{"jsonrpc":"2.0","id":1,"result":`},
		{`{"req":1,"message"`, `{"req":1,"req":1,"message"`},
		{`{"req":1,"message"`, `{"req":-1,"message"`},
		{`{"message":{"jsonrpc":"2.0","method":"notifications/progress"`, `[{"jsonrpc":"2.0","method":"notifications/progress"`},
		{`{"streams":1,`, `{"streams":1,"over":true,`},
		{`{"streams":1,`, `{"streams":1,"single":true,`},
		{`"listener":true`, `"batch":true`},
	} {
		bad := strings.Replace(good, c.from, c.to, 1)
		if bad == good {
			t.Errorf("%q is not there", c.from)
			continue
		}
		x, err := streams.Restore(streams.Options{}, []byte(bad), d.s, d.now)
		if !errors.Is(err, lifecycle.ErrSnapshot) || x != (streams.Streams{}) {
			t.Errorf("%q instead of %q: %v", c.to, c.from, err)
		}
	}
	// The State beside it is another one.
	other := open(t, "2025-11-25", streams.Options{})
	if _, err := streams.Restore(streams.Options{}, []byte(good), other.s, d.now); !errors.Is(err, lifecycle.ErrSnapshot) {
		t.Error(err)
	}
	if _, err := streams.Restore(streams.Options{}, nil, other.s, d.now); !errors.Is(err, lifecycle.ErrSnapshot) {
		t.Error(err)
	}
}

// Whatever is damaged, there is an error or a value that holds together and goes on.
func TestRestoreDamaged(t *testing.T) {
	d := varied(t)
	good := d.x.Snapshot()
	rnd := rand.New(rand.NewPCG(1, 2))
	tokens := []string{"true", "0", "1", "2", "3", "-1", "7", `"x"`, "{}", "[]", "null", "1e9", `{"id":1}`}
	kept := 0
	tries := 20_000
	if testing.Short() || race {
		tries = 2000
	}
	for range tries {
		bad := append([]byte(nil), good...)
		for range 1 + rnd.IntN(2) {
			switch i := rnd.IntN(len(bad)); rnd.IntN(4) {
			case 0:
				bad[i] = "0123456789truefalse{}[],:\""[rnd.IntN(26)]
			case 1:
				bad = append(bad[:i:i], bad[min(len(bad), i+rnd.IntN(40)):]...)
			case 2:
				bad = append(bad[:i:i], append([]byte(tokens[rnd.IntN(len(tokens))]), bad[i:]...)...)
			case 3:
				// A whole value of a member.
				if j := strings.IndexByte(string(bad[i:]), ':'); j >= 0 {
					end := strings.IndexAny(string(bad[i+j:]), ",}")
					if end > 0 {
						bad = append(bad[:i+j+1:i+j+1], append([]byte(tokens[rnd.IntN(len(tokens))]), bad[i+j+end:]...)...)
					}
				}
			}
			if len(bad) == 0 {
				bad = []byte("x")
			}
		}
		x, err := streams.Restore(streams.Options{MaxBytes: 2000}, bad, d.s, d.now)
		if err != nil {
			if !errors.Is(err, lifecycle.ErrSnapshot) {
				t.Fatal(err)
			}
			continue
		}
		kept++
		s, now := d.s, d.now
		for i := range 12 {
			switch i % 6 {
			case 0:
				x, s, _, _, _ = x.Listen(s, now)
			case 1:
				x, s, _, _, _, _ = x.Resume(s, now, fmt.Sprintf("%d-%d", rnd.IntN(9), rnd.IntN(4)))
			case 2:
				now = now.Add(time.Minute)
				x, s, _ = x.Tick(s, now)
			case 3:
				for call := range s.Inbound() {
					next, out, err := s.Respond(now, call.Call, text("x"))
					if err != nil {
						t.Fatal(err)
					}
					x, s, _ = x.Handle(next, now, out)
					break
				}
			case 4:
				x.Read(streams.Conn{Stream: streams.ID(rnd.IntN(9)), Gen: 1}, rnd.IntN(4))
			case 5:
				x, s, _ = x.Detach(s, now, streams.Conn{Stream: streams.ID(rnd.IntN(9)), Gen: 1})
			}
			if err := x.Check(); err != nil {
				t.Fatalf("%v\n%s", err, bad)
			}
		}
	}
	if kept == 0 {
		t.Error("nothing that was damaged is taken")
	}
}
