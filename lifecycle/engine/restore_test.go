package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A request of ours whose deadline the clock before could not hold gets one from its
// timeout, at most its last one.
func TestRestoreWithoutDeadline(t *testing.T) {
	env := toolServer()
	c := ready(env, protocol.Revision20250618)
	var o lifecycle.Output
	if err := c.Send(protocol.ListRootsParams{}, lifecycle.RequestOptions{Timeout: 10 * time.Second, Maximum: time.Minute}, &o); err != nil {
		t.Fatal(err)
	}
	const due, hard, timeout = `"due":10000000000,`, `"hard":60000000000`, `,"timeout":10000000000`
	for _, w := range []struct {
		pairs []string
		want  time.Duration // 0 for none
	}{
		{nil, 10 * time.Second},
		{[]string{due, ``}, 10 * time.Second},
		{[]string{due, ``, hard, `"hard":5000000000`}, 5 * time.Second},
		{[]string{due, ``, hard + timeout, `"timeout":10000000000`}, 10 * time.Second},
		{[]string{due, ``, timeout, ``}, time.Minute},
		{[]string{due, ``, hard + timeout, `"tokenIsID":true`}, 0},
	} {
		d, err := restored(&c, env, w.pairs...)
		if err != nil {
			t.Errorf("%q: %v", w.pairs, err)
			continue
		}
		for info := range d.Outbound() {
			if want := origin.Add(w.want); info.Deadline.IsZero() != (w.want == 0) || w.want != 0 && !info.Deadline.Equal(want) {
				t.Errorf("%q: due at %v, want %v", w.pairs, info.Deadline, want)
			}
		}
	}
}

// Numbers that no session can have come to, and what is of another version or role, are
// refused by the engine itself.
func TestRestoreCounters(t *testing.T) {
	env := toolServer()
	c := ready(env, protocol.Revision20250618)
	enter(t, &c, "1", usual)
	if err := c.Send(protocol.ListRootsParams{}, lifecycle.RequestOptions{}, &lifecycle.Output{}); err != nil {
		t.Fatal(err)
	}
	for _, pairs := range [][]string{
		{`"snapshot":1`, `"snapshot":2`}, {`"snapshot":1,`, ``}, {`"role":"server"`, `"role":"client"`}, {`"role":"server",`, ``},
		{`"calls":1`, `"calls":9007199254740993`}, {`"last":1`, `"last":9007199254740993`}, {`"calls":1`, `"calls":0`}, {`"last":1`, `"last":0`},
		{`"first":1`, `"first":0`}, {`"first":1,`, ``}, {`"first":1`, `"first":3`}, {`"phase":"ready"`, `"phase":"x"`}, {`"phase":"ready",`, ``},
		{`"calls":1`, `"step":9007199254740993,"calls":1`},
	} {
		d, err := restored(&c, env, pairs...)
		if !errors.Is(err, lifecycle.ErrSnapshot) {
			t.Errorf("%q: %v, %s", pairs, err, d.Snapshot().Dst)
		}
	}
	for _, pairs := range [][]string{nil, {`"calls":1`, `"calls":9007199254740992`}, {`"last":1`, `"last":9007199254740992`}} {
		if _, err := restored(&c, env, pairs...); err != nil {
			t.Errorf("%q: %v", pairs, err)
		}
	}
}
