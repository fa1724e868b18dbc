package fleet

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

func said(server, text string) manager.Event {
	return manager.Event{
		Kind: manager.SessionEvent, Link: manager.Link{Server: server, Epoch: 1},
		Session: client.Event{Kind: lifecycle.NotificationReceived, Method: "notifications/x", Body: jsonrpc.Raw(text)},
	}
}

// all takes everything out.
func (in *inbox) all() (texts []string) {
	for {
		ev, ok, more := in.next()
		if !more {
			return texts
		}
		if ok {
			texts = append(texts, ev.Link.Server+string(ev.Session.Body))
		}
	}
}

// Each server has a bounded box of its own, and its turn (B24); what was too much of one is
// nobody else's business.
func TestInbox(t *testing.T) {
	in := newInbox(manager.InboxOptions{Notifications: 3, Bytes: 100})
	in.add(said("a", strings.Repeat("x", 200))) // is left out at once
	for i := range 5 {
		in.add(said("b", fmt.Sprint(i)))
	}
	in.add(said("c", "0"))
	if n := in.leftOut(); n != 3 {
		t.Errorf("%d were left out", n)
	}
	texts := in.all()
	if want := []string{"b2", "c0", "b3", "b4"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
	if n := in.leftOut(); n != 3 || len(in.boxes) != 0 || in.turns != nil {
		t.Errorf("%d were left out, %d boxes", n, len(in.boxes))
	}
}

// Of what becomes of the tools the newest waits, and the rest is counted.
func TestInboxChanges(t *testing.T) {
	in := newInbox(manager.InboxOptions{})
	for i := range maxChanges + 5 {
		in.note([]catalog.Change{{Server: fmt.Sprint(i)}})
	}
	if n := len(in.news); n != maxChanges || in.news[0].Server != "5" || in.leftOut() != 5 {
		t.Errorf("%d wait, the first is %q, %d were left out", n, in.news[0].Server, in.leftOut())
	}
}

// Changes that are large are fewer, and do not hold the lists that they are about.
func TestInboxLargeChanges(t *testing.T) {
	in := newInbox(manager.InboxOptions{})
	text := strings.Repeat("x", 1<<20)
	for i, added := range []int{1, 10, 10, 4, 20, 1} {
		ch := catalog.Change{Added: make([]catalog.ItemID, added)}
		for j := range ch.Added {
			ch.Added[j].Key = text
		}
		in.note([]catalog.Change{ch})
		if n, want := len(in.news), []int{1, 2, 1, 2, 1, 1}[i]; n != want || in.leftOut() != uint64(i+1-want) {
			t.Errorf("%d: %d wait, %d were left out", i, n, in.leftOut())
		}
		if key := in.news[len(in.news)-1].Added[0].Key; unsafe.StringData(key) == unsafe.StringData(text) {
			t.Error("it is a part of the list")
		}
	}
	conflict := &catalog.ConflictError{Name: text[1:], Existing: catalog.ItemID{Key: text[1:]}, Incoming: catalog.ItemID{Key: text[1:]}}
	in.note([]catalog.Change{{Dropped: []catalog.Dropped{{Key: "k", Err: conflict}}}})
	if e := new(catalog.ConflictError); !errors.As(in.news[1].Dropped[0].Err, &e) || *e != *conflict || unsafe.StringData(e.Existing.Key) == unsafe.StringData(text[1:]) || in.news[1].bytes < 3<<20 {
		t.Errorf("of %d bytes", in.news[1].bytes)
	}
	if list := in.changes(); len(list) != 2 || in.size != 0 || len(in.changes()) != 0 {
		t.Errorf("%d, %d bytes", len(list), in.size)
	}
}
