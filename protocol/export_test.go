package protocol

import "github.com/sansmcp/mcp/jsonrpc"

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

// Within and UsualText are functions with answers that no body leads to.
var Within, UsualText = within, usualText

// AsText returns a content block as text at 2025-11-25.
func AsText(raw string) (text string, ok bool) { return age20251125.asText(raw) }
