package many

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// browse lets the client read a list, page by page, repeatedly.
func (p *patron) browse() {
	p.clock.after(p.dice.span(time.Millisecond, 1500*time.Millisecond), func() {
		if p.net.closing || p.gone {
			return
		}
		if p.c.Phase() == lifecycle.Ready && !p.opt.Exact {
			method := pick(p.dice, []string{protocol.MethodToolsList, protocol.MethodResourcesList, protocol.MethodResourceTemplatesList, protocol.MethodPromptsList})
			p.page(&listing{method: method, seen: map[string]bool{}}, "")
		}
		p.browse()
	})
}

// listing is a list that is being read.
type listing struct {
	method string
	seen   map[string]bool
	pages  int
}

// page asks for a page.
func (p *patron) page(l *listing, cursor string) {
	req := protocol.RawRequest{Name: l.method}
	if cursor != "" {
		text, err := json.Marshal(map[string]string{"cursor": cursor})
		if err != nil {
			p.fail("a cursor: %v", err)
			return
		}
		req.Body = protocol.Raw(text)
	}
	c, out, err := p.c.Request(p.clock.now, req, client.RequestOptions{})
	if err != nil {
		return
	}
	o := &order{server: "", method: l.method, e: errand{Do: "list"}}
	p.open[out.Req] = o
	o.list = l
	p.stepClient(c, out)
}

// pageCame handles a page: each item names its server, and has a name of its own.
func (p *patron) pageCame(l *listing, ev client.Event) {
	if ev.Err != nil {
		if ev.Err.Code != -32602 { // a cursor of changed lists
			p.count("list failed")
		}
		return
	}
	var body map[string]json.RawMessage
	var next string
	if err := json.Unmarshal([]byte(ev.Body), &body); err != nil {
		p.fail("a page: %v", err)
		return
	}
	for name, raw := range body {
		switch name {
		case "nextCursor":
			if err := json.Unmarshal(raw, &next); err != nil {
				p.fail("a cursor: %v", err)
			}
		case "tools", "prompts", "resources", "resourceTemplates":
			var items []struct{ Name, URI, URITemplate, Description string }
			if err := json.Unmarshal(raw, &items); err != nil {
				p.fail("the items of a page: %v", err)
			}
			for _, it := range items {
				p.item(l, it.Name, it.URI+it.URITemplate, it.Description)
			}
		}
	}
	p.count("pages")
	if l.pages++; l.pages > 200 {
		p.fail("%s has more than 200 pages", l.method)
	}
	if next != "" && !p.gone {
		p.page(l, next)
	}
}

// item checks an item of a list.
func (p *patron) item(l *listing, name, uri, description string) {
	key := name
	if uri != "" {
		key = uri
	}
	if l.seen[key] {
		p.fail("%s has %q twice", l.method, key)
	}
	l.seen[key] = true
	of, ok := strings.CutPrefix(description, "of ")
	if !ok {
		p.fail("%s: %q is described as %q", l.method, key, description)
	}
	if uri == "" {
		if server, _, qualified := (naming.Form{}).Parse(name); qualified && server != of {
			p.fail("%s: %q is that of %s", l.method, name, of)
		}
		if p.rcfg.Naming.Names == naming.Always && !strings.HasPrefix(name, "mcp.") {
			p.fail("%s: %q is not qualified", l.method, name)
		}
	}
	if server, _, qualified := strings.Cut(uri, "+"); qualified && server != of && !strings.Contains(server, ":") {
		p.fail("%s: %q is that of %s", l.method, uri, of)
	}
	p.count("items")
}

// reload removes a server, or adds it again, or changes its definition.
func (p *patron) reload(server string, d dice) {
	var list []relay.Server
	found := false
	for _, s := range p.list {
		if s.Name != server {
			list = append(list, s)
			continue
		}
		found = true
		if d.chance(50) {
			s.Definition += "+"
			list = append(list, s)
		}
	}
	if !found {
		s := p.list[0]
		s.Name, s.Options.Endpoint = server, p.net.endpoint(server)
		list = append(list, s)
	}
	if len(list) == 0 {
		return
	}
	r, s, eff, err := p.r.SetServers(p.s, p.clock.now, list)
	if err != nil {
		p.fail("SetServers: %v", err)
		return
	}
	p.list = list
	p.count("reloaded")
	p.effects(r, s, eff)
}
