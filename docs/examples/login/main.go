// Command login begins a login in one place and ends it in another, as when the redirect of a browser arrives at
// another process than the one that sent the browser away. The state in between is a text, and so is the stored
// token. The servers are texts too, so that it needs no network:
//
//	go run ./docs/examples/login
package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

// server requires a token, and config describes the client. Both places have the same.
const server = "https://notes.example/mcp"

var config = oauth.Config{Name: "login", Redirect: "https://app.example/callback"}

// web has the answers of the server and its authorization server.
var web = map[string]string{
	"https://notes.example/.well-known/oauth-protected-resource/mcp": `{"resource":"https://notes.example/mcp","authorization_servers":["https://login.example"],"scopes_supported":["notes"]}`,
	"https://login.example/.well-known/oauth-authorization-server": `{"issuer":"https://login.example","authorization_endpoint":"https://login.example/authorize",
		"token_endpoint":"https://login.example/token","registration_endpoint":"https://login.example/register","code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["none"]}`,
	"https://login.example/register": `{"client_id":"app-1"}`,
	"https://login.example/token":    `{"access_token":"token-1","token_type":"Bearer","expires_in":3600,"refresh_token":"refresh-1"}`,
}

func main() {
	if err := run(os.Stdout, time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "login:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, now time.Time) error {
	// Here a request was refused, and a person must open a page.
	here, err := oauth.New(config, server)
	if err != nil {
		return err
	}
	refused := headers.Challenge{ResourceMetadata: "https://notes.example/.well-known/oauth-protected-resource/mcp"}
	here = requests(w, "here: ", now, here.Want(now, random(), oauth.Need{Status: 401, Challenge: refused}))
	page := here.Page()
	kept := here.Snapshot(oauth.With) // contains secrets: store it where no other program can read it
	fmt.Fprintf(w, "here: a person opens %.31s…; kept until %s: %d bytes\n", page.URL, page.Until.Sub(now), len(kept))

	// There the person comes back, five minutes later.
	now = now.Add(5 * time.Minute)
	there, err := oauth.Restore(config, server, kept)
	if err != nil {
		return err
	}
	query := "code=code-1&state=" + page.State + "&iss=https%3A%2F%2Flogin.example"
	there = requests(w, "there: ", now, there.Returned(now, random(), query))
	token, ok := there.Token(now)
	if !ok {
		return errors.Join(errors.New("no token"), there.Failure())
	}
	fmt.Fprintf(w, "there: a token for %s, until %s\n", token.Resource, token.Expires.Sub(now))

	// The record serves later requests, without a person.
	record, err := oauth.ParseRecord(oauth.AppendRecord(nil, there.Record()))
	if err != nil {
		return err
	}
	again, err := oauth.New(config, server)
	if err != nil {
		return err
	}
	_, ok = again.Adopt(now, record).Token(now)
	fmt.Fprintln(w, "another time: a token is there:", ok)
	return nil
}

// requests makes the requests of a Flow, until it needs something else.
func requests(w io.Writer, where string, now time.Time, f oauth.Flow) oauth.Flow {
	for f.Phase() == oauth.Requesting {
		c := f.Call()
		fmt.Fprintln(w, where+c.Method, c.URL)
		f = f.Respond(now, random(), oauth.Answer{Status: 200, Body: []byte(web[c.URL])})
	}
	return f
}

// random returns unguessable bytes.
func random() (r oauth.Random) {
	_, _ = rand.Read(r[:]) // never fails
	return r
}
