package main

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// The ids of elicitations by url are chosen by the server, and two servers may choose the
// same. On its way to the client each gets the number of its server, wherever it stands:
// in the request, in the error -32042 and in the notification that the page is done.

// owned returns an object with the number of server i in its elicitationId, if it has one.
func owned(i int, object jsonrpc.Raw) jsonrpc.Raw {
	const member = "elicitationId"
	quoted, _ := rawjson.Get(string(object), member)
	id, ok := rawjson.Unquote(quoted)
	if !ok {
		return object
	}
	id = strconv.Itoa(i) + "." + id
	return jsonrpc.Raw(rawjson.Set(string(object), member, string(rawjson.AppendQuote(nil, id))))
}

// ownedError is owned for the elicitations that an error asks for.
func ownedError(i int, e *jsonrpc.Error) *jsonrpc.Error {
	if e == nil || e.Code != protocol.CodeURLElicitationRequired {
		return e
	}
	const member = "elicitations"
	list, _ := rawjson.Get(string(e.Data), member)
	items, ok := rawjson.Elements(list)
	if !ok {
		return e
	}
	var all []string
	for item, more := items.Next(); more; item, more = items.Next() {
		all = append(all, string(owned(i, jsonrpc.Raw(item))))
	}
	next := *e
	next.Data = jsonrpc.Raw(rawjson.Set(string(e.Data), member, "["+strings.Join(all, ",")+"]"))
	return &next
}
