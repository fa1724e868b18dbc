package nethttp_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// A result that breaks the outputSchema of its tool is logged, with the tool and the path.
func TestLogOfResults(t *testing.T) {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "broken", OutputSchema: `{"type":"object","required":["n"]}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return &protocol.CallToolResult{StructuredContent: `{}`}, nil
	})
	h.Tool(protocol.Tool{Name: "odd"}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return &protocol.CallToolResult{Content: []protocol.Content{{Text: "no type"}}}, nil
	})
	var lines bytes.Buffer
	handler, err := nethttp.NewHandler(serverConfig, h, nethttp.Options{Log: slog.New(slog.NewTextHandler(&lines, nil))})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(handler)
	p := open(t, s.URL, "2025-06-18")
	p.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"broken"}}`).want(200, `at \"/n\" fails required`)
	p.post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"odd"}}`).want(200, `"message":"internal error"`)
	s.Close()
	handler.Close()
	for _, want := range []string{`msg="nethttp: a result does not fit its method"`, `tools/call \"odd\": `, "content[0].type is missing"} {
		if strings.Count(lines.String(), want) != 1 {
			t.Errorf("%s: %s", want, lines.String())
		}
	}
	if want := `msg="nethttp: a result breaks the output schema of its tool" err="server: tool \"broken\": structuredContent: schema: the value at \"/n\" fails required"`; strings.Count(lines.String(), want) != 1 {
		t.Error(lines.String())
	}
}

// lines is a log that may be written while it is read.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) has(t *testing.T, text string, times int) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.Count(l.text.String(), text) != times {
		t.Errorf("want %d times %s:\n%s", times, text, l.text.String())
	}
}

// An outage of the Cluster is told once, and that it is over; the contexts of functions that it ends say why. A session of
// another key is told as what it is, and so is a process of one, once.
func TestLogOfTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, k, log := newCluster(), newKit(), new(lines)
		way := &line{cluster: c}
		opt := nethttp.Options{Lease: lease, Log: slog.New(slog.NewTextHandler(log, nil))}
		b := newShared(t, k, way, opt)
		session := b.open("2025-11-25")
		r := b.serve("POST", session, "2025-11-25", callOf("gate", `{}`), nil)
		<-k.begun
		for range 2 {
			way.cut.Store(true)
			time.Sleep(4 * lease)
			way.cut.Store(false)
			time.Sleep(lease)
		}
		if err := <-k.ended; !errors.Is(err, nethttp.ErrLease) {
			t.Error(err)
		}
		<-r.done
		log.has(t, "the lease is not renewed", 2)
		log.has(t, "the cluster is reachable again; the process has a lease", 2)
		log.has(t, "the lease has ended; running calls are cancelled", 2)
		x := newKeyed(t, newKit(), &line{cluster: c}, opt, 2)
		<-x.serve("POST", session, "2025-11-25", callOf("echo", `{}`), nil).done
		log.has(t, "a session cannot be read: want the same HashKey, Config and version", 1)
		log.has(t, "the store failed", 1)
		hang := b.serve("POST", session, "2025-11-25", callOf("gate", `{}`), nil)
		<-k.begun
		way.cut.Store(true)
		time.Sleep(20 * lease)
		log.has(t, "taking over from a dead process is incomplete", 1)
		hang.cut()
		way.cut.Store(false)
		x.close()
		b.close()
	})
}
