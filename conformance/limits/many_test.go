package limits_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// manyBrims fill the machines of many servers.
var manyBrims = []brim{
	{"inbox", "long uris", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return inboxOf(t, s, s.InboxBytes/s.Inbox-100, pad)
	}},
	{"inbox", "small", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return inboxOf(t, s, 10, pad)
	}},
}

// inboxOf fills each kind of event to twice its limit, with texts of a size, each in
// a much larger message. Servers connect and disconnect meanwhile.
func inboxOf(t *testing.T, s limits.Settings, size int, pad string) (func() any, func(*testing.T)) {
	q, err := manager.NewInbox(manager.InboxOptions{Notifications: s.Inbox, Progress: s.Inbox, Updates: s.Inbox, Bytes: s.InboxBytes})
	if err != nil {
		t.Fatal(err)
	}
	pad = pad[:16<<10]
	push := func(epoch int, ev client.Event) {
		q = q.Push(manager.Event{Kind: manager.SessionEvent, Link: manager.Link{Server: "a", Epoch: uint64(epoch + 1)}, Session: ev})
	}
	// said is an event from a much larger message.
	said := func(method, body string) client.Event {
		m := jsonrpc.Decode([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"pad":%q,"params":%s}`, method, pad, body)))
		return client.Event{Kind: lifecycle.NotificationReceived, Method: m.Method, Body: m.Body}
	}
	fill := func() {
		for i := range 2 * s.Inbox {
			push(i, said("notifications/message", fmt.Sprintf(`{"level":"info","data":%q}`, long(size, i))))
			push(i, said("notifications/tools/list_changed", fmt.Sprintf(`{"_meta":{"a":%q}}`, long(size, i))))
			push(i, said("notifications/elicitation/complete", fmt.Sprintf(`{"elicitationId":%q}`, long(size, i))))
			refused := said("x", "{}")
			refused.Kind, refused.ID = lifecycle.Violation, jsonrpc.String(strings.Clone(pad[:size]))
			refused.Err = &jsonrpc.Error{Message: strings.Clone(pad), Data: jsonrpc.Raw(long(4000, i))}
			push(i, refused)
			news := said("notifications/progress", fmt.Sprintf(`{"message":%q}`, long(size, i)))
			news.Kind, news.Req = lifecycle.ProgressReceived, lifecycle.MakeReq(nil, uint64(i+1))
			push(0, news)
			push(0, said("notifications/resources/updated", fmt.Sprintf(`{"uri":%q}`, long(size, i))))
			for _, to := range []manager.Condition{manager.Ready, manager.Waiting} {
				q = q.Push(manager.Event{Kind: manager.ServerChanged, Link: manager.Link{Server: "a", Epoch: uint64(i + 1)}, To: to})
			}
		}
	}
	return func() any { fill(); return &q }, func(t *testing.T) {
		d, n := q.Drops(), q.Len()
		if err := q.Check(); err != nil || d.Notifications == 0 || d.Updates == 0 || d.Progress == 0 || n < s.Inbox || n > 4*s.Inbox+17 {
			t.Errorf("%v: %d wait, %+v", err, n, d)
		}
	}
}

// The zero Inbox accepts exactly as much of each kind as its defaults say.
func TestDefaultsOfInbox(t *testing.T) {
	link := manager.Link{Server: "a", Epoch: 1}
	note := func(method, body string) func(int) manager.Event {
		return func(i int) manager.Event {
			return manager.Event{Kind: manager.SessionEvent, Link: link, Session: client.Event{
				Kind: lifecycle.NotificationReceived, Method: method, Body: jsonrpc.Raw(fmt.Sprintf(body, i)),
			}}
		}
	}
	for name, of := range map[string]func(int) manager.Event{
		"Notifications": note("notifications/message", `{"data":%d}`),
		"Updates":       note("notifications/resources/updated", `{"uri":"a:%d"}`),
		"completions":   note("notifications/elicitation/complete", `{"elicitationId":"%d"}`),
		"Progress": func(i int) manager.Event {
			return manager.Event{Kind: manager.SessionEvent, Link: link, Session: client.Event{Kind: lifecycle.ProgressReceived, Req: lifecycle.MakeReq(nil, uint64(i+1))}}
		},
	} {
		var q manager.Inbox
		for i := range 128 {
			q = q.Push(of(i))
		}
		if d := q.Drops(); q.Len() != 128 || d != (manager.DropCounts{}) {
			t.Errorf("%s: %d wait, %+v", name, q.Len(), d)
		}
		q = q.Push(of(128))
		if d := q.Drops(); q.Len() != 128 || d.Notifications+d.Updates+d.Progress != 1 || q.Check() != nil {
			t.Errorf("%s, one more: %d wait, %+v, %v", name, q.Len(), d, q.Check())
		}
	}
	body := note("notifications/message", `"%0*[2]d"`)(0)
	for extra, want := range []int{1, 0} {
		body.Session.Body = jsonrpc.Raw(strings.Repeat("x", 4<<20+extra))
		if q := (manager.Inbox{}).Push(body); q.Len() != want {
			t.Errorf("%d bytes more than may: %d wait", extra, q.Len())
		}
	}
}
