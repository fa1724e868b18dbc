package protocol

import (
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
)

// Trims reports whether Downgrade looks at bodies of the kind.
func Trims(r *Row, kind BodyKind) bool { return r.trims>>kind&1 != 0 }

// Removal is something that a revision no longer has.
type Removal struct {
	Until  Revision // the first revision that does not have it
	Type   string   // the type of the schema
	Member string   // the member of Type that is left out; "" where the whole block becomes text
}

// Removals returns what Downgrade takes out for revisions that are too new, newest first.
func Removals() (list []Removal) {
	for _, r := range revisions {
		for typ, row := range differences {
			if row.ages.until == r.t.age {
				list = append(list, Removal{r, typ, row.name})
			}
		}
	}
	return list
}

// Usual reports whether an envelope is read by its usual form.
func Usual(meta string) bool {
	_, ok := Meta(meta).usual()
	return ok
}

// UsualMeta is what MetaOf finds without a walk.
func UsualMeta(params string, span jsonrpc.Span) Meta {
	return usualMeta(params, int(span.Start), int(span.End))
}

// Odd returns what within makes of an error that is no DecodeError, where usualText finds the end of a text without one, and what
// asText makes of a tool result that cannot be read.
func Odd() (end int, text string, ok bool, other error) {
	text, ok = age20251125.asText(`{"type":"tool_result","content":7}`)
	return usualText(`"a`, 0), text, ok, within("T", "m", errors.ErrUnsupported)
}
