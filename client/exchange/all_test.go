package exchange_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// look is all that an exchange shows.
func look(x exchange.Exchange) string {
	f := x.Failure()
	return fmt.Sprint(x.Phase(), x.Op(), x.Fields(), x.At().Sub(time.Unix(1e9, 0)), x.SessionID(), x.Accepted(), x.MaxBody(), f.Error(), f.Status, f.Delivery(), f.Temporary(), f.Said(), f.After, f.Challenge, f.Accepted)
}

// moves are what may happen to an exchange, by a word each.
var moves = func() map[string]func(*exchange.Exchange, time.Time) string {
	list := map[string]func(*exchange.Exchange, time.Time) string{
		"tick,":    func(x *exchange.Exchange, now time.Time) string { *x = x.Tick(now.Add(time.Minute)); return "" },
		"reached,": func(x *exchange.Exchange, now time.Time) string { *x = x.Reached(now); return "" },
		"closed,":  func(x *exchange.Exchange, now time.Time) string { *x = x.Closed(now); return "" },
		"again,": func(x *exchange.Exchange, _ time.Time) string {
			next, ok := x.Again()
			if ok {
				*x = next
			}
			return fmt.Sprint(ok)
		},
		"not sent,": func(x *exchange.Exchange, now time.Time) string { *x = x.Unanswered(now, lifecycle.NotSent); return "" },
		"rejected,": func(x *exchange.Exchange, now time.Time) string {
			*x = x.Unanswered(now, lifecycle.Rejected)
			return ""
		},
		"lost,": func(x *exchange.Exchange, now time.Time) string {
			*x = x.Unanswered(now, lifecycle.MayHaveRun)
			return ""
		},
	}
	for _, status := range []int{200, 202, 204, 400, 401, 403, 404, 405, 429, 500, 503} {
		for kind, name := range map[string]string{"application/json": "json", "text/event-stream": "sse", "": "none"} {
			if name != "json" && status != 200 && status != 404 {
				continue
			}
			list[fmt.Sprint(status, name, ",")] = func(x *exchange.Exchange, now time.Time) string {
				h := http.Header{"Content-Type": {kind}, "Mcp-Session-Id": {"sid"}, "Retry-After": {"7"}, "Www-Authenticate": {`Bearer scope="a"`}}
				*x = x.Respond(now, exchange.Read(status, h.Values))
				return ""
			}
		}
	}
	say := func(m jsonrpc.Message, ok bool) string { return fmt.Sprintf("%s %v", jsonrpc.Append(nil, m), ok) }
	for name, text := range map[string]string{"answer": `{"jsonrpc":"2.0","id":1,"result":{}}`, "other": `{"jsonrpc":"2.0","id":2,"result":{}}`, "error": `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"m"}}`, "note": `{"jsonrpc":"2.0","method":"n"}`, "odd": `{`} {
		list["body "+name+","] = func(x *exchange.Exchange, now time.Time) (said string) {
			var m jsonrpc.Message
			var ok bool
			*x, m, ok = x.Body(now, []byte(text))
			return say(m, ok)
		}
		for _, id := range []string{"", "e1"} {
			list["event "+name+id+","] = func(x *exchange.Exchange, now time.Time) (said string) {
				var m jsonrpc.Message
				var ok bool
				*x, m, ok = x.Event(now, sse.Event{Data: text, ID: id, HasID: id != "", HasRetry: id != "", Retry: 3 * time.Second})
				return say(m, ok)
			}
		}
	}
	return list
}()

// After all that may happen in a row, an exchange is what it was.
func TestAllShortExchanges(t *testing.T) {
	var words []string
	for word := range moves {
		words = append(words, word)
	}
	slices.Sort(words)
	play := func(start func() exchange.Exchange) func(string) string {
		return func(s string) string {
			x, now, out := start(), time.Unix(1e9, 0), ""
			for word := range strings.SplitAfterSeq(s, ",") {
				if word != "" {
					now = now.Add(time.Second)
					out += moves[word](&x, now) + ";"
				}
			}
			return out + look(x)
		}
	}
	in := exchange.Session{ID: "f3a", Revision: protocol.Revision20251125}
	post := func(text string, in exchange.Session) func(string) string {
		return play(func() exchange.Exchange {
			return exchange.Post(exchange.Options{Attempts: 1, Polls: 1, Logins: 1}, in, jsonrpc.DecodeString(text))
		})
	}
	texts.Same(t, "52060 of 52060, b1a52cd8", texts.Every(3, words...), post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, in))
	texts.Same(t, "1407 of 1407, 93d2749d", texts.Every(2, words...), post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, exchange.Session{}))
	texts.Same(t, "1407 of 1407, 0b972d7b", texts.Every(2, words...), post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, in))
	texts.Same(t, "1407 of 1407, 1be5ee8e", texts.Every(2, words...), post(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, exchange.Session{Revision: protocol.Revision20260728}))
	texts.Same(t, "52060 of 52060, c79ccc46", texts.Every(3, words...), play(func() exchange.Exchange {
		return exchange.Listen(exchange.Options{Attempts: 1, Polls: 1, Logins: 1}, in)
	}))
}

// A failure of each reason and status is told as it was.
func TestAllFailures(t *testing.T) {
	texts.Same(t, "1 of 1, d339a835", texts.Every(0), func(string) string {
		var b strings.Builder
		for reason := range exchange.Rejected + 2 {
			for status := range 600 {
				if status > 0 && status < 300 {
					continue
				}
				for _, kind := range []toolerror.Kind{0, toolerror.Unavailable, toolerror.RateLimited, toolerror.Timeout} {
					f := exchange.Failure{Reason: reason, Status: status, Text: "t", Accepted: status%7 == 0}
					if kind != 0 {
						f.Err = &jsonrpc.Error{Code: -32000, Message: "m", Data: (&toolerror.Error{Kind: kind, MayHaveRun: status%2 == 0}).Payload()}
					}
					fmt.Fprint(&b, f.Error(), f.Delivery(), f.Temporary(), f.Said(), f.Unwrap(), ";")
				}
			}
		}
		return b.String()
	})
	texts.Same(t, "8258 of 8258, e629dded", texts.Near("120", "Wed, 21 Oct 2015 07:28:00 GMT"), func(s string) string {
		h := exchange.Read(503, func(name string) []string {
			if name == "Retry-After" {
				return []string{s}
			}
			return nil
		})
		return fmt.Sprint(h.RetryAfter, h.ContentType, headers.JSON)
	})
}
