package oauth_test

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
)

// A secret that expires in a far year, or in milliseconds as some servers write it, is no secret that has expired.
func TestSecretOfFarYears(t *testing.T) {
	for _, at := range []string{"4102444800", "9214646400", "32503680000", "68719476736", "253402300799", "1764466995000", "9223372036854775807"} {
		w := usual().with(issuerAt, issuerOf(issuer, `,"token_endpoint_auth_methods_supported":["client_secret_basic"]`),
			issuer+"/register", `{"client_id":"c1","client_secret":"s1","client_secret_expires_at":`+at+`}`)
		x := start(t, oauth.Config{}, server, w).login()
		if k := x.f.Record().Registrations[0]; !k.Expires.After(x.now.Add(10 * 365 * 24 * time.Hour)) {
			t.Errorf("%s: expires %v", at, k.Expires)
		}
		rec, err := oauth.ParseRecord(oauth.AppendRecord(nil, x.f.Record()))
		if err != nil || !rec.Registrations[0].Expires.Equal(x.f.Record().Registrations[0].Expires) {
			t.Errorf("%s: kept as %v, %v", at, rec.Registrations, err)
		}
	}
}

// A refresh token of the store goes to no authorization server that the Config allows no longer.
func TestRenewalElsewhere(t *testing.T) {
	x := start(t, oauth.Config{}, server, usual()).login()
	for name, c := range map[string]oauth.Config{
		"Issuers": {Issuers: []string{"https://other.example"}}, "Clients": {Clients: []oauth.Credentials{{Issuer: "https://other.example", ID: "c"}}},
	} {
		y := start(t, c, server, usual())
		y.now = x.now.Add(time.Hour - time.Second)
		y.step(y.f.Adopt(y.now, x.f.Record()))
		y.step(y.f.Want(y.now, y.random(), oauth.Need{})).run()
		if len(y.calls) > 0 {
			t.Errorf("%s: %q", name, y.made(0))
		}
	}
	y := start(t, oauth.Config{Issuers: []string{issuer}}, server, usual())
	y.now = x.now.Add(time.Hour - time.Second)
	y.step(y.f.Adopt(y.now, x.f.Record()))
	if y.step(y.f.Want(y.now, y.random(), oauth.Need{})).run(); len(y.calls) != 2 || y.f.Phase() != oauth.Ready {
		t.Errorf("%q, %v", y.made(0), y.f.Failure())
	}
}

// A token that is bound to a key is none for a client that makes no proofs.
func TestProofIsNoMore(t *testing.T) {
	w := usual().with(issuer+"/token", `{"access_token":"t1","token_type":"DPoP","expires_in":3600,"refresh_token":"r1"}`)
	x := start(t, oauth.Config{Proof: true}, server, w).login()
	y := start(t, oauth.Config{}, server, usual())
	if tok, ok := y.f.Adopt(x.now, x.f.Record()).Token(x.now); ok {
		t.Errorf("adopted: %+v", tok)
	}
	f, err := oauth.Restore(y.cfg, server, x.f.Snapshot(oauth.With))
	if err != nil {
		t.Fatal(err)
	}
	if tok, ok := f.Token(x.now); ok {
		t.Errorf("restored: %+v", tok)
	}
}
