package bench

import (
	"errors"
	"io"
	"net/http"
	"testing"
)

// TestHTTPServers checks that every library answers over HTTP, calls in one session and in
// several.
func TestHTTPServers(t *testing.T) {
	each(t, func(l library) bool { return l.http != nil }, func(t *testing.T, l library) {
		s := must(serve(l.http))(t)
		defer s.Close()
		for _, oneSession := range []bool{true, false} {
			wires := must(s.wires(3, oneSession))(t)
			for range 3 {
				for _, w := range wires {
					if err := w.echo(); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, w := range wires {
				w.Close()
			}
		}
	})
}

// TestHTTPClients checks that every client gets the floor's answers.
func TestHTTPClients(t *testing.T) {
	each(t, func(l library) bool { return l.httpClient != nil }, func(t *testing.T, l library) {
		s := must(serve(floorHTTP.http))(t)
		defer s.Close()
		c := must(l.httpClient(s.url()))(t)
		defer c.Close()
		if err := concurrent(20, 4, func() error { return expectEcho(c.Call("echo", echoArgs)) }); err != nil {
			t.Fatal(err)
		}
	})
}

// TestWire checks that the measuring client reads both forms of a body, and accepts only the
// answer to its call.
func TestWire(t *testing.T) {
	answers := []struct {
		id, text string // "" for that of the call
		parts    int
		ok       bool
	}{
		{"", smallText, 1, true},
		{"", smallText, 3, true},
		{"", smallText, 40, true},
		{"123456789", smallText, 1, false},
		{"", "another text", 2, false},
	}
	turn := 0
	s := must(serve(func() (http.Handler, func(), error) {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			a, id := answers[turn], string(body[len(`{"jsonrpc":"2.0","id":`):][:9])
			if turn++; a.id != "" {
				id = a.id
			}
			text := `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":` + quote(a.text) + `}]}}`
			for i := range a.parts { // flushing in parts makes it chunked
				_, err = io.WriteString(w, text[len(text)*i/a.parts:len(text)*(i+1)/a.parts])
				if a.parts > 1 {
					err = errors.Join(err, http.NewResponseController(w).Flush())
				}
				if err != nil {
					t.Error(err)
				}
			}
		}), func() {}, nil
	}))(t)
	defer s.Close()
	w := must(newWire(s.addr))(t)
	defer w.Close()
	w.join("s", 0)
	for i, a := range answers {
		if err := w.echo(); (err == nil) != a.ok {
			t.Errorf("answer %d: %v", i, err)
		}
	}
}
