package bench

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func gosdkNewClient() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "bench-client", Version: "1.0.0"}, &mcp.ClientOptions{Logger: quiet})
}

func gosdkConnect(c *mcp.Client, t mcp.Transport) (*mcp.ClientSession, error) {
	return c.Connect(context.Background(), t, &mcp.ClientSessionOptions{ProtocolVersion: revision})
}

// gosdkClient is a client whose connection answers from pre-built results.
type gosdkClient struct {
	session *mcp.ClientSession
	close   func()
	holding atomic.Bool
	held    atomic.Int64
	pending chan struct{}
	wg      sync.WaitGroup
}

func newGosdkHolder() (*gosdkClient, error) {
	conn := newGosdkConn(1024)
	p := &gosdkClient{pending: make(chan struct{}, 1)}
	result := json.RawMessage(echoResult)
	conn.reply = func(m jsonrpc.Message) jsonrpc.Message {
		r, ok := m.(*jsonrpc.Request)
		if !ok || !r.IsCall() {
			return nil
		}
		if r.Method == "initialize" {
			return &jsonrpc.Response{ID: r.ID, Result: json.RawMessage(initializeResult)}
		}
		if p.holding.Load() {
			if p.held.Add(-1) == 0 {
				p.pending <- struct{}{}
			}
			return nil
		}
		return &jsonrpc.Response{ID: r.ID, Result: result}
	}
	p.close = func() { conn.Close() }
	var err error
	p.session, err = gosdkConnect(gosdkNewClient(), conn)
	return p, err
}

// newGosdkClient is the same over the SDK's IOTransport and raw bytes.
func newGosdkClient() (*gosdkClient, error) {
	in := newChunks(1024)
	p := &gosdkClient{close: func() { in.Close() }}
	var err error
	p.session, err = gosdkConnect(gosdkNewClient(), &mcp.IOTransport{Reader: in, Writer: &responder{to: in}})
	return p, err
}

func (p *gosdkClient) Call(tool string, args map[string]any) (string, error) {
	r, err := p.session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", err
	}
	t, ok := r.Content[0].(*mcp.TextContent)
	if !ok {
		return "", errors.New("no text")
	}
	return t.Text, nil
}

func (p *gosdkClient) Hold(n int) error {
	p.held.Store(int64(n))
	p.holding.Store(true)
	for range n {
		p.wg.Go(func() { _, _ = p.Call("echo", echoArgs) })
	}
	<-p.pending
	p.holding.Store(false)
	return nil
}

func (p *gosdkClient) Close() { p.close(); p.wg.Wait() }

type gosdkPair struct {
	session *mcp.ClientSession
	server  *mcp.ServerSession
}

// newGosdkPair makes a pair over the SDK's transport in memory, which carries bytes.
func newGosdkPair() (*gosdkPair, error) {
	st, ct := mcp.NewInMemoryTransports()
	ss, err := gosdkServer(serverSpec{}, nil).Connect(context.Background(), st, nil)
	if err != nil {
		return nil, err
	}
	cs, err := gosdkConnect(gosdkNewClient(), ct)
	if err != nil {
		return nil, err
	}
	return &gosdkPair{cs, ss}, nil
}

func (p *gosdkPair) Run(n, inflight int) error {
	c := gosdkClient{session: p.session}
	return concurrent(n, inflight, func() error { return expectEcho(c.Call("echo", echoArgs)) })
}

func (p *gosdkPair) Close() { p.session.Close(); _ = p.server.Wait() }

func gosdkServerSessions() (opener, error) {
	server := gosdkServer(serverSpec{}, nil)
	return func() (any, func(), error) {
		c, err := gosdkOpened(server, 0)
		return c, func() { c.Close() }, err
	}, nil
}

func gosdkClientSessions() (opener, error) {
	client := gosdkNewClient()
	return func() (any, func(), error) {
		c := newGosdkConn(1)
		c.reply = func(m jsonrpc.Message) jsonrpc.Message {
			if r := m.(*jsonrpc.Request); r.IsCall() {
				return &jsonrpc.Response{ID: r.ID, Result: json.RawMessage(initializeResult)}
			}
			return nil
		}
		s, err := gosdkConnect(client, c)
		return s, func() { c.Close() }, err
	}, nil
}
