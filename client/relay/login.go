package relay

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A server may want a person to log in. The driver says so by an error that names a page of its own program. No
// server can name one, so the client can be told of it.

// pager is an error that says at which page a person has to log in.
type pager interface{ LoginPage() string }

// loginPage returns the page that an error names, "" for none.
func loginPage(err error) string {
	var p pager
	if errors.As(err, &p) {
		return p.LoginPage()
	}
	return ""
}

// pageOf returns the page that a request which was not answered waits for.
func pageOf(out server.Event) string {
	if out.Cause == nil {
		return ""
	}
	return loginPage(out.Cause.Err)
}

// loginNeeded returns the error for a request that can be made once a person has logged in: the page itself for a
// client that opens pages, which have to be https there; else a text that names it.
func (st *step) loginNeeded(name, page string, call server.Call) jsonrpc.Error {
	why := loginText(name, page)
	c := st.s.Client(call)
	if !c.Revision.Stateless() && c.Capabilities.Has(protocol.CapElicitationURL) && strings.HasPrefix(page, "https://") {
		id := call.Seq()
		if i := st.r.up.index(name); i >= 0 { // all that wait for the page wait for one id
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

// loginID is the id of the page of a server.
func loginID(name string, n uint64) string { return name + "+login+" + strconv.FormatUint(n, 10) }

// loginText says where a person has to log in.
func loginText(name, page string) string {
	return "a person has to log in at the server " + name + " first: open " + page + " in a browser, then try again"
}

// unknownOf returns the error for a name that nobody lists: it may be of a server that waits for a login.
func (st *step) unknownOf(unknown jsonrpc.Error) jsonrpc.Error {
	for _, u := range st.r.up.all() {
		if u.page != "" {
			unknown.Message += "; if it is there: " + loginText(u.Name, u.page)
			return unknown
		}
	}
	return unknown
}
