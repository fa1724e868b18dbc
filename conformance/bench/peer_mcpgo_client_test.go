package bench

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"sync"

	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// mcpgoDirect is the cheapest transport.Interface: it answers from pre-built
// results without correlation, encoding or goroutines.
type mcpgoDirect struct{ result, init json.RawMessage }

func newMcpgoDirect() *mcpgoDirect {
	return &mcpgoDirect{json.RawMessage(echoResult), json.RawMessage(initializeResult)}
}

func (t *mcpgoDirect) Start(context.Context) error { return nil }
func (t *mcpgoDirect) SendRequest(_ context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if r.Method == "initialize" {
		return transport.NewJSONRPCResultResponse(r.ID, t.init), nil
	}
	return transport.NewJSONRPCResultResponse(r.ID, t.result), nil
}
func (t *mcpgoDirect) SendNotification(context.Context, mcp.JSONRPCNotification) error { return nil }
func (t *mcpgoDirect) SetNotificationHandler(func(mcp.JSONRPCNotification))            {}
func (t *mcpgoDirect) Close() error                                                    { return nil }
func (t *mcpgoDirect) GetSessionId() string                                            { return "" }

type mcpgoClient struct {
	client *mcpclient.Client
	close  func()
	resp   *responder
	wg     sync.WaitGroup
}

func mcpgoConnect(c *mcpclient.Client) error {
	ctx := context.Background()
	if err := c.Start(ctx); err != nil {
		return err
	}
	var r mcp.InitializeRequest
	r.Params.ProtocolVersion = revision
	r.Params.ClientInfo = mcp.Implementation{Name: "bench-client", Version: "1.0.0"}
	_, err := c.Initialize(ctx, r)
	return err
}

func newMcpgoClient(t transport.Interface) (*mcpgoClient, error) {
	p := &mcpgoClient{client: mcpclient.NewClient(t, mcpclient.WithProtocolVersion(revision))}
	p.close = func() { p.client.Close() }
	return p, mcpgoConnect(p.client)
}

// newMcpgoIOClient uses the library's stdio transport over in-memory streams.
func newMcpgoIOClient() (*mcpgoClient, error) {
	in := newChunks(1024)
	resp := &responder{to: in}
	p, err := newMcpgoClient(transport.NewIO(in, resp, io.NopCloser(&eof{})))
	p.resp = resp
	p.close = func() { in.Close(); p.client.Close() }
	return p, err
}

type eof struct{}

func (*eof) Read([]byte) (int, error) { return 0, io.EOF }

func (p *mcpgoClient) Call(tool string, args map[string]any) (string, error) {
	var r mcp.CallToolRequest
	r.Params.Name = tool
	r.Params.Arguments = args
	res, err := p.client.CallTool(context.Background(), r)
	if err != nil {
		return "", err
	}
	t, ok := res.Content[0].(mcp.TextContent)
	if !ok {
		return "", errors.New("no text")
	}
	return t.Text, nil
}

func (p *mcpgoClient) Hold(n int) error {
	wait := p.resp.hold(n)
	for range n {
		p.wg.Go(func() { _, _ = p.Call("echo", echoArgs) })
	}
	wait()
	return nil
}

func (p *mcpgoClient) Close() { p.close(); p.wg.Wait() }

type mcpgoPair struct {
	mcpgoClient
	stop func()
}

func newMcpgoInProcess() (*mcpgoPair, error) {
	c, err := mcpclient.NewInProcessClient(mcpgoServer(serverSpec{}, nil))
	if err != nil {
		return nil, err
	}
	return &mcpgoPair{mcpgoClient{client: c}, func() { c.Close() }}, mcpgoConnect(c)
}

// newMcpgoStdio uses the library's stdio client and stdio server. That server
// keeps its session in a global, so one pair at a time.
func newMcpgoStdio() (*mcpgoPair, error) {
	ctx, cancel := context.WithCancel(context.Background())
	s := mcpserver.NewStdioServer(mcpgoServer(serverSpec{}, nil))
	s.SetErrorLogger(log.New(io.Discard, "", 0))
	toServer, toClient := newChunks(1024), newChunks(1024)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Listen(ctx, toServer, toClient)
	}()
	c := mcpclient.NewClient(transport.NewIO(toClient, toServer, io.NopCloser(&eof{})), mcpclient.WithProtocolVersion(revision))
	return &mcpgoPair{mcpgoClient{client: c}, func() {
		toServer.Close()
		toClient.Close()
		cancel()
		c.Close()
		<-done
	}}, mcpgoConnect(c)
}

func (p *mcpgoPair) Run(n, inflight int) error {
	return concurrent(n, inflight, func() error { return expectEcho(p.Call("echo", echoArgs)) })
}

func (p *mcpgoPair) Close() { p.stop() }

func mcpgoDirectSession() (any, func(), error) {
	c, err := newMcpgoClient(newMcpgoDirect())
	return c, func() { c.client.Close() }, err
}

func mcpgoClientSession() (any, func(), error) {
	in := newChunks(1)
	c, err := newMcpgoClient(transport.NewIO(in, &responder{to: in}, io.NopCloser(&eof{})))
	return c, func() { in.Close(); c.client.Close() }, err
}
