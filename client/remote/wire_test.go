package remote

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
)

// wire is a server that does to a call what a row of the table says.
type wire struct {
	t       *testing.T
	armed   atomic.Bool // from now on calls and connections are spoiled
	calls   atomic.Int32
	cancels atomic.Int32
	spoil   func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message)
	long    bool // spoil takes a long message before it is read

	opt Options
	url string
	tls bool
	ids atomic.Int32
}

func (s *wire) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.long && s.armed.Load() && r.ContentLength > 1<<19 {
		s.calls.Add(1)
		s.spoil(w, r, jsonrpc.Message{})
		return
	}
	body, _ := io.ReadAll(r.Body)
	m := jsonrpc.Decode(body)
	switch {
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case m.Method == "notifications/cancelled":
		s.cancels.Add(1)
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "tools/call" && s.armed.Load():
		s.calls.Add(1)
		s.spoil(w, r, m)
	case m.Method == "initialize":
		if !strings.HasSuffix(r.URL.Path, "/bare") {
			w.Header().Set("Mcp-Session-Id", "s-"+strconv.Itoa(int(s.ids.Add(1))))
		}
		reply(w, m, initialized)
	case m.Kind == jsonrpc.KindRequest:
		reply(w, m, `{"content":[]}`)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// rows are what happens, by the words of the table. A row of statuses is tried with each.
var rows = map[string]func(*wire){
	"nobody listens at the address": func(s *wire) {
		s.dial(func(ctx context.Context, d *net.Dialer, addr string) (net.Conn, error) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return nil, err
			}
			_ = l.Close()
			return d.DialContext(ctx, "tcp", l.Addr().String())
		})
	},
	"TLS cannot be agreed on": func(s *wire) {
		s.tls = true
		s.dial(func(context.Context, *net.Dialer, string) (net.Conn, error) {
			mine, theirs := net.Pipe()
			go func() {
				go func() { _, _ = io.Copy(io.Discard, theirs) }()
				_, _ = io.WriteString(theirs, "SSH-2.0-x\r\n")
				_ = theirs.Close()
			}()
			return mine, nil
		})
	},
	"the proxy refuses the connection": func(s *wire) {
		s.tls = true
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
		s.t.Cleanup(proxy.Close)
		s.dial(nil)
		u, _ := url.Parse(proxy.URL)
		s.opt.Client.Transport.(*http.Transport).Proxy = func(*http.Request) (*url.URL, error) {
			if !s.armed.Load() {
				return nil, nil
			}
			return u, nil
		}
	},
	"404 in a session": func(s *wire) {
		s.spoil = func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) {
			if r.Header.Get("Mcp-Session-Id") != "s-1" {
				reply(w, m, `{"content":[]}`)
				return
			}
			w.WriteHeader(http.StatusNotFound)
		}
	},
	"401, and no token helps": func(s *wire) {
		s.opt.Token = func(context.Context, headers.Challenge) (string, error) { return "t", nil }
		s.spoil = status(401)
	},
	"429 with Retry-After": func(s *wire) { s.spoil = status(429, "Retry-After", "7") },
	"503 with Retry-After": func(s *wire) { s.spoil = status(503, "Retry-After", "7") },
	"307 or 308 to another origin, or in a circle": func(s *wire) {
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { s.t.Error("the message went to another origin") }))
		s.t.Cleanup(other.Close)
		s.spoil = status(307, "Location", other.URL)
	},
	"a reset while the body is written": func(s *wire) {
		s.long, s.spoil = true, func(w http.ResponseWriter, r *http.Request, _ jsonrpc.Message) {
			_, _ = io.ReadFull(r.Body, make([]byte, 1000))
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		}
	},
	"a connection that ends without an answer": func(s *wire) {
		s.spoil = func(http.ResponseWriter, *http.Request, jsonrpc.Message) { cut() }
	},
	"200 with an empty body, 202, 204": func(s *wire) {
		s.spoil = status(200, "Content-Type", "application/json")
	},
	"200 of a type that is neither JSON nor a stream": func(s *wire) { s.spoil = status(200, "Content-Type", "text/html") },
	"200 with JSON that is no answer":                 func(s *wire) { s.spoil = answers(`[%s]`) },
	"a stream with the answer in an array":            func(s *wire) { s.spoil = streamed(`[%s]`) },
	"a stream that ends before its first id": func(s *wire) {
		s.spoil = func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) { events(w)(": nothing") }
	},
	"a stream with an id that is not gone on with": func(s *wire) {
		s.opt.Exchange.Wait, s.opt.Exchange.MinWait = time.Millisecond, time.Millisecond
		s.spoil = func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) { events(w)("id: 1", "data:") }
	},
	"a coding that was not asked for and cannot be undone": func(s *wire) {
		s.spoil = func(w http.ResponseWriter, _ *http.Request, m jsonrpc.Message) {
			w.Header().Set("Content-Encoding", "br")
			reply(w, m, `{"content":[]}`)
		}
	},
	"an answer that is too long": func(s *wire) {
		s.opt.Exchange.MaxBytes = 1000
		s.spoil = func(w http.ResponseWriter, _ *http.Request, m jsonrpc.Message) {
			reply(w, m, `{"content":[],"x":"`+strings.Repeat("x", 1000)+`"}`)
		}
	},
	"silence until the time is up": func(s *wire) {
		s.spoil = func(_ http.ResponseWriter, r *http.Request, _ jsonrpc.Message) { <-r.Context().Done() }
	},
	"HTTP/2: RST_STREAM with REFUSED_STREAM":                    over2(func(c *conn2, id uint32) { c.reset(id, refusedStream) }),
	"HTTP/2: GOAWAY with the number of an earlier stream":       over2(func(c *conn2, id uint32) { c.goAway(max(id, 2) - 2) }),
	"HTTP/2: RST_STREAM with another code":                      over2(func(c *conn2, id uint32) { c.reset(id, 1) }), // PROTOCOL_ERROR
	"HTTP/2: GOAWAY with the number of the stream, and the end": over2(func(c *conn2, id uint32) { c.goAway(id); c.end() }),
}

// status returns what answers with a status and header fields.
func status(code int, fields ...string) func(http.ResponseWriter, *http.Request, jsonrpc.Message) {
	return func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) {
		for i := 0; i < len(fields); i += 2 {
			w.Header().Set(fields[i], fields[i+1])
		}
		w.WriteHeader(code)
	}
}

// answers returns what answers with JSON, of which %s is the answer as it should be.
func answers(format string) func(http.ResponseWriter, *http.Request, jsonrpc.Message) {
	return func(w http.ResponseWriter, _ *http.Request, m jsonrpc.Message) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, strings.ReplaceAll(format, "%s", `{"jsonrpc":"2.0","id":`+m.ID.String()+`,"result":{"content":[]}}`))
	}
}

// streamed returns what says the same as an event, and goes on for as long as it is heard.
func streamed(format string) func(http.ResponseWriter, *http.Request, jsonrpc.Message) {
	return func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) {
		events(w)("data: " + strings.ReplaceAll(format, "%s", `{"jsonrpc":"2.0","id":`+m.ID.String()+`,"result":{"content":[]}}`))
		<-r.Context().Done()
	}
}

// dial has each request make a connection of its own, from when the server is armed by way of f.
func (s *wire) dial(f func(context.Context, *net.Dialer, string) (net.Conn, error)) {
	var d net.Dialer
	s.opt.Client = &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if s.armed.Load() && f != nil {
				return f(ctx, &d, addr)
			}
			return d.DialContext(ctx, network, addr)
		},
	}}
}

// bodies are what a server writes with an error status; %s is the id of the request, quoted as it came.
// The last one is the answer.
var bodies = map[string]string{
	"plain":              `not now`,
	"an error":           `{"jsonrpc":"2.0","error":{"code":-32600,"message":"not now"}}`,
	"an error of null":   `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not now"}}`,
	"a foreign error":    `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"not now"}}`,
	"an error of the id": `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"not now"}}`,
}

// bodied is a writer that writes a body behind an error status.
type bodied struct {
	http.ResponseWriter
	body string
}

func (w bodied) WriteHeader(code int) {
	if w.Header().Set("Content-Type", "application/json"); w.body == bodies["plain"] {
		w.Header().Set("Content-Type", "text/plain")
	}
	w.ResponseWriter.WriteHeader(code)
	_, _ = io.WriteString(w.ResponseWriter, w.body)
}

// saying returns what does the same with a body behind the status.
func saying(spoil func(*wire), body string) func(*wire) {
	return func(s *wire) {
		spoil(s)
		plain := s.spoil
		s.spoil = func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) {
			plain(bodied{w, strings.ReplaceAll(body, "%s", m.ID.String())}, r, m)
		}
	}
}
