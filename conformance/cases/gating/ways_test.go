package gating_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// way is one of the ways for a session to reach a phase.
type way struct {
	name  string
	phase lifecycle.Phase
	walk  func(verbs.Side) verbs.Side
}

var errGone = errors.New("gone")

const (
	callTool = `{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"t"}}`
	sample   = `{"jsonrpc":"2.0","id":"call","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`
	pinging  = `{"jsonrpc":"2.0","id":"p","method":"ping"}`
	anyCaps  = `{"sampling":{},"tools":{}}`
)

func newSide(t testing.TB, role protocol.Party) verbs.Side {
	keep := lifecycle.Keepalive{Interval: 24 * time.Hour, Misses: 1}
	if role == protocol.Server {
		return verbs.NewServer(t, server.Config{Serve: []string{"tools/call"}, Keepalive: keep})
	}
	return verbs.NewClient(t, client.Config{
		Serve: []string{"sampling/createMessage"}, Require: protocol.CapTools, Keepalive: keep,
	})
}

// The steps that ways are made of.

func begin(x verbs.Side) verbs.Side { x, _ = x.Begin(protocol.Revision20250618, anyCaps); return x }

func open(x verbs.Side) verbs.Side { return x.Open(protocol.Revision20250618, anyCaps) }

// asked is a session in which the peer waits for an answer.
func asked(x verbs.Side) verbs.Side {
	line := callTool
	if x.Role == protocol.Client {
		line = sample
	}
	x, _ = x.Receive(line)
	return x
}

// did does verbs, none of which may fail.
func did(list ...verbs.Verb) func(verbs.Side) verbs.Side {
	return func(x verbs.Side) verbs.Side {
		x.T.Helper()
		for _, v := range list {
			var err error
			if x, _, err = x.Do(v); err != nil {
				x.T.Fatal(err)
			}
		}
		return x
	}
}

func received(line string) func(verbs.Side) verbs.Side {
	return func(x verbs.Side) verbs.Side { x, _ = x.Receive(line); return x }
}

func shutdown(grace time.Duration) func(verbs.Side) verbs.Side {
	return did(verbs.Verb{Op: verbs.OpShutdown, Grace: grace})
}

var (
	pings       = verbs.Verb{Op: verbs.OpRequest, Params: protocol.PingParams{}}
	asking      = did(pings, pings) // we wait for two answers
	inputClosed = did(verbs.Verb{Op: verbs.OpInputClosed})
	aborted     = did(verbs.Verb{Op: verbs.OpAbort, Cause: errGone})
	lost        = did(verbs.Verb{Op: verbs.OpDisconnected, Cause: errGone})
)

func reset(x verbs.Side) verbs.Side {
	x, err := x.Reset()
	if err != nil {
		x.T.Fatal(err)
	}
	return x
}

func silent(x verbs.Side) verbs.Side {
	x = did(verbs.Verb{Op: verbs.OpRequest, Params: protocol.PingParams{}, Options: lifecycle.RequestOptions{Timeout: time.Second}})(x)
	x, _ = x.Tick(time.Second)
	return x
}

func refuse(x verbs.Side) verbs.Side { x, _ = x.Receive(handshakeFailures[0].line(x)); return x }

func then(steps ...func(verbs.Side) verbs.Side) func(verbs.Side) verbs.Side {
	return func(x verbs.Side) verbs.Side {
		for _, s := range steps {
			x = s(x)
		}
		return x
	}
}

// ways are the ways of both roles.
var ways = []way{
	{"fresh", lifecycle.Uninitialized, then()},
	{"after a ping", lifecycle.Uninitialized, received(pinging)},
	{"after initialized out of turn", lifecycle.Uninitialized, received(verbs.Initialized)},
	{"after a request out of turn", lifecycle.Uninitialized, asked},
	{"after garbage", lifecycle.Uninitialized, received(`{"`)},
	{"reset after a loss", lifecycle.Uninitialized, then(open, asked, asking, lost, reset)},
	{"reset after an abort", lifecycle.Uninitialized, then(begin, aborted, reset)},
	{"reset twice", lifecycle.Uninitialized, then(lost, reset, aborted, reset)},

	{"begun", lifecycle.Initializing, begin},
	{"begun with pings open", lifecycle.Initializing, then(begin, asking)},
	{"begun after a reset", lifecycle.Initializing, then(open, lost, reset, begin)},

	{"open", lifecycle.Ready, open},
	{"open, we owe an answer", lifecycle.Ready, then(open, asked)},
	{"open, we wait for answers", lifecycle.Ready, then(open, asking)},
	{"open, both", lifecycle.Ready, then(open, asking, asked)},
	{"open after a reset", lifecycle.Ready, then(open, asking, lost, reset, open)},

	{"shut down fresh", lifecycle.ShuttingDown, shutdown(time.Hour)},
	{"shut down while initializing", lifecycle.ShuttingDown, then(begin, shutdown(time.Hour))},
	{"shut down at once", lifecycle.ShuttingDown, then(open, asked, asking, shutdown(0))},
	{"shut down, we owe an answer", lifecycle.ShuttingDown, then(open, asked, shutdown(time.Hour))},
	{"shut down, we wait for answers", lifecycle.ShuttingDown, then(open, asking, shutdown(time.Hour))},
	{"shut down, both", lifecycle.ShuttingDown, then(open, asked, asking, shutdown(time.Hour))},
	{"input closed fresh", lifecycle.ShuttingDown, inputClosed},
	{"input closed, we owe an answer", lifecycle.ShuttingDown, then(open, asked, asking, inputClosed)},
	{"input closed, nothing owed", lifecycle.ShuttingDown, then(open, asking, inputClosed)},
	{"peer silent", lifecycle.ShuttingDown, then(open, asked, silent)},
	{"peer silent while initializing", lifecycle.ShuttingDown, then(begin, silent)},

	{"lost fresh", lifecycle.Disconnected, lost},
	{"lost while initializing", lifecycle.Disconnected, then(begin, lost)},
	{"lost with all open", lifecycle.Disconnected, then(open, asked, asking, lost)},
	{"lost while shutting down", lifecycle.Disconnected, then(open, asked, shutdown(time.Hour), lost)},
	{"lost after the close action", lifecycle.Disconnected, then(open, shutdown(0), lost)},

	{"aborted fresh", lifecycle.Failed, aborted},
	{"aborted while initializing", lifecycle.Failed, then(begin, aborted)},
	{"aborted with all open", lifecycle.Failed, then(open, asked, asking, aborted)},
}

// roleWays are the ways of one role.
var roleWays = map[protocol.Party][]way{
	protocol.Server: {
		{"after a refused initialize", lifecycle.Uninitialized, refuse},
		{"begun by a counter-offer", lifecycle.Initializing, received(verbs.InitializeLine("1999-01-01", "{}"))},
		{"begun in an old revision", lifecycle.Initializing, received(verbs.InitializeLine("2024-11-05", anyCaps))},
		{"begun, we owe an answer", lifecycle.Initializing, then(begin, asked)},
		{"begun and initialized again", lifecycle.Initializing, then(begin, received(verbs.InitializeLine("2024-11-05", "{}")))},
	},
	protocol.Client: {
		{"begun, asked too early", lifecycle.Initializing, then(begin, asked)},
		{"begun, a stray error", lifecycle.Initializing, then(begin, received(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`))},
		{"refused", lifecycle.Failed, then(begin, refuse)},
		{"refused with pings open", lifecycle.Failed, then(begin, asking, refuse)},
		{"timed out", lifecycle.Failed, then(begin, func(x verbs.Side) verbs.Side {
			x, _ = x.Tick(5 * time.Minute)
			return x
		})},
	},
}
