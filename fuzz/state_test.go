package fuzz_test

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/machine"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var (
	epoch = time.Unix(1_000_000, 0)
	who   = protocol.Implementation{Name: "fuzz", Version: "1"}
)

// serverStarts returns the States that an input of FuzzServer can start with: before the
// handshake and after it at each revision.
func serverStarts(f testing.TB) (starts []beginning) {
	cfg := server.Config{
		Info: who, Subscribe: true, Logging: true,
		Serve:    []string{"tools/call", "resources/read", "prompts/get", "completion/complete", "x/custom"},
		Timeouts: lifecycle.Timeouts{Inbound: time.Minute}, Limits: lifecycle.Limits{Inbound: 4, Outbound: 4, Subscriptions: 2},
	}
	cfg.Catalog = fuzzCatalog()
	first, err := server.New(cfg, epoch)
	if err != nil {
		f.Fatal(err)
	}
	cfg.Revisions = protocol.Revisions() // which is the default
	begin := func() beginning {
		rec := transcript.NewRecorder(protocol.Server, transcript.ServerOptions(cfg, fuzzItems), cfg.Revisions[0], epoch)
		return beginning{machine.Server(first), rec}
	}
	starts = append(starts, begin())
	for _, revision := range revisions {
		x := begin()
		x.receive(opening(0, revision))
		x.receive(opening(1, revision))
		if x.s.Revision().String() != revision {
			f.Fatal("no handshake at ", revision)
		}
		starts = append(starts, x)
	}
	return starts
}

var fuzzItems = server.Items{
	Tools:     []protocol.Tool{{Name: "t", InputSchema: `{"type":"object"}`}},
	Resources: []protocol.Resource{{URI: "a:b", Name: "b"}},
	Prompts:   []protocol.Prompt{{Name: "p", Arguments: []protocol.PromptArgument{{Name: "x", Required: true}}}},
	PageSize:  1,
}

var fuzzOptions = transcript.CatalogOptions(fuzzItems)

var fuzzCatalog = sync.OnceValue(func() *server.Catalog {
	c, err := server.NewCatalog(fuzzItems)
	if err != nil {
		panic(err)
	}
	return c
})

func FuzzServer(f *testing.F) {
	addSeeds(f)
	starts := serverStarts(f)
	f.Fuzz(func(t *testing.T, stream, program []byte) {
		x, program := pickStart(starts, program)
		x.play(t, func(m *tally) { m.serve(stream, program) })
	})
}

// serve runs an input of FuzzServer.
func (m *tally) serve(stream, program []byte) {
	var fr jsonrpc.Framer
	for line := range bytes.SplitAfterSeq(stream, []byte("\n")) {
		m.receive(&fr, line)
		if len(program) == 0 {
			continue
		}
		op := program[0]
		program = program[1:]
		m.now = m.now.Add(pause(op))
		call := m.call(op >> 4)
		switch op % 14 {
		case 0:
			m.take(m.of().Tick(m.now))
		case 1:
			m.verb(m.of().Respond(m.now, call, protocol.TextResult("x")))
		case 2:
			m.verb(m.of().Fail(m.now, call, protocol.InternalError("x")))
		case 3:
			m.verb(m.of().Progress(m.now, call, protocol.ProgressParams{Progress: float64(op)}))
		case 4:
			m.verb(m.of().Request(m.now, protocol.PingParams{}, server.RequestOptions{}))
		case 5:
			m.verb(m.of().Request(m.now, protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{}},
				server.RequestOptions{Within: call, ResetOnProgress: true, Timeout: time.Second}))
		case 6:
			m.verb(m.of().Notify(m.now, protocol.LoggingMessageParams{Level: "error", Data: "1"}, server.Call{}))
		case 7:
			m.take(m.of().Abandon(m.now, call))
		case 13:
			m.verb(m.of(fuzzOptions...).SetCatalog(m.now, fuzzCatalog()))
		default:
			m.over(op)
		}
		if due, ok := m.s.NextDeadline(); ok && op >= 224 {
			m.now = due
			m.take(m.of().Tick(m.now))
			if due, ok := m.s.NextDeadline(); ok && !due.After(m.now) {
				m.t.Fatal("after Tick the next deadline is not later")
			}
		}
	}
	m.end()
}

// over ends a session in one of the ways, or begins another one.
func (m *tally) over(op byte) {
	switch op % 14 {
	case 8:
		m.take(m.of().InputClosed(m.now))
	case 9:
		m.take(m.of().Shutdown(m.now, time.Duration(op)*time.Second))
	case 10:
		m.take(m.of().Disconnected(m.now, errFuzz))
	case 11:
		m.take(m.of().Abort(m.now, errFuzz))
	case 12:
		next, err := m.of().Reset(m.now)
		if err != nil {
			return
		}
		if m.s = next; next.Party() == lifecycle.Client {
			m.verb(m.of().Initialize(m.now))
		}
	}
}

// clientStarts is serverStarts for FuzzClient.
func clientStarts(f testing.TB) (starts []beginning) {
	cfg := client.Config{
		Info: who, Serve: []string{"sampling/createMessage", "elicitation/create", "x/custom"},
		Roots: []protocol.Root{{URI: "file:///a"}}, RootsListChanged: true,
		Timeouts: lifecycle.Timeouts{Inbound: time.Minute}, Limits: lifecycle.Limits{Inbound: 4, Outbound: 4},
	}
	first, err := client.New(cfg, epoch)
	if err != nil {
		f.Fatal(err)
	}
	cfg.Revisions = protocol.Revisions() // which is the default
	begin := func() beginning {
		return beginning{machine.Client(first), transcript.NewRecorder(protocol.Client, transcript.ClientOptions(cfg), cfg.Revisions[0], epoch)}
	}
	starts = append(starts, begin())
	for _, revision := range revisions {
		x := begin()
		if x.s, _, err = x.rec.Of(x.s).Initialize(epoch); err != nil {
			f.Fatal(err)
		}
		x.receive(opening(2, revision))
		if x.s.Revision().String() != revision {
			f.Fatal("no handshake at ", revision)
		}
		starts = append(starts, x)
	}
	return starts
}

func FuzzClient(f *testing.F) {
	addSeeds(f)
	starts := clientStarts(f)
	f.Fuzz(func(t *testing.T, stream, program []byte) {
		x, program := pickStart(starts, program)
		x.play(t, func(m *tally) { m.use(stream, program) })
	})
}

// use runs an input of FuzzClient.
func (m *tally) use(stream, program []byte) {
	if m.s.Phase() == lifecycle.Uninitialized {
		m.verb(m.of().Initialize(m.now))
	}
	var fr jsonrpc.Framer
	for line := range bytes.SplitAfterSeq(stream, []byte("\n")) {
		m.receive(&fr, line)
		if len(program) == 0 {
			continue
		}
		op := program[0]
		program = program[1:]
		m.now = m.now.Add(pause(op))
		call := m.call(op >> 4)
		switch op % 14 {
		case 0:
			m.take(m.of().Tick(m.now))
		case 1:
			m.verb(m.of().Respond(m.now, call, protocol.ElicitResult{Action: "decline"}))
		case 2:
			m.verb(m.of().Fail(m.now, call, protocol.InternalError("x")))
		case 3:
			m.verb(m.of().Cancel(m.now, m.last, "x"))
		case 4:
			m.verb(m.of().Request(m.now, protocol.PingParams{}, client.RequestOptions{}))
		case 5, 6:
			m.verb(m.of().Request(m.now, protocol.CallToolParams{Name: "t"}, client.RequestOptions{ResetOnProgress: true, Timeout: time.Second}))
		case 7:
			m.take(m.of().SendFailed(m.now, m.last, errFuzz))
		case 13:
			m.verb(m.of().SetRoots(m.now, []protocol.Root{{URI: "file:///b"}}))
		default:
			m.over(op)
		}
	}
	m.end()
}
