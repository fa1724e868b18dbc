package model_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/model"
)

type rapidSource struct{ t *rapid.T }

func (s rapidSource) Intn(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "") }

// TestPair joins a client and a server by links that keep the order and lose nothing.
// Whatever the applications do, and however cancellations, timeouts and answers cross:
// neither end blames the other, each request ends exactly once, nothing stays open, and
// both ends agree.
func TestPair(t *testing.T) {
	sessions, ready := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		src := rapidSource{t}
		p, err := model.NewPair(src)
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + src.Intn(2) {
			if err := p.Session(); err != nil {
				t.Fatal(err)
			}
		}
		sessions += p.Sessions
		ready += p.Ready
	})
	if ready*3 < sessions {
		t.Errorf("only %d sessions of %d were ready at the end", ready, sessions)
	}
}
