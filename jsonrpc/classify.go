package jsonrpc

import "github.com/sansmcp/mcp/jsonrpc/rawjson"

// message makes the message of the envelope.
func (e *envelope) message() Message {
	var m Message
	if raw := e.text[id]; raw != "" && !e.twoIDs {
		var canonical bool
		if m.ID, canonical, _ = parseID(raw); !canonical && !m.ID.IsZero() {
			m.ext = &ext{id: m.ID, spelling: Raw(raw)}
		}
	}
	if e.text[method] != "" {
		e.call(&m)
	} else {
		e.response(&m)
	}
	return m
}

// call completes m, the message of an envelope with a method.
func (e *envelope) call(m *Message) {
	name, ok := rawjson.Unquote(e.text[method])
	if ok {
		m.Method = name
	}
	usable := !m.ID.IsZero()
	switch {
	case e.text[result] != "" || e.text[failure] != "":
		m.Fault, m.Shape = FaultMixed, KindResult
		if usable {
			m.Shape = KindRequest
		}
		return
	case e.text[id] == "" && e.text[method][0] != '"':
		m.Fault = FaultMethod
		return
	case e.text[id] == "":
		m.Kind = KindNotification
	case !usable:
		m.Fault, m.Shape = FaultID, KindRequest
		return
	default:
		m.Kind = KindRequest
	}
	switch {
	case e.repeated:
		m.Fault = FaultRepeated
	case !is20(e.text[version]):
		m.Fault = FaultVersion
	case !ok:
		m.Fault = FaultMethod
	case e.text[params] == "" || e.text[params] == "null":
		return
	case e.text[params][0] != '{' && e.text[params][0] != '[':
		m.Fault = FaultParams
	default:
		m.Body, m.Span = Raw(e.text[params]), e.span[params]
		return
	}
	m.Kind, m.Shape = KindInvalid, m.Kind
}

// response completes m, the message of an envelope without a method.
func (e *envelope) response(m *Message) {
	switch {
	case e.text[failure] != "":
		m.Kind = KindError
		m.Err = parseError(e.text[failure])
	case e.text[result] != "":
		m.Kind = KindResult
		m.Body, m.Span = Raw(e.text[result]), e.span[result]
	case e.text[id] == "":
		m.Fault = FaultEmpty
		return
	}
	// An error that answers what could not be read has no id, or null.
	orphan := m.Kind == KindError && (e.text[id] == "" || e.text[id] == "null")
	switch {
	case e.repeated:
		m.Fault = FaultRepeated
	case !is20(e.text[version]):
		m.Fault = FaultVersion
	case e.text[result] != "" && e.text[failure] != "":
		m.Fault = FaultBoth
	case m.ID.IsZero() && !orphan:
		m.Fault = FaultID
	case e.text[failure] != "" && m.Err == nil:
		m.Fault = FaultError
	case e.text[failure] == "" && (e.text[result] == "" || e.text[result][0] != '{'):
		m.Fault = FaultResult
	default:
		return
	}
	if e.text[failure] != "" {
		m.Body, m.Span = Raw(e.text[failure]), Span{}
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
