//go:build unix

package fleet_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/server/nethttp"
)

// overHTTP starts a server over HTTP.
func overHTTP(t *testing.T) (dial.URL, *httptest.Server, *nethttp.Handler) {
	t.Helper()
	h, err := nethttp.NewHandler(about(), handlers(), nethttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return dial.URL{URL: s.URL}, s, h
}

// All are disconnected, whatever one does, and all errors come in the order of connect (A11,
// A12, B14).
func TestDisconnectAll(t *testing.T) {
	f := start(t, settings(), fleet.Options{Dial: dial.Dialer{}.Dial})
	var processes []int
	for i, k := range []string{"stubborn", "good", "stubborn", "good"} {
		name := fmt.Sprint(i, k)
		connect(t, f, name, manager.Options{Endpoint: command(k), Timeouts: manager.Timeouts{Close: 2 * time.Second}})
		processes = append(processes, pid(t, f, name))
	}
	began := time.Now()
	err := f.Close(t.Context())
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("took %v", took)
	}
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatal(err)
	}
	var names []string
	for _, err := range many.Unwrap() {
		e := (*manager.Error)(nil)
		if !errors.As(err, &e) || e.Class != manager.ClassTimeout {
			t.Fatal(err)
		}
		names = append(names, e.Server)
	}
	if !slices.Equal(names, []string{"0stubborn", "2stubborn"}) {
		t.Errorf("%q", names)
	}
	for _, p := range processes {
		if alive(p) {
			t.Errorf("%d is alive", p)
		}
	}
	if again := f.Close(t.Context()); again == nil || again.Error() != err.Error() {
		t.Errorf("%v", again)
	}
}
