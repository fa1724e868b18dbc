package client_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

const discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}`

// opening is a client that opens a connection, and what it has sent last.
type opening struct {
	t *testing.T
	s client.State
	o client.Output
	// at is the time of the State, and of the message that it awaits an answer to.
	at time.Time
}

// take is a step that leads on.
func (p *opening) take(s client.State, o client.Output) {
	p.t.Helper()
	if p.s, p.o = s, o; s.Check() != nil {
		p.t.Fatal(s.Check())
	}
	cfg := client.Config{Info: protocol.Implementation{Name: "n", Version: "1"}, Revisions: protocol.AllRevisions()}
	again, err := client.Restore(cfg, s.Snapshot(), p.at)
	if err != nil || string(again.Snapshot()) != string(s.Snapshot()) {
		p.t.Fatalf("%v\n%s", err, s.Snapshot())
	}
}

// asks returns what is asked, "" for nothing.
func (p *opening) asks() string {
	if len(p.o.Send) != 1 {
		return ""
	}
	return p.o.Send[0].Message.Method
}

// answer answers what is asked by a result, or by an error.
func (p *opening) answer(result string, e *jsonrpc.Error) {
	p.t.Helper()
	if p.asks() == "" {
		p.t.Fatalf("nothing is asked: %v", p.s.Status())
	}
	m := jsonrpc.Message{Kind: jsonrpc.KindResult, ID: p.o.Send[0].Message.ID, Body: jsonrpc.Raw(result)}
	if e != nil {
		m.Kind, m.Body, m.Err = jsonrpc.KindError, "", e
	}
	p.take(p.s.Receive(p.at, m))
}

// A server without sessions that was slow to start, or of which it was believed that it has sessions, refuses
// initialize: the connection is one without a session if it says so, by the revisions that it has, by a code of its
// revisions, or by the answer to the probe that comes too late; and it is not asked for ever. So after Reset, too.
//
// rows: ERA-013 ERA-011
// revisions: 2026-07-28
func TestServerThatNeedsNoHandshake(t *testing.T) {
	named := protocol.HandshakeNotServed(protocol.StatelessRevisions(), "2025-11-25")
	version := protocol.UnsupportedVersion(protocol.StatelessRevisions(), "2025-11-25")
	other := jsonrpc.Error{Code: protocol.CodeUnsupportedVersion, Message: "m", Data: `{"supported":["2099-01-01"]}`}
	bare := jsonrpc.Error{Code: protocol.CodeUnsupportedVersion, Message: "m"}
	header := protocol.HeaderMismatch("Missing MCP-Protocol-Version header")
	lacks := protocol.MissingCapability(protocol.CapRoots)
	unknown, internal := protocol.MethodNotFound(), protocol.InternalError("no")
	for _, c := range []struct {
		refusal jsonrpc.Error
		says    bool // that it needs no handshake
	}{{named, true}, {version, true}, {header, true}, {lacks, true}, {bare, true}, {other, false}, {unknown, false}, {internal, false}} {
		for mask := range 8 {
			believed, late, reset := mask&1 != 0, mask&2 != 0, mask&4 != 0
			if believed && late {
				continue // nothing was asked that could be answered late
			}
			name := fmt.Sprintf("%d %s believed %v, late %v, reset %v", c.refusal.Code, c.refusal.Data, believed, late, reset)
			p := &opening{t: t, s: newState(t, client.Config{Revisions: protocol.AllRevisions()}), at: began}
			if reset { // a session before, in which there were requests
				s, _, err := p.s.Connect(began, discovered)
				for range 10 {
					if err == nil {
						s, _, err = s.Request(began, protocol.ListToolsParams{}, client.RequestOptions{})
					}
					if err != nil {
						s, _, err = s.Request(began, protocol.RawRequest{Name: "x/y"}, client.RequestOptions{})
					}
				}
				s, _ = s.Disconnected(began, nil)
				if s, err = s.Reset(began); err != nil {
					t.Fatal(err)
				}
				p.s = s
			}
			verdict := client.Verdict("")
			if believed {
				verdict = client.NeedsHandshake
			}
			s, o, err := p.s.Connect(began, verdict)
			if err != nil {
				t.Fatal(err)
			}
			p.take(s, o)
			if !believed {
				probe := p.o.Send[0].Message.ID
				p.at = p.at.Add(5 * time.Second)
				p.take(p.s.Tick(p.at))
				if late {
					s, o := p.s.Receive(p.at, jsonrpc.Message{Kind: jsonrpc.KindResult, ID: probe, Body: discovered})
					if len(o.Send) > 0 || s.Phase() != lifecycle.Initializing || s.Verdict() != "" {
						t.Fatalf("%s: %+v", name, o)
					}
					sent := p.o
					p.take(s, o)
					p.o = sent

					// A session is one if the server opens it.
					q := *p
					q.answer(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`, nil)
					if q.s.Phase() != lifecycle.Ready || q.s.Verdict() != client.NeedsHandshake {
						t.Errorf("%s: %v %s", name, q.s.Status(), q.s.Verdict())
					}
				}
			}
			if p.asks() != protocol.MethodInitialize {
				t.Fatalf("%s: %+v", name, p.o.Send)
			}
			p.answer("", &c.refusal)
			switch {
			case late:
			case c.says && p.asks() == protocol.MethodDiscover:
				q := *p // one that knows what it wants
				q.at = q.at.Add(20 * time.Second)
				q.take(q.s.Tick(q.at)) // and takes its time, which it may now
				q.o = p.o
				q.answer(discovered, nil)
				if q.s.Phase() != lifecycle.Ready || !q.s.Revision().Stateless() {
					t.Errorf("%s: %v", name, q.s.Status())
				}
			case c.says:
				t.Errorf("%s: %+v", name, p.s.Status())
			}
			if late {
				if p.s.Phase() != lifecycle.Ready || !p.s.Revision().Stateless() || p.s.Verdict() != discovered || len(p.o.Send) > 0 {
					t.Errorf("%s: %v %+v", name, p.s.Status(), p.o.Send)
				}
				continue
			}
			for n := 0; p.s.Phase() == lifecycle.Initializing && n < 10; n++ { // it does not know what it wants
				if p.asks() == protocol.MethodInitialize {
					p.answer("", &c.refusal)
				} else {
					p.answer("", &unknown)
				}
			}
			if p.s.Phase() != lifecycle.Failed {
				t.Errorf("%s: it is asked for ever", name)
			}
		}
	}
}

// What comes late and says nothing of a server without sessions that has a revision of ours changes nothing.
func TestLateAndOdd(t *testing.T) {
	for _, body := range []string{`{}`, `{"supportedVersions":["2025-11-25"],"capabilities":{}}`, `{"supportedVersions":["2099-01-01"],"capabilities":{}}`,
		`{"resultType":"input_required","supportedVersions":["2026-07-28"],"capabilities":{}}`} {
		s, o, _ := probing(t, 0)
		probe := o.Send[0].Message.ID
		s, o = s.Tick(began.Add(5 * time.Second))
		s, _ = s.Receive(began, jsonrpc.Message{Kind: jsonrpc.KindResult, ID: probe, Body: jsonrpc.Raw(body)})
		e := protocol.MethodNotFound()
		s, _ = s.Receive(began, jsonrpc.Message{Kind: jsonrpc.KindError, ID: o.Send[0].Message.ID, Err: &e})
		if s.Phase() != lifecycle.Failed {
			t.Errorf("%s: %v", body, s.Status())
		}
	}
}
