//go:build !race

package remote

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// counted is the client's end of a connection in memory, whose server allocates nothing for a call.
type counted struct {
	net.Conn
	writes *atomic.Int64
}

func (c counted) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// pool returns a connection pool to such a server, and how often it was written to.
func pool() (*http.Transport, *atomic.Int64) {
	writes := new(atomic.Int64)
	return &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go serve(far)
		return counted{near, writes}, nil
	}}, writes
}

// serve answers what comes over a connection, one request at a time.
func serve(c net.Conn) {
	buf, reply := make([]byte, 0, 4096), make([]byte, 0, 4096)
	for {
		n, err := c.Read(buf[len(buf):cap(buf)])
		if err != nil {
			return
		}
		buf = buf[:len(buf)+n]
		head, body, whole := bytes.Cut(buf, []byte("\r\n\r\n"))
		if _, size, ok := bytes.Cut(head, []byte("Content-Length: ")); whole && ok {
			want := 0
			for _, b := range size {
				if b < '0' || b > '9' {
					break
				}
				want = want*10 + int(b-'0')
			}
			whole = len(body) == want
		}
		if !whole {
			continue
		}
		const json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
		switch {
		case bytes.Contains(body, []byte("tools/call")):
			_, id, _ := bytes.Cut(body, []byte(`"id":`))
			id = id[:bytes.IndexByte(id, ',')]
			const start, end = `{"jsonrpc":"2.0","id":`, `,"result":{"content":[]}}`
			reply = strconv.AppendInt(append(reply[:0], json...), int64(len(start)+len(id)+len(end)), 10)
			reply = append(append(append(append(reply, "\r\n\r\n"...), start...), id...), end...)
		case bytes.Contains(body, []byte(`"initialize"`)):
			text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, jsonrpc.Decode(body).ID, initialized)
			reply = fmt.Appendf(reply[:0], "%s%d\r\n\r\n%s", json, len(text), text)
		case len(body) == 0:
			reply = append(reply[:0], "HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n"...)
		default:
			reply = append(reply[:0], "HTTP/1.1 202 Yes\r\nContent-Length: 0\r\n\r\n"...)
		}
		buf = buf[:0]
		if _, err := c.Write(reply); err != nil {
			return
		}
	}
}

// A call allocates little more than the POST of net/http that carries it, and is one write.
func TestCallCost(t *testing.T) {
	const runs = 500
	tr, writes := pool()
	ctx := context.Background()
	hc := &http.Client{Transport: tr}
	bare := testing.AllocsPerRun(runs, func() {
		resp, err := hc.Post("http://test/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	})
	carrier, err := New("http://test/mcp", Options{Client: hc, NoListen: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := session.Connect(ctx, config(), carrier, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	one := func() {
		if _, err := c.CallTool(ctx, protocol.CallToolParams{Name: "x"}, session.RequestOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	one() // after what the handshake sends last
	before := writes.Load()
	call := testing.AllocsPerRun(runs, one)
	if n := writes.Load() - before; n != runs+1 { // AllocsPerRun runs it once before
		t.Errorf("%d calls were %d writes; want one each", runs+1, n)
	}
	if t.Logf("%.0f allocations for a call, %.0f for a POST", call, bare); call > bare+19 {
		t.Errorf("a call costs %.0f allocations more than a POST; want 19 at most", call-bare)
	}
}
