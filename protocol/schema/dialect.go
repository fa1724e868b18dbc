package schema

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// The dialects of JSON Schema that this package reads, as $schema names them. An empty
// fragment at the end, and http or https, make no difference
// (SCHEMA-105).
const (
	Dialect202012  = "https://json-schema.org/draft/2020-12/schema" // also that of a schema without $schema
	Dialect201909  = "https://json-schema.org/draft/2019-09/schema"
	DialectDraft07 = "http://json-schema.org/draft-07/schema#"
	DialectDraft06 = "http://json-schema.org/draft-06/schema#"
	DialectDraft04 = "http://json-schema.org/draft-04/schema#"
)

// Dialects returns the dialects that this package reads, the newest first.
func Dialects() []string {
	return []string{Dialect202012, Dialect201909, DialectDraft07, DialectDraft06, DialectDraft04}
}

// dialect says how a dialect differs in the checked keywords.
type dialect struct {
	name   string
	prefix bool // has prefixItems
	tuple  bool // items may be an array, with additionalItems
	alone  bool // siblings of $ref are ignored
	old    bool // exclusiveMinimum and exclusiveMaximum may be booleans
	bounds bool // has minContains and maxContains
	split  bool // has dependentRequired and dependentSchemas
	anchor bool // has $anchor

	id        string // the keyword for identifiers
	idAnchor  bool   // it names anchors too
	dynamic   bool   // has $dynamicRef
	recursive bool   // has $recursiveRef
	held      bool   // elements that satisfy contains count as evaluated
	formal    bool   // has const, contains and propertyNames
	cond      bool   // has if
}

var (
	// Without $schema the dialect is 2020-12, plus forms that it does not allow and that older
	// drafts all read in one way.
	unnamed = dialect{name: Dialect202012, prefix: true, tuple: true, old: true, bounds: true, split: true, anchor: true,
		id: "$id", dynamic: true, recursive: true, held: true, formal: true, cond: true}
	byName = map[string]dialect{
		bare(Dialect202012):  {name: Dialect202012, prefix: true, bounds: true, split: true, anchor: true, id: "$id", dynamic: true, held: true, formal: true, cond: true},
		bare(Dialect201909):  {name: Dialect201909, tuple: true, bounds: true, split: true, anchor: true, id: "$id", recursive: true, formal: true, cond: true},
		bare(DialectDraft04): {name: DialectDraft04, tuple: true, alone: true, old: true, id: "id", idAnchor: true},
		bare(DialectDraft06): {name: DialectDraft06, tuple: true, alone: true, id: "$id", idAnchor: true, formal: true},
		bare(DialectDraft07): {name: DialectDraft07, tuple: true, alone: true, id: "$id", idAnchor: true, formal: true, cond: true},
	}
)

// bare returns the name of a dialect without its insignificant parts.
func bare(name string) string {
	name = strings.TrimSuffix(name, "#")
	if rest, ok := strings.CutPrefix(name, "https://"); ok {
		return rest
	}
	return strings.TrimPrefix(name, "http://")
}

// speak reports whether the schema o has one known dialect: that of the whole schema. If not, no
// keyword of o is read (SCHEMA-103, SCHEMA-104).
func (c *compiler) speak(o *object) bool {
	val := o.get("$schema")
	if val == "" {
		return true
	}
	c.name("$schema")
	name, ok := rawjson.Unquote(val)
	d, known := byName[bare(name)]
	switch {
	case !ok:
		c.spare()
		return false
	case known && len(c.path) == 1:
		c.dialect = d
	case !known || d.name != c.dialect.name:
		c.foreign = strings.Clone(rawjson.Clip(name, maxName))
		c.spare()
		return false
	}
	c.pop()
	return true
}

// odd says that the part at the path does not belong to the dialect.
func (c *compiler) odd() bool {
	c.foreign = c.dialect.name
	return false
}
