package nethttp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/server/nethttp"
)

// What is not the address of a process is refused.
func TestInternalURL(t *testing.T) {
	for _, bad := range []string{"a.internal:80", "ftp://a", "http://", "http://u@a", "http://a?b", "http://a#b", "\n"} {
		_, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{Internal: nethttp.Internal{URL: bad}})
		if err == nil || !strings.Contains(err.Error(), "Internal.URL") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	_, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{Internal: nethttp.Internal{URL: "x"}})
	settings.Refused(t, err, `nethttp: Internal.URL is "x": want http://HOST:PORT or https://HOST:PORT`)
}

// Two processes over sockets, one of which ends: the other is the home at once.
func TestHomeOverSockets(t *testing.T) {
	c := newCluster()
	var handlers []*nethttp.Handler
	var urls []string
	var inner []*httptest.Server
	for range 2 {
		in := httptest.NewUnstartedServer(nil)
		cfg := serverConfig
		cfg.HashKey = [16]byte{1}
		h, err := nethttp.NewHandler(cfg, ownKit().handlers(), nethttp.Options{
			Store: nethttp.NewShared(&line{cluster: c}), Companion: homesOf(newSides()), Internal: nethttp.Internal{URL: "http://" + in.Listener.Addr().String()},
		})
		if err != nil {
			t.Fatal(err)
		}
		in.Config.Handler = h.Internal()
		in.Start()
		s := httptest.NewServer(h)
		handlers, urls, inner = append(handlers, h), append(urls, s.URL), append(inner, in)
		t.Cleanup(func() {
			h.Close()
			s.Close()
			in.Close()
		})
	}
	p := open(t, urls[0], "2025-11-25")
	p.url = urls[1]
	for range 3 {
		p.call("own-fast", `{}`).want(http.StatusOK, "at once")
	}
	if n := handlers[1].Status().Sessions; n != 0 {
		t.Error(n, "sessions at a process that only passes on")
	}
	inner[0].CloseClientConnections()
	inner[0].Close()
	eventually(t, "no call is answered", func() bool { // one that is written as its connection ends is not made again
		return p.call("own-fast", `{}`).status == http.StatusOK
	})
	if n := handlers[1].Status().Sessions; n != 1 {
		t.Error(n, "sessions at the new home")
	}
}
