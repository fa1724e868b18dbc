package client

import (
	"errors"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// mirrored is one list of a Mirror.
type mirrored struct {
	of  *protocol.List
	due dueness // whether it is to be read, again if it is being read

	// The listing under way.
	busy  bool // there is one
	pager Pager
	pages *pages
	again int64 // when the next one may begin, if it is only announced

	// The copy.
	items []jsonrpc.Raw
	index map[string]int // items by key
	whole bool           // it was read to its end
	fresh bool           // it is what the server last announced
	err   error          // what was wrong with the last listing
}

// dueness is how urgently a list is to be read.
type dueness uint8

const (
	notDue       dueness = iota
	dueAnnounced         // as the server has announced a change: not before again
	dueNow
)

// wants reports whether there is a request to send.
func (l *mirrored) wants(now int64) bool {
	if l.busy {
		return l.pager.more
	}
	return l.due == dueNow || l.due == dueAnnounced && now >= l.again
}

// end ends the listing under way. What it has read becomes the copy if it is complete, or
// if there is nothing better.
func (l *mirrored) end(complete bool) {
	if complete || !l.whole && l.pages != nil {
		l.items, l.index = l.pages.join(l.of)
		l.whole, l.fresh = complete, complete && l.due == notDue
	}
	l.busy, l.pager, l.pages = false, Pager{}, nil
}

// overEmpty reports whether a listing failed over an empty cursor alone: it was asked with,
// and the server began anew or refused it, or it came again. The server meant it for the
// end then, as those do that write it for none.
func overEmpty(asked, next Pager, err error) bool {
	empty := asked.seen.Len() > 0 && asked.cursor == ""
	if errors.Is(err, ErrRepeat) {
		return empty || next.cursor == ""
	}
	var refused *jsonrpc.Error
	return empty && errors.As(err, &refused) && refused.Code == jsonrpc.CodeInvalidParams
}

// pages are the pages read so far, the last one first. They are never changed, so that
// many Mirrors can go on from the same page, each at the cost of its own.
type pages struct {
	items  []jsonrpc.Raw
	before *pages
}

// and returns the pages with one more. The items are copied, into one block for the page:
// the message that they came in is not kept.
func (p *pages) and(items []jsonrpc.Raw) *pages {
	if len(items) == 0 {
		return p
	}
	size := 0
	for _, item := range items {
		size += len(item)
	}
	var b strings.Builder
	b.Grow(size)
	for _, item := range items {
		b.WriteString(string(item))
	}
	block, kept := jsonrpc.Raw(b.String()), make([]jsonrpc.Raw, len(items))
	for i, item := range items {
		kept[i], block = block[:len(item)], block[len(item):]
	}
	return &pages{items: kept, before: p}
}

// join returns the items of all pages in order, without those that have the key of an earlier one,
// and their index by key.
func (p *pages) join(list *protocol.List) (items []jsonrpc.Raw, index map[string]int) {
	var all []*pages
	n := 0
	for ; p != nil; p = p.before {
		all = append(all, p)
		n += len(p.items)
	}
	items, index = make([]jsonrpc.Raw, 0, n), make(map[string]int, n)
	for _, page := range slices.Backward(all) {
		for _, item := range page.items {
			key := rawjson.Text(string(item), list.Key)
			if _, there := index[key]; !there {
				index[key] = len(items)
				items = append(items, item)
			}
		}
	}
	return items, index
}
