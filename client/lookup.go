package client

import (
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

func (m Mirror) list(method string) *mirrored {
	for i := range m.lists {
		if m.lists[i].of.Method == method {
			return &m.lists[i]
		}
	}
	return &mirrored{}
}

// Items returns the items of a list as the server wrote them. fresh is false if the list
// was not read to its end, or has changed since, or if the session is not ready: what was
// read last is there all the same, that of a session that has ended until the next one is
// ready. A list that the Mirror does not have has no items. The slice must not be changed.
func (m Mirror) Items(method string) (items []jsonrpc.Raw, fresh bool) {
	l := m.list(method)
	return l.items, l.fresh && m.ready
}

// Err returns what was wrong with the last listing of a list; nil if nothing was, or while
// the list is being read. A list that the server does not have is lifecycle.ErrCapability.
// Until a list is fresh or has an error, it is on its way. It can be both, where a server
// means the end by an empty cursor.
func (m Mirror) Err(method string) error { return m.list(method).err }

// Reading reports whether a list is being read.
func (m Mirror) Reading(method string) bool { return m.list(method).busy }

// Find returns the item of a list with the given name (tools, prompts), uri or
// uriTemplate, also of a list that is not fresh. The empty string is a name like others.
func (m Mirror) Find(method, key string) (jsonrpc.Raw, bool) {
	l := m.list(method)
	i, ok := l.index[key]
	if !ok {
		return "", false
	}
	return l.items[i], true
}

// OutputSchema returns the outputSchema of a tool, for RequestOptions; "" if it has none.
// It returns false for a tool that is not in the copy of "tools/list".
func (m Mirror) OutputSchema(tool string) (jsonrpc.Raw, bool) {
	item, ok := m.Find("tools/list", tool)
	raw, _ := rawjson.Get(string(item), "outputSchema")
	if raw == "null" {
		raw = ""
	}
	return jsonrpc.Raw(raw), ok
}

// Invalidate has the given lists read again, all without arguments: with the next Output
// that Handle sees, which may be an empty one. A list that the Mirror does not have changes
// nothing.
func (m Mirror) Invalidate(methods ...string) Mirror {
	m.lists = slices.Clone(m.lists)
	for i := range m.lists {
		if l := &m.lists[i]; len(methods) == 0 || slices.Contains(methods, l.of.Method) {
			l.due, l.fresh = dueNow, false
		}
	}
	return m
}
