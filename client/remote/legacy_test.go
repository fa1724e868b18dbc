package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// older is a server of HTTP+SSE.
type older struct {
	*mock
	status   int    // of a POST to the url of the stream
	endpoint string // what it names
	streams  atomic.Int32
	drop     chan struct{} // ends the stream
	out      chan string
	accept   func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) bool
}

func newOlder(t *testing.T) *older {
	o := &older{mock: newMock(t), status: http.StatusMethodNotAllowed, endpoint: "/messages?session=1", drop: make(chan struct{}), out: make(chan string, 10)}
	o.get = func(w http.ResponseWriter, r *http.Request) {
		o.streams.Add(1)
		say := events(w)
		if o.endpoint != "" {
			say("event: endpoint", "data: "+o.endpoint)
		}
		for {
			select {
			case text := <-o.out:
				say("event: message", "data: "+text)
			case <-o.drop:
				return
			case <-r.Context().Done():
				return
			}
		}
	}
	o.post = func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) bool {
		if r.URL.Path != "/messages" {
			http.Error(w, "", o.status)
			return true
		}
		if o.accept != nil && o.accept(w, r, m) {
			return true
		}
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, "Accepted")
		switch {
		case m.Method == "initialize":
			o.out <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, strings.Replace(initialized, "2025-11-25", "2024-11-05", 1))
		case m.Kind == jsonrpc.KindRequest:
			o.out <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"contents":[]}}`, m.ID)
		}
		return true
	}
	return o
}

// A server that refuses to POST initialize is taken for one of HTTP+SSE; after its stream
// has ended there is a new session.
//
// rows: HTTP-055 HTTP-110
func TestLegacy(t *testing.T) {
	for _, status := range []int{400, 404, 405} {
		o := newOlder(t)
		o.status = status
		c := o.connect(Options{}, session.Options{})
		wantErr(t, read(c), nil)
		if rev := c.State().Revision().String(); rev != "2024-11-05" {
			t.Error(rev)
		}
		o.drop <- struct{}{}
		eventually(t, "a second stream", func() bool { return o.streams.Load() == 2 && c.State().Status().Phase == lifecycle.Ready })
		wantErr(t, read(c), nil)
		if n := o.count("POST initialize"); n != 3 { // it is not taken for another again
			t.Error(o.heard())
		}
		wantErr(t, c.Close(context.Background()), nil)
		if n := o.count("DELETE"); n != 0 {
			t.Error(o.heard())
		}
	}
}

// A server that fails over HTTP+SSE too fails with its first error.
func TestNotLegacy(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(o *older)
		opt  Options
		want string
	}{
		"no stream":      {do: func(o *older) { o.get = nil }, want: "not a server of Streamable HTTP, status 405"},
		"HTML":           {do: func(o *older) { o.get = func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") } }, want: "status 405"},
		"elsewhere":      {do: func(o *older) { o.endpoint = "http://192.0.2.1/messages" }, want: "status 405"},
		"another scheme": {do: func(o *older) { o.endpoint = "javascript:x" }, want: "status 405"},
		"no url":         {do: func(o *older) { o.endpoint = "%" }, want: "status 405"},
		"a user":         {do: func(o *older) { o.endpoint = strings.Replace(o.url, "http://", "http://u:p@", 1) }, want: "status 405"},
		"no endpoint":    {do: func(o *older) { o.endpoint = "" }, want: "status 405"},
		"ends early":     {do: func(o *older) { o.get = func(w http.ResponseWriter, _ *http.Request) { events(w) } }, want: "status 405"},
		"not asked for":  {do: func(*older) {}, opt: Options{NoFallback: true}, want: "status 405"},
		"500":            {do: func(o *older) { o.status = 500 }, want: "refused, status 500"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			o := newOlder(t)
			tt.do(o)
			tt.opt.HeaderTimeout = 500 * time.Millisecond
			tr, err := New(o.url, tt.opt)
			wantErr(t, err, nil)
			_, err = session.Connect(context.Background(), config(), tr, session.Options{})
			wantText(t, err, tt.want)
			if (tt.opt.NoFallback || o.status == 500) && o.count("GET") > 0 {
				t.Error(o.heard())
			}
		})
	}
}

// Tokens, failures and cancellations are those of the newer transport.
func TestLegacyPosts(t *testing.T) {
	o := newOlder(t)
	var mode atomic.Value
	mode.Store("")
	ctx, end := context.WithCancel(context.Background())
	defer end()
	o.accept = func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) bool {
		switch {
		case m.Method != "resources/read":
		case mode.Load() == "token" && r.Header.Get("Authorization") != "Bearer more":
			w.Header().Set("WWW-Authenticate", `Bearer scope="more"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		case mode.Load() == "never":
			w.WriteHeader(http.StatusForbidden)
			return true
		case mode.Load() == "500":
			w.WriteHeader(http.StatusInternalServerError)
			return true
		case mode.Load() == "cut":
			cut()
		case mode.Load() == "silent":
			w.WriteHeader(http.StatusAccepted)
			end() // now that the server has it
			return true
		}
		return false
	}
	refused := errors.New("no more")
	c := o.connect(Options{Token: func(_ context.Context, c headers.Challenge) (string, error) {
		if mode.Load() == "never" {
			return "", refused
		}
		return c.Scope, nil
	}}, session.Options{Event: func(*session.Client, client.Event) {}})
	mode.Store("token")
	wantErr(t, read(c), nil)
	mode.Store("never")
	wantErr(t, read(c), refused)
	mode.Store("500")
	var e *lostError
	if err := read(c); !errors.As(err, &e) || e.Failure.Status != 500 {
		t.Error(err)
	}
	mode.Store("cut")
	if err := read(c); !errors.As(err, &e) || e.Failure.Reason != exchange.NoResponse {
		t.Error(err)
	}
	mode.Store("silent")
	wantErr(t, readIn(ctx, c, time.Minute), context.Canceled)
	eventually(t, "a withdrawal", func() bool { return strings.HasSuffix(o.heard(), "POST notifications/cancelled") })
}

// There are servers of HTTP+SSE that carry a request out before they accept it: the State knows how long that may take.
func TestLegacySlowCall(t *testing.T) {
	const head = 50 * time.Millisecond
	o := newOlder(t)
	o.accept = func(_ http.ResponseWriter, _ *http.Request, m jsonrpc.Message) bool {
		if m.Method == "resources/read" {
			time.Sleep(4 * head)
		}
		return false
	}
	c := o.connect(Options{HeaderTimeout: head}, session.Options{})
	wantErr(t, read(c), nil)
}

// A response to a POST whose body never ends holds nothing up: what it means stands in its head.
func TestLegacyEndless(t *testing.T) {
	o := newOlder(t)
	o.accept = func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) bool {
		if m.Kind == jsonrpc.KindRequest {
			return false
		}
		w.WriteHeader(http.StatusAccepted)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	}
	c := o.connect(Options{}, session.Options{})
	wantErr(t, read(c), nil)
	began := time.Now()
	wantErr(t, c.Close(context.Background()), nil)
	if d := time.Since(began); d > patience {
		t.Error("Close took", d)
	}
}

// A server of HTTP+SSE that is never content is asked with as many tokens as Exchange.Logins says,
// and one before.
func TestOldTokenRefused(t *testing.T) {
	for logins := 1; logins <= 3; logins++ {
		o := newOlder(t)
		o.get = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }
		asked := 0
		opt := Options{Exchange: exchange.Options{Logins: logins}, Token: func(context.Context, headers.Challenge) (string, error) {
			asked++
			return fmt.Sprint("t", asked), nil
		}}
		tr, err := New(o.url, opt)
		wantErr(t, err, nil)
		_, err = session.Connect(context.Background(), config(), tr, session.Options{})
		wantText(t, err, "status 405")
		if asked != 1+logins {
			t.Errorf("%d logins: asked %d times", logins, asked)
		}
	}
}
