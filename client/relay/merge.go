package relay

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
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

// target is what a name or uri of the client's stands for. Without a server it is withdrawn: it
// stood for something of one server, and would now for something of another.
type target struct {
	server uint64
	key    string // as the server calls it
}

// shows reports whether what the server listed is shown to the client.
func (r *Relay) shows(u *upstream, k int) bool {
	switch l := &u.lists[k]; {
	case !l.read:
		return false
	case u.rested:
		return true
	case u.state == manager.Ready:
		return l.settled || r.cfg.Naming.OnLoss == naming.Keep
	}
	return r.cfg.Naming.OnLoss == naming.Keep
}

// merge returns a merged list. It gives out the names that nobody has yet, so what it finds out is
// kept in the fleet: see names.
func (r *Relay) merge(k int) *merged {
	if r.merged[k] != nil {
		return r.merged[k]
	}
	m := &merged{targets: map[string]target{}}
	names := r.names(m, k)
	var shown []string
	for i, u := range r.up.list {
		if !r.shows(u, k) {
			continue
		}
		for j, it := range u.lists[k].shown {
			if name := names[i][j]; name != "" {
				shown = append(shown, renamed(it, k, name))
			}
		}
	}
	m.paginate(r.cfg, k, shown)
	r.merged[k] = m
	return m
}

// qualify returns the qualified name of an item.
func (r *Relay) qualify(u *upstream, k int, key string) string {
	if uris(k) {
		return u.scheme + "+" + key
	}
	return r.cfg.Naming.Form.ID(u.Name, key)
}

// parse takes a qualified name apart, one that was not cut; false if no server has it.
func (r *Relay) parse(k int, name string) (target, bool) {
	if uris(k) {
		if s, uri, ok := naming.SplitURI(name); ok {
			if i, ok := r.up.byScheme[s]; ok {
				return target{r.up.list[i].id, uri}, true
			}
		}
		return target{}, false
	}
	if s, tool, ok := r.cfg.Naming.Form.Parse(name); ok {
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
