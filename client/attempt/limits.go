package attempt

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Limits bound one result of a server (row E25). A zero field means its default, and math.MaxInt
// means no limit.
type Limits struct {
	Blocks     int // blocks of content; default 1000
	BlockBytes int // bytes of one block, or of the structured content; default 8 MiB
	Bytes      int // bytes of all of them; default 16 MiB
	Depth      int // levels of nesting of its JSON; default 128
}

// fill fills in the defaults.
func (l *Limits) fill(f *lifecycle.Filler, field string) {
	f.Count(field+"Blocks", &l.Blocks, 1000)
	f.Count(field+"BlockBytes", &l.BlockBytes, 8<<20)
	f.Count(field+"Bytes", &l.Bytes, 16<<20)
	f.Count(field+"Depth", &l.Depth, 128)
}

// exceeded returns the limit that a result exceeds, or what in it is malformed; "" if neither. It
// takes time in proportion to the result.
func (l *Limits) exceeded(r *protocol.CallToolResult) string {
	if len(r.Content) > l.Blocks {
		return over(len(r.Content), " blocks", "Blocks", l.Blocks)
	}
	rest := l.Bytes
	for i := range r.Content {
		b := &r.Content[i]
		n := size(b)
		if n > l.BlockBytes {
			return over(n, " bytes in a block", "BlockBytes", l.BlockBytes)
		}
		if rest -= n; rest < 0 {
			return over(l.Bytes-rest, " bytes and more", "Bytes", l.Bytes)
		}
		if why := l.block(b); why != "" {
			return why
		}
	}
	switch {
	case len(r.StructuredContent) > l.BlockBytes || len(r.Meta) > l.BlockBytes:
		return over(max(len(r.StructuredContent), len(r.Meta)), " bytes of structured content", "BlockBytes", l.BlockBytes)
	case len(r.StructuredContent)+len(r.Meta) > rest:
		return over(l.Bytes-rest+len(r.StructuredContent)+len(r.Meta), " bytes", "Bytes", l.Bytes)
	}
	return l.tooDeep(string(r.StructuredContent), string(r.Meta))
}

// over returns the text for an exceeded limit.
func over(n int, what, field string, limit int) string {
	return strconv.Itoa(n) + what + ", Limits." + field + " is " + strconv.Itoa(limit)
}

// tooDeep returns a text if a JSON text is nested too deep; otherwise "".
func (l *Limits) tooDeep(texts ...string) string {
	for _, raw := range texts {
		if raw != "" && rawjson.Check(raw, l.Depth) != rawjson.OK {
			return "nested too deep, Limits.Depth is " + strconv.Itoa(l.Depth)
		}
	}
	return ""
}

// block returns what is malformed in a block; "" if nothing.
func (l *Limits) block(b *protocol.Content) string {
	if why := l.tooDeep(string(b.Raw), string(b.Meta)); why != "" {
		return why
	}
	mime, meta := "", protocol.Meta("")
	switch {
	case b.Media != nil:
		if mime = b.Media.MIMEType; mime == "" {
			return "no MIME type"
		}
	case b.Link != nil:
		mime, meta = b.Link.MIMEType, b.Link.Meta
	case b.Resource != nil:
		mime, meta = b.Resource.MIMEType, b.Resource.Meta
	}
	if mime != "" && !isMIME(mime) {
		return "a malformed MIME type"
	}
	return l.tooDeep(string(meta))
}

// size returns approximately how many bytes a block has as JSON, at least those of its texts.
func size(b *protocol.Content) int {
	switch {
	case b.Link != nil, b.ToolUse != nil, b.ToolResult != nil:
		return len(b.AppendJSON(nil))
	case b.Media != nil:
		return len(b.Media.Data) + len(b.Media.MIMEType) + len(b.Meta)
	case b.Resource != nil:
		n := len(b.Resource.URI) + len(b.Resource.MIMEType) + len(b.Resource.Text) + len(b.Resource.Meta) + len(b.Meta)
		if b.Resource.Blob != nil {
			n += len(*b.Resource.Blob)
		}
		return n
	}
	return len(b.Text) + len(b.Raw) + len(b.Meta)
}

// isMIME reports whether s has the form of a MIME type: two tokens separated by a slash (RFC 9110,
// section 8.3.1), and parameters in printable ASCII after a semicolon.
func isMIME(s string) bool {
	if len(s) > 255 {
		return false
	}
	name, parameters, _ := strings.Cut(s, ";")
	kind, sub, ok := strings.Cut(strings.TrimRight(name, " \t"), "/")
	if !ok || !token(kind) || !token(sub) {
		return false
	}
	return !strings.ContainsFunc(parameters, func(r rune) bool { return r < ' ' && r != '\t' || r > '~' })
}

// token reports whether s is an HTTP token.
func token(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}
