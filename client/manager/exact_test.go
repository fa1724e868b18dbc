package manager

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Limits that are numbers hold exactly: one below, at, and one above.
func TestExactly(t *testing.T) {
	m := sound(t)
	for n, want := range map[int]bool{0: false, 1: true, 1023: true, 1024: true, 1025: false} {
		if err := m.checkName(strings.Repeat("a", n)); (err == nil) != want {
			t.Errorf("a name of %d bytes: %v", n, err)
		}
	}
	for n, want := range map[int]int{63: 0, 64: 0, 65: 65} {
		text := strings.Repeat("m", n)
		for name, ev := range map[string]client.Event{"method": {Method: text}, "id": {ID: jsonrpc.String(text)}} {
			if got := (Inbox{}).size(letter{ev: Event{Session: ev}, class: ordinary}); got != want {
				t.Errorf("a %s of %d bytes counts %d, want %d", name, n, got, want)
			}
		}
	}
	all := Event{Session: client.Event{Body: "{}", Err: &jsonrpc.Error{Message: "abc", Data: "1234"}}}
	for class, want := range map[class]int{control: 0, announcement: 0, update: 9, progress: 9, ordinary: 9, completion: 9} {
		if got := (Inbox{}).size(letter{ev: all, class: class}); got != want {
			t.Errorf("class %d counts %d, want %d", class, got, want)
		}
	}
	for n, want := range map[int]int{1023: 1023, 1024: 1024, 1025: 0} {
		ev := Event{Kind: SessionEvent, Session: client.Event{
			Kind: lifecycle.NotificationReceived, Method: "notifications/tools/list_changed", Body: jsonrpc.Raw(strings.Repeat("x", n)),
		}}
		if _, got, ok := (Inbox{}).Push(ev).Pop(); !ok || len(got.Session.Body) != want {
			t.Errorf("of an announcement of %d bytes %d are left, want %d", n, len(got.Session.Body), want)
		}
	}
}
