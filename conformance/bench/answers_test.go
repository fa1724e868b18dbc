package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// check returns an error unless resp is the right answer to the request.
func (r request) check(resp []byte) error {
	result, err := resultOf(resp, "7")
	if err != nil || r.member == "" {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(result, &members); err != nil {
		return err
	}
	var list []struct{ Name, Text string }
	if err := json.Unmarshal(members[r.member], &list); err != nil {
		return fmt.Errorf("%s of %.200s: %w", r.member, result, err)
	}
	switch {
	case r.spec.tools > 0 && (len(list) != r.spec.tools || list[len(list)-1].Name != toolName(len(list)-1)):
		return fmt.Errorf("%d tools are listed, want %d", len(list), r.spec.tools)
	case r.spec.tools == 0 && (len(list) != 1 || list[0].Text != r.want):
		return fmt.Errorf("wrong text in %.300s", resp)
	case string(members["isError"]) == "true":
		return fmt.Errorf("a failed result: %.300s", resp)
	}
	return nil
}

// resultOf returns the result of a JSON-RPC response with the given id.
func resultOf(resp []byte, id string) (json.RawMessage, error) {
	var m struct {
		JSONRPC string
		ID      json.RawMessage
		Result  json.RawMessage
		Error   json.RawMessage
	}
	if err := json.Unmarshal(resp, &m); err != nil {
		return nil, fmt.Errorf("response %.200q: %w", resp, err)
	}
	if m.JSONRPC != "2.0" || string(m.ID) != id || m.Error != nil || m.Result == nil {
		return nil, fmt.Errorf("unexpected response %.300q", resp)
	}
	return m.Result, nil
}

func expectEcho(got string, err error) error {
	if err == nil && got != smallText {
		err = fmt.Errorf("got %q", got)
	}
	return err
}

// TestWorkloads checks that every workload has a benchmark of this library and of
// another one; no other has a relay.
func TestWorkloads(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range Workloads {
		if seen[w.Name] || w.Base != "" && !seen[w.Base] {
			t.Errorf("%s is there twice, or its base does not come before", w.Name)
		}
		seen[w.Name] = true
		var names []string
		for _, l := range libraries {
			if benchmark(w.Name, l) != nil {
				names = append(names, l.name)
			}
		}
		if all := " " + strings.Join(names, " "); !strings.Contains(all, " sansmcp") || !w.Relay && !strings.Contains(all, " go-sdk") {
			t.Errorf("%s has only%s", w.Name, all)
		}
	}
	for name := range passes {
		if !seen[name] {
			t.Errorf("the message %s is no workload", name)
		}
	}
	for name := range requests() {
		if !seen[name] {
			t.Errorf("the request %s is no workload", name)
		}
	}
}

// TestServers checks the answers of every server.
func TestServers(t *testing.T) {
	for name, r := range requests() {
		each(t, func(l library) bool { return benchmark(name, l) != nil }, func(t *testing.T, l library) {
			s := must(l.server(r.spec))(t)
			defer s.Close()
			for range 2 { // the second finds what the first left
				resp, err := s.Dispatch(r.msg)
				if err = errors.Join(err, r.check(resp)); err != nil {
					t.Fatal(name, err)
				}
			}
		})
	}
}

// each runs a test for each library for which has returns true.
func each(t *testing.T, has func(library) bool, test func(*testing.T, library)) {
	for _, l := range libraries {
		if has(l) {
			t.Run(l.name, func(t *testing.T) { test(t, l) })
		}
	}
}

func serves(l library) bool { return l.server != nil }

// TestChecked checks that servers refuse arguments that violate the schema exactly if they
// check them.
func TestChecked(t *testing.T) {
	msg := []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"sink","arguments":{"rows":1}}}`)
	each(t, serves, func(t *testing.T, l library) {
		for _, checked := range []bool{false, true} {
			if checked && !l.whole() {
				continue
			}
			s := must(l.server(serverSpec{checked: checked}))(t)
			resp := must(s.Dispatch(msg))(t)
			if err := (request{member: "content", want: "ok"}).check(resp); (err != nil) != checked {
				t.Errorf("checked %t: %v", checked, err)
			}
			s.Close()
		}
	})
}

// TestNotifications checks that every server's application gets a notification.
func TestNotifications(t *testing.T) {
	each(t, serves, func(t *testing.T, l library) {
		s := must(l.server(serverSpec{}))(t)
		defer s.Close()
		for range 3 {
			if err := s.Notify([]byte(notification)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestClients checks the results of clients, with and without other calls in flight.
func TestClients(t *testing.T) {
	each(t, func(l library) bool { return l.client != nil }, func(t *testing.T, l library) {
		c := must(l.client())(t)
		defer c.Close()
		if err := expectEcho(c.Call("echo", echoArgs)); err != nil {
			t.Error(err)
		}
	})
	each(t, func(l library) bool { return l.holder != nil }, func(t *testing.T, l library) {
		c := must(l.holder())(t)
		defer c.Close()
		if err := errors.Join(c.Hold(10), expectEcho(c.Call("echo", echoArgs))); err != nil {
			t.Error(err)
		}
	})
}

// TestPairs checks that a client and a server of each library understand each other.
func TestPairs(t *testing.T) {
	each(t, func(l library) bool { return l.pair != nil }, func(t *testing.T, l library) {
		p := must(l.pair())(t)
		defer p.Close()
		if err := errors.Join(p.Run(3, 1), p.Run(50, 8)); err != nil {
			t.Error(err)
		}
	})
}

// TestSessions checks that every library can open several sessions.
func TestSessions(t *testing.T) {
	each(t, func(l library) bool { return l.serverSessions != nil || l.clientSessions != nil }, func(t *testing.T, l library) {
		for _, sessions := range []func() (opener, error){l.serverSessions, l.clientSessions} {
			if sessions == nil {
				continue
			}
			open := must(sessions())(t)
			var o opened
			for range 3 {
				o.add(t, open)
			}
			o.Close()
		}
	})
}
