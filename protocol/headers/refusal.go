package headers

import "github.com/sansmcp/mcp/jsonrpc"

// Refusal is the answer to a refused request.
type Refusal struct {
	Status       int           // of HTTP
	Err          jsonrpc.Error // the error in the body
	Allow        string        // the supported methods, with status 405
	Authenticate string        // the challenge, with status 401 and 403
}

// Refuse returns a Refusal with an error of code jsonrpc.CodeInvalidRequest. text is one short
// sentence.
func Refuse(status int, text string) *Refusal {
	return &Refusal{Status: status, Err: jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: text}}
}

// NoSession is the answer to a request for a session that does not exist or has ended: 404
// (HTTP-046).
func NoSession() *Refusal { return Refuse(404, "no such session") }

// Unauthorized is the answer to a request whose token does not permit it, or that has no token
// (AUTH-013, AUTH-030, AUTH-031, AUTH-035). The status follows from c.Error: 403
// for "insufficient_scope", 400 for "invalid_request", otherwise 401.
func Unauthorized(c Challenge) *Refusal {
	r := Refuse(401, "authorization is needed")
	switch c.Error {
	case "insufficient_scope":
		r = Refuse(403, "the token does not allow this")
	case "invalid_request":
		r = Refuse(400, "the authorization is malformed")
	}
	r.Authenticate = c.String()
	return r
}

// Body returns the body of the answer: a JSON-RPC error without id (HTTP-011, HTTP-102).
func (r *Refusal) Body() []byte {
	return jsonrpc.Append(nil, jsonrpc.Message{Kind: jsonrpc.KindError, Err: &r.Err})
}

// Fields returns the header fields of the answer.
func (r *Refusal) Fields() []Field {
	list := []Field{{ContentType, JSON}}
	if r.Allow != "" {
		list = append(list, Field{Allow, r.Allow})
	}
	if r.Authenticate != "" {
		list = append(list, Field{Authenticate, r.Authenticate})
	}
	return list
}
