package fuzz_test

import (
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var (
	epoch = time.Unix(1_000_000, 0)
	who   = protocol.Implementation{Name: "fuzz", Version: "1"}
)

// New in 2025-11-25: the capabilities of a client, and elicitations by URL and with a
// form that selects several values.
const newerCaps = protocol.CapElicitationForm | protocol.CapElicitationURL | protocol.CapSamplingTools | protocol.CapSamplingContext

var (
	asksByPage     = protocol.ElicitParams{Mode: protocol.ElicitURL, Message: "m", URL: "https://a.example", ElicitationID: "e"}
	asksForSeveral = protocol.ElicitParams{Message: "m", RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{
		{Name: "m", Schema: protocol.PrimitiveSchema{Type: protocol.TypeArray, Choices: []protocol.Choice{{Value: "b", Title: "B"}}}},
	}}}
)

// The choices of the applications: what a server sends, and what a client answers.
var (
	asks = []protocol.Params{
		protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{}}, asksByPage, asksForSeveral,
		protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{}, Tools: []protocol.Tool{{Name: "t"}}, IncludeContext: protocol.IncludeAllServers},
	}
	tells   = []protocol.Params{protocol.LoggingMessageParams{Level: "error", Data: "1"}, protocol.ElicitationCompleteParams{ElicitationID: asksByPage.ElicitationID}}
	answers = []protocol.Result{
		protocol.ElicitResult{Action: "decline"}, protocol.ElicitResult{Action: "accept", Content: map[string]protocol.Raw{"n": "1", "m": `["b"]`}},
		protocol.CreateMessageResult{Role: "assistant", Model: "m", Content: []protocol.Content{protocol.ToolUseContent("1", "t", "")}},
	}
)

func FuzzServer(f *testing.F) {
	addSeeds(f)
	starts := serverStarts(f)
	f.Fuzz(func(t *testing.T, stream, program []byte) {
		x, program := pickStart(starts, program)
		x.play(t, func(m *tally) { m.walk(stream, program, asServer) })
	})
}

func FuzzClient(f *testing.F) {
	addSeeds(f)
	starts := clientStarts(f)
	f.Fuzz(func(t *testing.T, stream, program []byte) {
		x, program := pickStart(starts, program)
		x.play(t, func(m *tally) { m.walk(stream, program, asClient) })
	})
}

// asServer does what only servers do.
func asServer(m *tally, op byte, call lifecycle.Call) {
	switch op % 14 {
	case 1:
		m.verb(verbs.Verb{Op: verbs.OpRespond, Call: call, Result: protocol.TextResult("x")})
	case 3:
		m.verb(verbs.Verb{Op: verbs.OpProgress, Call: call, Progress: protocol.ProgressParams{Progress: float64(op)}})
	case 5:
		m.verb(verbs.Verb{Op: verbs.OpRequest, Params: asks[int(op)/14%len(asks)], Options: lifecycle.RequestOptions{Within: call, ResetOnProgress: true, Timeout: time.Second}})
	case 6:
		m.verb(verbs.Verb{Op: verbs.OpNotify, Params: tells[int(op)/14%len(tells)]})
	case 7:
		m.verb(verbs.Verb{Op: verbs.OpAbandon, Call: call})
	case 13:
		m.verb(verbs.Verb{Op: verbs.OpOffer, Catalog: fuzzCatalog(), Said: fuzzOptions})
	}
}

// asClient does what only clients do.
func asClient(m *tally, op byte, call lifecycle.Call) {
	switch op % 14 {
	case 1:
		m.verb(verbs.Verb{Op: verbs.OpRespond, Call: call, Result: answers[int(op)/14%len(answers)]})
	case 3:
		m.verb(verbs.Verb{Op: verbs.OpCancel, Req: m.last(), Reason: "x"})
	case 5, 6:
		m.verb(verbs.Verb{Op: verbs.OpRequest, Params: protocol.CallToolParams{Name: "t"}, Options: lifecycle.RequestOptions{ResetOnProgress: true, Timeout: time.Second}})
	case 7:
		m.verb(verbs.Verb{Op: verbs.OpSendFailed, Req: m.last(), Cause: errFuzz})
	case 13:
		m.verb(verbs.Verb{Op: verbs.OpOffer, Roots: []protocol.Root{{URI: "file:///b"}}})
	}
}

// serverStarts returns the initial States for FuzzServer.
func serverStarts(f testing.TB) []beginning {
	cfg := server.Config{
		Info: who, Revisions: protocol.Revisions(), Catalog: fuzzCatalog(), Subscribe: true, Logging: true,
		Serve:    []string{"tools/call", "resources/read", "prompts/get", "completion/complete", "x/custom"},
		Timeouts: lifecycle.Timeouts{Inbound: time.Minute}, Limits: lifecycle.Limits{Inbound: 4, Outbound: 4, Subscriptions: 2},
	}
	return starts(f, verbs.Config{Party: lifecycle.Server, Server: cfg}, transcript.ServerOptions(cfg, fuzzItems))
}

// clientStarts is serverStarts for FuzzClient.
func clientStarts(f testing.TB) []beginning {
	cfg := client.Config{
		Info: who, Revisions: protocol.Revisions(), Serve: []string{"sampling/createMessage", "elicitation/create", "x/custom"},
		Roots: []protocol.Root{{URI: "file:///a"}}, RootsListChanged: true, Declare: newerCaps,
		Timeouts: lifecycle.Timeouts{Inbound: time.Minute}, Limits: lifecycle.Limits{Inbound: 4, Outbound: 4},
	}
	return starts(f, verbs.Config{Party: lifecycle.Client, Client: cfg}, transcript.ClientOptions(cfg))
}

// starts returns a State with the Config, for which options are the text, and that State after the
// handshake at each revision.
func starts(f testing.TB, cfg verbs.Config, options []string) []beginning {
	first, err := cfg.New(epoch)
	if err != nil {
		f.Fatal(err)
	}
	begin := func() beginning {
		return beginning{first, transcript.NewRecorder(cfg.Party, options, protocol.Revisions()[0], epoch)}
	}
	list := []beginning{begin()}
	for _, revision := range revisions {
		x := begin()
		if cfg.Party == lifecycle.Client {
			x.s, _, _ = x.rec.Do(x.s, epoch, verbs.Verb{Op: verbs.OpInitialize})
			x.receive(opening(2, revision))
		} else {
			x.receive(opening(0, revision))
			x.receive(opening(1, revision))
		}
		if x.s.Revision().String() != revision {
			f.Fatal("no handshake at ", revision)
		}
		list = append(list, x)
	}
	return list
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
