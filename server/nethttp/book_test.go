package nethttp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/nethttp"
)

// A client that takes no stream, and a writer that cannot flush, get the answer as JSON, however late
// it is and whatever is sent before it. One that unwraps to a writer that can gets a stream.
func TestWholeAnswers(t *testing.T) {
	jsonOnly := set("Accept", "application/json")
	dulls := func(r *response) http.ResponseWriter { return dull{r} }
	wraps := func(r *response) http.ResponseWriter { return wrapped{dull{r}} }
	for _, after := range []time.Duration{0, lifecycle.NoTimeout} {
		for _, tt := range []struct {
			name  string
			wrap  func(*response) http.ResponseWriter
			edit  func(*http.Request)
			whole bool
		}{
			{"JSON alone", nil, jsonOnly, true},
			{"no flush", dulls, func(*http.Request) {}, true},
			{"wrapped", wraps, func(*http.Request) {}, false},
		} {
			synctest.Test(t, func(t *testing.T) {
				b := newBubble(t, nethttp.Options{StreamAfter: after})
				defer b.close()
				id := b.open("2025-11-25")
				for _, tool := range []string{"gate", "steps"} {
					r := b.serve("POST", id, "2025-11-25", callOf(tool, "{}"), tt.wrap, tt.edit)
					<-b.k.begun
					for range 3 {
						time.Sleep(time.Second)
						b.k.free <- struct{}{}
						if tool == "gate" {
							break
						}
					}
					<-r.done
					kind := "text/event-stream"
					if tt.whole {
						kind = "application/json"
						var answer struct{ Result any }
						if err := json.Unmarshal([]byte(r.text()), &answer); err != nil || answer.Result == nil {
							t.Errorf("%s, %s: %v, %s", tt.name, tool, err, r.text())
						}
					}
					if r.status() != 200 || r.head.Get("Content-Type") != kind || !strings.Contains(r.text(), `"result"`) {
						t.Errorf("%s, %s: %d %v %s", tt.name, tool, r.status(), r.head, r.text())
					}
				}
				if tt.whole {
					r := b.serve("POST", id, "2025-11-25", callOf("gate", "{}"), tt.wrap, tt.edit)
					<-b.k.begun
					<-b.serve("POST", id, "", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, nil).done
					<-r.done
					if r.status() != 202 || r.text() != "" {
						t.Errorf("%s, cancelled: %d %s", tt.name, r.status(), r.text())
					}
				}
				if tt.wrap != nil && tt.whole {
					r := b.serve("GET", id, "2025-11-25", "", tt.wrap)
					if <-r.done; r.status() != 500 {
						t.Errorf("a GET: %d", r.status())
					}
				}
			})
		}
	}
}

// Without sessions each POST stands alone: its revision is that of its header, what belongs to the call
// comes with it, and nobody can be asked.
func TestStateless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, nethttp.Options{Stateless: true})
		defer b.close()
		do := func(method, version, body string, edit ...func(*http.Request)) *response {
			r := b.serve(method, "", version, body, nil, edit...)
			<-r.done
			return r
		}
		want := func(r *response, status int, texts ...string) {
			t.Helper()
			if r.status() != status {
				t.Errorf("status %d, want %d: %s", r.status(), status, r.text())
			}
			for _, text := range texts {
				if !strings.Contains(r.text(), text) {
					t.Errorf("%s, want %s", r.text(), text)
				}
			}
			if id := r.head.Get("Mcp-Session-Id"); id != "" {
				t.Error("a session id", id)
			}
		}
		r := do("POST", "", bare)
		want(r, 200, `"protocolVersion":"2025-06-18"`)
		if strings.Contains(r.text(), "listChanged") {
			t.Error("it promises news that nobody is told:", r.text())
		}
		want(do("POST", "2025-06-18", `{"jsonrpc":"2.0","method":"notifications/initialized"}`), 202)
		want(do("POST", "2025-06-18", `{"jsonrpc":"2.0","id":9,"result":{}}`), 202)
		for _, version := range []string{"", "2025-11-25", "2025-06-18", "2025-03-26"} {
			want(do("POST", version, callOf("echo", `{"a":1}`)), 200, `echo {`)
			want(do("POST", version, callOf("ask", "{}")), 200, "isError")
			<-b.k.begun
			if want := version == "" || version == "2025-03-26"; strings.HasPrefix(do("POST", version, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`).text(), "[") != want {
				t.Errorf("%s: a batch, want %v", version, want)
			}
		}
		want(do("POST", "1999-01-01", callOf("echo", "{}")), 400, "supported")
		want(do("POST", "2025-06-18", "{"), 400, "-32700")
		want(do("GET", "2025-06-18", ""), 405)
		want(do("DELETE", "2025-06-18", ""), 405)
		if n := b.h.Status().Sessions; n != 0 {
			t.Errorf("%d sessions are left", n)
		}
		// What is sent within the call comes first, and without ids: there is nothing to come back to.
		r = b.serve("POST", "", "2025-11-25", callOf("steps", "{}"), nil)
		for range 3 {
			b.k.free <- struct{}{}
		}
		<-r.done
		want(r, 200, `"progress":1`, `"progress":3`, "stepped")
		if strings.Contains(r.text(), "id: ") || strings.Contains(r.text(), "retry") {
			t.Error(r.text())
		}
		<-b.k.begun
		// A call ends with its connection.
		r = b.serve("POST", "", "2025-11-25", callOf("gate", "{}"), nil)
		<-b.k.begun
		time.Sleep(time.Second)
		r.cut()
		<-r.done
		<-b.k.ended
		synctest.Wait()
		if s := b.h.Status(); s != (nethttp.Status{}) {
			t.Errorf("%+v is left", s)
		}
	})
}

// Pages of Options.Origins may talk: their browsers are told so, before anybody is asked who they are.
func TestCORS(t *testing.T) {
	const page = "https://app.example"
	opt := nethttp.Options{
		Origins: []string{page}, Authenticate: func(*http.Request) (nethttp.Principal, error) { return nethttp.Principal{}, errors.New("no") },
		Metadata: &nethttp.ResourceMetadata{Resource: "http://localhost/mcp", AuthorizationServers: []string{"https://as.example"}},
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, opt)
		defer b.close()
		asks := set("Access-Control-Request-Method", "POST")
		for _, tt := range []struct {
			method, origin string
			asks           bool
			status         int
			allowed        bool
		}{
			{"OPTIONS", page, true, 204, true},
			{"OPTIONS", page, false, 401, true},
			{"POST", page, false, 401, true},
			{"OPTIONS", "https://evil.example", true, 403, false},
			{"OPTIONS", "http://app.example", true, 403, false},
			{"OPTIONS", "null", true, 403, false},
			{"OPTIONS", "http://example.com", true, 401, false}, // the Host itself needs none of it
		} {
			edits := []func(*http.Request){set("Origin", tt.origin), func(r *http.Request) { r.Host = "example.com" }}
			if tt.asks {
				edits = append(edits, asks)
			}
			r := b.serve(tt.method, "", "", "", nil, edits...)
			<-r.done
			head := r.head
			if r.status() != tt.status || (head.Get("Access-Control-Allow-Origin") == tt.origin) != tt.allowed || head.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s %s: %d %v", tt.method, tt.origin, r.status(), head)
			}
			if tt.status != 403 && head.Get("Vary") != "Origin" {
				t.Errorf("%s %s: Vary is %q", tt.method, tt.origin, head.Get("Vary"))
			}
			if tt.status == 204 && (!strings.Contains(head.Get("Access-Control-Allow-Headers"), "Mcp-Session-Id") || !strings.Contains(head.Get("Access-Control-Allow-Methods"), "DELETE")) {
				t.Error(head)
			}
			if tt.allowed && tt.status != 204 && !strings.Contains(head.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id") {
				t.Error(head)
			}
		}
		r := b.serve("OPTIONS", "", "", "", nil, func(r *http.Request) { r.URL.Path = "/.well-known/oauth-protected-resource/mcp" })
		if <-r.done; r.status() != 204 || r.head.Get("Access-Control-Allow-Origin") != "*" || r.head.Get("Access-Control-Allow-Headers") == "" {
			t.Error(r.status(), r.head)
		}
	})
	for _, opt := range []nethttp.Options{{}, {AnyOrigin: true, Origins: []string{page}}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBubble(t, opt)
			defer b.close()
			r := b.serve("OPTIONS", "", "", "", nil, set("Origin", page), set("Access-Control-Request-Method", "POST"))
			if <-r.done; r.head.Get("Access-Control-Allow-Origin") != "" || r.status() < 400 {
				t.Error(r.status(), r.head)
			}
		})
	}
}

// A Host or Origin that is refused is logged, cut, and once that any Host is accepted.
func TestRefusalsAreLogged(t *testing.T) {
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, nethttp.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		defer b.close()
		for range 2 {
			r := b.serve("POST", "", "", bare, nil, set("Origin", "https://"+strings.Repeat("x", 5000)+".example"))
			if <-r.done; r.status() != 403 {
				t.Error(r.status())
			}
		}
		for range 2 {
			<-b.serve("POST", "", "", bare, nil).done
		}
	})
	text := log.String()
	if n := strings.Count(text, "refused because of its Host or Origin"); n != 2 || len(text) > 2000 || !strings.Contains(text, "origin=https://xxx") {
		t.Errorf("%d lines: %.2000s", n, text)
	}
	if n := strings.Count(text, "any Host is accepted"); n != 1 {
		t.Errorf("%d lines of Hosts: %.2000s", n, text)
	}
}

func TestSettings(t *testing.T) {
	check := func(opt nethttp.Options) error {
		h, err := nethttp.NewHandler(serverConfig, newKit().handlers(), opt)
		if err == nil {
			h.Close()
		}
		return err
	}
	settings.Test(t, "nethttp", nethttp.Options{}, check, settings.Wants{
		"MaxSessions": "positive, or 0 for 10000", "MaxSessionsPerPrincipal": "positive, or 0 for 7500", "MaxConnections": "positive, or 0 for 10000",
		"MaxBody": "positive, or 0 for 4194304", "BodyBytes": "positive, or 0 for 67108864", "KeptBytes": "positive, or 0 for 268435456",
		"WritingBytes": "positive, or 0 for 536870912", "StreamAfter": "positive, 0 for 200ms, or NoTimeout", "ReadTimeout": "positive, or 0 for 30s",
		"WriteTimeout": "positive, or 0 for 30s", "Heartbeat": "positive, 0 for 15s, or NoTimeout", "IdleTimeout": "positive, or 0 for 30m0s", "Lease": "positive, or 0 for 5s",
		"Streams.MaxBytes": "positive, or 0 for 4194304", "Streams.MaxAnswers": "positive, or 0 for 16777216", "Streams.MaxListeners": "positive, 0 for 8, or -1 for none",
		"Streams.Keep": "positive, 0 for 2m0s, or NoTimeout", "Streams.Grace": "positive, 0 for 3s, or NoTimeout", "Streams.Retry": "positive, 0 for 1s, or NoTimeout",
		"Streams.Idle": "positive, or 0 for no limit", "Work.MaxRunning": "positive, or 0 for 64", "Work.MaxWaiting": "positive, or 0 for 1000",
		"Work.MaxPerSession": "positive, or 0 for 1064", "Work.CallBytes": "positive, or 0 for 67108864", "Work.SessionBytes": "positive, or 0 for 67108864",
		"Work.KeepAnswer": "positive, or 0 for 5m0s",
	})
	for want, opt := range map[string]nethttp.Options{
		"Stateless is true: want false with Store":                                                      {Stateless: true, Store: nethttp.NewMemory()},
		"Stateless is true: want false with LegacySSE, whose sessions are its streams":                  {Stateless: true, LegacySSE: true},
		`Origins[1] is "app.example": want a scheme and a host, as https://app.example`:                 {Origins: []string{"null", "app.example"}},
		`Liveness is ":80": want one address of this machine with a port, as 10.0.0.5:0`:                {Liveness: ":80"},
		`Liveness is "0.0.0.0:0": want one address of this machine with a port, as 10.0.0.5:0`:          {Liveness: "0.0.0.0:0"},
		`Liveness is "[::ffff:0.0.0.0]:0": want one address of this machine with a port, as 10.0.0.5:0`: {Liveness: "[::ffff:0.0.0.0]:0"},
		`Hosts[0] is "http://a": want a name, with a port or without, as mcp.example.com`:               {Hosts: []string{"http://a"}},
	} {
		settings.Refused(t, check(opt), "nethttp: "+want)
	}
}
