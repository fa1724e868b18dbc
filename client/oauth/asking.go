package oauth

import (
	"encoding/base64"
	"time"
)

// Ask returns what the application is to give; it is zero in any phase but Asking.
func (f Flow) Ask() Ask {
	switch {
	case f.phase != Asking:
		return Ask{}
	case f.run.signing != "":
		return Ask{Kind: Signature, Data: []byte(f.run.signing), Algorithm: f.c.Algorithm, KeyID: f.c.KeyID}
	}
	return Ask{Kind: Subject}
}

// Given takes the answer to Ask. If it is empty, or not a token for a Subject, the run fails.
func (f Flow) Given(now time.Time, r Random, b []byte) Flow {
	f.clock(now)
	if f.phase != Asking || f.late() {
		return f
	}
	signs := f.run.signing != ""
	switch {
	case len(b) == 0 || !signs && (len(b) > maxAnswer || !token(string(b))):
		f.fail(Failure{Reason: Malformed})
		return f
	case signs:
		f.run.signed = Secret(f.run.signing + "." + base64.RawURLEncoding.EncodeToString(b))
		f.run.signing = ""
	default:
		f.run.subject = Secret(b)
	}
	f.enter(f.run.step)
	f.advance(r)
	return f
}
