package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// Status is the status of a Gateway.
type Status struct {
	At       time.Time       // when it was made
	Servers  []string        // the names of the configured servers, in their order
	Notes    []string        // from SetNotes
	Sessions []SessionStatus // in the order in which they began
}

// SessionStatus is the status of a session with a client.
type SessionStatus struct {
	Number    uint64                  // counts the sessions of the Gateway
	Kind      string                  // http or stdio
	Principal string                  // of the client; neither WriteTo nor MarshalJSON writes it
	Since     time.Time               // when it began
	Client    protocol.Implementation // the client's description of itself
	Revision  protocol.Revision       // the negotiated revision
	Phase     server.Phase            // of the session
	Calls     int                     // open requests of the client
	Asked     int                     // open requests to the client
	Waiting   int                     // waiting reports of links
	Ending    bool                    // its links are being closed
	Resting   bool                    // its servers are stopped until its client returns
	Servers   []manager.Status        // of its own links
}

// Status returns the status of the Gateway. Sessions are in the order of their numbers.
func (g *Gateway) Status() Status {
	st := Status{At: time.Now()}
	g.mu.Lock()
	servers := g.servers
	st.Notes = slices.Clone(g.notes)
	g.mu.Unlock()
	for _, s := range servers {
		st.Servers = append(st.Servers, s.Name)
	}
	for _, x := range g.all() {
		st.Sessions = append(st.Sessions, x.status())
	}
	return st
}

func (x *session) status() SessionStatus {
	x.mu.Lock()
	defer x.mu.Unlock()
	is := x.state.Status()
	servers := slices.Clone(x.relay.Statuses())
	for i := range servers {
		s := &servers[i]
		if s.Err == nil {
			continue
		}
		if text := hide(s.Err.Error(), x.secrets[s.Link.Server]); text != s.Err.Error() {
			s.Err = hidden{s.Err, text}
		}
	}
	return SessionStatus{
		Number: x.number, Kind: x.kind, Principal: x.peer.Principal, Since: x.since, Client: x.state.Peer(), Revision: is.Revision, Phase: is.Phase,
		Calls: is.Inbound, Asked: is.Outbound, Waiting: len(x.inbox.reports), Ending: x.over, Resting: x.relay.Resting(), Servers: servers,
	}
}

// WriteTo writes the Status as lines of text. Texts of servers and clients are cut to 200 bytes, without
// control characters.
func (st Status) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "gateway at %s: %d servers, %d sessions\n", st.At.Format(time.RFC3339), len(st.Servers), len(st.Sessions))
	for _, name := range st.Servers {
		fmt.Fprintf(&b, "server %s: %s\n", clean(name), st.count(name))
	}
	for _, note := range st.Notes {
		fmt.Fprintf(&b, "%s\n", clean(note))
	}
	for _, x := range st.Sessions {
		fmt.Fprintf(&b, "\nsession %d, %s, %s: %s\n", x.Number, x.Kind, age(st.At, x.Since), x.describe())
		for _, s := range x.Servers {
			fmt.Fprintf(&b, "  %s: %s\n", clean(s.Link.Server), describe(st.At, s))
		}
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// count says in how many sessions a server is in which state.
func (st Status) count(name string) string {
	counts := st.states(name)
	var parts []string
	for s := manager.Idle; s <= manager.Closed; s++ {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %v", counts[s], s))
		}
	}
	if parts == nil {
		return "no session"
	}
	return strings.Join(parts, ", ")
}

// line is a line of text that is made of what there is to say.
type line []byte

func (l *line) add(is bool, format string, args ...any) {
	if is {
		*l = fmt.Appendf(*l, format, args...)
	}
}

func (x SessionStatus) describe() string {
	var l line
	l.add(true, "%v", x.Phase)
	l.add(x.Ending, ", ending")
	l.add(x.Resting, ", servers rest")
	l.add(x.Client.Name != "", ", client %s %s", clean(x.Client.Name), clean(x.Client.Version))
	l.add(!x.Revision.IsZero(), ", revision %v", x.Revision)
	l.add(true, ", %d calls, %d questions", x.Calls, x.Asked)
	l.add(x.Waiting > 0, ", %d waiting", x.Waiting)
	return string(l)
}

// describe says how a connection is.
func describe(now time.Time, s manager.Status) string {
	var l line
	l.add(true, "%v for %s", s.Condition, age(now, s.Since))
	l.add(!s.Revision.IsZero(), ", revision %v", s.Revision)
	l.add(s.Pending > 0, ", %d requests", s.Pending)
	l.add(s.ReadyCount > 1, ", opened %d times", s.ReadyCount)
	l.add(s.Misses > 0, ", %d pings without answer", s.Misses)
	l.add(!s.RetryAt.IsZero(), ", next attempt in %s", age(s.RetryAt, now))
	if s.Err != nil {
		l.add(true, ", last failure: %s", clean(s.Err.Error()))
	}
	return string(l)
}

// age is how long ago something was.
func age(now, then time.Time) string {
	if then.IsZero() {
		return "some time"
	}
	return max(now.Sub(then), 0).Round(100 * time.Millisecond).String()
}

// StatusHandler returns a handler that serves the Status. It checks Hosts, Origins, AnyHost, AnyOrigin
// and Authenticate of opt as a Handler does. The page is text, or JSON for a request that accepts
// application/json or has the query format=json. With Options.ServersOf a client sees only the sessions
// of its own principal.
func (g *Gateway) StatusHandler(opt nethttp.Options) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rules := headers.Rules{Hosts: opt.Hosts, Origins: opt.Origins, AnyHost: opt.AnyHost, AnyOrigin: opt.AnyOrigin}
		if a, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
			rules.Local = a.IP.IsLoopback()
		}
		if bad := rules.Guard(headers.Read(r.Method, r.Host, r.Header.Values)); bad != nil {
			http.Error(w, http.StatusText(bad.Status), bad.Status)
			return
		}
		principal := ""
		if opt.Authenticate != nil {
			who, err := opt.Authenticate(r)
			if err != nil {
				status := http.StatusUnauthorized
				if e := (*nethttp.AuthError)(nil); errors.As(err, &e) && e != nil && e.Code == "insufficient_scope" {
					status = http.StatusForbidden
				}
				http.Error(w, http.StatusText(status), status)
				return
			}
			principal = who.ID
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		st := g.Status()
		if g.opt.ServersOf != nil {
			st.Sessions = slices.DeleteFunc(st.Sessions, func(x SessionStatus) bool { return x.Principal != principal })
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.URL.Query().Get("format") == "json" || strings.Contains(r.Header.Get("Accept"), "application/json") {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(st) // the head is out
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = st.WriteTo(w) // the head is out
	})
}

// states says in how many sessions a server is in which state.
func (st Status) states(name string) map[manager.Condition]int {
	counts := map[manager.Condition]int{}
	for _, x := range st.Sessions {
		for _, s := range x.Servers {
			if s.Link.Server == name {
				counts[s.Condition]++
			}
		}
	}
	return counts
}
