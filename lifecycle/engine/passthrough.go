package engine

import (
	"errors"
	"strings"

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
func (c *Core) readParams(row *protocol.Row, raw jsonrpc.Raw, span jsonrpc.Span) (protocol.ParamsInfo, error) {
	if !c.passes(row.Method) {
		return row.ReadParams(raw, span)
	}
	return looseInfo(row.Method, raw, span)
}

// looseInfo finds in params that nobody checks what dispatch needs of them. The only fault
// is that it cannot be told.
func looseInfo(m protocol.Method, raw jsonrpc.Raw, span jsonrpc.Span) (g protocol.ParamsInfo, err error) {
	read := telling(m)
	vals, err := tell(string(raw), span, read[:]...)
	if err != nil {
		return g, err
	}
	if meta := vals[0]; meta != "" && meta[0] == '{' {
		g.Meta = protocol.Meta(meta)
	}
	if s, ok := rawjson.Unquote(vals[1]); ok { // else it is none, or no UTF-8 says which
		g.Subject = s
	}
	return g, nil
}

// told refuses raw params of a request of ours that can be read in two ways: of a relay,
// they may be those of its own peer.
func told(p protocol.Params, m protocol.Method, body jsonrpc.Raw) error {
	switch p.(type) {
	case protocol.RawRequest, *protocol.RawRequest:
		_, err := looseInfo(m, body, jsonrpc.Span{})
		return err
	}
	return nil // the codec writes each member once
}

// telling are the members of params that say what a request is about: its _meta, and
// what a catalog is searched for.
func telling(m protocol.Method) [3]string {
	switch {
	case m.NamesOne():
		return [3]string{"_meta", "name", "arguments"}
	case m.OfResource():
		return [3]string{"_meta", "uri"}
	case m == protocol.MethodLoggingSetLevel:
		return [3]string{"_meta", "level"}
	case m == protocol.MethodCompletionComplete:
		return [3]string{"_meta", "ref"}
	}
	return [3]string{"_meta"}
}

// tell returns the texts of members of an object, "" for one that is absent. It refuses
// one that is there twice, and one whose name is another in case alone: this side takes the
// last of two and goes by the exact name, the peer behind a gateway may do neither, and
// would answer for what nobody here has seen.
func tell(raw string, span jsonrpc.Span, names ...string) (vals [3]string, err error) {
	o, _ := rawjson.Members(raw)
	o.Jump(int(span.Start), int(span.End))
	var seen [3]bool
	for {
		name, val, ok := o.Next()
		if !ok {
			break
		}
		for i, want := range names {
			if want == "" || len(name) < len(want) || !strings.EqualFold(name, want) {
				continue
			}
			if seen[i] || name != want {
				return vals, errTwoReadings
			}
			vals[i], seen[i] = val, true
			if want == "_meta" || want == "ref" {
				if err := tellWithin(want, val); err != nil {
					return vals, err
				}
			}
		}
	}
	return vals, nil
}

func tellWithin(name, val string) (err error) {
	if name == "ref" {
		_, err = tell(val, jsonrpc.Span{}, "type", "name", "uri")
	} else {
		_, err = tell(val, jsonrpc.Span{}, "progressToken")
	}
	return err
}

var errTwoReadings = errors.New("a member that says what the request is about is there twice, or in another case")
