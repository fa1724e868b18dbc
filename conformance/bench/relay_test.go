package bench

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/conformance/bench/relays"
	"github.com/sansmcp/mcp/jsonrpc"
)

// passed is a message that a relay passes on: a call with a text of so many bytes, or the result of one.
type passed struct {
	result bool
	size   int
}

// passes are the messages of the workloads of the relay.
var passes = map[string]passed{
	"relay-call-10B":   {false, 10},
	"relay-result-10B": {true, 10},
	"relay-call-1KB":   {false, 1000},
	"relay-result-1KB": {true, 1000},
}

// pass passes the message on, and returns its line, which is valid until the next call.
type pass func() ([]byte, error)

// line returns the message with an id.
func (m passed) line(id int64) []byte {
	return append(strconv.AppendInt([]byte(`{"jsonrpc":"2.0","id":`), id, 10), m.body()...)
}

// body returns what follows the id, which a relay leaves as it is.
func (m passed) body() string {
	text := strings.Repeat("x", m.size)
	if m.result {
		return `,"result":{"content":[{"type":"text","text":"` + text + `"}]}}`
	}
	return `,"method":"tools/call","params":{"name":"` + relays.Tool(0) + `","arguments":{"text":"` + text + `"}}}`
}

// check returns an error unless out is the message as line, whatever its id.
func (m passed) check(out []byte) error {
	if !bytes.HasPrefix(out, []byte(`{"jsonrpc":"2.0","id":`)) || !bytes.HasSuffix(out, []byte(m.body()+"\n")) {
		return fmt.Errorf("passed on as %.300q", out)
	}
	return nil
}

// floorRelay decodes the message and appends it, as anything between two connections does that looks at
// what it passes on.
var floorRelay = library{name: FloorRelay, relay: func(m passed) (pass, error) {
	line, dst := m.line(7), make([]byte, 0, 4096)
	return func() ([]byte, error) { return jsonrpc.AppendLine(dst, jsonrpc.Decode(line)), nil }, nil
}}

// newSansRelay returns a relay with two servers, which passes on the same call, or the same result, from
// the same values each time. It reads the clock for each message, as a driver does.
func newSansRelay(m passed) (pass, error) {
	w, err := relays.New(2, time.Now())
	if err != nil {
		return nil, err
	}
	line, dst := passed{size: m.size}.line(7), make([]byte, 0, 4096)
	if !m.result {
		return func() ([]byte, error) {
			now := time.Now()
			s, out := w.Client.Receive(now, jsonrpc.Decode(line))
			_, _, eff := w.Relay.Handle(s, now, out)
			if len(eff.Actions) != 1 {
				return nil, errors.New("the call is not passed on")
			}
			return jsonrpc.AppendLine(dst, eff.Actions[0].Out.Message), nil
		}, nil
	}
	now := time.Now()
	var eff relay.Effects
	s, out := w.Client.Receive(now, jsonrpc.Decode(line))
	if w.Relay, w.Client, eff = w.Relay.Handle(s, now, out); len(eff.Actions) != 1 {
		return nil, errors.New("the call is not passed on")
	}
	id, _ := eff.Actions[0].Out.Message.ID.Int64()
	line = m.line(id)
	link := w.Link(0)
	return func() ([]byte, error) {
		_, _, eff := w.Relay.Report(w.Client, time.Now(), manager.Report{Kind: manager.Received, Link: link, Message: jsonrpc.Decode(line)})
		if len(eff.Send) != 1 {
			return nil, errors.New("the result is not passed on")
		}
		return jsonrpc.AppendLine(dst, eff.Send[0].Message), nil
	}, nil
}

// relayed measures a relay that passes one message on, bytes in and bytes out.
func relayed(b *testing.B, l library, m passed) {
	next := must(l.relay(m))(b)
	out, err := next()
	if err = errors.Join(err, m.check(out)); err != nil {
		b.Fatal(err)
	}
	measure(b, func() error {
		_, err := next()
		return err
	})
}

// TestRelays checks that every relay passes on what it is given.
func TestRelays(t *testing.T) {
	for name, m := range passes {
		each(t, func(l library) bool { return benchmark(name, l) != nil }, func(t *testing.T, l library) {
			next := must(l.relay(m))(t)
			for range 2 {
				out, err := next()
				if err = errors.Join(err, m.check(out)); err != nil {
					t.Fatal(name, err)
				}
			}
		})
	}
}
