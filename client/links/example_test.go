package links_test

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// echo is a Transport to a server that answers each request with an empty result.
type echo chan links.Arrival

func (e echo) Send(_ context.Context, o client.Outgoing, _ protocol.Revision) error {
	m := jsonrpc.Message{Kind: jsonrpc.KindResult, ID: o.Message.ID, Body: `{}`}
	switch {
	case o.Message.Kind != jsonrpc.KindRequest:
		return nil
	case o.Message.Method == protocol.MethodInitialize:
		m.Body = `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"echo","version":"1"}}`
	}
	e <- links.Arrival{Message: m}
	return nil
}

func (e echo) Receive(ctx context.Context) (links.Arrival, error) {
	select {
	case a := <-e:
		return a, nil
	case <-ctx.Done():
		return links.Arrival{}, io.EOF
	}
}

func (e echo) Close(context.Context) error { return nil }

func ExampleLoop() {
	m, err := manager.New(manager.Config{Client: client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}}, time.Now())
	if err != nil {
		fmt.Println(err)
		return
	}
	var mu sync.Mutex
	done := make(chan manager.Event, 10)
	act := func(e manager.Effects) {
		for _, ev := range e.Events {
			if ev.Kind == manager.OpDone {
				done <- ev
			}
		}
	}
	dial := func(context.Context, any) (links.Transport, error) { return make(echo, 10), nil }
	l := links.NewLoop(&mu, m, dial, links.Options{}, act)

	mu.Lock()
	m, e, err := l.Machine().Connect(time.Now(), "a", manager.Options{})
	l.Step(m, e)
	mu.Unlock()
	ev := <-done
	fmt.Println(ev.Method, ev.Err, err)

	mu.Lock()
	m, e, err = l.Machine().Request(time.Now(), "a", protocol.PingParams{}, manager.RequestOptions{})
	l.Step(m, e)
	mu.Unlock()
	ev = <-done
	fmt.Println(ev.Method, ev.Err, err)

	fmt.Println(l.Close(context.Background()))
	// Output:
	// connect <nil> <nil>
	// ping <nil> <nil>
	// <nil>
}
