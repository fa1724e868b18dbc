package bench

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/conformance/bench/floor"
	"github.com/sansmcp/mcp/conformance/bench/scan"
)

// floorAPI copies its input, decodes strings and returns fresh values, which an API of
// immutable values must at least do, and reads the clock once for each message, as needed for
// deadlines.
var floorAPI = library{
	name:           "floor-api",
	server:         func(s serverSpec) (server, error) { return newFloorServer(s), nil },
	client:         func() (client, error) { return stepping(newFloorClient()), nil },
	holder:         func() (holder, error) { return stepping(newFloorClient()), nil },
	pair:           func() (pair, error) { return &stepPair{newFloorClient(), newFloorServer(serverSpec{}), nil}, nil },
	serverSessions: floorServerSessions,
	clientSessions: func() (opener, error) { return floorClientSession, nil },
}

func floorRegistry(spec serverSpec) *floor.Registry {
	ok := floor.CallResult{Content: []floor.Content{{Text: "ok"}}}
	tools := make([]floor.Tool, spec.tools)
	for i := range tools {
		tools[i] = floor.Tool{Name: toolName(i), Description: toolDescription(i), InputSchema: []byte(toolSchema)}
	}
	return &floor.Registry{
		Handlers: map[string]floor.Handler{
			"echo": func(s *scan.Scanner, args []byte) floor.CallResult {
				return floor.CallResult{Content: []floor.Content{{Text: floor.Unquoted(s.Field(args, `"text"`))}}}
			},
			"sink": func(*scan.Scanner, []byte) floor.CallResult { return ok },
		},
		Tools:     tools,
		Resources: map[string]string{docURI: docText},
	}
}

type floorServer struct {
	scanner scan.Scanner
	session floor.Session
	buf     []byte
}

func newFloorServer(spec serverSpec) *floorServer {
	return &floorServer{session: floor.Session{Registry: floorRegistry(spec), Initialized: true}}
}

func (p *floorServer) receive(msg []byte) (out []floor.Message, err error) {
	_ = time.Now()
	m, err := floor.Decode(&p.scanner, msg)
	if err != nil {
		return nil, err
	}
	p.session, out, err = p.session.Receive(&p.scanner, m)
	return out, err
}

func (p *floorServer) Dispatch(msg []byte) ([]byte, error) {
	out, err := p.receive(msg)
	if err != nil {
		return nil, err
	}
	// An encoder knows the length of its output within a few bytes; a reused
	// buffer and one exact copy stand for that.
	p.buf = out[0].Append(p.buf[:0])
	return append([]byte(nil), p.buf...), nil
}

func (p *floorServer) Notify(msg []byte) error {
	was := p.session.Notified
	if _, err := p.receive(msg); err != nil {
		return err
	}
	if p.session.Notified != was+1 {
		return errors.New("the notification is lost")
	}
	return nil
}

func (p *floorServer) Close() {}

type floorClient struct {
	client  floor.Client
	scanner scan.Scanner
	buf     []byte
}

func newFloorClient() *floorClient { return new(floorClient) }

func (p *floorClient) request(tool string, args map[string]any) ([]byte, error) {
	_ = time.Now()
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	p.buf, _ = p.client.Call(p.buf[:0], strconv.AppendQuote(make([]byte, 0, 32), tool), raw, 0)
	return append([]byte(nil), p.buf...), nil // the returned message
}

func (p *floorClient) answer(msg []byte) (string, error) {
	_ = time.Now()
	_, raw, err := p.client.Receive(&p.scanner, msg)
	if err != nil {
		return "", err
	}
	r := floor.CallResult{Content: []floor.Content{{Text: floor.Unquoted(raw)}}}
	return r.Content[0].Text, nil
}

// floorServerSessions decodes a real initialize for each session, so that it owns its strings.
func floorServerSessions() (opener, error) {
	registry := floorRegistry(serverSpec{})
	return func() (any, func(), error) {
		var m struct {
			Params struct {
				ClientInfo struct{ Name, Version string }
			}
		}
		err := json.Unmarshal([]byte(initialize), &m)
		info := m.Params.ClientInfo
		return &floor.Session{Registry: registry, Initialized: true, ClientName: info.Name, ClientVersion: info.Version}, nil, err
	}, nil
}

// floorClientSession does the same with the result of initialize.
func floorClientSession() (any, func(), error) {
	var m struct {
		ServerInfo struct{ Name, Version string }
	}
	err := json.Unmarshal([]byte(initializeResult), &m)
	c := &floor.Client{ServerName: m.ServerInfo.Name, ServerVersion: m.ServerInfo.Version}
	c.Pending.Take(c.Pending.Add(floor.Entry{}))
	return c, nil, err
}
