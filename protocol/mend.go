package protocol

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// maxInvalid is how many invalid items a list may have and still be used.
const maxInvalid = 1000

// DropInvalidItems returns a result without what is not of its type and can go: optional members
// of another shape than the schema says, wherever they stand, and elements of lists that lack a
// required member: tools, resources, prompts, their arguments, icons, blocks of content, roots.
// One odd member costs that member, and one odd item that item. What is left is as it was.
// Members without which the rest would say something else stay, such as isError, nextCursor and
// capabilities, and so do messages of a prompt and contents of a resource. An audience keeps the
// roles that are known; without one it is empty. dropped counts the elements. ok is
// false for a result that is still none, for one with more than 1000 odd elements, and for
// methods outside the table.
func (r *Row) DropInvalidItems(raw Raw) (rest Raw, dropped int, ok bool) {
	if r.result == nil || r.index == 0 || !isObject(raw) {
		return raw, 0, false
	}
	w := mender{how: mode{age: r.accepts(), skim: true}}
	rest = Raw(w.object(bodyTypes[r.index][BodyResult], string(raw)))
	if w.dropped > maxInvalid {
		return raw, w.dropped, false
	}
	return rest, w.dropped, r.checkResult(rest, jsonrpc.Span{}, w.how.age) == nil
}

// accepts is the age of results that come. Those of a server are read with the members of every
// revision, for that is how they are decoded later.
func (r *Row) accepts() age {
	switch {
	case r.Receiver != Server:
		return r.of.reads
	case r.of.handshake:
		return session
	}
	return 0
}

// Mend returns an item of the list as the schema of each revision allows it: without the optional
// members that are odd, as DropInvalidItems leaves them out, and, in a tool, with objects in place
// of the booleans that stand for schemas of parameters. The error, a *DecodeError, says what a
// required member lacks.
func (l *List) Mend(item Raw) (Raw, error) {
	for _, p := range bodyTypes[methodIndex(l.Method)][BodyResult].parts() {
		if p.name != l.Member || !isObject(item) {
			continue
		}
		w := mender{how: mode{skim: true}}
		out := w.object(p.of, string(item))
		if w.dropped <= maxInvalid && p.fits(out, w.how) {
			if p.of == idTool {
				out = toolSchemas(out)
			}
			return Raw(out), nil
		}
	}
	return item, l.Check(item)
}

// mender leaves out of a value what is not of its type.
type mender struct {
	how     mode
	dropped int // elements, up to one more than maxInvalid
}

// object returns an object of the type without its odd members.
func (w *mender) object(id typeID, raw string) string {
	rows := id.mendable(raw)
	if len(rows) == 0 || raw[0] != '{' {
		return raw
	}
	var last, mended [maxParts]string // of a name, the member that counts
	var odd [maxParts]bool
	lastOf(rows, raw, &last)
	for i := range rows {
		if last[i] != "" {
			var fits bool
			mended[i], fits = w.value(&rows[i], last[i])
			odd[i] = !fits && rows[i].optional && !rows[i].binds
		}
		if w.dropped > maxInvalid {
			return raw // all of it is in vain
		}
	}
	return rewrite(raw, "{}", func(key, val string) (string, bool) {
		for i := range rows {
			switch {
			case rows[i].name != key:
			case val == last[i]:
				return mended[i], odd[i]
			default: // nobody reads it, unless the last one goes
				return val, odd[i]
			}
		}
		return val, false
	})
}

// value returns the value of a member without what is odd in it, and whether that is one.
func (w *mender) value(p *part, raw string) (out string, ok bool) {
	how := w.how.at(p.place)
	switch {
	case raw == "null", p.binds && !p.list:
		return raw, true // absent, or what the whole is about
	case p.list && raw[0] == '[':
		return rewrite(raw, "[]", func(_, val string) (string, bool) {
			out := w.object(p.of, val)
			if w.dropped > maxInvalid || p.binds || p.fits(out, how) {
				return out, false
			}
			w.dropped++
			return out, true
		}), true
	case p.name == "audience": // what is for some is not for everybody, whoever they are
		if p.fits(raw, how) {
			return "[" + raw + "]", true
		}
		return "[]", true
	case p.of == idProperties:
		out = rewrite(raw, "{}", func(_, val string) (string, bool) { return val, !startsSchema(val[0]) })
	default:
		out = w.object(p.of, raw)
	}
	return out, !p.list && (p.fits == nil || p.fits(out, how))
}

// What is optional in a block of content, by its type.
var (
	notes         = part{name: "annotations", optional: true, of: idAnnotations, fits: fitsAnnotations}
	blockMeta     = part{name: "_meta", optional: true, fits: fitsObject}
	blockParts    = []part{notes, blockMeta}
	embeddedParts = []part{{name: "resource", of: idEmbedded}, notes, blockMeta}
	ofModelParts  = append([]part{blockMeta}, parts[idToolResult]...)
)

// mendable returns the parts of the object raw, which is of the type.
func (id typeID) mendable(raw string) []part {
	if id != idContent && id != idSamplingContent {
		return id.parts()
	}
	switch kind := rawjson.Text(raw, "type"); kind {
	case ContentText, ContentImage, ContentAudio:
		return blockParts
	case ContentEmbedded:
		return embeddedParts
	case ContentLink:
		return parts[idResource]
	case ContentToolUse, ContentToolResult:
		if id == idSamplingContent {
			return ofModelParts
		}
	}
	return nil // nobody knows what is optional in it
}

func fitsString(val string, _ mode) bool { return setString(nil, val, true) == 0 }

func fitsObject(val string, _ mode) bool { return startsObject(val[0]) }

func fitsAnnotations(val string, how mode) bool {
	return new(Annotations).read(Raw(val), jsonrpc.Span{}, how) == nil
}

func fitsEnum[T interface {
	~string
	Valid() bool
}](val string, _ mode) bool {
	s, _ := rawjson.Unquote(val)
	return val[0] == '"' && T(s).Valid()
}

// toolSchemas returns a tool whose schemas have no booleans among their properties.
func toolSchemas(raw string) string {
	return rewrite(raw, "{}", func(key, val string) (string, bool) {
		if key == "inputSchema" || key == "outputSchema" {
			return objectSchemas(val), false
		}
		return val, false
	})
}

// objectSchemas returns the schema of a tool with objects in place of booleans among its
// properties: they say the same, and the schema of each revision wants objects there, for which
// some clients refuse the whole list.
func objectSchemas(raw string) string {
	if !strings.Contains(raw, "true") && !strings.Contains(raw, "false") {
		return raw
	}
	return rewrite(raw, "{}", func(key, val string) (string, bool) {
		if key != "properties" {
			return val, false
		}
		return rewrite(val, "{}", func(_, val string) (string, bool) {
			switch val {
			case "true":
				return "{}", false
			case "false":
				return `{"not":{}}`, false
			}
			return val, false
		}), false
	})
}

// appendSchema appends the schema of a tool, and empty where there is none.
func appendSchema(dst []byte, v, empty Raw) []byte {
	return appendRaw(dst, Raw(objectSchemas(string(v))), empty)
}

// completeTools makes a list of tools that goes out one whose schemas are as objectSchemas has
// them.
func completeTools(_ *Row, a Reply) Reply {
	list, _ := rawjson.Get(string(a.Body), ToolList.Member)
	if !strings.Contains(list, "true") && !strings.Contains(list, "false") {
		return a
	}
	mended := rewrite(list, "[]", func(_, val string) (string, bool) { return toolSchemas(val), false })
	if mended != list {
		a.mend(Raw(rawjson.Set(string(a.Body), ToolList.Member, mended)))
	}
	return a
}
