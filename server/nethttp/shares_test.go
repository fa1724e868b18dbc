package nethttp_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/nethttp"
)

// A call whose client is gone ends: Grace after that if the client can have no event id, else Keep
// after.
func TestUnheardCallsEnd(t *testing.T) {
	for _, tt := range []struct {
		version string
		after   time.Duration // the connection is cut, from the POST on
		wait    time.Duration
	}{
		{"2025-06-18", 0, 3 * time.Second},
		{"2025-11-25", 0, 3 * time.Second}, // before the response has begun
		{"2025-06-18", time.Second, 3 * time.Second},
		{"2025-11-25", time.Second, 2 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBubble(t, nethttp.Options{})
			defer b.close()
			r := b.serve("POST", b.open(tt.version), "", callOf("gate", "{}"), nil)
			<-b.k.begun
			time.Sleep(tt.after)
			r.cut()
			<-r.done
			time.Sleep(tt.wait - 1)
			synctest.Wait()
			if len(b.k.ended) > 0 {
				t.Errorf("%s, %v: it ended early", tt.version, tt.after)
			}
			time.Sleep(time.Millisecond)
			synctest.Wait()
			if len(b.k.ended) != 1 || b.h.Status().Running != 0 {
				t.Errorf("%s, %v: it goes on: %+v", tt.version, tt.after, b.h.Status())
			}
		})
	}
}

// A call whose client may still come back gives way when another one waits, and says so to who does.
func TestUnheardCallsGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, nethttp.Options{Work: host.WorkOptions{MaxRunning: 2, NoShares: true}})
		defer b.close()
		first, second := b.open("2025-11-25"), b.open("2025-11-25")
		r := b.serve("POST", first, "", callOf("gate", `{"first":1}`), nil)
		<-b.k.begun
		heard := b.serve("POST", second, "", callOf("gate", `{"heard":1}`), nil)
		<-b.k.begun
		time.Sleep(time.Second)
		r.cut()
		<-r.done
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(b.k.ended) > 0 {
			t.Fatal("it gave way to nobody")
		}
		echo := b.serve("POST", b.open("2025-06-18"), "", callOf("echo", "{}"), nil)
		<-echo.done
		if !strings.Contains(echo.text(), "echo {}") {
			t.Error(echo.text())
		}
		if heard.over() || len(b.k.ended) != 1 {
			t.Error("one that is heard gave way")
		}
		back := b.serve("GET", first, "2025-11-25", "", nil, lastEvent("1-1"))
		<-back.done
		if !strings.Contains(back.text(), "the call was stopped") || !strings.Contains(back.text(), "-32603") {
			t.Error(back.text())
		}
		b.k.free <- struct{}{}
		<-heard.done
	})
}

// One that was cut just now gives way a little later, and not before.
func TestGiveWayAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, nethttp.Options{Work: host.WorkOptions{MaxRunning: 1, NoShares: true}})
		defer b.close()
		r := b.serve("POST", b.open("2025-11-25"), "", callOf("gate", "{}"), nil)
		<-b.k.begun
		time.Sleep(time.Second)
		echo := b.serve("POST", b.open("2025-06-18"), "", callOf("echo", "{}"), nil)
		r.cut()
		<-r.done
		time.Sleep(2900 * time.Millisecond)
		synctest.Wait()
		if len(b.k.ended) > 0 {
			t.Error("it gave way early")
		}
		time.Sleep(1200 * time.Millisecond)
		<-echo.done
		if !strings.Contains(echo.text(), "echo {}") {
			t.Error(echo.text())
		}
	})
}

// What an end cannot wait for is answered, as JSON and on a stream, before it ends.
func TestShutdownAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit()
		hs := k.handlers()
		hs.Tool(protocol.Tool{Name: "deaf", InputSchema: object}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			<-k.free
			return protocol.TextResult("late"), nil
		})
		h, err := nethttp.NewHandler(serverConfig, hs, nethttp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b := &bubble{t: t, h: h, k: k}
		id := b.open("2025-06-18")
		stream := b.serve("POST", id, "", callOf("deaf", "{}"), nil)
		heeds := b.serve("POST", id, "", strings.Replace(callOf("gate", "{}"), `"id":1`, `"id":2`, 1), nil)
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		ended := make(chan error)
		go func() { ended <- b.h.Shutdown(ctx) }()
		time.Sleep(4950 * time.Millisecond)
		json := b.serve("POST", id, "", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, nil)
		<-json.done
		if err := <-ended; err == nil {
			t.Error("no error, and a function goes on")
		}
		<-stream.done
		<-heeds.done
		if !strings.Contains(stream.text(), `"id":1,"error":{"code":-32603`) || !strings.Contains(stream.text(), "shutting down") {
			t.Errorf("the stream is %q", stream.text())
		}
		if !strings.Contains(heeds.text(), `"id":2,`) {
			t.Errorf("the other stream is %q", heeds.text())
		}
		close(k.free)
		b.close()
	})
	synctest.Test(t, func(t *testing.T) { // before the response has begun
		b := newBubble(t, nethttp.Options{StreamAfter: time.Hour})
		r := b.serve("POST", b.open("2025-06-18"), "", callOf("ask", "{}"), nil)
		<-b.k.begun
		synctest.Wait()
		b.close()
		<-r.done
		if r.text() == "" {
			t.Error("no answer")
		}
	})
}

// The first heartbeat comes after Heartbeat, and the next ones, and none while something is said.
func TestHeartbeatIsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, nethttp.Options{Heartbeat: 15 * time.Second})
		defer b.close()
		id := b.open("2025-06-18")
		r := b.serve("GET", id, "2025-06-18", "", nil)
		for i, want := range []int{0, 1, 2} {
			synctest.Wait()
			if got := strings.Count(r.text(), ": \n"); got != want {
				t.Errorf("after %d times there are %d heartbeats: %q", i, got, r.text())
			}
			time.Sleep(15*time.Second - 1)
			synctest.Wait()
			if got := strings.Count(r.text(), ": \n"); got != want {
				t.Errorf("just before the next there are %d heartbeats", got)
			}
			time.Sleep(time.Nanosecond)
		}
		synctest.Wait()
		time.Sleep(10 * time.Second)
		if err := b.h.Notify(context.Background(), id, protocol.LoggingMessageParams{Level: "info", Data: `"x"`}); err != nil {
			t.Error(err)
		}
		time.Sleep(15*time.Second - 1)
		synctest.Wait()
		if got := strings.Count(r.text(), ": \n"); got != 3 {
			t.Errorf("there are %d heartbeats", got)
		}
		r.cut()
		<-r.done
	})
}

// A function that ends its goroutine is answered, and so are those that follow.
func TestGoexitIsAnswered(t *testing.T) {
	for _, recovers := range []bool{false, true} {
		h := new(server.Handlers)
		h.Tool(protocol.Tool{Name: "exit", InputSchema: object}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			runtime.Goexit()
			return nil, nil
		})
		d, err := nethttp.NewHandler(serverConfig, h, nethttp.Options{Recover: recovers, Work: host.WorkOptions{MaxRunning: 1}})
		if err != nil {
			t.Fatal(err)
		}
		id := session(t, d)
		for range 3 {
			if w := post(t, d, id, callOf("exit", "{}")); !strings.Contains(w.Body.String(), "-32603") {
				t.Error(w.Body)
			}
		}
		d.Close()
	}
}

// Without settings one that comes has room, whoever filled the table: the owner with most idle sessions
// gives way with its longest idle one, those that are listened to and those with calls do not.
func TestIdleSessionsGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, nethttp.Options{MaxSessions: 8})
		defer b.close()
		alive := func(id string) bool {
			r := b.serve("POST", id, "", `{"jsonrpc":"2.0","id":"p","method":"ping"}`, nil)
			<-r.done
			return r.status() == 200
		}
		var many []string
		for range 4 {
			many = append(many, b.open("2025-06-18", from("10.0.0.1:1")))
			time.Sleep(time.Second)
		}
		few := []string{b.open("2025-06-18", from("10.0.0.2:1")), b.open("2025-06-18", from("10.0.0.2:2"))}
		six := []string{b.open("2025-06-18", from("[2001:db8::1]:1")), b.open("2025-06-18", from("[2001:db8::2]:1"))}
		listens := b.serve("GET", many[0], "2025-06-18", "", nil)
		calls := b.serve("POST", many[1], "", callOf("gate", "{}"), nil)
		<-b.k.begun
		time.Sleep(time.Second)
		if since, ok := b.h.Idle(many[2]); !ok || time.Since(since) < time.Second {
			t.Error(since, ok)
		}
		if _, ok := b.h.Idle(many[0]); ok {
			t.Error("it is idle, and somebody listens")
		}
		if _, ok := b.h.Idle("none"); ok {
			t.Error("one that is not there is idle")
		}
		b.open("2025-06-18", from("10.0.0.3:1"))
		if alive(many[2]) {
			t.Error("the longest idle one of who has most stays")
		}
		synctest.Wait()
		for i, id := range append(append([]string{many[0], many[1], many[3]}, few...), six...) {
			if !alive(id) {
				t.Errorf("%d has given way", i)
			}
		}
		if n := b.h.Status().Sessions; n != 8 {
			t.Errorf("%d sessions", n)
		}
		// An owner alone has three quarters: its seventh takes the place of its own first.
		for range 20 {
			b.open("2025-06-18", from("[2001:db8::3]:1"))
		}
		if !alive(many[0]) || !alive(many[1]) {
			t.Error("busy ones have given way")
		}
		listens.cut()
		calls.cut()
		<-listens.done
		<-calls.done
	})
}

// A newcomer costs little, however many there are.
func TestGivingWayIsCheap(t *testing.T) {
	h, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{MaxSessions: 4000})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for i := range 9000 {
		req := from(fmt.Sprintf("10.%d.%d.%d:1", i%7, i%250, i%200))
		w := serveOnce(h, bare, req)
		if w.code != 200 {
			t.Fatal(i, w.code)
		}
	}
	if n := h.Status().Sessions; n != 4000 {
		t.Errorf("%d sessions", n)
	}
}

func serveOnce(h http.Handler, body string, edit func(*http.Request)) *response {
	b := &bubble{h: h.(*nethttp.Handler)}
	r := b.serve("POST", "", "", body, nil, edit)
	<-r.done
	return r
}

// What sessions keep is bounded for all together: the one that was not heard for longest gives first.
func TestKeptBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 300_000
		b := newBubble(t, nethttp.Options{KeptBytes: most})
		defer b.close()
		large := `{"x":"` + strings.Repeat("x", 50_000) + `"}`
		var ids []string
		for range 10 {
			id := b.open("2025-11-25")
			ids = append(ids, id)
			r := b.serve("POST", id, "", callOf("gate", large), nil)
			<-b.k.begun
			time.Sleep(time.Second)
			r.cut()
			<-r.done
			b.k.free <- struct{}{}
			synctest.Wait()
			if n := b.h.Kept(); n > most {
				t.Fatalf("%d bytes are kept", n)
			}
		}
		if n := b.h.Kept(); n < most-100_000 {
			t.Errorf("only %d bytes are kept", n)
		}
		for i, id := range ids {
			r := b.serve("GET", id, "2025-11-25", "", nil, lastEvent("1-1"))
			<-r.done
			if got, want := r.status() == 200 && strings.Contains(r.text(), "free"), i >= 5; got != want {
				t.Errorf("the answer of %d is there: %v", i, got)
			}
		}
	})
}

// A session whose handshake is not finished lives a minute, one that nobody uses half an hour.
func TestUnfinishedHandshakesEnd(t *testing.T) {
	for bareOnes, life := range map[bool]time.Duration{true: time.Minute, false: 30 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			b := newBubble(t, nethttp.Options{})
			defer b.close()
			if bareOnes {
				<-b.serve("POST", "", "", bare, nil).done
			} else {
				b.open("2025-06-18")
			}
			time.Sleep(life - 1)
			synctest.Wait()
			if n := b.h.Status().Sessions; n != 1 {
				t.Errorf("%d sessions before %v", n, life)
			}
			time.Sleep(time.Millisecond)
			synctest.Wait()
			if n := b.h.Status().Sessions; n != 0 {
				t.Errorf("%d sessions after %v", n, life)
			}
		})
	}
}

// Sessions of the Principal without an ID have one share together, however many there are.
func TestShareOfNobody(t *testing.T) {
	anybody := func(*http.Request) (nethttp.Principal, error) { return nethttp.Principal{}, nil }
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, nethttp.Options{Authenticate: anybody, Work: host.WorkOptions{MaxRunning: 8}})
		defer b.close()
		for range 12 {
			b.serve("POST", b.open("2025-06-18"), "", callOf("gate", "{}"), nil)
		}
		synctest.Wait()
		if n := b.h.Status().Running; n != 6 {
			t.Errorf("%d run", n)
		}
	})
}
