package headers

import "github.com/sansmcp/mcp/protocol"

// RequestFields returns the header fields of a client's request, without Authorization: the types
// that it accepts (HTTP-007, HTTP-024), the type of the body, the session id if there is one
// (HTTP-043), the negotiated revision if it has the header (HTTP-050, HTTP-051) and, for OpResume, the
// id of the last event. Before the answer to initialize, there is no session and rev
// is zero. The zero Op has no fields.
func RequestFields(op Op, session string, rev protocol.Revision, lastEventID string) []Field {
	list := make([]Field, 0, 4)
	switch op {
	case OpPost:
		list = append(list, Field{Accept, JSON + ", " + EventStream}, Field{ContentType, JSON})
	case OpListen:
		list = append(list, Field{Accept, EventStream})
	case OpResume:
		list = append(list, Field{Accept, EventStream}, Field{LastEventID, lastEventID})
	case OpEnd:
	default:
		return nil
	}
	if session != "" {
		list = append(list, Field{Session, session})
	}
	if rev.VersionHeader() {
		list = append(list, Field{Version, rev.String()})
	}
	return list
}

// Method returns the HTTP method of op, POST for every message (HTTP-006), "" for the zero Op.
func (op Op) Method() string {
	switch op {
	case OpPost:
		return MethodPost
	case OpListen, OpResume:
		return MethodGet
	case OpEnd:
		return MethodDelete
	}
	return ""
}
