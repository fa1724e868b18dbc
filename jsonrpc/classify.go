package jsonrpc

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// message makes *m, which is zero, the message of the envelope.
func (e *envelope) message(m *Message) {
	if raw := e.text[fieldID]; raw != "" && !e.twoIDs {
		var canonical bool
		if m.ID, canonical, _ = parseID(raw); !canonical && !m.ID.IsZero() {
			m.ext = &ext{id: m.ID, spelling: Raw(raw)}
		}
	}
	if e.text[fieldMethod] != "" {
		e.call(m)
	} else {
		e.response(m)
	}
}

// call completes m, the message of an envelope with a method.
func (e *envelope) call(m *Message) {
	name, ok := e.text[fieldMethod], true
	if name[0] == '"' && strings.IndexByte(name, '\\') < 0 { // as most: scan has validated it
		name = name[1 : len(name)-1]
	} else {
		name, ok = rawjson.Unquote(name)
	}
	if ok {
		m.Method = name
	}
	usable := !m.ID.IsZero()
	switch {
	case e.text[fieldResult] != "" || e.text[fieldFailure] != "":
		m.Fault, m.Shape = FaultMixed, KindResult
		if usable {
			m.Shape = KindRequest
		}
		return
	case e.text[fieldID] == "" && e.text[fieldMethod][0] != '"':
		m.Fault = FaultMethod
		return
	case e.text[fieldID] == "":
		m.Kind = KindNotification
	case !usable:
		m.Fault, m.Shape = FaultID, KindRequest
		switch {
		case e.twoIDs:
			m.Fault = FaultRepeated
		case e.text[fieldID] == "null":
			m.Fault = FaultNullID
		}
		return
	default:
		m.Kind = KindRequest
	}
	switch {
	case e.repeated:
		m.Fault = FaultRepeated
	case !is20(e.text[fieldVersion]):
		m.Fault = FaultVersion
	case !ok:
		m.Fault = FaultMethod
	// JRPC-028
	case e.text[fieldParams] == "" || e.text[fieldParams] == "null":
		return
	case e.text[fieldParams][0] != '{' && e.text[fieldParams][0] != '[':
		m.Fault = FaultParams
	default:
		m.Body, m.Span = Raw(e.text[fieldParams]), e.span[fieldParams]
		return
	}
	m.Kind, m.Shape = KindInvalid, m.Kind
}

// response completes m, the message of an envelope without a method.
func (e *envelope) response(m *Message) {
	switch {
	case e.text[fieldFailure] != "":
		m.Kind = KindError
		m.Err = parseError(e.text[fieldFailure])
	case e.text[fieldResult] != "":
		m.Kind = KindResult
		m.Body, m.Span = Raw(e.text[fieldResult]), e.span[fieldResult]
	case e.text[fieldID] == "":
		m.Fault = FaultEmpty
		return
	}
	// An error that answers what could not be read has no id, or null.
	orphan := m.Kind == KindError && (e.text[fieldID] == "" || e.text[fieldID] == "null")
	switch {
	case e.repeated:
		m.Fault = FaultRepeated
	case !is20(e.text[fieldVersion]):
		m.Fault = FaultVersion
	case e.text[fieldResult] != "" && e.text[fieldFailure] != "":
		m.Fault = FaultBoth
	case m.ID.IsZero() && !orphan:
		m.Fault = FaultID
	case e.text[fieldFailure] != "" && m.Err == nil:
		m.Fault = FaultError
	case e.text[fieldFailure] == "" && (e.text[fieldResult] == "" || e.text[fieldResult][0] != '{'):
		m.Fault = FaultResult
	default:
		return
	}
	if e.text[fieldFailure] != "" {
		m.Body, m.Span = Raw(e.text[fieldFailure]), Span{}
	}
	m.Kind, m.Shape = KindInvalid, KindResult
}

// is20 reports whether raw is the string "2.0", in whatever spelling.
func is20(raw string) bool {
	if raw == `"2.0"` {
		return true
	}
	s, _ := rawjson.Unquote(raw)
	return s == "2.0"
}
