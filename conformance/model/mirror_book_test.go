package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// shelf is what there is to know of a list.
type shelf struct {
	announced int       // when a change was last heard of
	begun     int       // when the last listing began
	at        time.Time // the same by the clock
	urgent    bool      // the next one does not wait
	busy      bool      // it has not ended
	asked     string    // with what its last page was asked for
	next      []jsonrpc.Raw
	read      int           // when the listing began whose items are there; 0: it did not end well
	items     []jsonrpc.Raw // what is there
	whole     bool          // it was read to its end
	failed    bool          // whether a listing failed since the last change
	told      error         // what was wrong with the last listing
}

// there checks what the Mirror says that there is.
func (r *reader) there() {
	for _, list := range r.lists {
		b := r.book[list]
		items, fresh := r.m.Items(list)
		if fresh != (b.read > b.announced && r.s.Phase() == lifecycle.Ready) {
			r.fatal("%s: fresh %v; read from %d on, a change at %d", list, fresh, b.read, b.announced)
		}
		if err := r.m.Err(list); !b.busy && fmt.Sprint(err) != fmt.Sprint(b.told) && !errors.Is(b.told, err) || b.busy && err != nil {
			r.fatal("%s: %v was told, %v is there", list, b.told, err)
		}
		if !slices.Equal(items, b.items) {
			r.fatal("%s: %s\nwant %s", list, items, b.items)
		}
	}
}

// due checks when the Mirror wants to be woken.
func (r *reader) due() {
	var first time.Time
	for _, b := range r.book {
		at := b.at.Add(r.interval)
		if r.s.Phase() == lifecycle.Ready && !b.busy && !b.urgent && b.announced > b.begun && at.After(r.now) && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if at, ok := r.m.NextDeadline(); ok != !first.IsZero() || !at.Equal(first) {
		r.fatal("a deadline at %v, %v; want %v", at, ok, first)
	}
}

// heard checks the events and books what they say.
func (r *reader) heard(out, got lifecycle.Output) {
	var foreign []lifecycle.Event
	for _, ev := range out.Events {
		if _, mine := r.own[ev.Req]; !mine || ev.Kind != lifecycle.ResponseReceived && ev.Kind != lifecycle.RequestFailed {
			foreign = append(foreign, ev)
		}
	}
	passed := slices.DeleteFunc(slices.Clone(got.Events), func(ev lifecycle.Event) bool { return ev.Kind == client.ListRead })
	if len(passed)+len(foreign) > 0 && !reflect.DeepEqual(passed, foreign) {
		r.fatal("events %+v\npassed on as %+v", foreign, passed)
	}
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.PhaseChanged && ev.To == lifecycle.Ready {
			for _, b := range r.book {
				*b = shelf{announced: b.announced, begun: b.begun, urgent: true}
			}
		}
		if list, mine := r.own[ev.Req]; mine && ev.Kind == lifecycle.ResponseReceived && ev.Err == nil {
			r.book[list].next = append(r.book[list].next, itemsOf(list, ev.Body)...)
		}
		delete(r.own, ev.Req)
	}
	for _, ev := range got.Events {
		r.clock++
		b := r.book[ev.Method]
		switch {
		case ev.Kind == lifecycle.NotificationReceived:
			for _, list := range r.lists {
				if ev.Method == announcedBy[list] {
					r.book[list].announced, r.book[list].failed = r.clock, false
				}
			}
		case ev.Kind != client.ListRead:
		case ev.Req.IsZero() && !b.busy: // it could not begin
			b.begun, b.at, b.urgent, b.failed = r.clock, r.now, false, true
		default:
			complete := ev.Failure() == nil || b.overEmpty(ev)
			if complete {
				b.read = b.begun
				r.reads++
			}
			if complete || !b.whole && len(b.next) > 0 {
				b.items, b.whole = once(b.next), complete
			}
			b.busy, b.next, b.failed = false, nil, !complete
		}
		if ev.Kind == client.ListRead {
			b.told = ev.Failure()
		}
	}
}

// overEmpty reports whether a listing failed over an empty cursor alone.
func (b *shelf) overEmpty(ev lifecycle.Event) bool {
	asked := strings.Contains(b.asked, `"cursor":""`)
	again := strings.Contains(string(ev.Body), `"nextCursor":""`)
	return errors.Is(ev.Failure(), client.ErrRepeat) && (asked || again) || asked && ev.Err != nil && ev.Err.Code == -32602
}

// itemsOf returns the items of a page.
func itemsOf(list string, body jsonrpc.Raw) []jsonrpc.Raw {
	var page map[string]json.RawMessage
	var items []json.RawMessage
	_ = json.Unmarshal([]byte(body), &page)
	_ = json.Unmarshal(page[itemTexts[list][0]], &items)
	var texts []jsonrpc.Raw
	for _, item := range items {
		texts = append(texts, jsonrpc.Raw(item))
	}
	return texts
}

// once leaves out what comes again: items of one name are the same in a library.
func once(items []jsonrpc.Raw) (list []jsonrpc.Raw) {
	for _, item := range items {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// sent checks the messages and hands them to the library.
func (r *reader) sent(out, got lifecycle.Output) {
	n := len(out.Send)
	if len(got.Send) < n || n > 0 && !reflect.DeepEqual(got.Send[:n], out.Send) || got.Req != out.Req || got.Opened != out.Opened || got.Close != out.Close {
		r.fatal("%+v became %+v", out, got)
	}
	for i, o := range got.Send {
		r.lib.receive(o.Message)
		if i < n {
			continue
		}
		r.clock++
		list := o.Message.Method
		id, _ := o.Message.ID.Int64()
		r.own[r.s.Req(uint64(id))] = list
		b := r.book[list]
		b.asked = string(o.Message.Body)
		if strings.Contains(string(o.Message.Body), `"cursor"`) {
			continue
		}
		if wait := b.at.Add(r.interval).Sub(r.now); b.busy || !b.urgent && wait > 0 {
			r.fatal("a listing of %s begins %v too early", list, wait)
		}
		b.begun, b.at, b.urgent, b.busy = r.clock, r.now, false, true
	}
	open := map[string]int{}
	for req := range r.s.Outbound() {
		if list, mine := r.own[req.Req]; mine {
			if open[list]++; open[list] > 1 {
				r.fatal("two requests for %s are on their way", list)
			}
		}
	}
}
