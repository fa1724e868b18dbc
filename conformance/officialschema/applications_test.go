package officialschema_test

import (
	"slices"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/conformance/values"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// result returns what the application answers the request of an event with.
func (x *session) result(asked lifecycle.Event) protocol.Result {
	switch protocol.MethodOf(asked.Method) {
	case protocol.MethodToolsList:
		return values.Of[protocol.ListToolsResult](x.d)
	case protocol.MethodToolsCall:
		return values.Of[protocol.CallToolResult](x.d)
	case protocol.MethodResourcesList:
		return values.Of[protocol.ListResourcesResult](x.d)
	case protocol.MethodResourceTemplatesList:
		return values.Of[protocol.ListResourceTemplatesResult](x.d)
	case protocol.MethodResourcesRead:
		return values.Of[protocol.ReadResourceResult](x.d)
	case protocol.MethodPromptsList:
		return values.Of[protocol.ListPromptsResult](x.d)
	case protocol.MethodPromptsGet:
		return values.Of[protocol.GetPromptResult](x.d)
	case protocol.MethodCompletionComplete:
		return values.Of[protocol.CompleteResult](x.d)
	case protocol.MethodSamplingCreateMessage:
		return values.Of[protocol.CreateMessageResult](x.d)
	case protocol.MethodRootsList:
		return values.Of[protocol.ListRootsResult](x.d)
	case protocol.MethodElicitationCreate:
		r := values.Of[protocol.ElicitResult](x.d)
		if r.Action == protocol.ActionAccept {
			p, _ := protocol.Decode[protocol.ElicitParams](asked.Body)
			r.Content = x.fill(p.RequestedSchema)
		}
		return r
	}
	return values.Of[protocol.EmptyResult](x.d)
}

// fill fills in a form, with fractions too where they are allowed.
func (x *session) fill(form protocol.ElicitSchema) map[string]protocol.Raw {
	content := map[string]protocol.Raw{}
	for _, p := range form.Properties {
		s := p.Schema
		switch {
		case !slices.Contains(form.Required, p.Name) && x.one(2):
		case s.Type == protocol.TypeBoolean:
			content[p.Name] = "true"
		case s.Type != protocol.TypeString:
			n := 1.5
			if s.Type == protocol.TypeInteger {
				n = 3
			}
			for _, bound := range []*float64{s.Minimum, s.Maximum} {
				if bound != nil {
					n = *bound
				}
			}
			content[p.Name] = protocol.Raw(strconv.FormatFloat(n, 'g', -1, 64))
		case len(s.Enum) > 0:
			content[p.Name] = quote(s.Enum[0])
		default:
			content[p.Name] = quote(map[protocol.StringFormat]string{
				"email": "a@example.com", "uri": "u:1", "date": "2026-01-01", "date-time": "2026-01-01T00:00:00Z", "": "text",
			}[s.Format])
		}
	}
	return content
}

func quote(s string) protocol.Raw {
	return protocol.Raw(jsonrpc.String(s).Append(nil))
}

// page returns where the last listing of the method goes on, if it does.
func (x *session) page(m protocol.Method) *protocol.Cursor { return x.cursor[m.String()] }

// params returns the params of a request of a side.
func (x *session) params(side int) protocol.Params {
	if side == ofServer {
		switch x.d.Intn(6) {
		case 0:
			return values.Of[protocol.PingParams](x.d)
		case 1:
			return values.Of[protocol.ListRootsParams](x.d)
		case 2:
			return protocol.RawRequest{Name: "custom/one", Body: "{}"}
		case 3:
			return values.Of[protocol.ElicitParams](x.d)
		}
		return values.Of[protocol.CreateMessageParams](x.d)
	}
	item := strconv.Itoa(x.d.Intn(4)) // one that is not there among them
	switch x.d.Intn(14) {
	case 0:
		return values.Of[protocol.PingParams](x.d)
	case 1:
		return protocol.ListToolsParams{Cursor: x.page(protocol.MethodToolsList)}
	case 2:
		return protocol.ListResourcesParams{Cursor: x.page(protocol.MethodResourcesList)}
	case 3:
		return protocol.ListResourceTemplatesParams{Cursor: x.page(protocol.MethodResourceTemplatesList)}
	case 4:
		return protocol.ListPromptsParams{Cursor: x.page(protocol.MethodPromptsList)}
	case 5:
		return protocol.RawRequest{Name: "custom/one"}
	case 6:
		p := values.Of[protocol.ReadResourceParams](x.d)
		if p.URI = "r:/" + item; x.one(2) {
			p.URI = "t:/" + item + "/y"
		}
		return p
	case 7:
		p := values.Of[protocol.SubscribeParams](x.d)
		p.URI = "r:/"
		return p
	case 8:
		return values.Of[protocol.UnsubscribeParams](x.d)
	case 9:
		p := values.Of[protocol.GetPromptParams](x.d)
		p.Name = "p" + item
		return p
	case 10:
		return values.Of[protocol.CompleteParams](x.d)
	case 11:
		return values.Of[protocol.SetLevelParams](x.d)
	}
	p := values.Of[protocol.CallToolParams](x.d)
	p.Name = "t" + item
	return p
}

// raw makes some params raw ones, which are then not quite right.
func (x *session) raw(p protocol.Params) protocol.Params {
	if !x.one(4) {
		return p
	}
	return protocol.RawRequest{Name: p.Method(), Body: x.spoil(protocol.Raw(p.AppendJSON(nil)))}
}

// request sends a request, the server's mostly within one of the client, and now and
// then gives it up.
func (x *session) request(side int) error {
	opt := lifecycle.RequestOptions{Progress: x.one(2), ReplaceToken: true, Timeout: lifecycle.NoTimeout}
	if owed := x.owed[side]; len(owed) > 0 && !x.one(3) {
		opt.Within = owed[len(owed)-1]
	}
	var out lifecycle.Output
	if side == ofServer {
		x.s, out, _ = x.s.Request(x.now, x.raw(x.params(side)), opt)
	} else {
		x.c, out, _ = x.c.Request(x.now, x.raw(x.params(side)), opt)
	}
	if err := x.sent(side, jsonrpc.Message{}, out); err != nil || out.Req.IsZero() || !x.one(6) {
		return err
	}
	if side == ofServer {
		x.s, out, _ = x.s.Cancel(x.now, out.Req, x.d.Text())
	} else {
		x.c, out, _ = x.c.Cancel(x.now, out.Req, x.d.Text())
	}
	return x.sent(side, jsonrpc.Message{}, out)
}

// report tells of progress.
func (x *session) report(side int) error {
	if len(x.owed[side]) == 0 {
		return nil
	}
	p := values.Of[protocol.ProgressParams](x.d)
	x.progress++
	p.Progress = x.progress
	call := x.owed[side][x.d.Intn(len(x.owed[side]))]
	var out lifecycle.Output
	if side == ofServer {
		x.s, out, _ = x.s.Progress(x.now, call, p)
	} else {
		x.c, out, _ = x.c.Progress(x.now, call, p)
	}
	return x.sent(side, jsonrpc.Message{}, out)
}

// notify sends a notification.
func (x *session) notify(side int) error {
	var p protocol.Params = protocol.RawRequest{Name: "notifications/custom", Body: protocol.Raw(x.meta())}
	var out lifecycle.Output
	if side == ofClient {
		if x.one(2) {
			p = values.Of[protocol.RootsListChangedParams](x.d)
		}
		x.c, out, _ = x.c.Notify(x.now, x.raw(p), lifecycle.Call{})
		return x.sent(side, jsonrpc.Message{}, out)
	}
	switch x.d.Intn(6) {
	case 0:
		p = values.Of[protocol.LoggingMessageParams](x.d)
	case 1:
		u := values.Of[protocol.ResourceUpdatedParams](x.d)
		u.URI = "r:/1"
		p = u
	case 2:
		p = values.Of[protocol.ToolListChangedParams](x.d)
	case 3:
		p = values.Of[protocol.PromptListChangedParams](x.d)
	case 4:
		p = values.Of[protocol.ResourceListChangedParams](x.d)
	}
	x.s, out, _ = x.s.Notify(x.now, x.raw(p), lifecycle.Call{})
	return x.sent(side, jsonrpc.Message{}, out)
}

func (x *session) meta() string {
	return `{"_meta":` + string(values.Of[protocol.EmptyResult](x.d).Meta.With("k", "1")) + `}`
}

// offer changes what a side offers, or lets time pass.
func (x *session) offer(side int) error {
	var out lifecycle.Output
	switch {
	case x.one(2) && side == ofServer:
		x.s, out = x.s.Tick(x.now)
	case x.one(2):
		x.c, out = x.c.Tick(x.now)
	case side == ofClient:
		x.c, out, _ = x.c.SetRoots(x.now, x.roots())
	default:
		x.register()
		catalog, err := x.catalog()
		if err != nil {
			return err
		}
		x.s, out, _ = x.s.SetCatalog(x.now, catalog)
	}
	x.now = x.now.Add(time.Millisecond)
	return x.sent(side, jsonrpc.Message{}, out)
}
