package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// NewCatalog encodes the items. It fails for an invalid item, such as a template that violates RFC
// 6570 (RES-013), and for a duplicate name (tools, prompts) or uri (resources, templates). The
// error names the item and the member. To drop invalid members instead, see Items.Schemas.
func NewCatalog(items Items) (*Catalog, error) {
	if err := errors.Join(items.Refused...); err != nil {
		return nil, err
	}
	size := cmp.Or(items.PageSize, defaultPageSize)
	if size < 0 {
		return nil, fmt.Errorf("server: Items.PageSize is %d: want positive, or 0 for %d", size, defaultPageSize)
	}
	c := &Catalog{required: map[string][]string{}}
	items = c.leaveOut(items)
	for _, p := range items.Prompts {
		name := strings.Clone(p.Name)
		for _, a := range p.Arguments {
			if a.Required {
				c.required[name] = append(c.required[name], strings.Clone(a.Name))
			}
		}
	}
	err := errors.Join(
		build(&c.tools, "tools", items.Tools, toolKind.key),
		build(&c.resources, "resources", items.Resources, resourceKind.key),
		build(&c.templates, "resourceTemplates", items.ResourceTemplates, templateKind.key),
		build(&c.prompts, "prompts", items.Prompts, promptKind.key),
	)
	if err == nil {
		err = errors.Join(c.parseTemplates(items.ResourceTemplates), c.compile(items))
	}
	if err != nil {
		return nil, err
	}
	for i, l := range protocol.Lists() {
		if err := items.Cache[l].Validate(); err != nil {
			return nil, fmt.Errorf("server: Items.Cache of %s: %w", l.Method, err)
		}
		c.list(l).cache = items.Cache[l]
		c.list(l).full = size
		c.list(l).paginate(l, min(size, len(c.list(l).keys)+1), byte('a'+i), engine.KeyOf(items.CursorKey))
	}
	for _, name := range c.tools.keys {
		if !protocol.ValidToolName(name) {
			c.odd = append(c.odd, name)
		}
	}
	c.hash = c.version()
	return c, nil
}

func build[T item](l *list, member string, items []T, key func(T) string) error {
	l.member, l.declared = member, items != nil
	sorted := slices.Clone(items)
	slices.SortStableFunc(sorted, func(a, b T) int { return strings.Compare(key(a), key(b)) })
	var text []byte
	for i, it := range sorted {
		k := key(it)
		if err := it.Validate(); err != nil {
			return fmt.Errorf("server: %s: %q: %w", member, k, err)
		}
		if k == "" || !utf8.ValidString(k) {
			return fmt.Errorf("server: %s: %q: want a name that is not empty, in valid UTF-8", member, k)
		}
		// TOOL-011
		if i > 0 && k == l.keys[i-1] {
			return fmt.Errorf("server: %s: %q: duplicate", member, k)
		}
		if i > 0 {
			text = append(text, ',')
		}
		l.keys = append(l.keys, strings.Clone(k))
		l.from = append(l.from, len(text))
		text = it.AppendJSON(text)
		l.to = append(l.to, len(text))
		l.sums = append(l.sums, fingerprint(member, text[l.from[i]:]))
		l.sum += l.sums[i]
	}
	l.text = string(text)
	return nil
}
