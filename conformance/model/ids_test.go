package model_test

import (
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Over a long run of requests that are answered, cancelled, not sent or expired, and of
// new sessions on the same State, every id is a positive integer that was never used.
//
// rows: JRPC-003 JRPC-005 CANC-026
func TestIDsAreNeverUsedAgain(t *testing.T) {
	for _, rev := range protocol.Revisions() {
		t.Run(rev.String(), func(t *testing.T) { idsAreNeverUsedAgain(t, rev) })
	}
}

func idsAreNeverUsedAgain(t *testing.T, rev protocol.Revision) {
	n := 100_000
	if testing.Short() {
		n /= 10
	}
	for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
		rnd := rand.New(rand.NewSource(1))
		set := setups[party]
		set.Limits.Outbound = 100
		m, err := set.New(model.Origin)
		if err != nil {
			t.Fatal(err)
		}
		now, last := model.Origin, int64(0)
		do := func(s model.Step) {
			s.Now = now
			next, out, err := s.Apply(m)
			if err != nil {
				t.Fatalf("%v: %v", &s, err)
			}
			m = next
			for _, o := range out.Send {
				if o.Message.Kind != jsonrpc.KindRequest {
					continue
				}
				id, ok := o.Message.ID.Int64()
				if !ok || id <= last {
					t.Fatalf("%v sends id %v after %d", party, o.Message.ID, last)
				}
				last = id
			}
		}
		begin := func() {
			handshake, _ := lines(party)
			if party == lifecycle.Client {
				do(model.Step{Op: verbs.OpInitialize})
				// The id of initialize differs in each session.
				handshake[0] = `{"jsonrpc":"2.0","id":` + jsonrpc.Int(last).String() + `,` + handshake[0][len(`{"jsonrpc":"2.0","id":1,`):]
			}
			for _, line := range handshake {
				do(model.Step{Op: verbs.OpReceive, Text: strings.Replace(line, "2025-03-26", rev.String(), 1)})
			}
			if m.Phase() != lifecycle.Ready || m.Revision() != rev {
				t.Fatal(m.Phase(), m.Revision())
			}
		}
		begin()
		for range n {
			open := slices.Collect(m.Outbound())
			if len(open) < 3 {
				do(model.Step{Op: verbs.OpRequest, Params: raw("ping", ""), Options: lifecycle.RequestOptions{Progress: rnd.Intn(2) == 0}})
				continue
			}
			req := open[rnd.Intn(len(open))]
			switch rnd.Intn(200) {
			case 0:
				do(model.Step{Op: verbs.OpDisconnected})
				do(model.Step{Op: verbs.OpReset})
				begin()
			case 1:
				now = now.Add(time.Minute)
				do(model.Step{Op: verbs.OpTick})
			default:
				switch rnd.Intn(3) {
				case 0:
					do(model.Step{Op: verbs.OpReceive, Text: `{"jsonrpc":"2.0","id":` + req.ID.String() + `,"result":{}}`})
				case 1:
					do(model.Step{Op: verbs.OpCancel, Req: req.Req})
				case 2:
					do(model.Step{Op: verbs.OpSendFailed, Req: req.Req})
				}
			}
		}
		if last < int64(n)/3 {
			t.Errorf("%v sent only %d requests", party, last)
		}
	}
}
