package oauth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
)

// A login whose person is away goes on in another Flow for the same server and redirect, with the same page, until its
// time is over; and nothing else is taken for one.
func TestResume(t *testing.T) {
	x := start(t, oauth.Config{}, server, usual()).begin()
	page, pending := x.f.Page(), x.f.Record().Pending
	if page.URL == "" || pending == "" {
		t.Fatal(x.f.Phase())
	}
	rec := x.f.Record()
	rec, err := oauth.ParseRecord(oauth.AppendRecord(nil, rec))
	if err != nil || rec.Pending != pending {
		t.Fatal(err)
	}
	other := func(c oauth.Config, server string) oauth.Flow {
		f, err := oauth.New(c, server)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	c := x.cfg
	elsewhere := c
	elsewhere.Redirect = "https://elsewhere.example/callback"
	same := other(c, x.f.Resource())
	for name, tt := range map[string]struct {
		f       oauth.Flow
		now     time.Time
		pending oauth.Secret
		ok      bool
	}{
		"the same":         {same, x.now, pending, true},
		"the Flow itself":  {x.f, x.now, pending, true},
		"until the end":    {same, page.Until.Add(-1), pending, true},
		"too late":         {same, page.Until, pending, false},
		"none":             {same, x.now, "", false},
		"no text":          {same, x.now, "{", false},
		"nothing":          {same, x.now, "{}", false},
		"no run":           {same, x.now, oauth.Secret(`{"version":1,"server":"` + x.f.Resource() + `"}`), false},
		"another version":  {same, x.now, oauth.Secret(strings.Replace(string(pending), `"version":1`, `"version":9`, 1)), false},
		"another server":   {other(c, "https://other.example/mcp"), x.now, pending, false},
		"another redirect": {other(elsewhere, x.f.Resource()), x.now, pending, false},
		"no verifier":      {same, x.now, oauth.Secret(strings.Replace(string(pending), `"verifier"`, `"verifies"`, 1)), false},
		"the zero Flow":    {oauth.Flow{}, x.now, pending, false},
	} {
		r := rec
		r.Pending = tt.pending
		f, ok := tt.f.Resume(tt.now, r)
		if ok != tt.ok || ok && f.Page() != page || !ok && f.Phase() != tt.f.Phase() {
			t.Errorf("%s: %v %v", name, ok, f.Phase())
		}
	}
	if strings.Contains(string(x.f.Snapshot(oauth.Without)), page.State) || same.Record().Pending != "" {
		t.Error("a state where there is none to be")
	}
}
