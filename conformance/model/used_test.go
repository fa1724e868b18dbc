package model_test

import (
	"math/rand"
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/lifecycle"
)

// Whatever a session did, nothing of it is in the next one of its Config, nor in the next
// one on its State but what is documented to outlive it, and all of it is in its snapshot.
func TestUsedStates(t *testing.T) {
	n := *seeds / 2
	if testing.Short() {
		n /= 4
	}
	for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
		for seed := range n {
			src := rand.New(rand.NewSource(int64(seed)))
			u, err := model.NewUsed(src, model.RandomSetup(src, party))
			if err != nil {
				t.Fatal(err)
			}
			if seed%2 == 0 {
				u.Busy()
			}
			for range 40 {
				u.Step()
				if err := u.Next(src, 10); err != nil {
					t.Fatalf("%v, seed %d: %v", party, seed, err)
				}
			}
		}
	}
}
