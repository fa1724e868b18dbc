package model

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Render writes everything that v leads to, exported or not, so that two values
// render alike exactly if they are deeply equal. Functions and the tables
// of revisions are omitted.
func Render(v any) string {
	var r renderer
	r.render(reflect.ValueOf(v))
	return r.String()
}

// RenderSession is Render without what the sessions of a Config share, which is most of
// a State.
func RenderSession(m verbs.Machine) string {
	r := renderer{session: true}
	r.render(reflect.ValueOf(m))
	return r.String()
}

// RenderAlike is Render for comparing States of the same history: of a handle, which is
// valid for one State, it shows only the number.
func RenderAlike(v any) string {
	r := renderer{alike: true}
	r.render(reflect.ValueOf(v))
	return r.String()
}

type renderer struct {
	strings.Builder
	session, alike bool
}

func (b *renderer) render(v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		b.WriteString("nil")
	case reflect.Pointer, reflect.Interface:
		switch {
		case v.IsNil():
			b.WriteString("nil")
		case v.Type() == reflect.TypeFor[*protocol.Row](), v.Type() == reflect.TypeFor[*protocol.List]():
			b.WriteString(strconv.FormatUint(uint64(v.Pointer()), 16)) // a row of the program's tables
		case v.Type() == reflect.TypeFor[*time.Location](), b.session && shared(v.Type().String()):
			b.WriteByte('@')
		default:
			b.WriteByte('&')
			b.render(v.Elem())
		}
	case reflect.Struct:
		t := v.Type()
		if t == reflect.TypeFor[protocol.Revision]() {
			b.WriteString(strconv.FormatUint(uint64(v.Field(0).Pointer()), 16)) // the tables are the program's
			return
		}
		b.WriteString(t.Name())
		if b.alike && (t == reflect.TypeFor[lifecycle.Call]() || t == reflect.TypeFor[lifecycle.Req]()) {
			b.WriteString(strconv.FormatUint(v.FieldByName("seq").Uint(), 10))
			return
		}
		b.WriteByte('{')
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				b.WriteString(t.Field(i).Name)
				b.WriteByte(':')
				b.render(f)
				b.WriteByte(' ')
			}
		}
		b.WriteByte('}')
	case reflect.Slice, reflect.Array:
		b.WriteByte('[')
		for i := range v.Len() {
			b.render(v.Index(i))
			b.WriteByte(' ')
		}
		b.WriteByte(']')
	case reflect.Func:
		b.WriteString("func")
	default:
		b.WriteString(strconv.Quote(fmt.Sprint(v))) // maps are printed sorted
	}
}

func shared(name string) bool {
	return name == "*engine.Env" || name == "*server.config" || name == "*client.config" || name == "*server.Catalog"
}

// Probe applies a fixed sequence of steps to a Machine, which does not change, and returns their
// effects.
func Probe(m verbs.Machine) string {
	var b strings.Builder
	due, ok := m.NextDeadline()
	fmt.Fprintf(&b, "%+v %v %v\n", m.Status(), due, ok)
	for c := range m.Inbound() {
		fmt.Fprintf(&b, "%+v\n", c)
	}
	for r := range m.Outbound() {
		fmt.Fprintf(&b, "%+v\n", r)
	}
	now := Origin.Add(time.Minute)
	do := func(s Step) {
		var out lifecycle.Output
		var err error
		s.Now = now
		m, out, err = s.Apply(m)
		fmt.Fprintf(&b, "%s: %s %v\n", s.Op, Render(out), err)
	}
	do(Step{Op: verbs.OpReceive, Text: `{"jsonrpc":"2.0","id":"probe","method":"ping"}`})
	do(Step{Op: verbs.OpReceive, Text: `{"jsonrpc":"2.0","id":"probe","method":"tools/list"}`})
	do(Step{Op: verbs.OpRequest, Params: func() protocol.Params { return protocol.PingParams{} }})
	for c := range m.Inbound() {
		do(Step{Op: verbs.OpProgress, Call: c.Call, Progress: func() protocol.ProgressParams { return protocol.ProgressParams{Progress: 50} }})
	}
	do(Step{Op: verbs.OpTick})
	now = now.Add(time.Hour)
	do(Step{Op: verbs.OpTick})
	do(Step{Op: verbs.OpShutdown})
	do(Step{Op: verbs.OpDisconnected})
	do(Step{Op: verbs.OpReset})
	return b.String()
}
