package main

import (
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

const tools = "tools/list"

// news is what the client is to be told of the tools: that they are others than it was
// told, once for however many changes there are within newsTime.
type news struct {
	told string // the last answer to tools/list
	due  time.Time
	some bool
}

const newsTime = 50 * time.Millisecond

// listed takes in that the tools of a server were read, or could not be.
func (r *relay) listed(now time.Time, u *upstream, ev client.Event) {
	u.read = u.read || ev.Failure() == nil
	if r.first.IsZero() && u.read {
		r.first = now
	}
	r.changed(now)
	r.serve(now)
}

// changed takes in that the tools may be others now.
func (r *relay) changed(now time.Time) {
	if !r.news.some {
		r.news.due, r.news.some = now.Add(newsTime), true
	}
}

// tell announces a change to a client that was told something else.
func (r *relay) tell(now time.Time) {
	if !r.news.some || now.Before(r.news.due) {
		return
	}
	r.news.some = false
	if list := r.list(); r.news.told != "" && r.news.told != list {
		r.news.told = list
		r.down(now)(ok(r.s.Notify(now, protocol.ToolListChangedParams{}, server.Call{})))
	}
}

// owner returns the server that has a tool; of two the first keeps the name.
func (r *relay) owner(tool string) (int, bool) {
	for i := range r.up {
		if _, ok := r.up[i].lists.Find(tools, tool); ok && r.up[i].s.Phase() == lifecycle.Ready {
			return i, true
		}
	}
	return 0, false
}

// list returns the answer to tools/list: the tools of all servers, as these wrote them.
func (r *relay) list() string {
	var list []string
	for i := range r.up {
		items, _ := r.up[i].lists.Items(tools)
		for _, item := range items {
			raw, _ := rawjson.Get(string(item), "name")
			name, _ := rawjson.Unquote(raw)
			if j, ok := r.owner(name); ok && i == j {
				list = append(list, string(item))
			}
		}
	}
	return `{"tools":[` + strings.Join(list, ",") + `]}`
}
