package protocol

import (
	"errors"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// LooseParams finds in unchecked params what dispatch needs of them. The only
// fault is that they can be read in two ways: a member that names the subject of the request
// occurs twice, or in another case. This side takes the last of two and goes by
// the exact name. The peer behind a gateway may take the first, or ignore case, and would
// then answer another request than the one that was checked here.
func (r *Row) LooseParams(raw Raw, span jsonrpc.Span) (info ParamsInfo, err error) {
	vals, err := tell(string(raw), span, [3]string{"_meta", r.telling[0], r.telling[1]})
	if err != nil {
		return info, err
	}
	if meta := vals[0]; meta != "" && startsObject(meta[0]) {
		info.Meta = Meta(meta)
	}
	if r.structured && given(vals[2]) {
		info.Arguments = Raw(vals[2]) // which may be anything
	}
	if s, ok := rawjson.Unquote(vals[1]); ok { // else it is none, or no UTF-8 says which
		info.Subject = s
	}
	return info, nil
}

// within are the members of telling members that tell as well.
var tellingWithin = [...]struct {
	name string
	tell [3]string
}{{"_meta", [3]string{tokenKey}}, {"ref", [3]string{"type", "name", "uri"}}}

// tell returns the texts of members of an object, "" for one that is absent.
func tell(raw string, span jsonrpc.Span, names [3]string) (vals [3]string, err error) {
	o, _ := rawjson.Members(raw)
	o.Jump(int(span.Start), int(span.End))
	var seen [3]bool
	for { // not over o.All: a closure in a loop of two or three members costs as much as the members
		name, val, ok := o.Next()
		if !ok {
			return vals, nil
		}
		for i, want := range names {
			if want == "" || name != want && (len(name) < len(want) || !strings.EqualFold(name, want)) {
				continue
			}
			if seen[i] || name != want {
				return vals, errTwoReadings
			}
			vals[i], seen[i] = val, true
			for _, w := range tellingWithin {
				if w.name != want {
					continue
				}
				if _, err := tell(val, jsonrpc.Span{}, w.tell); err != nil {
					return vals, err
				}
			}
		}
	}
}

var errTwoReadings = errors.New("a member that names the subject of the request occurs twice or in another case")
