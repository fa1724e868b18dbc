package protocol

import (
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// A result that asks for input, and the request that brings it (multi round-trip requests page).
// What a server of a session asks by requests of its own, one without a session puts into the
// result of the request that cannot be answered yet; the client makes the request again, with the
// answers.

// The values of resultType (RSLT-002).
const (
	ResultComplete      = "complete"
	ResultInputRequired = "input_required"
)

var (
	errNoInput   = errors.New("a method whose results do not ask")
	errNoAsking  = errors.New("neither questions nor state")
	errQuestion  = errors.New("a question that is none")
	errKeyTwice  = errors.New("two questions under one key")
	errResponses = errors.New("input responses that are not a map of objects")
)

// AppendJSON appends the result that asks, without checking it.
func (e *InputRequired) AppendJSON(dst []byte) []byte {
	raw, _ := e.encode(func(p Params) (Raw, error) {
		body, err := EncodeParams(p)
		if err != nil {
			body = "" // what is none has no params
		}
		return body, nil
	})
	return append(dst, raw...)
}

// MarshalJSON returns the result that asks, as AppendJSON does. It never fails.
func (e *InputRequired) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil), nil }

// UnmarshalJSON fails: which questions a result may ask is for its row to say (Row.ReadInput).
func (e *InputRequired) UnmarshalJSON([]byte) error { return errNoInput }

// encode returns the result that asks, with the params as a function has them.
func (e *InputRequired) encode(params func(Params) (Raw, error)) (Raw, error) {
	dst := []byte(`{"resultType":"` + ResultInputRequired + `"`)
	for i, q := range e.Questions {
		if i == 0 {
			dst = append(dst, `,"inputRequests":{`...)
		} else {
			dst = append(dst, ',')
		}
		body, err := params(q.Params)
		if err != nil {
			return "", err
		}
		dst = append(rawjson.AppendQuote(dst, q.Key), `:{"method":`...)
		dst = rawjson.AppendQuote(dst, MethodName(q.Params))
		if body == "" {
			body = "{}" // some peers want params even where they may be left out
		}
		dst = append(append(dst, `,"params":`...), body...)
		dst = append(dst, '}')
	}
	if len(e.Questions) > 0 {
		dst = append(dst, '}')
	}
	if e.State != "" {
		dst = rawjson.AppendQuote(append(dst, `,"requestState":`...), e.State)
	}
	return Raw(append(dst, '}')), nil
}

// EncodeInput returns a result that asks as the revision has it, and what the client has to have
// declared to be asked so; caps are what it has declared. Questions have no _meta, and pages no
// elicitationId (SCHEMA-201, ELIC-201). Errors: ErrNotInRevision where the method or the revision has
// no such results, and why the result is none (MRTR-002 to MRTR-005).
func (r *Row) EncodeInput(e *InputRequired, caps Capability, how Encoding) (out Encoded, needs Capability, err error) {
	if e == nil {
		return Encoded{}, 0, errNoAsking
	}
	if !r.Asks || !r.Revision().Stateless() {
		return Encoded{}, 0, within("InputRequired", "", fault("InputRequired", "", ReasonRevision))
	}
	out.Common = true
	out.Body, err = e.encode(func(p Params) (Raw, error) {
		row := r.Revision().question(MethodName(p))
		if p == nil || row == nil {
			return "", errQuestion
		}
		body, info, err := row.EncodeParams(numbered(p), how)
		if err != nil {
			return "", err
		}
		t := row.Terms(Asked{Params: body, Info: info, Caps: caps})
		if t.Rule != "" {
			out.Found = append(out.Found, Finding{Rule: t.Rule})
		}
		body, _ = row.Downgrade(BodyParams, body)
		if body != "" && row.Method != MethodRootsList {
			body = Raw(rawjson.Set(string(body), "_meta", ""))
		}
		return body, t.Err
	})
	if err != nil {
		return Encoded{}, 0, err
	}
	_, needs, err = r.ReadInput(out.Body)
	return out, needs, err
}

// numbered gives a page that has none an id, which the revision takes out again.
func numbered(p Params) Params {
	const none = "none"
	switch p := p.(type) {
	case ElicitParams:
		if p.Mode == ElicitURL && p.ElicitationID == "" {
			p.ElicitationID = none
		}
		return p
	case RawRequest:
		if _, given := rawjson.Get(string(p.Body), "elicitationId"); !given && rawjson.Text(string(p.Body), "mode") == string(ElicitURL) {
			p.Body = Raw(rawjson.Set(string(p.Body), "elicitationId", `"`+none+`"`))
		}
		return p
	}
	return p
}

// ReadInput reads a result that asks, and what the client has to have declared to be asked so. The
// Params of a Question are a RawRequest.
func (r *Row) ReadInput(result Raw) (e *InputRequired, needs Capability, err error) {
	if !r.Asks || !r.Revision().Stateless() {
		return nil, 0, errNoInput
	}
	e = &InputRequired{}
	var requests, state string
	o, _ := rawjson.Members(string(result))
	for {
		key, val, ok := o.Next()
		if !ok {
			break
		}
		switch key {
		case "inputRequests":
			requests = val
		case "requestState":
			state = val
		}
	}
	if given(state) {
		if setString(&e.State, state, true) != 0 {
			return nil, 0, fault("InputRequired", "requestState", ReasonType)
		}
	}
	if given(requests) {
		list, ok := rawjson.Members(requests)
		seen := map[string]bool{} // a result may ask very many
		for ok {
			key, val, more := list.Next()
			if !more {
				break
			}
			if seen[key] { // MRTR-005
				return nil, 0, errKeyTwice
			}
			seen[key] = true
			p, need, err := r.Revision().readQuestion(val)
			if err != nil {
				return nil, 0, err
			}
			e.Questions, needs = append(e.Questions, Question{key, p}), needs|need
		}
		if !ok {
			return nil, 0, fault("InputRequired", "inputRequests", ReasonType)
		}
	}
	if len(e.Questions) == 0 && e.State == "" { // MRTR-003
		return nil, 0, errNoAsking
	}
	return e, needs, nil
}

// question returns the row of what a result may ask, nil for anything else (MRTR-004).
func (r Revision) question(method string) *Row {
	row := r.Row(method)
	if row == nil || row.Notification || row.Receiver != Client {
		return nil
	}
	return row
}

// readQuestion reads one question of a result.
func (r Revision) readQuestion(raw string) (p RawRequest, needs Capability, err error) {
	var method, params string
	o, ok := rawjson.Members(raw)
	for ok {
		key, val, more := o.Next()
		if !more {
			break
		}
		switch key {
		case "method":
			method, _ = rawjson.Unquote(val)
		case "params":
			params = val
		}
	}
	row := r.question(method)
	if row == nil {
		return p, 0, errQuestion
	}
	if !given(params) {
		params = ""
	}
	info, err := row.ReadParams(Raw(params), jsonrpc.Span{})
	if err != nil {
		return p, 0, err
	}
	t := row.Terms(Asked{Params: Raw(params), Info: info, Received: true, Caps: ^Capability(0)})
	return RawRequest{Name: row.Method, Body: Raw(params)}, row.Gate | t.Needs, t.Err
}

// noted stands for answers in params that are only checked.
var noted = &InputResponses{}

// ReadResponses reads what a request brings as answers to questions, from its params; nil if it
// brings nothing. The error is that they are not a map of objects (MRTR-011).
func ReadResponses(params Raw, span jsonrpc.Span) (*InputResponses, error) {
	before, after := around(string(params), span)
	if !mentions(before, "Responses", "State") && !mentions(after, "Responses", "State") {
		return nil, nil // as most
	}
	var responses, state string
	var o rawjson.Object
	o.Open(string(params))
	o.Jump(int(span.Start), int(span.End))
	for {
		key, val, ok := o.Next()
		if !ok {
			break
		}
		switch key {
		case "inputResponses":
			responses = val
		case "requestState":
			state = val
		}
	}
	if !given(responses) && !given(state) {
		return nil, nil
	}
	in := &InputResponses{}
	if setString(&in.State, state, false) != 0 {
		return nil, errResponses
	}
	if given(responses) {
		in.Results = map[string]Raw{}
		list, ok := rawjson.Members(responses)
		for ok {
			key, val, more := list.Next()
			if !more {
				break
			}
			if val[0] != '{' {
				return nil, errResponses
			}
			in.Results[key] = Raw(val)
		}
		if !ok {
			return nil, errResponses
		}
	}
	return in, nil
}

// WithResponses returns the params of a request with answers to questions, by their keys, and the state
// that is wanted back, which is how it is made again (MRTR-023, MRTR-024).
func WithResponses(params Raw, keys []string, answers []Raw, state string) Raw {
	responses := ""
	if len(keys) > 0 {
		dst := []byte{'{'}
		for i, key := range keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(rawjson.AppendQuote(dst, key), ':'), answers[i]...)
		}
		responses = string(append(dst, '}'))
	}
	if state != "" {
		state = string(rawjson.AppendQuote(nil, state))
	}
	return Raw(rawjson.Set(rawjson.Set(string(params), "inputResponses", responses), "requestState", state))
}
