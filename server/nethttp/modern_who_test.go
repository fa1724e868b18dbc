package nethttp_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// shelf is a Companion that has functions of its own and nothing else.
type shelf struct{ own *server.Handlers }

func (s shelf) Handlers() *server.Handlers { return s.own }
func (s shelf) Commit()                    {}
func (s shelf) Step(x server.State, _ time.Time, out server.Output) (server.State, server.Output, time.Time) {
	return x, out, time.Time{}
}

// The headers of a call repeat the arguments that the tool of its own principal names, whatever
// the others are offered.
//
// rows: HTTP-207
// revisions: 2026-07-28
func TestModernHeadersOfACompanion(t *testing.T) {
	wants := func(header string) *server.Handlers {
		h := new(server.Handlers)
		schema := jsonrpc.Raw(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"` + header + `"}}}`)
		h.Tool(protocol.Tool{Name: "t", InputSchema: schema}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("of " + header), nil
		})
		return h
	}
	own := map[string]server.Companion{"ann": shelf{wants("Ann")}, "bob": shelf{wants("Bob")}, "cid": shelf{}}
	cfg := serverConfig
	cfg.Revisions = protocol.AllRevisions()
	for _, companion := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			opt := nethttp.Options{Authenticate: byName}
			if companion {
				opt.Companion = func(p server.Peer) server.Companion { return own[p.Principal] }
			}
			h, err := nethttp.NewHandler(cfg, wants("All"), opt)
			if err != nil {
				t.Fatal(err)
			}
			b := &bubble{t: t, h: h}
			defer b.close()
			for who, its := range map[string]string{"ann": "Ann", "bob": "Bob", "cid": "All", "dan": "All"} {
				if !companion {
					its = "All"
				}
				for _, header := range []string{"", "Ann", "Bob", "All"} {
					r := b.alone("tools/call", "t", `"arguments":{"a":"x"},`, set("User", who), set("Mcp-Param-"+header, "x"))
					<-r.done
					status, want := 400, `"id":7,"error":{"code":-32020`
					if header == its {
						status, want = 200, "of "+its
					}
					if r.status() != status || !strings.Contains(r.text(), want) {
						t.Errorf("%s with Mcp-Param-%s: %d %s", who, header, r.status(), r.text())
					}
				}
			}
			synctest.Wait()
			if n := h.Status(); n != (nethttp.Status{}) || h.Sides() != 0 {
				t.Errorf("%+v is left", n)
			}
		})
	}
}

// What a function has sealed opens for the same principal, method and params alone, and not for ever.
//
// rows: MRTR-016 MRTR-017
// revisions: 2026-07-28
func TestRequestStateOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := serverConfig
		cfg.Revisions, cfg.StateKeys = protocol.AllRevisions(), [][]byte{[]byte(strings.Repeat("k", 32))}
		hs := newKit().handlers()
		for _, name := range []string{"asks", "asks-too"} {
			hs.Tool(protocol.Tool{Name: name, InputSchema: object}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
				q := protocol.Ask(p)
				who := q.Elicit("who", protocol.ElicitParams{Message: "who?", RequestedSchema: protocol.ElicitSchema{
					Properties: []protocol.Property{{Name: "name", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString}}},
				}})
				if err := q.Open("secret"); err != nil {
					return nil, err
				}
				return protocol.TextResult(p.Input.State + " " + string(who.Content["name"])), nil
			})
		}
		h, err := nethttp.NewHandler(cfg, hs, nethttp.Options{Authenticate: byName})
		if err != nil {
			t.Fatal(err)
		}
		b := &bubble{t: t, h: h}
		defer b.close()
		call := func(who, tool, params string) string {
			r := b.alone("tools/call", tool, params, set("User", who))
			<-r.done
			return r.text()
		}
		asks := func(text string) (state string) {
			_, rest, _ := strings.Cut(text, `"requestState":"`)
			state, _, _ = strings.Cut(rest, `"`)
			return state
		}
		const can, meta = `"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}`
		b.meta = strings.Replace(modernMeta, can, meta, 1)
		state := asks(call("ann", "asks", `"arguments":{"a":1},`))
		if state == "" || strings.Contains(state, "secret") {
			t.Fatalf("the state is %q", state)
		}
		other := asks(call("bob", "asks", `"arguments":{"a":1},`))
		bring := func(state, args string) string {
			return `"arguments":` + args + `,"requestState":"` + state + `","inputResponses":{"who":{"action":"accept","content":{"name":"Ann"}}},`
		}
		const refused = `"error":{"code":-32602,"message":"invalid requestState"}`
		for _, c := range []struct {
			what, who, tool, state, args string
			after                        time.Duration
			want                         string
		}{
			{"its own", "ann", "asks", state, `{"a":1}`, 0, `secret \"Ann\"`},
			{"its own again", "ann", "asks", state, `{"a":1}`, time.Minute, `secret \"Ann\"`}, // once is for the function to see to
			{"of another", "bob", "asks", state, `{"a":1}`, 0, refused},
			{"of nobody", "", "asks", state, `{"a":1}`, 0, refused},
			{"that of another", "ann", "asks", other, `{"a":1}`, 0, refused},
			{"of another tool", "ann", "asks-too", state, `{"a":1}`, 0, refused},
			{"of other arguments", "ann", "asks", state, `{"a":2}`, 0, refused},
			{"made up", "ann", "asks", "secret", `{"a":1}`, 0, refused},
			{"cut", "ann", "asks", state[:len(state)-4], `{"a":1}`, 0, refused},
			{"of yesterday", "ann", "asks", state, `{"a":1}`, 24 * time.Hour, refused},
		} {
			time.Sleep(c.after)
			if text := call(c.who, c.tool, bring(c.state, c.args)); !strings.Contains(text, c.want) {
				t.Errorf("%s: %s", c.what, text)
			}
		}
	})
}

// The page of an Origin that may use the server may send what requests without a session need, whatever
// its tools name.
//
// rows: HTTP-216
// revisions: 2026-07-28
func TestModernPreflight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const page = "https://app.example"
		b := newEras(t, newKit(), nethttp.Options{Origins: []string{page}})
		defer b.close()
		asks := []func(*http.Request){
			set("Origin", page), set("Access-Control-Request-Method", "POST"),
			set("Access-Control-Request-Headers", "content-type, mcp-method,mcp-name , mcp-param-region,MCP-PARAM-N, mcp-param-, mcp-params, x-other"),
		}
		r := b.serve("OPTIONS", "", "", "", nil, asks...)
		<-r.done
		var sends []string
		for name := range strings.SplitSeq(r.head.Get("Access-Control-Allow-Headers"), ", ") {
			sends = append(sends, strings.ToLower(name))
		}
		for name, want := range map[string]bool{
			"mcp-protocol-version": true, "mcp-method": true, "mcp-name": true, "mcp-param-region": true, "mcp-param-n": true,
			"mcp-param-": false, "mcp-params": false, "x-other": false,
		} {
			if slices.Contains(sends, name) != want {
				t.Errorf("%s may be sent: %v", name, !want)
			}
		}
		call := b.alone("tools/call", "echo", "", set("Origin", page))
		if <-call.done; call.status() != 200 || call.head.Get("Access-Control-Allow-Origin") != page {
			t.Errorf("%d %v", call.status(), call.head)
		}
	})
}

// away is a Store that is not there.
type away struct{}

var errAway = errors.New("away")

func (away) Get(context.Context, string) (nethttp.Record, error)       { return nethttp.Record{}, errAway }
func (away) Put(context.Context, string, nethttp.Record, uint64) error { return errAway }
func (away) Delete(context.Context, string) error                      { return errAway }
func (away) Wait(context.Context, string, uint64) error                { return errAway }

// Requests without a session are served where no session can be.
func TestModernWithoutStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newEras(t, newKit(), nethttp.Options{Store: away{}})
		r := b.serve("POST", "", "", bare, nil)
		if <-r.done; r.status() != 503 {
			t.Errorf("a session: %d %s", r.status(), r.text())
		}
		listens := b.listens()
		for name, r := range map[string]*response{"a call": b.alone("tools/call", "echo", ""), "a long call": b.alone("tools/call", "big", ""), "a list": b.alone("tools/list", "", "")} {
			if <-r.done; r.status() != 200 || !strings.Contains(r.text(), `"result"`) {
				t.Errorf("%s: %d %s", name, r.status(), r.text())
			}
		}
		synctest.Wait() // until the subscription is open
		b.close()
		if <-listens.done; !strings.Contains(listens.text(), `"result"`) {
			t.Errorf("a subscription: %s", listens.text())
		}
	})
}
