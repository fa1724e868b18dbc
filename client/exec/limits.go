package exec

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Limits bound what a server may say in one result (row E25). A zero field means its default,
// and math.MaxInt that there is no bound.
type Limits struct {
	Blocks     int // blocks of content; default 1000
	BlockBytes int // bytes of one block, or of the structured content; default 8 MiB
	Bytes      int // bytes of all of them; default 16 MiB
	Depth      int // levels of nesting of JSON within it; default 128
}

// filled returns l with its defaults, or an error that wraps lifecycle.ErrParams.
func (l Limits) filled() (Limits, error) {
	for _, f := range []struct {
		field     *int
		otherwise int
	}{{&l.Blocks, 1000}, {&l.BlockBytes, 8 << 20}, {&l.Bytes, 16 << 20}, {&l.Depth, 128}} {
		if *f.field < 0 {
			return l, fmt.Errorf("%w: a limit of results is negative", lifecycle.ErrParams)
		}
		if *f.field == 0 {
			*f.field = f.otherwise
		}
	}
	return l, nil
}

// exceeded returns which limit a result exceeds, or what of it is not well formed; "" if it is
// all right. It takes time in proportion to the result.
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
	case l.deep(string(r.StructuredContent)) || l.deep(string(r.Meta)):
		return l.tooDeep()
	}
	return ""
}

// over returns which limit a result exceeds.
func over(n int, what, field string, limit int) string {
	return strconv.Itoa(n) + what + ", Limits." + field + " is " + strconv.Itoa(limit)
}

func (l *Limits) tooDeep() string { return "nested too deep, Limits.Depth is " + strconv.Itoa(l.Depth) }

// block returns what of a block is not well formed.
func (l *Limits) block(b *protocol.Content) string {
	deep := l.deep(string(b.Raw)) || l.deep(string(b.Meta))
	mime := true
	if b.Media != nil {
		mime = isMIME(b.Media.MIMEType)
	}
	if b.Link != nil {
		deep = deep || l.deep(string(b.Link.Meta))
		mime = b.Link.MIMEType == "" || isMIME(b.Link.MIMEType)
	}
	if b.Resource != nil {
		deep = deep || l.deep(string(b.Resource.Meta))
		mime = b.Resource.MIMEType == "" || isMIME(b.Resource.MIMEType)
	}
	switch {
	case deep:
		return l.tooDeep()
	case !mime:
		return "a MIME type that is none"
	}
	return ""
}

// deep reports whether JSON is nested too deep.
func (l *Limits) deep(raw string) bool { return raw != "" && rawjson.Check(raw, l.Depth) != rawjson.OK }

// size returns about how many bytes a block has as JSON, and no less than its texts.
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

// isMIME reports whether s has the form of a MIME type: two tokens with a slash between
// (RFC 9110, section 8.3.1), and parameters in printable ASCII behind a semicolon.
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

// token reports whether s is a token of HTTP.
func token(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}
