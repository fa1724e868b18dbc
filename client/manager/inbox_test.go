package manager_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

func news(link manager.Link, method, body string) manager.Event {
	return manager.Event{
		Kind: manager.SessionEvent, Link: link,
		Session: client.Event{Kind: lifecycle.NotificationReceived, Method: method, Body: jsonrpc.Raw(body)},
	}
}

func inbox(t *testing.T, opt manager.InboxOptions) manager.Inbox {
	t.Helper()
	q, err := manager.NewInbox(opt)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// drain takes everything out.
func drain(q manager.Inbox) (list []manager.Event) {
	for {
		var ev manager.Event
		var ok bool
		if q, ev, ok = q.Pop(); !ok {
			return list
		}
		list = append(list, ev)
	}
}

// Row B24: control is never dropped; announcements are coalesced for each list of each
// server; the newest progress is kept; the rest is bounded; all drops are counted.
func TestInbox(t *testing.T) {
	a, b := manager.Link{Server: "a", Epoch: 1}, manager.Link{Server: "b", Epoch: 2}
	req := func(n uint64) client.Req { return lifecycle.MakeReq(nil, n) }
	progress := func(n uint64, v int) manager.Event {
		return manager.Event{Kind: manager.SessionEvent, Link: a, Session: client.Event{
			Kind: lifecycle.ProgressReceived, Req: req(n), Body: jsonrpc.Raw(fmt.Sprint(v)),
		}}
	}
	q := inbox(t, manager.InboxOptions{Notifications: 2, Progress: 2, Updates: 2})
	for i := range 1000 {
		q = q.Push(manager.Event{Kind: manager.OpDone, Op: manager.OpOf(uint64(i + 1))})
	}
	for range 10 {
		for _, link := range []manager.Link{a, b} {
			q = q.Push(news(link, "notifications/tools/list_changed", ""))
			q = q.Push(news(link, "notifications/prompts/list_changed", ""))
			q = q.Push(manager.Event{Kind: manager.PingsMissed, Link: link})
		}
	}
	if d := q.Drops(); q.Len() != 1006 || d != (manager.DropCounts{Coalesced: 54}) {
		t.Fatalf("%d wait, %+v", q.Len(), d)
	}
	for i := range 5 {
		q = q.Push(progress(1, i)).Push(progress(2, i)).Push(progress(3, i))
		q = q.Push(news(a, "notifications/message", fmt.Sprint(i)))
		q = q.Push(news(a, "notifications/other/list_changed", fmt.Sprint(i))) // unknown: ordinary
		q = q.Push(news(a, "notifications/resources/updated", fmt.Sprintf(`{"uri":"u:%d"}`, i%3)))
	}
	d := q.Drops()
	if q.Len() != 1006+2+2+2 || d.Progress != 5 || d.Notifications != 8 || d.Updates == 0 {
		t.Fatalf("%d wait, %+v", q.Len(), d)
	}
	list := drain(q)
	for i := range 1000 {
		if list[i].Op.Seq() != uint64(i+1) {
			t.Fatal("out of order")
		}
	}
	if got := list[1006].Session; got.Kind != lifecycle.ProgressReceived || got.Body != "4" || got.Req != req(1) {
		t.Errorf("%+v", got) // the newest, in the place of the first
	}
	if q.Len() != 1012 {
		t.Error("the old value has changed")
	}
	var zero manager.Inbox
	for i := range 200 {
		zero = zero.Push(news(a, "notifications/message", fmt.Sprint(i)))
	}
	if zero.Len() != 128 || zero.Check() != nil {
		t.Error(zero.Len(), zero.Check())
	}
	if _, err := manager.NewInbox(manager.InboxOptions{Bytes: -1}); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
}

// A server that asks and takes back, without end, fills nothing: what is over before anybody
// has seen it is none. What was seen is told to be over.
func TestInboxRequests(t *testing.T) {
	link := manager.Link{Server: "a", Epoch: 1}
	ev := func(kind lifecycle.EventKind, n uint64) manager.Event {
		call := lifecycle.MakeCall(nil, n, n)
		return manager.Event{Kind: manager.SessionEvent, Link: link, Call: manager.Call{Link: link, Call: call}, Session: client.Event{Kind: kind, Call: call}}
	}
	q := inbox(t, manager.InboxOptions{})
	for i := range uint64(1000) {
		q = q.Push(ev(lifecycle.RequestReceived, i+1)).Push(ev(lifecycle.RequestCancelled, i+1))
	}
	if q.Len() != 0 || q.Drops().Coalesced != 1000 {
		t.Errorf("%d wait, %+v", q.Len(), q.Drops())
	}
	q, _, _ = q.Push(ev(lifecycle.RequestReceived, 5000)).Pop()
	if q = q.Push(ev(lifecycle.RequestExpired, 5000)); q.Len() != 1 {
		t.Error("the end of a request that was seen is left out")
	}
}

// What waits is bounded in bytes too, keeps no message alive, and a thing too large is left out
// for itself.
func TestInboxBytes(t *testing.T) {
	link := manager.Link{Server: "a", Epoch: 1}
	q := inbox(t, manager.InboxOptions{Notifications: 100, Bytes: 1000})
	q = q.Push(news(link, "notifications/message", strings.Repeat("x", 1001)))
	if q.Len() != 0 || q.Drops().Notifications != 1 {
		t.Errorf("%d wait, %+v", q.Len(), q.Drops())
	}
	for range 20 {
		q = q.Push(news(link, "notifications/message", strings.Repeat("x", 100)))
	}
	if q.Len() != 10 || q.Drops().Notifications != 11 {
		t.Errorf("%d wait, %+v", q.Len(), q.Drops())
	}
	q = q.Push(news(link, "notifications/resources/updated", `{"uri":"u:1"}`))
	q = q.Push(news(link, "notifications/resources/updated", `{"uri":"u:1","_meta":{"x":"`+strings.Repeat("y", 900)+`"}}`))
	if q.Len() != 1 {
		t.Errorf("%d wait, %+v", q.Len(), q.Drops())
	}

	// A server may put what it likes into methods and ids too.
	q = inbox(t, manager.InboxOptions{Bytes: 1000})
	for range 20 {
		q = q.Push(news(link, strings.Repeat("m", 100), ""))
		q = q.Push(manager.Event{Kind: manager.SessionEvent, Link: link, Session: client.Event{Kind: lifecycle.Violation, ID: jsonrpc.String(strings.Repeat("i", 100))}})
	}
	if q = q.Push(news(link, strings.Repeat("m", 1001), "")); q.Len() != 10 || q.Check() != nil {
		t.Errorf("%d wait, %+v, %v", q.Len(), q.Drops(), q.Check())
	}

	q = inbox(t, manager.InboxOptions{})
	before := alive()
	for i := range 100 {
		text := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"n":%d},"junk":"%s"}`, i, strings.Repeat("x", 1<<20))
		m := jsonrpc.DecodeString(strings.Clone(text))
		ev := news(link, m.Method, string(m.Body))
		ev.Session.Err = &jsonrpc.Error{Message: text}
		q = q.Push(ev)
	}
	if grown := alive() - before; grown > 2<<20 {
		t.Errorf("%d notifications keep %d KiB alive", q.Len(), grown>>10)
	}
	runtime.KeepAlive(q)
}

var alive = memory.Live

// TestInboxModel holds an Inbox against a slice: bounds, order, and what is never dropped.
func TestInboxModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opt := manager.InboxOptions{Notifications: 3, Progress: 2, Updates: 2, Bytes: 60}
		q, err := manager.NewInbox(opt)
		if err != nil {
			t.Fatal(err)
		}
		var control []uint64
		pushed, popped := 0, 0
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				link := manager.Link{Server: "a", Epoch: uint64(rapid.IntRange(1, 2).Draw(t, "epoch"))}
				n := rapid.IntRange(0, 4).Draw(t, "n")
				ev := news(link, "notifications/message", strings.Repeat("x", 10*n))
				switch rapid.IntRange(0, 4).Draw(t, "kind") {
				case 0:
					ev = manager.Event{Kind: manager.OpDone, Op: manager.OpOf(uint64(pushed + 1))}
					control = append(control, uint64(pushed+1))
				case 1:
					ev = news(link, "notifications/resources/updated", fmt.Sprintf(`{"uri":"u:%d"}`, n))
				case 2:
					ev.Session.Kind, ev.Session.Req = lifecycle.ProgressReceived, lifecycle.MakeReq(nil, uint64(n+1))
				case 3:
					ev = news(link, "notifications/tools/list_changed", "")
				}
				q = q.Push(ev)
				pushed++
			},
			"pop": func(t *rapid.T) {
				next, ev, ok := q.Pop()
				if ok != (q.Len() > 0) {
					t.Fatalf("%v of %d", ok, q.Len())
				}
				if q = next; ok {
					popped++
				}
				if ev.Kind == manager.OpDone {
					if ev.Op.Seq() != control[0] {
						t.Fatalf("%v, want %d", ev.Op, control[0])
					}
					control = control[1:]
				}
			},
			"": func(t *rapid.T) {
				d := q.Drops()
				if lost := int(d.Notifications + d.Updates + d.Progress + d.Coalesced); pushed != popped+q.Len()+lost {
					t.Fatalf("%d pushed, %d popped, %d wait, %+v", pushed, popped, q.Len(), d)
				}
				if most := len(control) + opt.Notifications + opt.Progress + opt.Updates + 2; q.Len() > most {
					t.Fatalf("%d wait, at most %d", q.Len(), most)
				}
				if err := q.Check(); err != nil {
					t.Fatal(err)
				}
			},
		})
	})
}

// How each kind of event is treated.
func TestInboxClasses(t *testing.T) {
	link := manager.Link{Server: "a", Epoch: 1}
	session := func(kind lifecycle.EventKind, method string) manager.Event {
		return manager.Event{Kind: manager.SessionEvent, Link: link, Session: client.Event{Kind: kind, Method: method}}
	}
	for _, tt := range []struct {
		ev   manager.Event
		kept int // of five
	}{
		{manager.Event{Kind: manager.OpDone}, 5},
		{manager.Event{Kind: manager.ServerChanged}, 5},
		{manager.Event{Kind: manager.RestoreFailed}, 5},
		{manager.Event{Kind: manager.PingsMissed}, 1},
		{session(lifecycle.NotificationReceived, "notifications/elicitation/complete"), 5},
		{session(lifecycle.NotificationReceived, "notifications/resources/list_changed"), 1},
		{session(lifecycle.NotificationReceived, "notifications/message"), 2},
		{session(lifecycle.Violation, "tools/call"), 2},
		{session(lifecycle.Ignored, ""), 2},
	} {
		q := inbox(t, manager.InboxOptions{Notifications: 2})
		for range 5 {
			q = q.Push(tt.ev)
		}
		if q.Len() != tt.kept || q.Check() != nil {
			t.Errorf("%+v: %d, %v", tt.ev.Kind, q.Len(), q.Check())
		}
	}
}

// Servers that come and go for as long as nobody looks fill nothing: each has its first changes
// and its last one.
func TestInboxChanges(t *testing.T) {
	q := inbox(t, manager.InboxOptions{})
	lost := &manager.Error{}
	for i := range 1000 {
		for _, name := range []string{"a", "b"} {
			link := manager.Link{Server: name, Epoch: uint64(i + 1)}
			q = q.Push(manager.Event{Kind: manager.ServerChanged, Link: link, From: manager.Connecting, To: manager.Ready})
			q = q.Push(news(link, "notifications/tools/list_changed", "")).Push(news(link, "notifications/tools/list_changed", ""))
			q = q.Push(manager.Event{Kind: manager.PingsMissed, Link: link, Misses: 1})
			q = q.Push(manager.Event{Kind: manager.ServerChanged, Link: link, From: manager.Ready, To: manager.Waiting, Err: lost})
			if err := q.Check(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if d := q.Drops(); q.Len() != 32+4 || d != (manager.DropCounts{Coalesced: 10_000 - 36}) {
		t.Fatalf("%d wait, %+v", q.Len(), d)
	}
	list := drain(q)
	for _, ev := range list[32:] {
		if ev.Link.Epoch != 1000 || ev.Kind != manager.PingsMissed && ev.Session.Method != "notifications/tools/list_changed" {
			t.Errorf("%+v", ev)
		}
	}
	if last := list[31]; last.Link != (manager.Link{Server: "b", Epoch: 1000}) || last.From != manager.Connecting || last.To != manager.Waiting || last.Err == nil {
		t.Errorf("%+v", last)
	}
	for i, ev := range list[:30] {
		if i != 29 && ev.Link.Epoch != uint64(i/4+1) { // 29 is the last of a
			t.Errorf("event %d is of %v", i, ev.Link)
		}
	}
	// Once some were seen, there is room for as many.
	var seen manager.Event
	for range 4 {
		q, seen, _ = q.Pop()
	}
	if q = q.Push(seen); q.Len() != 33 || q.Check() != nil {
		t.Error(q.Len(), q.Check())
	}
	for q.Len() > 0 {
		if q, _, _ = q.Pop(); q.Check() != nil {
			t.Fatal(q.Check())
		}
	}
}

// A server that asks for a page, takes that back and says that it is complete, without end,
// fills no more than there are updates.
func TestInboxCompletions(t *testing.T) {
	link := manager.Link{Server: "a", Epoch: 1}
	q := inbox(t, manager.InboxOptions{Updates: 3})
	for i := range 100 {
		q = q.Push(news(link, "notifications/elicitation/complete", fmt.Sprintf(`{"elicitationId":"%d"}`, i)))
		q = q.Push(news(link, "notifications/resources/updated", fmt.Sprintf(`{"uri":"u:%d"}`, i)))
	}
	list := drain(q)
	if d := q.Drops(); len(list) != 6 || d.Updates != 194 || q.Check() != nil || list[0].Session.Body != `{"elicitationId":"97"}` {
		t.Errorf("%d wait, %+v, %v", len(list), d, q.Check())
	}
	q = inbox(t, manager.InboxOptions{Bytes: 100})
	for i := range 100 {
		q = q.Push(news(link, "notifications/elicitation/complete", fmt.Sprintf(`{"elicitationId":"%d"}`, i)))
	}
	if q.Len() == 0 || q.Len() > 4 || q.Check() != nil {
		t.Error(q.Len(), q.Check())
	}
}

// Announcements are never dropped, so they take no room: long ones of one server do not cost
// another server what it says, and are not kept.
func TestInboxLongAnnouncements(t *testing.T) {
	q := inbox(t, manager.InboxOptions{Bytes: 1 << 20})
	long := `{"_meta":{"x":"` + strings.Repeat("x", 1<<20-18) + `"}}`
	before := alive()
	for n := range uint64(32) {
		evil := manager.Link{Server: fmt.Sprint("evil", n), Epoch: n + 1}
		for _, method := range []string{"notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed"} {
			q = q.Push(news(evil, method, strings.Clone(long)))
		}
	}
	q = q.Push(news(manager.Link{Server: "good", Epoch: 99}, "notifications/message", `{"level":"info","data":"x"}`))
	q = q.Push(news(manager.Link{Server: "good", Epoch: 99}, "notifications/tools/list_changed", `{"_meta":{"x":1}}`))
	if err := q.Check(); err != nil {
		t.Fatal(err)
	}
	if kept := alive() - before; kept > 1<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
	got := drain(q)
	if len(got) != 32*3+2 || q.Drops() != (manager.DropCounts{}) {
		t.Fatalf("%d events, %+v", len(got), q.Drops())
	}
	if a, b := got[96], got[97]; a.Session.Method != "notifications/message" || b.Session.Body != `{"_meta":{"x":1}}` {
		t.Errorf("%+v\n%+v", a, b)
	}
}
