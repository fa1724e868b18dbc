package limits_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
	"github.com/sansmcp/mcp/server/streams"
)

// follower is the value that a Companion of package registry keeps.
var follower = reflect.TypeOf(new(registry.View).Companion()).Elem().Field(0).Type

// keepers are the values that live longer than a message.
var keepers = []reflect.Type{
	reflect.TypeFor[server.State](), reflect.TypeFor[client.State](), reflect.TypeFor[server.Roots](), reflect.TypeFor[streams.Streams](),
	reflect.TypeFor[client.Pager](), reflect.TypeFor[client.Retries](), reflect.TypeFor[jsonrpc.Framer](), reflect.TypeFor[jsonrpc.Message](),
	reflect.TypeFor[sse.Decoder](), reflect.TypeFor[exchange.Exchange](), reflect.TypeFor[exchange.Order](), follower,
	reflect.TypeFor[manager.Inbox](),
}

// ours are the fields that keep nothing of the peer: they come from the program or the
// machine itself. Their contents are not checked.
var ours = map[string]string{
	"server.State.cfg":            "made of Config, shared by the sessions",
	"client.State.cfg":            "made of Config, shared by the sessions",
	"engine.requests.env":         "made of Config, shared by the sessions",
	"engine.rare.tokens":          "progress tokens that the application chose, and numbers of requests of ours",
	"engine.clock.birth":          "the time of New, and what handles point at",
	"engine.outboundExt.name":     "a method that the application chose",
	"engine.outboundExt.token":    "a progress token that the application chose",
	"engine.inboundExt.inner":     "numbers of requests of ours",
	"server.features.catalog":     "of the program, shared by the sessions",
	"server.features.since":       "50 bytes of digits at most, the version of a catalog of this side",
	"client.features.roots":       "of the program",
	"exchange.Order.ready":        "messages that the State wants sent, each of which goes once",
	"exchange.Order.held":         "as ready",
	"exchange.Order.posted":       "numbers, and a message of the State for each",
	"exchange.Order.tickets":      "numbers",
	"exchange.Exchange.id":        "the id of a request of ours",
	"exchange.Exchange.mirror":    "what headers repeat of a request of ours",
	"server.Roots.opt":            "of the last Want",
	"streams.Streams.opt":         "of the program, shared by the sessions",
	"registry.follower.newest":    "a function of the program",
	"registry.callDeadlines.view": "of the program, shared by the sessions",
	"registry.callDeadlines.open": "names that the program gave, and numbers",
	"manager.Event.Link":          "names of servers that the program gave, and numbers",
	"manager.Event.Call":          "as Link",
	"manager.Event.Method":        "of a request of the program",
	"manager.Event.URI":           "that the program subscribed to",
	"manager.Event.Items":         "of a listing that the program asked for, whose end is never left out",
	"manager.Event.Checkups":      "of a health check that the program asked for",
	"manager.Event.Errors":        "of servers that the program disconnected",
	"manager.Event.Err":           "why an operation of the program or a connection has failed: one for each change and each operation, and a cause as a State keeps it",
	"manager.Inbox.moves":         "names of servers that the program gave",
	"lifecycle.Event.Rule":        "of the program text",
	"streams.stream.cut":          "numbers, once in each time that a store loses turns",
	"lifecycle.Cause.Err":         "of the driver, or a DecodeError, which holds nothing of the peer",
}

// parts are fields that only group others.
var parts = []string{"server.State.core", "client.State.core", "engine.Core.requests", "engine.Core.session", "engine.requests.clock", "engine.requests.rare", "registry.follower.callDeadlines"}

// constant are types with only a few values, or whose pointers lead to nothing relevant.
var constant = []reflect.Type{reflect.TypeFor[protocol.Revision](), reflect.TypeFor[*protocol.Row](), reflect.TypeFor[*protocol.List](), reflect.TypeFor[*lifecycle.Owner](), reflect.TypeFor[time.Time]()}

// holds reports whether a value of the type can keep memory alive.
func holds(t reflect.Type) bool {
	if slices.Contains(constant, t) {
		return false
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if holds(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Array:
		return t.Len() > 0 && holds(t.Elem())
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.String, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return true
	}
	return false
}

// walk calls found with each field that can keep memory alive, in all types reachable from
// t. For the table of the engine only its contents count.
func walk(t reflect.Type, seen map[reflect.Type]bool, found func(name string) (below bool)) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() == reflect.Map {
		walk(t.Key(), seen, found)
		walk(t.Elem(), seen, found)
		return
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	container := strings.HasSuffix(t.PkgPath(), "lifecycle/table")
	for i := range t.NumField() {
		f := t.Field(i)
		if !holds(f.Type) {
			continue
		}
		name := t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:] + "." + t.Name() + "." + f.Name
		if container || found(name) {
			walk(f.Type, seen, found)
		}
	}
}

// Every field that can keep memory alive is in a row of the table, or known to hold
// nothing of the peer. Fields without pointers hold only themselves.
func TestFieldsAreAccountedFor(t *testing.T) {
	var rows []string
	for _, r := range limits.Rows() {
		rows = append(rows, r.Fields...)
	}
	there := map[string]bool{}
	seen := map[reflect.Type]bool{}
	for _, k := range keepers {
		walk(k, seen, func(name string) bool {
			there[name] = true
			if slices.Contains(parts, name) {
				return true
			}
			inRow, known := slices.Contains(rows, name), ours[name] != ""
			switch {
			case inRow && known:
				t.Errorf("%s is of the peer and of ours", name)
			case !inRow && !known:
				t.Errorf("%s can keep memory alive: say in limits.Rows what it keeps of the peer, and by which limit, or above that it keeps nothing", name)
			}
			return inRow
		})
	}
	for name := range ours {
		if !there[name] {
			t.Errorf("%s is not there any more", name)
		}
	}
	for _, name := range rows {
		if !there[name] {
			t.Errorf("%s is in a row and not there any more", name)
		}
	}
}
