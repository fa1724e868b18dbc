//go:build unix

package gateway_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/conformance/settings"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
)

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listTools   = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
)

// leave opens a session, calls the tool "one", and leaves it without DELETE. It returns the session
// and the process of the server.
func leave(t *testing.T, url string) (session string, pid int) {
	t.Helper()
	session = raw(t, url, "", initialize)
	raw(t, url, session, initialized)
	return session, callPid(t, url, session, "one")
}

func callPid(t *testing.T, url, session, tool string) (pid int) {
	t.Helper()
	text := ask(t, url, session, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, tool))
	_, after, ok := strings.Cut(text, tool+" "+tool+" ")
	if !ok {
		t.Fatal(text)
	}
	pid, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(text)
	}
	return pid
}

// A session that its client has left costs no process after a while, and is there all the same: the
// next request has servers again. One with a client that listens keeps its servers, and so does one
// with a call.
func TestRest(t *testing.T) {
	opt := fast(command(t, "one"))
	opt.RestAfter = 400 * time.Millisecond
	g, url := begin(t, opt, serverhttp.Options{})
	listens := over(t, "ann", url)
	listens.await("one")
	kept := listens.pid("one")
	var sessions []string
	var pids []int
	for range 3 {
		s, pid := leave(t, url)
		sessions, pids = append(sessions, s), append(pids, pid)
	}
	for _, pid := range pids {
		eventually(t, "a process runs still", func() bool { return !alive(pid) })
	}
	if n := len(g.Status().Sessions); n != 4 {
		t.Errorf("%d sessions", n)
	}
	if text := status(t, g); !strings.Contains(text, "server one: 3 idle, 1 ready") && !strings.Contains(text, "server one: 1 ready, 3 idle") {
		t.Error(text)
	}
	for _, s := range sessions {
		if text := ask(t, url, s, listTools); !strings.Contains(text, `"one-hang"`) {
			t.Error(text)
		}
		if pid := callPid(t, url, s, "one"); !alive(pid) {
			t.Error("no process")
		}
	}
	if pid := listens.pid("one"); pid != kept {
		t.Error("who listens has another server")
	}
}

// A call that runs keeps its server, though nothing is heard of its client.
func TestRestKeepsCalls(t *testing.T) {
	opt := fast(command(t, "one"))
	opt.RestAfter = 150 * time.Millisecond
	_, url := begin(t, opt, serverhttp.Options{})
	p := over(t, "ann", url)
	p.await("one")
	pid := p.pid("one")
	call := p.hang("one-hang")
	time.Sleep(time.Second)
	select {
	case err := <-call:
		t.Error("the call ended:", err)
	default:
	}
	if !alive(pid) {
		t.Error("the server ended")
	}
}

// Each time has its default, and what it cannot be is told with field, value and range.
func TestOptions(t *testing.T) {
	check := func(opt gateway.Options) error {
		_, err := gateway.New(opt)
		return err
	}
	settings.Test(t, "gateway", fast(), check, settings.Wants{
		"CloseTimeout": "positive, or 0 for 5s", "RestAfter": "positive, 0 for 30s, or NoTimeout", "Links.QueueBytes": "positive, or 0 for 1048576",
		"Links.SendTimeout": "positive, 0 for 1m0s, or NoTimeout", "Links.CloseTimeout": "positive, or 0 for 5s",
	})
}
