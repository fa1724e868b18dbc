package client_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// While a request waits for a person at this side it has Timeouts.Human, and afterwards its own timeout anew; its
// Maximum bounds both, and what is due is not put off.
func TestPause(t *testing.T) {
	const modern = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"ttlMs":0,"cacheScope":"private"}`
	const open = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
	for name, c := range map[string]struct {
		do              func(s client.State) (client.State, client.Output, error)
		ready           string // the result that the connection is opened by before; "" for none
		method          string // of the request
		timeouts        lifecycle.Timeouts
		own, person, on time.Duration // its timeout, from now on paused, and from then on
	}{
		"probe": {connect, "", protocol.MethodDiscover, lifecycle.Timeouts{}, 5 * time.Second, 10 * time.Minute, 5 * time.Second},
		"initialize": {func(s client.State) (client.State, client.Output, error) { return s.Initialize(began) },
			"", protocol.MethodInitialize, lifecycle.Timeouts{}, 5 * time.Minute, 10 * time.Minute, 5 * time.Minute},
		"call":                   {requests(client.RequestOptions{}), open, "tools/list", lifecycle.Timeouts{}, time.Minute, 10 * time.Minute, time.Minute},
		"call without a session": {requests(client.RequestOptions{}), modern, "tools/list", lifecycle.Timeouts{}, time.Minute, 10 * time.Minute, time.Minute},
		"a person of its own":    {requests(client.RequestOptions{}), open, "tools/list", lifecycle.Timeouts{Human: 3 * time.Minute}, time.Minute, 3 * time.Minute, time.Minute},
		"more than a person has": {requests(client.RequestOptions{Timeout: time.Hour / 2}), open, "tools/list", lifecycle.Timeouts{}, time.Hour / 2, time.Hour/2 - time.Second, time.Hour / 2},
		"maximum":                {requests(client.RequestOptions{Maximum: 4 * time.Minute}), open, "tools/list", lifecycle.Timeouts{}, time.Minute, 4*time.Minute - time.Second, time.Minute},
		"for ever":               {requests(client.RequestOptions{Timeout: lifecycle.NoTimeout}), open, "tools/list", lifecycle.Timeouts{}, 0, 0, 0},
		"a person for ever":      {requests(client.RequestOptions{Maximum: lifecycle.NoTimeout}), open, "tools/list", lifecycle.Timeouts{Human: lifecycle.NoTimeout}, time.Minute, 0, time.Minute},
		"subscription":           {listen(client.RequestOptions{}), modern, "subscriptions/listen", lifecycle.Timeouts{}, time.Minute, 10 * time.Minute, time.Minute},
		"subscription for ever":  {listen(client.RequestOptions{Timeout: lifecycle.NoTimeout}), modern, "subscriptions/listen", lifecycle.Timeouts{}, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newState(t, client.Config{Revisions: protocol.AllRevisions(), Timeouts: c.timeouts})
			switch c.ready {
			case "":
			case modern:
				s, _, _ = s.Connect(began, modern)
			default:
				s = opened(t, s, c.ready)
			}
			s, out, err := c.do(s)
			if err != nil {
				t.Fatal(err)
			}
			if m := out.Send[0].Message.Method; m != c.method {
				t.Fatal(m)
			}
			at := began
			due := func(want time.Duration) {
				t.Helper()
				if s.Check() != nil {
					t.Fatal(s.Check())
				}
				got, ok := s.NextDeadline()
				if d := got.Sub(at); ok != (want != 0) || ok && d != want {
					t.Errorf("due in %v, %v; want %v", d, ok, want)
				}
				cfg := client.Config{Info: protocol.Implementation{Name: "n", Version: "1"}, Revisions: protocol.AllRevisions(), Timeouts: c.timeouts}
				if !ok && c.own != 0 {
					return // a Snapshot does not tell it from a time that no clock could hold: it has its timeout anew
				}
				if again, err := client.Restore(cfg, s.Snapshot(), at); err != nil || string(again.Snapshot()) != string(s.Snapshot()) {
					t.Errorf("%v\n%s", err, s.Snapshot())
				}
			}
			due(c.own)
			pass := func(d time.Duration, paused bool) {
				at = at.Add(d)
				var o client.Output
				if s, o = s.Pause(at, out.Req, paused); !o.IsZero() {
					t.Error(o)
				}
			}
			pass(time.Second, true)
			due(c.person)
			pass(30*time.Second, false)
			due(c.on)
			if c.on != 0 { // it is over at its deadline
				pass(c.on, true)
				if s, o := s.Tick(at); len(o.Events) == 0 || o.Events[0].Kind != lifecycle.RequestFailed {
					t.Errorf("%+v, %v", o, s.Status())
				}
			}
			if again, o := s.Pause(at, client.Req{}, true); !o.IsZero() || again.Status() != s.Status() {
				t.Error("no request is paused")
			}
		})
	}
	if s, o := (client.State{}).Pause(began, lifecycle.MakeReq(nil, 1), true); !o.IsZero() || s.Status() != (client.Status{}) {
		t.Error(o)
	}
}

// A person has as long as the Config says that a State is restored with.
func TestPauseUnderAnotherConfig(t *testing.T) {
	s := newState(t, client.Config{Revisions: protocol.AllRevisions()})
	s, out, err := connect(s)
	if err != nil {
		t.Fatal(err)
	}
	s, _ = s.Pause(began, out.Req, true)
	for human, want := range map[time.Duration]time.Duration{
		time.Minute: time.Minute, time.Hour: 10 * time.Minute, time.Second: 5 * time.Second, lifecycle.NoTimeout: 10 * time.Minute,
	} {
		cfg := client.Config{Info: protocol.Implementation{Name: "n", Version: "1"}, Revisions: protocol.AllRevisions(), Timeouts: lifecycle.Timeouts{Human: human}}
		again, err := client.Restore(cfg, s.Snapshot(), began)
		if err != nil {
			t.Fatal(human, err)
		}
		if at, _ := again.NextDeadline(); again.Check() != nil || at.Sub(began) != want {
			t.Error(human, at.Sub(began), again.Check())
		}
	}
}

// What no session can come to is refused: a deadline beyond the last one, and subscriptions with nobody.
func TestImpossibleSnapshots(t *testing.T) {
	cfg := client.Config{Info: protocol.Implementation{Name: "n", Version: "1"}, Revisions: protocol.AllRevisions()}
	s, _, err := connect(newState(t, cfg))
	if err != nil {
		t.Fatal(err)
	}
	text := string(s.Snapshot())
	for old, change := range map[string]string{
		`"hard":3600000000000`: `"hard":1`,
		`"outbound":`:          `"subscriptions":["a:b"],"outbound":`,
	} {
		if changed := strings.Replace(text, old, change, 1); changed == text {
			t.Error(text)
		} else if _, err := client.Restore(cfg, []byte(changed), began); err == nil {
			t.Errorf("restored: %s", changed)
		}
	}
}

// Roots of a session are not those of a Config that leaves them to the application.
func TestRootsOfAnotherConfig(t *testing.T) {
	cfg := client.Config{Info: protocol.Implementation{Name: "n", Version: "1"}, Roots: []protocol.Root{{URI: "file:///a"}}}
	s, _, err := newState(t, cfg).SetRoots(began, []protocol.Root{{URI: "file:///b"}})
	if err != nil || len(s.Roots()) != 1 {
		t.Fatal(err)
	}
	cfg.Roots, cfg.Serve, cfg.Declare = nil, []string{protocol.MethodRootsList}, protocol.CapRoots
	if s, err = client.Restore(cfg, s.Snapshot(), began); err != nil || len(s.Roots()) != 0 {
		t.Error(s.Roots(), err)
	}
}

func connect(s client.State) (client.State, client.Output, error) { return s.Connect(began, "") }

func requests(opt client.RequestOptions) func(client.State) (client.State, client.Output, error) {
	return func(s client.State) (client.State, client.Output, error) {
		return s.Request(began, protocol.ListToolsParams{}, opt)
	}
}

func listen(opt client.RequestOptions) func(client.State) (client.State, client.Output, error) {
	return func(s client.State) (client.State, client.Output, error) {
		return s.Request(began, protocol.ListenParams{}, opt)
	}
}

// opened returns s with a session that result has opened.
func opened(t *testing.T, s client.State, result string) client.State {
	t.Helper()
	s, out, err := s.Initialize(began)
	if err != nil {
		t.Fatal(err)
	}
	s, _ = s.Receive(began, jsonrpc.Message{Kind: jsonrpc.KindResult, ID: out.Send[0].Message.ID, Body: jsonrpc.Raw(result)})
	if s.Phase() != lifecycle.Ready {
		t.Fatal(s.Status())
	}
	return s
}
