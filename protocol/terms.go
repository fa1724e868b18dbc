package protocol

import (
	"cmp"
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

// Asked is a request whose params have passed the check of their row.
type Asked struct {
	Params       Raw          // the params
	Span         jsonrpc.Span // of the params, where it is known
	Info         ParamsInfo   // of the params
	OutputSchema Raw          // what the caller says that structured content satisfies
	Received     bool         // by this side; else it is one to send
	Caps         Capability   // what the answering party has declared
}

// Terms are what the answer to a request is bound by.
type Terms struct {
	Subject   string     // to keep until then: what the request is about, or what its answer is held against
	Announces string     // the id of something that a later notification says the end of; "" for none
	Needs     Capability // what the answering party has to have declared beside the gate of the row
	Lacking   string     // the requirement row that a request breaks where it has not
	Rule      string     // the requirement row that a request breaks without being refused for it; "" for none
	Err       error      // why the request cannot go out, or be answered
}

// ErrNotInRevision says that the revision does not have what params ask for.
var ErrNotInRevision = errors.New("protocol: not in the revision")

var (
	errNoName       = errors.New("the name is empty")
	errNoURI        = errors.New("the uri is empty")
	errOutputSchema = errors.New("the output schema is not JSON, or the method is not tools/call")
)

// Terms returns what the answer to a request of the method is bound by.
func (r *Row) Terms(a Asked) Terms {
	switch {
	case a.Received:
	case a.OutputSchema != "" && (!r.structured || !rawjson.Valid(string(a.OutputSchema))):
		return Terms{Err: errOutputSchema}
	case r.Names != nil && a.Info.Subject == "": // any other may be one that the peer listed
		if r.Names == ResourceList {
			return Terms{Err: errNoURI}
		}
		return Terms{Err: errNoName}
	}
	if r.terms != nil {
		return r.terms(r, a)
	}
	if r.structured { // what the answer is held against is the output schema that the caller gave
		return Terms{Subject: string(a.OutputSchema)}
	}
	return Terms{Subject: r.About(a.Info, a.Received)}
}

// Plain reports whether Terms says of a request that came no more than About.
func (r *Row) Plain() bool { return r.terms == nil }

// About returns the subject of a request that is needed again when its answer comes:
// of a subscription on both sides, of a level on the side of the server.
func (r *Row) About(info ParamsInfo, received bool) string {
	switch r.Setting {
	case SettingNone:
		return ""
	case SettingLevel:
		if !received {
			return ""
		}
	}
	return info.Subject
}

// PossibleSubject reports whether Terms can have returned the subject, for a request that
// this side received or sent.
func (r *Row) PossibleSubject(subject string, received bool) bool {
	switch {
	case subject == "", r.About(ParamsInfo{Subject: subject}, received) != "":
		return true
	case r.possible != nil:
		return r.possible(r, subject, received)
	}
	return false
}

// JudgeError returns the requirement row that an error breaks, "" for none, and what it
// announces. caps is what the side that gets it has declared. Only the sender is told that
// a page is not https.
func (r Revision) JudgeError(e *jsonrpc.Error, caps Capability, received bool) (rule string, announces []string) {
	switch {
	case e == nil || r.t == nil:
		return "", nil
	case !received && r.Stateless():
		if -32019 <= e.Code && e.Code <= -32000 && e.Code != CodeResourceNotFound { // which becomes another
			rule = "ERR-205"
		}
		return rule, nil
	case e.Code != CodeURLElicitationRequired || !r.t.age.in(ages{since: age20251125}):
		return "", nil
	}
	list, err := URLElicitations(*e)
	switch {
	case err != nil:
		return "ERR-101", nil
	case !caps.Has(CapElicitationURL):
		return "ERR-105", nil
	}
	for _, p := range list {
		announces = append(announces, p.ElicitationID)
		if !received && !secure(p.URL) {
			rule = "ELIC-137"
		}
	}
	return rule, announces
}

// Reply is a result on its way through its row.
type Reply struct {
	Body    Raw          // the result
	Span    jsonrpc.Span // of the body, where it is known
	Info    ResultInfo   // of the result
	Subject string       // of the Terms

	Schemas schema.Validator // checks structured content that came
	Lenient bool             // a result of tools/call without content is one with none

	Found []Finding // what is wrong with it and does not cost it
	Rule  string    // the requirement row that it breaks, with Err
	Err   error     // why it is no answer
}

// Finding is something wrong with a result that is used all the same.
type Finding struct {
	Rule  string // the requirement row
	Body  Raw    // the result as it came
	Err   error  // what exactly is wrong, the first of several; nil where Rule says it
	Local error  // set where this side is at fault, and not the peer
}

func (a *Reply) find(rule string) {
	a.Found = append(a.Found, Finding{Rule: rule, Body: a.Body})
}

// mend replaces the body.
func (a *Reply) mend(body Raw) { a.Body, a.Span = body, jsonrpc.Span{} }

// Accept checks a result that came: its shape, against the Terms of its request, and for
// what the specification forbids but a receiver can live with, which is found and mended.
func (r *Row) Accept(a Reply) Reply {
	var err error
	if a.Info, err = r.readResult(a.Body, a.Span, r.accepts()); err != nil {
		if a, err = r.salvage(a, err); err != nil {
			a.Rule, a.Err = r.ResultRule, err
			return a
		}
	}
	if a.Info.Unknown {
		a.find("SCHEMA-012") // and delivered: newer peers have more kinds
	}
	if r.accept != nil && (a.Subject != "" || !r.structured) { // structured content is held against what was kept
		a = r.accept(r, a)
		if a.Err != nil && a.Rule == "" {
			a.Rule = r.ResultRule
		}
	}
	return a
}

// salvage makes a result with a fault one without, if it can.
func (r *Row) salvage(a Reply, err error) (Reply, error) {
	if a.Lenient && r.structured {
		if content, _ := rawjson.Get(string(a.Body), "content"); !given(content) {
			mended := Raw(rawjson.Set(string(a.Body), "content", "[]"))
			if info, fault := r.readResult(mended, jsonrpc.Span{}, r.accepts()); fault == nil { // else it stays as it came
				a.find(r.ResultRule)
				a.mend(mended)
				a.Info = info
				return a, nil
			}
		}
	}
	rest, _, ok := r.DropInvalidItems(a.Body)
	if !ok {
		return a, err
	}
	// One odd item does not cost the list, and one odd member not the item.
	a.Found = append(a.Found, Finding{Rule: cmp.Or(r.ItemRule, r.ResultRule), Body: a.Body, Err: err})
	a.mend(rest)
	a.Info, err = r.readResult(a.Body, a.Span, r.accepts())
	return a, err
}
