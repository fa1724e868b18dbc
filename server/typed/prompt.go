package typed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// Prompt registers a prompt. An invalid type makes h.Catalog fail: MakePrompt returns it.
func Prompt[In any](h *server.Handlers, p protocol.Prompt, f Func[In, *protocol.GetPromptResult]) {
	p, g, err := MakePrompt(p, f)
	if err != nil {
		h.Refuse(err)
		return
	}
	h.Prompt(p, g)
}

// MakePrompt returns what Prompt registers. In is a struct. Its fields become p.Arguments, with
// their descriptions, unless p has some. They may be strings, numbers or booleans: arguments of
// prompts are texts, and "7" is read as a number for a numeric field. Arguments that the schema of
// In refuses are answered -32602 with the reason in the data.
func MakePrompt[In any](p protocol.Prompt, f Func[In, *protocol.GetPromptResult]) (protocol.Prompt, server.PromptFunc, error) {
	in, err := flatForm(reflect.TypeFor[In](), false)
	if err == nil && f == nil {
		err = errNoFunction
	}
	if err != nil {
		return p, nil, fmt.Errorf("typed: prompt %q: %w", p.Name, err)
	}
	if p.Arguments == nil {
		p.Arguments = in.arguments
	}
	return p, func(ctx context.Context, c server.Caller, params protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		var v In
		text := newTexts()
		for _, name := range slices.Sorted(maps.Keys(params.Arguments)) {
			text.text(name, in.plan, params.Arguments[name])
		}
		if err := in.read(text.raw(), reflect.ValueOf(&v).Elem()); err != nil {
			e := protocol.InvalidParams("invalid arguments")
			e.Data = jsonrpc.Raw(append(rawjson.AppendQuote([]byte(`{"reason":`), err.Error()), '}'))
			return nil, &e
		}
		return f(ctx, c, v)
	}, nil
}

// TemplateFunc reads the resource of a uri; in has the variables.
//
// An error is reported as by server.ReadFunc: a jsonrpc.Error goes to the client unchanged; any
// other becomes -32603 "internal error".
type TemplateFunc[In any] = func(ctx context.Context, c server.Caller, uri string, in In) (*protocol.ReadResourceResult, error)

// Template registers a resource template. An invalid type makes h.Catalog fail: MakeTemplate
// returns it.
func Template[In any](h *server.Handlers, t protocol.ResourceTemplate, f TemplateFunc[In]) {
	g, err := MakeTemplate(t, f)
	if err != nil {
		h.Refuse(err)
		return
	}
	h.Template(t, g)
}

// MakeTemplate returns the function that Template registers. In is a struct with a field for each
// variable of the template: a string, a number, a boolean, a slice of these for a list, or a map of
// these for pairs. A uri with values that the schema of In refuses, such as a name in place of a
// number, is answered protocol.ResourceNotFound. Variables come from the client, decoded: check
// those used in a path or a query.
func MakeTemplate[In any](t protocol.ResourceTemplate, f TemplateFunc[In]) (server.TemplateFunc, error) {
	in, err := flatForm(reflect.TypeFor[In](), true)
	if err == nil && f == nil {
		err = errNoFunction
	}
	if err == nil {
		err = in.fits(t.URITemplate)
	}
	if err != nil {
		return nil, fmt.Errorf("typed: template %q: %w", t.URITemplate, err)
	}
	return func(ctx context.Context, c server.Caller, p protocol.ReadResourceParams, vars uritemplate.Values) (*protocol.ReadResourceResult, error) {
		var v In
		text := newTexts()
		for _, b := range vars {
			text.variable(b.Name, in.plan, b.Value)
		}
		if in.read(text.raw(), reflect.ValueOf(&v).Elem()) != nil {
			e := protocol.ResourceNotFound(p.URI)
			return nil, &e
		}
		return f(ctx, c, p.URI, v)
	}, nil
}

// fits returns an error unless the fields are the variables of a template.
func (f *flatStruct) fits(template string) error {
	t, err := uritemplate.Parse(template)
	if err != nil {
		return err
	}
	var names []string
	for _, v := range t.Vars() {
		if names = append(names, v.Name); f.plan.find(v.Name) < 0 {
			return fmt.Errorf("the variable %q has no field", v.Name)
		}
	}
	for _, m := range f.plan.fields {
		if !slices.Contains(names, m.name) {
			return fmt.Errorf("the field of %q is no variable", m.name)
		}
	}
	return nil
}

// flatStruct is a struct whose fields are read from strings.
type flatStruct struct {
	plan      *plan
	check     schema.Schema
	arguments []protocol.PromptArgument
}

// flatForm returns the form of a struct whose fields are read from one string each, or with lists
// from lists and pairs of strings.
func flatForm(t reflect.Type, lists bool) (*flatStruct, error) {
	in := newInference()
	s, err := in.whole(t)
	if err != nil {
		return nil, err
	}
	if s.plan.op != opStruct {
		return nil, fmt.Errorf("%v is not a struct", t)
	}
	for i := range s.plan.fields {
		f := &s.plan.fields[i]
		p := f.plan
		if p.op == opPointer {
			p = p.elem
		}
		if lists && (p.op == opSlice || p.op == opArray || p.op == opMap) {
			p = p.elem
		}
		if p.op > opText || p.op == opAny || p.op == opRaw {
			return nil, fmt.Errorf("%v: the field of %q is read from more than a text", t, f.name)
		}
	}
	text, err := s.schema.JSON()
	if err != nil {
		return nil, err
	}
	check, err := schema.Compile(text)
	f := &flatStruct{plan: s.plan, check: check}
	for _, m := range s.plan.fields {
		f.arguments = append(f.arguments, protocol.PromptArgument{Name: m.name, Title: m.title, Description: m.doc, Required: m.required})
	}
	return f, err
}

var errNoFunction = errors.New("the function is nil")

func (f *flatStruct) read(text string, v reflect.Value) error {
	if err := read(text, f.plan, v); err != nil {
		return err
	}
	return f.check.Validate(jsonrpc.Raw(text))
}

// textsObject is an object that is made from strings.
type textsObject struct{ rawjson.Writer }

func newTexts() textsObject { return textsObject{rawjson.Writer{Dst: []byte{'{'}}} }

func (o *textsObject) raw() string { return string(o.Dst) + "}" }

// text adds a member in the form that its field is read from.
func (o *textsObject) text(name string, p *plan, text string) {
	var f *plan
	if k := p.find(name); k >= 0 {
		f = p.fields[k].plan
	}
	o.Name(name)
	o.Dst = appendAs(o.Dst, f, text)
}

// variable adds a variable, which may be a list or pairs.
func (o *textsObject) variable(name string, p *plan, v uritemplate.Value) {
	k := p.find(name)
	if k < 0 || !v.Defined() {
		return
	}
	f := p.fields[k].plan
	if f.op == opPointer {
		f = f.elem
	}
	switch {
	case f.op == opMap:
		in := newTexts()
		for _, pair := range v.Pairs() {
			in.Name(pair.Name)
			in.Dst = appendAs(in.Dst, f.elem, pair.Value)
		}
		o.Raw(name, in.raw())
	case f.op == opSlice || f.op == opArray:
		o.Name(name)
		o.Dst = append(o.Dst, '[')
		for _, text := range v.List() {
			o.Separate()
			o.Dst = appendAs(o.Dst, f.elem, text)
		}
		o.Dst = append(o.Dst, ']')
	default:
		o.Name(name)
		o.Dst = appendAs(o.Dst, f, v.String())
	}
}

// appendAs appends a string as the JSON that a plan reads: a JSON string, or the text itself for a
// number or a boolean.
func appendAs(dst []byte, p *plan, text string) []byte {
	for p != nil && p.op == opPointer {
		p = p.elem
	}
	if p != nil {
		switch p.op {
		case opBool:
			if text == "true" || text == "false" {
				return append(dst, text...)
			}
		case opInt, opUint, opFloat, opNumber, opBigInt, opBigFloat:
			if _, _, _, ok := rawjson.Decimal(text); ok {
				return append(dst, text...)
			}
		}
	}
	return rawjson.AppendQuote(dst, text)
}
