package model_test

import (
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/model/randomly"
	"github.com/sansmcp/mcp/lifecycle"
)

// Whatever a session did, nothing of it is in the next one of its Config, nor in the next
// one on its State, except as documented, and all of it is in its snapshot.
func TestUsedStates(t *testing.T) {
	for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
		randomly.Check(t, func(src model.Source) error {
			u, err := model.NewUsed(src, model.RandomSetup(src, party))
			if err != nil {
				return err
			}
			if src.Intn(2) == 0 {
				u.Busy()
			}
			for range src.Intn(20) {
				u.Step()
				if err := u.Next(src, 10); err != nil {
					return err
				}
			}
			return nil
		})
	}
}
