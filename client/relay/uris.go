package relay

import (
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// The ids of elicitations by url are chosen by the server, and two servers may choose the same.
// On its way to the client each gets the scheme of its server, wherever it stands: in the request,
// in the error -32042 and in the notification that the page is done. The client sends none back.

const elicitationID = "elicitationId"

// owned returns an object with the server in its elicitationId, if it has one.
func owned(scheme string, object jsonrpc.Raw) jsonrpc.Raw {
	return qualified(scheme, object, elicitationID)
}

// qualified returns an object with the server in a member that is a text.
func qualified(scheme string, object jsonrpc.Raw, member string) jsonrpc.Raw {
	raw, _ := rawjson.Get(string(object), member)
	text, ok := rawjson.Unquote(raw)
	if !ok {
		return object
	}
	return set(object, member, scheme+"+"+text)
}

// identified returns what a server asks with an elicitationId, if it asks for a page and says none, as those without
// sessions do: clients with a session want one (MRTR-041).
func identified(body jsonrpc.Raw, n uint64) jsonrpc.Raw {
	if _, given := rawjson.Get(string(body), elicitationID); given || rawjson.Text(string(body), "mode") != string(protocol.ElicitURL) {
		return body
	}
	return set(body, elicitationID, strconv.FormatUint(n, 10))
}

// ownedError is owned for the elicitations that an error asks for.
func ownedError(scheme string, e *jsonrpc.Error) *jsonrpc.Error {
	if e.Code != protocol.CodeURLElicitationRequired {
		return e
	}
	next := *e
	next.Data = jsonrpc.Raw(eachIn(string(e.Data), "elicitations", func(item string) string { return string(owned(scheme, jsonrpc.Raw(item))) }))
	return &next
}

// set replaces a member by a string; all else of the object stays byte for byte.
func set(object jsonrpc.Raw, member, text string) jsonrpc.Raw {
	return jsonrpc.Raw(rawjson.Set(string(object), member, string(rawjson.AppendQuote(nil, text))))
}

// change replaces a member by what f makes of it. Where f changes nothing the object stays as it is, blanks and all.
func change(object, member string, f func(val string) string) string {
	val, _ := rawjson.Get(object, member)
	if next := f(val); next != val {
		return rawjson.Set(object, member, next)
	}
	return object
}

// eachIn replaces the elements of an array that is a member of an object.
func eachIn(object, member string, f func(item string) string) string {
	return change(object, member, func(list string) string { return each(list, f) })
}

// each replaces the elements of an array. What is none stays as it is, and so does an array that f changes nothing of.
func each(list string, f func(item string) string) string {
	items, _ := rawjson.Elements(list)
	b, changed := []byte{'['}, false
	for item := range items.All {
		if len(b) > 1 {
			b = append(b, ',')
		}
		next := f(item)
		changed = changed || next != item
		b = append(b, next...)
	}
	if !changed || items.Bad() {
		return list
	}
	return string(append(b, ']'))
}

// linked returns a result, or the params of a request of a server, in which the uris of resources
// are qualified: those of contents (resources/read), and of links and embedded resources in
// content and in the content of messages. Everything else of it stays byte for byte.
func linked(scheme string, body string) string {
	body = eachIn(body, "contents", func(item string) string { return linkedURI(scheme, item) })
	body = linkedContent(scheme, body)
	return eachIn(body, "messages", func(item string) string { return linkedContent(scheme, item) })
}

// linkedContent is linked for the member content, which is a block or an array of blocks.
func linkedContent(scheme, object string) string {
	return change(object, "content", func(content string) string {
		if rawjson.Type(content) == "object" {
			return linkedBlock(scheme, content)
		}
		return each(content, func(item string) string { return linkedBlock(scheme, item) })
	})
}

// linkedBlock is linked for a block of content: a link has its uri, and an embedded resource one
// within. A result of a tool within a message has blocks of its own.
func linkedBlock(scheme, block string) string {
	switch rawjson.Text(block, "type") {
	case "resource_link":
		return linkedURI(scheme, block)
	case "resource":
		return change(block, "resource", func(inner string) string { return linkedURI(scheme, inner) })
	case "tool_result":
		return eachIn(block, "content", func(item string) string {
			if raw, _ := rawjson.Get(item, "type"); raw == `"tool_result"` {
				return item // none within another
			}
			return linkedBlock(scheme, item)
		})
	}
	return block
}

// linkedURI qualifies the member uri.
func linkedURI(scheme, object string) string {
	return string(qualified(scheme, jsonrpc.Raw(object), "uri"))
}
