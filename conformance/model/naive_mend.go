package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// bind are the members without which the rest would say something else.
var bind = []string{"isError", "nextCursor", "messages"}

// mended returns an object of the shape without its odd members and elements.
func mended(shape string, m map[string]any) map[string]any {
	m = maps.Clone(m)
	for member := range strings.SplitSeq(shape+", _meta object", ", ") {
		name, kind, _ := strings.Cut(member, " ")
		name, must := strings.CutSuffix(name, "!")
		if m[name] == nil || kind == "" {
			continue
		}
		m[name] = mendedValue(kind, m[name], slices.Contains(bind, name))
		if !isKind(m[name], kind) && !must && !slices.Contains(bind, name) {
			delete(m, name)
		}
	}
	return m
}

func mendedValue(kind string, v any, binds bool) any {
	if item, ok := strings.CutPrefix(kind, "[]"); ok {
		list, _ := v.([]any)
		if list == nil {
			return v
		}
		rest := []any{}
		for _, v := range list {
			if v = mendedValue(item, v, false); binds || isKind(v, item) {
				rest = append(rest, v)
			}
		}
		return rest
	}
	m, ok := v.(map[string]any)
	switch shape, isItem := itemShapes[kind]; {
	case !ok:
	case isItem && kind != "message":
		return mended(shape+", icons []icon", m)
	case isItem:
		return mended(shape, m)
	case kind == "block":
		return mended(blockShapes[fmt.Sprint(m["type"])]+"annotations object", m)
	case kind == "icon":
		return mended("mimeType string, sizes []string, theme theme", m)
	case kind == "completion":
		return mended("values! []string", m)
	}
	return v
}
