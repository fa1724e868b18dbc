package remote

import (
	"net/http"
	"testing"
	"time"
)

// The default pool ends a connection before the servers do that end theirs first: those on Node.js and on uvicorn after 5 s.
// The pool of the caller is left alone.
func TestPoolIsFirst(t *testing.T) {
	hc, _, own := newClient(nil)
	if pool, ok := hc.Transport.(*http.Transport); !ok || !own || pool.IdleConnTimeout <= 0 || pool.IdleConnTimeout >= 5*time.Second {
		t.Errorf("%+v", hc.Transport)
	}
	mine := &http.Transport{IdleConnTimeout: time.Hour}
	if hc, _, own := newClient(&http.Client{Transport: mine}); own || hc.Transport != mine || mine.IdleConnTimeout != time.Hour {
		t.Errorf("%+v", hc.Transport)
	}
}
