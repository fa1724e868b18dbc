package relay

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// merged is a list of all servers, as the client sees it: made when it is needed, and never
// changed. What is called by one of its names goes to a target.
type merged struct {
	targets map[string]target
	pages   []jsonrpc.Raw // the results, with their cursors
	version uint64        // of what the pages say
}

// target is what a name or uri of the client's stands for.
type target struct {
	server uint64
	key    string // as the server calls it
}

// shows reports whether what the server listed is shown to the client.
func (r *Relay) shows(u *upstream, k int) bool {
	switch l := &u.lists[k]; {
	case !l.read:
		return false
	case u.state == manager.Ready:
		return l.settled || r.cfg.Loss == LossKeep
	}
	return r.cfg.Loss == LossKeep
}

// merge returns a merged list.
//
// Qualified names come first: nobody has one that stands for something of another server, so that
// no server can take the calls of another by the name of a tool. Then names are given out in the
// order of the servers, also to what is not shown: a server that is away keeps its names.
func (r *Relay) merge(k int) *merged {
	if r.merged[k] != nil {
		return r.merged[k]
	}
	m := &merged{targets: map[string]target{}}
	qualified := make([][]string, len(r.up.list))
	for i, u := range r.up.list {
		qualified[i] = make([]string, len(u.lists[k].shown))
		for j, it := range u.lists[k].shown {
			name := r.qualify(u, k, it.key)
			if _, taken := m.targets[name]; taken {
				continue // the hash of another, or the item is there twice
			}
			qualified[i][j] = name
			m.targets[name] = target{u.id, it.key}
		}
	}
	var shown []string
	for i, u := range r.up.list {
		shows := r.shows(u, k)
		for j, it := range u.lists[k].shown {
			name, ok := r.nameOf(m, u, k, it.key, qualified[i][j])
			if ok && shows {
				shown = append(shown, renamed(it, k, name))
			}
		}
	}
	m.paginate(r.cfg, k, shown)
	r.merged[k] = m
	return m
}

// nameOf gives a name out; false if the item gets none.
func (r *Relay) nameOf(m *merged, u *upstream, k int, key, qualified string) (string, bool) {
	if qualified == "" {
		return "", false
	}
	if _, means := r.parse(k, key); !r.qualifies(k) && !means {
		if _, taken := m.targets[key]; !taken {
			m.targets[key] = target{u.id, key}
			return key, true
		}
	}
	return qualified, r.qualifies(k) || !r.shadows(k)
}

// qualifies reports whether all names of the kind are qualified, and shadows whether the second
// of two is hidden.
func (r *Relay) qualifies(k int) bool {
	if k == resources || k == templates {
		return r.cfg.URIs == URIsQualified
	}
	return r.cfg.Names == NamesQualified
}

func (r *Relay) shadows(k int) bool {
	return (k == tools || k == prompts) && r.cfg.Names == NamesShadow
}

// qualify returns the qualified name of an item.
func (r *Relay) qualify(u *upstream, k int, key string) string {
	if k == resources || k == templates {
		return u.scheme + "+" + key
	}
	return r.cfg.Naming.ID(u.Name, key)
}

// parse takes a qualified name apart, one that was not cut; false if no server has it.
func (r *Relay) parse(k int, name string) (target, bool) {
	if k == resources || k == templates {
		if s, uri, ok := splitURI(name); ok {
			if i, ok := r.up.byScheme[s]; ok {
				return target{r.up.list[i].id, uri}, true
			}
		}
		return target{}, false
	}
	if s, tool, ok := r.cfg.Naming.Parse(name); ok {
		if i, ok := r.up.byName[s]; ok {
			return target{r.up.list[i].id, tool}, true
		}
	}
	return target{}, false
}

// renamed returns an item with the name that the client knows it by.
func renamed(it item, k int, name string) string {
	if name == it.key {
		return string(it.raw)
	}
	return string(set(it.raw, protocol.Lists()[k].Key, name))
}

// paginate makes the pages.
func (m *merged) paginate(cfg *config, k int, shown []string) {
	for _, text := range shown {
		m.version = engine.Hash([2]uint64{cfg.key[0], cfg.key[1] ^ m.version}, uint64('l'), text)
	}
	member := protocol.Lists()[k].Member
	for at := 0; at == 0 || at < len(shown); {
		end, size := at, 0
		for end < len(shown) && end-at < cfg.Lists.PageItems && (end == at || size+len(shown[end]) < cfg.Lists.PageBytes) {
			size += len(shown[end]) + 1
			end++
		}
		var b strings.Builder
		b.Grow(size + len(member) + 64)
		b.WriteString(`{"` + member + `":[`)
		for i, text := range shown[at:end] {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(text)
		}
		b.WriteByte(']')
		if end < len(shown) {
			b.WriteString(`,"nextCursor":"` + m.cursor(len(m.pages)+1) + `"`)
		}
		b.WriteByte('}')
		m.pages = append(m.pages, jsonrpc.Raw(b.String()))
		if at = end; end == len(shown) {
			break
		}
	}
}

// cursor returns the cursor of a page: it belongs to what the list says.
func (m *merged) cursor(page int) string {
	return strconv.FormatUint(m.version, 16) + "." + strconv.Itoa(page)
}

// page returns the page that a cursor stands for, "" the first; false for one of another list,
// or of what the list was before.
func (m *merged) page(cursor string) (jsonrpc.Raw, bool) {
	_, number, _ := strings.Cut(cursor, ".")
	page, err := strconv.Atoi(number)
	if err != nil || page <= 0 || page >= len(m.pages) || m.cursor(page) != cursor {
		return "", false
	}
	return m.pages[page], true
}
