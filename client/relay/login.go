package relay

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A server may require a person to log in. The driver reports that by an error with a page of its own
// program. A server cannot choose the page, so it is safe to pass to the client.

// pager is an error with the page where a person must log in.
type pager interface{ LoginPage() string }

// loginPage returns the page of an error; "" if none.
func loginPage(err error) string {
	var p pager
	if errors.As(err, &p) {
		return p.LoginPage()
	}
	return ""
}

// pageOf returns the page that an unanswered request waits for; "" if none.
func pageOf(out server.Event) string {
	if out.Cause == nil {
		return ""
	}
	return loginPage(out.Cause.Err)
}

// loginNeeded returns the error for a request that can be repeated once a person has logged in: the page
// itself for a client that opens pages, if it is https; otherwise a text with the page.
func (st *step) loginNeeded(name, page string, call server.Call) jsonrpc.Error {
	why := loginText(name, page)
	c := st.s.Client(call)
	if !c.Revision.Stateless() && c.Capabilities.Has(protocol.CapElicitationURL) && strings.HasPrefix(page, "https://") {
		id := call.Seq()
		if i := st.r.up.index(name); i >= 0 { // all requests that wait for the page share one id
			next := *st.r.up.at(i)
			if next.login == 0 {
				next.login = id
				st.r.up = st.r.up.with(i, &next)
			}
			id = next.login
		}
		e := protocol.URLElicitationRequired(protocol.ElicitParams{
			Mode: protocol.ElicitURL, Message: why, URL: page, ElicitationID: loginID(name, id),
		})
		e.Message = why
		return e
	}
	return unavailable(why, name, 0)
}

// loginID returns the id of the page of a server.
func loginID(name string, n uint64) string { return name + "+login+" + strconv.FormatUint(n, 10) }

// loginText says where a person must log in.
func loginText(name, page string) string {
	return "log in at the server " + name + " first: open " + page + " in a browser, then try again"
}

// unknownOf returns the error for an unknown name, with a hint if a server waits for a login.
func (st *step) unknownOf(unknown jsonrpc.Error) jsonrpc.Error {
	for _, u := range st.r.up.all() {
		if u.page != "" {
			unknown.Message += "; it may be on a server that needs a login: " + loginText(u.Name, u.page)
			return unknown
		}
	}
	return unknown
}
