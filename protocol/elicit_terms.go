package protocol

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// byURL begins the subject of an elicitation by url, whose id follows: nothing is filled
// in.
const byURL = "url "

// formTerms: what the answer is held against is the form (elicitation, Requested Schema).
// One that goes out is checked more strictly than one that comes.
func formTerms(r *Row, a Asked) Terms {
	if way := rawjson.Text(string(a.Params), "mode"); ElicitMode(way) == ElicitURL {
		switch {
		case r.modes():
			return urlTerms(a)
		case !a.Received:
			return Terms{Err: r.representable(BodyParams, a.Params)} // ELIC-108
		}
	}
	form, _ := rawjson.Get(string(a.Params), "requestedSchema")
	t := Terms{Subject: form}
	if r.modes() { // with or without a mode (ELIC-102)
		t.Needs, t.Lacking = CapElicitationForm, "ELIC-107"
	}
	if a.Received {
		if !EnumNamesMatch(Raw(form)) {
			t.Rule = "ELIC-010"
		} else if r.modes() && !defaultsFit(Raw(form)) {
			t.Rule = "ELIC-120"
		}
		return t
	}
	var v ElicitSchema
	if t.Err = v.DecodeJSON(Raw(form), jsonrpc.Span{}); t.Err == nil {
		t.Err = v.Validate()
	}
	if t.Err == nil {
		t.Err = r.representable(BodyParams, a.Params) // ELIC-126
	}
	return t
}

// urlTerms: nothing is filled in, and there is an end to be told of. The client has to have
// declared the mode.
func urlTerms(a Asked) Terms {
	t := Terms{Subject: byURL + a.Info.Subject, Announces: a.Info.Subject, Needs: CapElicitationURL, Lacking: "ELIC-107"}
	if a.Received {
		return t
	}
	var p ElicitParams
	if t.Err = p.DecodeJSON(a.Params, jsonrpc.Span{}); t.Err == nil {
		t.Err = p.Validate()
	}
	if !secure(p.URL) {
		t.Rule = "ELIC-137" // and sent: it may be one for development
	}
	return t
}

// secure reports whether a url is an https one. Letter case makes no difference to a
// scheme.
func secure(url string) bool {
	const scheme = "https://"
	return len(url) >= len(scheme) && strings.EqualFold(url[:len(scheme)], scheme)
}

// modes reports whether the revision has elicitations by url and what came with them.
func (r *Row) modes() bool { return r.of.age.in(ages{since: age20251125}) }

// defaultsFit reports whether every default of a form is a value of its field. A form that
// was received may have others, which Fill leaves out; Validate refuses to send one.
func defaultsFit(form Raw) bool {
	if !strings.Contains(string(form), "default") && !strings.Contains(string(form), `\u`) {
		return true
	}
	var v ElicitSchema
	_ = v.DecodeJSON(form, jsonrpc.Span{}) // it has passed the check
	return !slices.ContainsFunc(v.Properties, func(p Property) bool { return p.Schema.checkDefault() != 0 })
}

// possibleForm reports whether a form that is kept can be read when its answer comes.
func possibleForm(r *Row, form string, received bool) bool {
	_, err := r.form(form, received)
	return err == nil || strings.HasPrefix(form, byURL)
}

// form reads a form that is kept: one that came says what its revision has, and one that
// was sent is as the application gave it, which may say more than went out.
func (r *Row) form(raw string, received bool) (v ElicitSchema, err error) {
	how := mode{}
	if received {
		how.age = r.of.reads
	}
	err = v.read(Raw(raw), jsonrpc.Span{}, how)
	return v, err
}

// acceptForm checks what a user filled in against the form that was sent (elicitation,
// Response Actions).
func acceptForm(r *Row, a Reply) Reply { return r.filledIn(a, false) }

// filledIn holds an answer against its form. Content without accept does not count, nor
// does any after a url (ELIC-109, ELIC-013).
func (r *Row) filledIn(a Reply, received bool) Reply {
	if text := rawjson.Text(string(a.Body), "action"); strings.HasPrefix(a.Subject, byURL) || ElicitAction(text) != ActionAccept {
		a.mend(Raw(rawjson.Set(string(a.Body), "content", "")))
		return a
	}
	if form, err := r.form(a.Subject, received); err == nil {
		content, _ := rawjson.Get(string(a.Body), "content")
		a.Err = form.CheckJSON(Raw(content))
	}
	return a
}

// completeForm is filledIn for an answer that goes out, which has to be one that the
// revision can express (ELIC-128).
func completeForm(r *Row, a Reply) Reply {
	a = r.filledIn(a, true)
	if a.Err == nil {
		a.Err = r.representable(BodyResult, a.Body)
	}
	return a
}

// AnnouncedBy returns the id that a request announced, by its subject; "" for none.
func AnnouncedBy(r *Row, subject string) string {
	if r.Method != MethodElicitationCreate {
		return ""
	}
	id, _ := strings.CutPrefix(subject, byURL)
	if len(id) == len(subject) {
		return ""
	}
	return id
}

// Accepted reports whether a result says that the user agreed.
func Accepted(result Raw) bool {
	text := rawjson.Text(string(result), "action")
	return ElicitAction(text) == ActionAccept
}
