package nethttp

import (
	"net/http"
	"strings"

	"github.com/sansmcp/mcp/protocol/headers"
)

// What pages of Options.Origins may send and read. Their browsers ask for the first before each
// request with one of these headers.
var (
	corsMethods = strings.Join([]string{headers.MethodPost, headers.MethodGet, headers.MethodDelete}, ", ")
	corsSends   = strings.Join([]string{headers.Accept, headers.Authorization, headers.ContentType, headers.LastEventID, headers.Session, headers.Version, headers.RPCMethod, headers.RPCName}, ", ")
	corsReads   = strings.Join([]string{headers.Session, headers.Version, headers.Authenticate}, ", ")
)

// corsMaxAge is how long a browser remembers the answer to a preflight, in seconds.
const corsMaxAge = "600"

// cors tells the browser of a page of Options.Origins that the page may read the answer, and answers
// the browser's preflight. It reports whether it answered. Credentials of the browser are never
// allowed: a page sends its token itself.
func (x *exchange) cors(rules headers.Rules) bool {
	if len(rules.Origins) == 0 || rules.AnyOrigin {
		return false // with AnyOrigin the program sends these headers itself
	}
	head := x.w.Header()
	head.Add("Vary", headers.Origin)
	if !rules.Shares(x.head) {
		return false
	}
	head.Set("Access-Control-Allow-Origin", x.head.Origin)
	if x.r.Method != http.MethodOptions || x.r.Header.Get("Access-Control-Request-Method") == "" {
		head.Set("Access-Control-Expose-Headers", corsReads)
		return false
	}
	preflight(x.w, corsMethods, corsSends+params(x.r.Header.Get("Access-Control-Request-Headers")))
	return true
}

// params returns the headers in a list that repeat arguments, which only this request can name, because
// each tool has its own (HTTP-206).
func params(list string) string {
	var names strings.Builder
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if n := len(headers.ParamPrefix); len(name) > n && strings.EqualFold(name[:n], headers.ParamPrefix) {
			names.WriteString(", " + name)
		}
	}
	return names.String()
}

// preflight answers a preflight of a browser.
func preflight(w http.ResponseWriter, methods, sends string) {
	head := w.Header()
	head.Set("Access-Control-Allow-Methods", methods)
	head.Set("Access-Control-Allow-Headers", sends)
	head.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
}
