package manager_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A Manager connects a server, calls one of its tools, and opens the connection again after it was
// lost. The example itself plays the server.
func Example() {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	m, err := manager.New(manager.Config{
		Client: client.Config{Info: protocol.Implementation{Name: "example", Version: "1.0.0"}},
	}, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	show := func(out manager.Effects) {
		for _, a := range out.Actions {
			fmt.Println(strings.TrimSpace(fmt.Sprint(a.Kind, " ", a.Link, " ", a.Out.Message.Method)))
		}
		for _, ev := range out.Events {
			switch ev.Kind {
			case manager.ServerChanged:
				fmt.Println("  ", ev.From, "→", ev.To)
			case manager.OpDone:
				fmt.Println("  ", ev.Op, ev.Method, ev.Session.Body, ev.Err)
			}
		}
	}
	m, out, err := m.Connect(now, "files", manager.Options{Endpoint: "files-server --stdio", Supervise: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(out)
	link := out.Actions[0].Link
	m, out = m.Report(now, manager.Report{Kind: manager.Opened, Link: link})
	show(out)
	m, out = m.Report(now, manager.Report{Kind: manager.Received, Link: link, Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25",
		"capabilities":{"tools":{}},"serverInfo":{"name":"files","version":"1"}}}`)})
	show(out)
	m, out, err = m.CallTool(now, "files", "read", `{"path":"/tmp/x"}`, manager.RequestOptions{})
	show(out)
	m, out = m.Report(now, manager.Report{Kind: manager.Received, Link: link, Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)})
	show(out)
	m, out = m.Report(now, manager.Report{Kind: manager.Ended, Link: link})
	show(out)
	due, _ := m.NextDeadline()
	fmt.Println("again in", due.Sub(now), err)
	// Output:
	// open files#1
	//    idle → connecting
	// send files#1 initialize
	//    connecting → handshaking
	// send files#1 notifications/initialized
	//    handshaking → ready
	//    op 1 connect  <nil>
	// send files#1 tools/call
	//    op 2 tools/call {"content":[]} <nil>
	//    ready → waiting
	// again in 1s <nil>
}

// An Inbox keeps the events that an application must know, and the newest of the others.
func ExampleInbox() {
	q, err := manager.NewInbox(manager.InboxOptions{Notifications: 1})
	link := manager.Link{Server: "files", Epoch: 1}
	for _, method := range []string{"notifications/tools/list_changed", "notifications/message", "notifications/tools/list_changed", "notifications/message"} {
		ev := manager.Event{Kind: manager.SessionEvent, Link: link, Session: client.Event{Kind: lifecycle.NotificationReceived, Method: method}}
		q = q.Push(ev)
	}
	fmt.Println(q.Len(), "wait;", q.Drops().Coalesced, "coalesced,", q.Drops().Notifications, "dropped", err)
	for {
		var ev manager.Event
		var ok bool
		if q, ev, ok = q.Pop(); !ok {
			break
		}
		fmt.Println(ev.Session.Method)
	}
	// Output:
	// 2 wait; 1 coalesced, 1 dropped <nil>
	// notifications/tools/list_changed
	// notifications/message
}
