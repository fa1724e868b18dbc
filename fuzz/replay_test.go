package fuzz_test

import (
	"math/rand"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A failed input prints a transcript that runs with the same result: checked for
// random inputs of each target, which do not fail.
func TestTranscriptsOfInputs(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	bytes := func(n int) []byte {
		data := make([]byte, n)
		rnd.Read(data)
		return data
	}
	roles := []struct {
		starts []beginning
		own    func(m *tally, op byte, call lifecycle.Call)
	}{{serverStarts(t), asServer}, {clientStarts(t), asClient}}
	for range 300 {
		var stream []byte
		for range 20 {
			stream = append(append(stream, byte(0x80+rnd.Intn(len(lines)))), append(bytes(3), '\n')...)
		}
		program := bytes(20)
		for _, role := range roles {
			x := role.starts[rnd.Intn(len(role.starts))]
			replays(t, transcripts(x.recorded(func(m *tally) { m.walk(stream, program, role.own) })), 20)
		}
	}
	sets := []*linkSetup{newLinkSetup(t), newLinkSetup(t, protocol.Revision20250326)}
	for range 300 {
		replays(t, transcripts(sets[rnd.Intn(2)].recorded(append([]byte{0, 1, 0, 1, 0}, bytes(400)...))), 20)
	}
}
