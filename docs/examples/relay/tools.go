package main

import (
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
)

const tools = "tools/list"

// known reports whether it is settled which tools the server has: they were read, or
// could not be, or the server is gone.
func (u *upstream) known() bool {
	switch phase := u.s.Phase(); {
	case phase == lifecycle.Ready:
		_, fresh := u.lists.Items(tools)
		return fresh || u.lists.Err(tools) != nil
	case phase == lifecycle.Uninitialized, phase == lifecycle.Initializing:
		return u.gone
	}
	return true
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

// tools returns the tools of all servers, as these wrote them.
func (r *relay) tools() []string {
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
	return list
}
