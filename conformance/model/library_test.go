package model_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// The lists of a server, and what announces their changes.
var (
	listMethods = []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"}
	announcedBy = map[string]string{
		"tools/list": "notifications/tools/list_changed", "resources/list": "notifications/resources/list_changed",
		"resources/templates/list": "notifications/resources/list_changed", "prompts/list": "notifications/prompts/list_changed",
	}
	itemTexts = map[string][2]string{ // the member that holds the items, and one of them
		"tools/list":               {"tools", `{"name":"%d","inputSchema":{"type":"object"}}`},
		"resources/list":           {"resources", `{"name":"r","uri":"a:%d"}`},
		"resources/templates/list": {"resourceTemplates", `{"name":"r","uriTemplate":"a:%d/{b}"}`},
		"prompts/list":             {"prompts", `{"name":"%d"}`},
	}
)

// someLists returns a random choice of lists, not empty, in any order.
func someLists(d model.Source) (lists []string) {
	for _, list := range listMethods {
		if d.Intn(2) == 0 {
			lists = slices.Insert(lists, d.Intn(len(lists)+1), list)
		}
	}
	if len(lists) == 0 {
		return listMethods[:1]
	}
	return lists
}

// oneText makes one text of several messages.
func oneText(lines []string) string {
	if len(lines) == 1 {
		return lines[0]
	}
	return "[" + strings.Join(lines, ",") + "]"
}

// library is a server in a few lines: its lists change, it gives them out in pages of any
// size, fails now and then, and what it says stands in a line until it is delivered.
type library struct {
	d        model.Source
	revision protocol.Revision
	reliable bool // it does not fail any more
	empty    int  // what it means by an empty cursor, see below
	items    map[string][]jsonrpc.Raw
	has      map[string]bool // the lists that it declares
	asked    []jsonrpc.Message
	line     []string
	n        int // of names and cursors given out
}

func newLibrary(d model.Source) *library {
	l := &library{d: d, empty: d.Intn(6), items: map[string][]jsonrpc.Raw{}, has: map[string]bool{}}
	for _, list := range listMethods {
		l.edit(list)
	}
	return l
}

// What a library does with empty cursors, if it is not one of those that have none.
const (
	wholeAgain = iota + 1 // it hears no cursor, and each answer has an empty one
	beginAnew             // the last page has one, and it leads to the first
	refused               // the last page has one, and it is refused
)

// edit puts an item in or takes one out.
func (l *library) edit(list string) {
	items := l.items[list]
	if len(items) > 0 && l.d.Intn(3) == 0 {
		i := l.d.Intn(len(items))
		l.items[list] = slices.Delete(slices.Clone(items), i, i+1)
		return
	}
	for range 1 + l.d.Intn(3) {
		l.n++
		i := l.d.Intn(len(items) + 1)
		items = slices.Insert(slices.Clone(items), i, jsonrpc.Raw(fmt.Sprintf(itemTexts[list][1], l.n)))
	}
	l.items[list] = items
}

// change edits a list and announces it.
func (l *library) change(list string) {
	l.edit(list)
	if l.has[list] {
		l.line = append(l.line, `{"jsonrpc":"2.0","method":"`+announcedBy[list]+`"}`)
	}
}

// forget is the end of the session.
func (l *library) forget() { l.asked, l.line = nil, nil }

func (l *library) receive(m jsonrpc.Message) {
	switch {
	case m.Kind == jsonrpc.KindRequest:
		l.asked = append(l.asked, m)
	case m.Method == "notifications/cancelled" && l.d.Intn(2) == 0: // or it is not heard
		var p struct{ RequestID json.Number }
		_ = json.Unmarshal([]byte(m.Body), &p)
		l.asked = slices.DeleteFunc(l.asked, func(m jsonrpc.Message) bool { return m.ID.String() == p.RequestID.String() })
	}
}

func cursorOf(m jsonrpc.Message) string {
	var p struct{ Cursor string }
	_ = json.Unmarshal([]byte(m.Body), &p)
	return p.Cursor
}

// answer answers the request at index i, or never does.
func (l *library) answer(i int) {
	m := l.asked[i]
	l.asked = slices.Delete(l.asked, i, i+1)
	say := func(what string) { l.line = append(l.line, `{"jsonrpc":"2.0","id":`+m.ID.String()+`,`+what+`}`) }
	texts, isList := itemTexts[m.Method]
	cursor, _, _ := strings.Cut(cursorOf(m), " ")
	from, _ := strconv.Atoi(cursor)
	switch {
	case m.Method == "initialize":
		say(`"result":` + l.greeting())
		return
	case !isList:
		say(`"result":{}`)
		return
	case l.reliable:
	case l.d.Intn(16) == 15:
		return
	case l.d.Intn(16) == 15:
		say(`"error":{"code":-32603,"message":"m"}`)
		return
	case l.d.Intn(16) == 15:
		say(`"result":{"` + texts[0] + `":5}`)
		return
	case l.d.Intn(32) == 31: // where it comes twice, the listing has no end
		say(`"result":{"` + texts[0] + `":[],"nextCursor":"` + strconv.Itoa(from) + ` again"}`)
		return
	}
	items := l.items[m.Method]
	switch {
	case l.empty == refused && strings.Contains(string(m.Body), `"cursor":""`):
		say(`"error":{"code":-32602,"message":"m"}`)
		return
	case l.empty == wholeAgain:
		say(`"result":{"` + texts[0] + `":[` + pageOf(items) + `],"nextCursor":""}`)
		return
	}
	items = items[min(from, len(items)):]
	size, next := len(items), ""
	if l.d.Intn(3) > 0 && !(l.reliable && len(items) == 0) {
		if size = min(size, l.d.Intn(3)); l.reliable {
			size = max(size, 1)
		}
		l.n++
		next = fmt.Sprintf(`,"nextCursor":"%d %d"`, from+size, l.n)
	}
	if next == "" && (l.empty == beginAnew || l.empty == refused) {
		next = `,"nextCursor":""`
	}
	say(`"result":{"` + texts[0] + `":[` + pageOf(items[:size]) + `]` + next + `}`)
}

func pageOf(items []jsonrpc.Raw) string {
	var texts []string
	for _, item := range items {
		texts = append(texts, string(item))
	}
	return strings.Join(texts, ",")
}

// greeting declares lists, mostly all of them.
func (l *library) greeting() string {
	caps := []string{}
	for _, name := range []string{"tools", "resources", "prompts"} {
		on := l.reliable || l.d.Intn(8) < 7
		for _, list := range listMethods {
			if strings.HasPrefix(list, name) {
				l.has[list] = on
			}
		}
		if on {
			caps = append(caps, `"`+name+`":{"listChanged":true}`)
		}
	}
	return `{"protocolVersion":"` + l.revision.String() + `","capabilities":{` + strings.Join(caps, ",") + `},"serverInfo":{"name":"s","version":"1"}}`
}
