package main

import (
	"bytes"
	"fmt"
	"strings"
)

// generator collects the text; the first error sticks.
type generator struct {
	*source
	bytes.Buffer
	err error
}

func (g *generator) p(form string, args ...any) {
	fmt.Fprintf(g, form+"\n", args...)
}

func (g *generator) fail(t structType, f field) {
	if g.err == nil {
		g.err = fmt.Errorf("%s.%s: no codec for type %s with rule %q", t.name, f.name, f.typ, f.rule)
	}
}

// kind returns how a field of neither structs nor enumerations is treated.
func (g *generator) kind(f field) (kind, bool) {
	k, ok := kinds[strings.TrimSpace(f.typ+" "+f.rule)]
	return k, ok
}

// token writes the check of the progress token in a _meta that is an object.
func (g *generator) token(t structType, f field) {
	g.p("	if r := verifyToken(v.%s); r != 0 { return fault(%q, %q, r) }", f.name, t.name, f.wire+".progressToken")
}

// reads is the call that reads a struct.
func reads(raw, how string) string {
	return fmt.Sprintf("read(Raw(%s), jsonrpc.Span{}, %s)", raw, how)
}

// placed is the mode in which the value of a field is read: which kinds of content it can
// have depends on where it stands.
func placed(f field) string {
	if place := placeOf(f); place != "" {
		return "how.at(" + strings.ToLower(place) + ")"
	}
	return "how"
}
