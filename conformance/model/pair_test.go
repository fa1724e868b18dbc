package model_test

import (
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/model/randomly"
)

// TestPair joins a client and a server by links that keep the order and lose nothing.
// Whatever the applications do, and however cancellations, timeouts and answers cross:
// neither end reports a violation of the other, each request ends exactly once, nothing stays open, and
// both ends agree.
func TestPair(t *testing.T) {
	sessions, ready := 0, 0
	randomly.Check(t, func(src model.Source) error {
		p, err := model.NewPair(src)
		if err != nil {
			return err
		}
		for range 1 + src.Intn(2) {
			if err := p.Session(); err != nil {
				return err
			}
		}
		sessions += p.Sessions
		ready += p.Ready
		return nil
	})
	if ready*3 < sessions {
		t.Errorf("only %d sessions of %d were ready at the end", ready, sessions)
	}
}
