package bench

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/conformance/bench/floor"
	"github.com/sansmcp/mcp/conformance/bench/scan"
)

// The floor joins in two forms. floor-raw appends to reused buffers and splices raw JSON,
// without an allocation. floor-api copies its input, decodes strings and returns fresh
// values, which an API of immutable values must at least do, and reads the clock once a
// message, as whoever has deadlines must.
var (
	floorAPI = library{
		name:           "floor-api",
		server:         func(s serverSpec) (server, error) { return newFloorServer(s, true), nil },
		client:         func() (client, error) { return newFloorClient(true), nil },
		holder:         func() (holder, error) { return newFloorClient(true), nil },
		pair:           func() (pair, error) { return newFloorPair(true), nil },
		serverSessions: func() (sessions, error) { return &floorServerSessions{registry: floorRegistry(serverSpec{})}, nil },
		clientSessions: func() (sessions, error) { return &floorClientSessions{}, nil },
	}
	floorRaw = library{
		name:   "floor-raw",
		server: func(s serverSpec) (server, error) { return newFloorServer(s, false), nil },
		client: func() (client, error) { return newFloorClient(false), nil },
		pair:   func() (pair, error) { return newFloorPair(false), nil },
	}
)

func floorRegistry(spec serverSpec) *floor.Registry {
	ok := floor.CallResult{Content: []floor.Content{{Text: "ok"}}}
	tools := make([]floor.Tool, spec.tools)
	for i := range tools {
		tools[i] = floor.Tool{Name: toolName(i), Description: toolDescription(i), InputSchema: []byte(toolSchema)}
	}
	return &floor.Registry{
		Raw: map[string]floor.RawHandler{
			`"echo"`: func(s *scan.Scanner, dst, args []byte) []byte { return append(dst, s.Field(args, `"text"`)...) },
			`"sink"`: func(_ *scan.Scanner, dst, _ []byte) []byte { return append(dst, `"ok"`...) },
		},
		API: map[string]floor.APIHandler{
			"echo": func(s *scan.Scanner, args []byte) floor.CallResult {
				return floor.CallResult{Content: []floor.Content{{Text: floor.Unquoted(s.Field(args, `"text"`))}}}
			},
			"sink": func(*scan.Scanner, []byte) floor.CallResult { return ok },
		},
		Tools:     tools,
		Listing:   toolsJSON(spec.tools),
		Resources: map[string]string{`"` + docURI + `"`: docText},
	}
}

type floorServer struct {
	api     bool
	scanner scan.Scanner
	session floor.Session
	buf     []byte
}

func newFloorServer(spec serverSpec, api bool) *floorServer {
	return &floorServer{api: api, session: floor.Session{Registry: floorRegistry(spec), Initialized: true}}
}

// receive takes one message in. buf holds the answer of the raw form.
func (p *floorServer) receive(msg []byte) (out []floor.Message, err error) {
	if !p.api {
		p.buf, err = p.session.Raw(&p.scanner, p.buf[:0], msg)
		return nil, err
	}
	_ = time.Now() // whoever has deadlines reads the clock once a message
	m, err := floor.Decode(&p.scanner, msg)
	if err != nil {
		return nil, err
	}
	p.session, out, err = p.session.Receive(&p.scanner, m)
	return out, err
}

func (p *floorServer) Dispatch(msg []byte) ([]byte, error) {
	out, err := p.receive(msg)
	if err != nil || !p.api {
		return p.buf, err
	}
	// The encoder knows the length of what it writes within a few bytes; a reused
	// buffer and one exact copy stand in for that.
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
	api     bool
	client  floor.Client
	scanner scan.Scanner
	buf     []byte
	resp    responder
}

func newFloorClient(api bool) *floorClient {
	return &floorClient{api: api, resp: responder{to: newChunks(1024)}}
}

// request appends a request to buf. Arguments come as Go values, like those of the peers.
func (p *floorClient) request(buf []byte, tool string, args map[string]any) ([]byte, error) {
	raw := echoRaw
	if p.api {
		_ = time.Now()
		var err error
		if raw, err = json.Marshal(args); err != nil {
			return buf, err
		}
	}
	quoted := strconv.AppendQuote(make([]byte, 0, 32), tool)
	buf, _ = p.client.Call(buf, quoted, raw, 0)
	return buf, nil
}

// answer takes a response in and returns its text.
func (p *floorClient) answer(msg []byte) (string, error) {
	if p.api {
		_ = time.Now()
	}
	_, raw, err := p.client.Receive(&p.scanner, msg)
	switch {
	case err != nil:
		return "", err
	case p.api:
		r := floor.CallResult{Content: []floor.Content{{Text: floor.Unquoted(raw)}}}
		return r.Content[0].Text, nil
	case len(raw) != len(smallText)+2:
		return "", errors.New("wrong answer")
	}
	return smallText, nil // the raw text stays in the message
}

func (p *floorClient) Call(tool string, args map[string]any) (string, error) {
	var err error
	if p.buf, err = p.request(p.buf[:0], tool, args); err != nil {
		return "", err
	}
	line := p.buf
	if p.api {
		line = append([]byte(nil), line...) // the message handed out
	}
	if _, err := p.resp.Write(line); err != nil {
		return "", err
	}
	msg, err := p.resp.to.take()
	if err != nil {
		return "", err
	}
	return p.answer(msg)
}

func (p *floorClient) Hold(n int) error {
	for range n {
		p.buf, _ = p.client.Call(p.buf[:0], []byte(`"echo"`), echoRaw, 0)
	}
	return nil
}

func (p *floorClient) Close() {}

// floorPair runs client and server in one loop.
type floorPair struct {
	client *floorClient
	server *floorServer
	lines  [][]byte
}

func newFloorPair(api bool) *floorPair {
	return &floorPair{client: newFloorClient(api), server: newFloorServer(serverSpec{}, api)}
}

func (p *floorPair) Run(n, inflight int) error {
	for n > 0 {
		k := min(n, inflight)
		n -= k
		for i := range k {
			if i == len(p.lines) {
				p.lines = append(p.lines, nil)
			}
			buf := p.lines[i][:0]
			if p.client.api {
				buf = nil
			}
			line, err := p.client.request(buf, "echo", echoArgs)
			if err != nil {
				return err
			}
			p.lines[i] = line
		}
		for i := range k {
			resp, err := p.server.Dispatch(p.lines[i])
			if err != nil {
				return err
			}
			if err := expectEcho(p.client.answer(resp)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *floorPair) Close() {}

type floorServerSessions struct {
	registry *floor.Registry
	open     []*floor.Session
}

// Open decodes a real initialize, so that the session owns its strings.
func (p *floorServerSessions) Open() error {
	var m struct {
		Params struct {
			ClientInfo struct{ Name, Version string }
		}
	}
	if err := json.Unmarshal([]byte(initialize), &m); err != nil {
		return err
	}
	info := m.Params.ClientInfo
	p.open = append(p.open, &floor.Session{Registry: p.registry, Initialized: true, ClientName: info.Name, ClientVersion: info.Version})
	return nil
}

func (p *floorServerSessions) Close() {}

type floorClientSessions struct{ open []*floor.Client }

// Open does what Open of floorServerSessions does.
func (p *floorClientSessions) Open() error {
	var m struct {
		ServerInfo struct{ Name, Version string }
	}
	if err := json.Unmarshal([]byte(initializeResult), &m); err != nil {
		return err
	}
	c := &floor.Client{ServerName: m.ServerInfo.Name, ServerVersion: m.ServerInfo.Version}
	c.Pending.Take(c.Pending.Add(floor.Entry{}))
	p.open = append(p.open, c)
	return nil
}

func (p *floorClientSessions) Close() {}
