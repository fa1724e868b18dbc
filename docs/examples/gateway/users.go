package main

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/nethttp"
)

// users are the users of the gateway, by a hash of their secret. Clients send the secret as a
// Bearer token, browsers name and secret by Basic authentication.
type users map[[sha256.Size]byte]user

// user is one of the users.
type user struct {
	name  string
	token string // the file of the user's own token, "" for none
}

// leastSecret is the least length of a secret, in bytes.
const leastSecret = 16

// readUsers reads a file with a line "NAME SECRET" for each user, or "NAME SECRET TOKENFILE".
func readUsers(file string) (users, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseUsers(file, f)
}

func parseUsers(file string, r io.Reader) (users, error) {
	list := users{}
	err := readLines(file, r, list.add)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: there are no users", file)
	}
	return list, err
}

// readLines reads lines of words, except empty ones and those that begin with #. take returns what is wrong
// with a line, "" for nothing.
func readLines(file string, r io.Reader, take func(words []string) (wrong string)) error {
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		words := strings.Fields(in.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if wrong := take(words); wrong != "" {
			return fmt.Errorf("%s:%d: %s", file, n, wrong)
		}
	}
	return in.Err()
}

// add adds the user of a line.
func (u users) add(words []string) (wrong string) {
	if len(words) != 2 && len(words) != 3 {
		return "want a name, a secret and optionally the file of a token"
	}
	name, hash := words[0], sha256.Sum256([]byte(words[1]))
	_, twice := u.find(name)
	switch {
	case strings.Contains(name, ":"):
		return "a name has no colon"
	case len(words[1]) < leastSecret:
		return fmt.Sprintf("secret too short: want at least %d bytes", leastSecret)
	case twice:
		return "duplicate name"
	case u[hash].name != "":
		return "two users have the same secret"
	}
	u[hash] = user{name, strings.Join(words[2:], "")}
	return ""
}

// find returns a user by name.
func (u users) find(name string) (user, bool) {
	for _, known := range u {
		if known.name == name {
			return known, true
		}
	}
	return user{}, false
}

var errUser = errors.New("gateway: no such user")

// client returns the principal of a client's request.
func (u users) client(r *http.Request) (nethttp.Principal, error) {
	secret, ok := headers.Bearer(r.Header.Get(headers.Authorization))
	if !ok {
		return nethttp.Principal{}, &nethttp.AuthError{}
	}
	name := u[sha256.Sum256([]byte(secret))].name
	if name == "" {
		return nethttp.Principal{}, &nethttp.AuthError{Code: "invalid_token", Err: errUser}
	}
	return nethttp.Principal{ID: name}, nil
}

// browser returns the principal of a browser's request.
func (u users) browser(r *http.Request) (string, error) {
	name, secret, _ := r.BasicAuth()
	known := u[sha256.Sum256([]byte(secret))].name
	if known == "" || subtle.ConstantTimeCompare([]byte(known), []byte(name)) != 1 {
		return "", errUser
	}
	return known, nil
}
