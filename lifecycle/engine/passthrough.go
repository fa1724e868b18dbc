package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// passes reports whether the bodies of a method are left alone: by policy, and if the
// machine does not read them itself.
func (c *Core) passes(m protocol.Method) bool {
	return c.env.Policy.PassThrough && m != protocol.MethodInitialize && m != protocol.MethodPing
}

// PassThrough reports whether bodies are left alone.
func (c *Core) PassThrough() bool { return c.env.Policy.PassThrough }

// readParams checks the params of a request, and finds what dispatch needs of them.
func (c *Core) readParams(row *protocol.Row, raw jsonrpc.Raw, span jsonrpc.Span) (protocol.Gist, error) {
	if !c.passes(row.Method) {
		return row.ReadParams(raw, span)
	}
	return looseGist(row.Method, raw), nil
}

// looseGist finds in params that nobody checks what dispatch needs of them.
func looseGist(m protocol.Method, raw jsonrpc.Raw) (g protocol.Gist) {
	if meta, _ := rawjson.Get(string(raw), "_meta"); meta != "" && meta[0] == '{' {
		g.Meta = protocol.Meta(meta)
	}
	member := ""
	switch {
	case m.NamesOne():
		member = "name"
	case m.OfResource():
		member = "uri"
	case m == protocol.MethodLoggingSetLevel:
		member = "level"
	default:
		return g
	}
	val, _ := rawjson.Get(string(raw), member)
	g.Subject, _ = rawjson.Unquote(val)
	return g
}
