package protocol

import (
	"errors"
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Questions let the function of a request ask the client before it answers: the user to fill in a form, the model to
// continue a conversation, or the client for its roots. The function runs again with the answers, so it must have no
// effects before Open:
//
//	q := protocol.Ask(p)
//	who := q.Elicit("who", protocol.ElicitParams{Message: "Who are you?", RequestedSchema: form})
//	if err := q.Open(""); err != nil {
//		return nil, err
//	}
//	// who is answered
//
// A function may ask again after Open: each run has all answers so far.
//
// A key identifies a question within the call. It must be the same in each run, and different for each
// question: in a loop include the subject, as in "delete "+name. The same question asked again gets the
// same answer; another question with its key makes Open fail.
//
// In a session server.Handlers send the questions as requests within the call. Questions are for one
// run of one function.
type Questions struct {
	in    InputResponses
	out   InputRequired
	asked []Question // each key once, answered or not
	err   error
}

// InputResponses are what a client has answered to questions.
type InputResponses struct {
	// Results are the results by the keys of the questions, as JSON.
	Results map[string]Raw
	// State is the argument of the last Questions.Open. On its way through a client it may include the
	// answers to earlier questions.
	State string
}

// InputRequired is the error that Questions.Open returns: the questions to ask before the request
// can be answered. A function of server.Handlers returns it unchanged.
type InputRequired struct {
	// Questions are the unanswered questions, in the order in which they were asked.
	Questions []Question
	// State comes back with the answers.
	State string
}

// Error returns the error for logs.
func (e *InputRequired) Error() string { return "protocol: the client must answer questions first" }

// Question is one question to a client.
type Question struct {
	// Key identifies it among the questions of the function, in each run.
	Key string
	// Params are ElicitParams, CreateMessageParams or ListRootsParams.
	Params Params
}

// Ask returns the Questions of the function that answers p: CallToolParams, GetPromptParams or
// ReadResourceParams.
func Ask(p interface{ input() *InputResponses }) *Questions {
	q := new(Questions)
	if in := p.input(); in != nil {
		q.in = *in
	}
	return q
}

func (v CallToolParams) input() *InputResponses     { return v.Input }
func (v GetPromptParams) input() *InputResponses    { return v.Input }
func (v ReadResourceParams) input() *InputResponses { return v.Input }

// State returns the argument of the last Open, "" at first. Without a session it passes through the
// client, which may change it.
func (q *Questions) State() string { return q.in.State }

// Elicit asks the user. It returns the zero result, without Action, until there is an answer.
// Accepted content matches the form; otherwise the question is asked again.
func (q *Questions) Elicit(key string, p ElicitParams) (r ElicitResult) {
	q.ask(key, p, func(body Raw) (ok bool) { r, ok = decoded[ElicitResult](body); return ok })
	return r
}

// Sample asks the model of the client. It returns the zero result until there is an answer.
func (q *Questions) Sample(key string, p CreateMessageParams) (r CreateMessageResult) {
	q.ask(key, p, func(body Raw) (ok bool) { r, ok = decoded[CreateMessageResult](body); return ok })
	return r
}

// Roots asks for the roots of the client. It returns the zero result until there is an answer.
func (q *Questions) Roots(key string) (r ListRootsResult) {
	q.ask(key, ListRootsParams{}, func(body Raw) (ok bool) { r, ok = decoded[ListRootsResult](body); return ok })
	return r
}

// decoded returns a result; false, and the zero one, if body is none.
func decoded[T any, P interface {
	*T
	DecodeJSON(Raw, jsonrpc.Span) error
}](body Raw) (T, bool) {
	r, err := Decode[T, P](body)
	if err != nil {
		var none T
		return none, false
	}
	return r, true
}

// ask looks an answer up, or notes that there is none.
func (q *Questions) ask(key string, p Params, read func(Raw) bool) {
	o := Question{key, p}
	if i := slices.IndexFunc(q.asked, func(o Question) bool { return o.Key == key }); i < 0 {
		q.asked = append(q.asked, o)
	} else if first := q.asked[i]; !first.same(o) {
		q.Fail(errors.New("protocol: Questions: the key " + strconv.Quote(key) + " stands for two questions: " + first.text() + " and " + o.text() + "; each wants a key of its own, the same in each run"))
		return
	}
	if body, ok := q.in.Results[key]; ok {
		if body, ok = answered(p, body); ok && read(body) {
			return
		}
	}
	if !slices.ContainsFunc(q.out.Questions, func(o Question) bool { return o.Key == key }) {
		q.out.Questions = append(q.out.Questions, o)
	}
}

// answered returns the answer to a question, held against it as a session does: content counts where
// a form was accepted (ELIC-013, ELIC-109), and a model without tools uses none (SAMP-117).
func answered(p Params, body Raw) (Raw, bool) {
	row := AllRevisions()[0].Row(p.Method())
	params, _ := EncodeParams(numbered(p))
	a := row.Accept(Reply{Body: body, Subject: row.Terms(Asked{Params: params}).Subject})
	return a.Body, a.Err == nil
}

// same reports whether two questions ask the same.
func (v Question) same(w Question) bool {
	return v.Params.Method() == w.Params.Method() && string(v.Params.AppendJSON(nil)) == string(w.Params.AppendJSON(nil))
}

// text returns the question for an error.
func (v Question) text() string {
	if p, ok := v.Params.(ElicitParams); ok {
		return v.Params.Method() + " " + strconv.Quote(rawjson.Clip(p.Message, 64))
	}
	return v.Params.Method()
}

// Fail makes Open return err, for packages that ask. The first one counts.
func (q *Questions) Fail(err error) {
	if q.err == nil {
		q.err = err
	}
}

// Open returns nil if all questions are answered. Otherwise it returns an *InputRequired, which the
// function must return: it runs again with the answers, and State returns state. Other errors: that
// of Fail, and one for a key of two questions.
func (q *Questions) Open(state string) error {
	switch {
	case q.err != nil:
		return q.err
	case len(q.out.Questions) == 0:
		return nil
	}
	q.out.State = state
	return &q.out
}
