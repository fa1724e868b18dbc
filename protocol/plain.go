package protocol

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// A block of text and a result that is one: nearly all content is spelled in one way, and
// needs no walk.

// plainText returns the string, in its quotes, of the block of text that starts at s[i],
// and the index after the block. It knows one spelling, that of whoever writes the two
// members that there have to be and no more; end is negative for all others.
func plainText(s string, i int) (text string, end int) {
	const head = `{"type":"text","text":`
	if !strings.HasPrefix(s[i:], head) {
		return "", -1
	}
	from := i + len(head)
	if end = rawjson.Skip(s, from, 0); end < 0 || end == len(s) || s[from] != '"' || s[end] != '}' {
		return "", -1
	}
	return s[from:end], end + 1
}

// plainTexts returns how many blocks a list has that plainText reads all of; 0 for any
// other.
func plainTexts(list string) int {
	for i, n := 1, 1; ; n++ {
		_, end := plainText(list, i)
		switch {
		case end < 0 || end == len(list) || list[0] != '[':
			return 0
		case list[end] == ']' && end == len(list)-1:
			return n
		case list[end] != ',':
			return 0
		}
		i = end + 1
	}
}

// oneText returns the text of a result that is one block of text and nothing more, in
// which there is nothing to validate.
func (r *CallToolResult) oneText() (text string, ok bool) {
	if len(r.Content) != 1 || r.StructuredContent != "" || r.Meta != "" {
		return "", false
	}
	c := &r.Content[0]
	return c.Text, c.Type == ContentText && c.Annotations == nil && c.Meta == ""
}

// longOneText returns the JSON of such a result behind a head, of a text too long for the stack.
func longOneText(head, text string, failed bool) Raw {
	const begin = `"content":[{"type":"text","text":`
	var b strings.Builder
	b.Grow(len(head) + len(begin) + len(text) + len(text)/16 + len(`{""}],"isError":true}`))
	if b.WriteString(head); head == "" {
		b.WriteByte('{')
	} else {
		b.WriteByte(',')
	}
	b.WriteString(begin)
	rawjson.WriteQuote(&b, text)
	if failed {
		b.WriteString(`}],"isError":true}`)
	} else {
		b.WriteString(`}]}`)
	}
	return Raw(b.String())
}

// appendOneText is AppendJSON of such a result.
func appendOneText(dst []byte, text string, failed bool) []byte {
	dst = rawjson.AppendQuote(append(dst, `{"content":[{"type":"text","text":`...), text)
	if failed {
		return append(dst, `}],"isError":true}`...)
	}
	return append(dst, `}]}`...)
}
