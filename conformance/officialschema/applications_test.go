package officialschema_test

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/conformance/model/values"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// result returns any valid result for the request of an event.
func (x *talk) result(asked lifecycle.Event) protocol.Result {
	var body protocol.Result = protocol.EmptyResult{}
	if row := protocol.Revisions()[0].Row(asked.Method); row != nil {
		_, body = row.Types()
	}
	v := reflect.New(reflect.TypeOf(body))
	x.d.Fill(v.Interface())
	body = v.Elem().Interface().(protocol.Result)
	if r, ok := body.(protocol.ElicitResult); ok && r.Action == protocol.ActionAccept {
		p, _ := protocol.Decode[protocol.ElicitParams](asked.Body)
		r.Content = x.fill(p.RequestedSchema)
		return r
	}
	return body
}

// fill fills in a form, including fractions if allowed.
func (x *talk) fill(form protocol.ElicitSchema) map[string]protocol.Raw {
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

// page returns the cursor for the next page of the method's list, if any.
func (x *talk) page(m string) *protocol.Cursor { return x.cursor[m] }

// params returns the params of a request of a side.
func (x *talk) params(side int) protocol.Params {
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
	item := strconv.Itoa(x.d.Intn(4)) // may be an unknown one
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

// raw makes some params raw and slightly invalid.
func (x *talk) raw(p protocol.Params) protocol.Params {
	if !x.one(4) {
		return p
	}
	return protocol.RawRequest{Name: p.Method(), Body: x.spoil(protocol.Raw(p.AppendJSON(nil)))}
}

// request sends a request, the server's mostly within one of the client, and sometimes
// cancels it.
func (x *talk) request(side int) error {
	opt := lifecycle.RequestOptions{Progress: x.one(2), ReplaceToken: true, Timeout: lifecycle.NoTimeout}
	if owed := x.owed[side]; len(owed) > 0 && !x.one(3) {
		opt.Within = owed[len(owed)-1]
	}
	out, err := x.do(side, verbs.Verb{Op: verbs.OpRequest, Params: x.raw(x.params(side)), Options: opt})
	if err == nil && !out.Req.IsZero() && x.one(6) {
		_, err = x.do(side, verbs.Verb{Op: verbs.OpCancel, Req: out.Req, Reason: x.d.Text()})
	}
	return err
}

// report reports progress.
func (x *talk) report(side int) error {
	if len(x.owed[side]) == 0 {
		return nil
	}
	p := values.Of[protocol.ProgressParams](x.d)
	x.progress++
	p.Progress = x.progress
	call := x.owed[side][x.d.Intn(len(x.owed[side]))]
	_, err := x.do(side, verbs.Verb{Op: verbs.OpProgress, Call: call, Progress: p})
	return err
}

// notify sends a notification.
func (x *talk) notify(side int) error {
	_, err := x.do(side, verbs.Verb{Op: verbs.OpNotify, Params: x.raw(x.note(side))})
	return err
}

// note returns the params of a notification of a side.
func (x *talk) note(side int) protocol.Params {
	switch choice := x.d.Intn(6); {
	case side == ofClient && choice < 3:
		return values.Of[protocol.RootsListChangedParams](x.d)
	case side == ofClient || choice == 0:
		meta := values.Of[protocol.EmptyResult](x.d).Meta.With("k", "1")
		return protocol.RawRequest{Name: "notifications/custom", Body: protocol.Raw(`{"_meta":` + string(meta) + `}`)}
	case choice == 1:
		return values.Of[protocol.LoggingMessageParams](x.d)
	case choice == 2:
		p := values.Of[protocol.ResourceUpdatedParams](x.d)
		p.URI = "r:/1"
		return p
	case choice == 3:
		return values.Of[protocol.ToolListChangedParams](x.d)
	case choice == 4:
		return values.Of[protocol.PromptListChangedParams](x.d)
	}
	return values.Of[protocol.ResourceListChangedParams](x.d)
}

// offer changes the lists of a side, or lets time pass.
func (x *talk) offer(side int) error {
	v := verbs.Verb{Op: verbs.OpOffer}
	switch {
	case x.one(2):
		v.Op = verbs.OpTick
	case side == ofClient:
		v.Roots = x.roots()
	default:
		x.register()
		var err error
		if v.Catalog, err = x.catalog(); err != nil {
			return err
		}
	}
	_, err := x.do(side, v)
	return err
}
