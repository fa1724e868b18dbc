package peerbugs_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/stdio"
)

// wired is the driver of servers over streams, with a peer at the other end of its pipes.
type wired struct {
	t      *testing.T
	peer   *io.PipeWriter
	lines  chan string
	served chan error
}

// drive runs the handlers that the driver serves.
func drive(t *testing.T, h *server.Handlers, opt stdio.Options) (*wired, *stdio.Server) {
	t.Helper()
	in, peer := io.Pipe()
	read, out := io.Pipe()
	w := &wired{t: t, peer: peer, lines: make(chan string, 1000), served: make(chan error, 1)}
	s, err := stdio.New(server.Config{Info: verbs.Who}, h, in, out, opt)
	if err != nil {
		t.Fatal(err)
	}
	go func() { w.served <- s.Serve(context.Background()) }()
	go func() {
		for scan := bufio.NewScanner(read); scan.Scan(); {
			w.lines <- scan.Text()
		}
	}()
	w.say(verbs.InitializeLine(spoken.String(), `{"sampling":{}}`))
	w.next(`"id":"init","result"`)
	w.say(verbs.Initialized)
	return w, s
}

func (w *wired) say(line string) { fmt.Fprintln(w.peer, line) }

// next expects a line that contains want, and no other before it.
func (w *wired) next(want string) {
	w.t.Helper()
	select {
	case got := <-w.lines:
		if !strings.Contains(got, want) {
			w.t.Fatalf("got %s, want %s", got, want)
		}
	case <-time.After(10 * time.Second):
		w.t.Fatalf("nothing comes, want %s", want)
	}
}

// Cases 15 and 38 in a driver: calls that do not return delay neither a ping nor a
// cancellation nor the answer that one of them waits for, and when the peer disconnects, the waiting
// function learns of it.
func Test38DriverIsNotHeldUp(t *testing.T) {
	const many = 100
	var h server.Handlers
	release, asked := make(chan struct{}), make(chan error, 2)
	h.Tool(protocol.Tool{Name: "slow"}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		<-release
		return protocol.TextResult("done"), nil
	})
	h.Tool(protocol.Tool{Name: "asks"}, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		_, err := c.Request(ctx, protocol.CreateMessageParams{MaxTokens: 1}, server.RequestOptions{})
		asked <- err
		return protocol.TextResult("asked"), nil
	})
	w, d := drive(t, &h, stdio.Options{Work: host.WorkOptions{MaxRunning: many + 2}})
	for i := range many {
		w.say(line(fmt.Sprint(i), "tools/call", `{"name":"slow"}`))
	}
	w.say(ping)
	w.next(`"id":"probe","result":{}`)
	w.say(line("asks", "tools/call", `{"name":"asks"}`))
	w.next(`"id":1,"method":"sampling/createMessage"`)
	w.say(ping)
	w.next(`"id":"probe","result":{}`)
	w.say(`{"jsonrpc":"2.0","id":1,"result":` + requestTo(protocol.Client).result + `}`)
	w.next(`"id":"asks","result":{"content":[{"type":"text","text":"asked"}]}`)
	if err := <-asked; err != nil {
		t.Error("the handler that asked got", err)
	}
	for i := range many / 2 {
		w.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"%d"}}`, i))
	}
	w.say(line("asks again", "tools/call", `{"name":"asks"}`))
	w.next(`"id":2,"method":"sampling/createMessage"`)
	w.peer.Close()
	if err := <-asked; err == nil {
		t.Error("the handler that asks a peer that is gone got an answer")
	}
	w.next(`"id":"asks again","result"`)
	close(release)
	for range many - many/2 {
		w.next(`"result":{"content":[{"type":"text","text":"done"}]}`)
	}
	if err := <-w.served; err != nil {
		t.Error("the driver ends with", err)
	}
	if _, err := d.Request(context.Background(), protocol.PingParams{}, server.RequestOptions{}); !errors.Is(err, lifecycle.ErrGone) {
		t.Error("a request after the end gives", err)
	}
	if len(w.lines) != 0 {
		t.Error("a cancelled call was answered:", <-w.lines)
	}
}
