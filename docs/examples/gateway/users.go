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

// users are who may use the gateway: a hash of what each of them proves it by, and the name. Clients send
// the secret as a Bearer token, browsers name and secret by Basic authentication.
type users map[[sha256.Size]byte]string

// leastSecret is how many bytes a secret has at least.
const leastSecret = 16

// readUsers reads a file with a line "NAME SECRET" for each user; empty lines and those that begin with # count
// for nothing.
func readUsers(file string) (users, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseUsers(file, f)
}

func parseUsers(file string, r io.Reader) (users, error) {
	list, names := users{}, map[string]bool{}
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		fields := strings.Fields(in.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		var wrong string
		switch {
		case len(fields) != 2:
			wrong = "want a name and a secret"
		case strings.Contains(fields[0], ":"):
			wrong = "a name has no colon"
		case len(fields[1]) < leastSecret:
			wrong = fmt.Sprintf("a secret has %d bytes at least", leastSecret)
		case names[fields[0]]:
			wrong = "the name is there twice"
		case list[sha256.Sum256([]byte(fields[1]))] != "":
			wrong = "two users have one secret"
		}
		if wrong != "" {
			return nil, fmt.Errorf("%s:%d: %s", file, n, wrong)
		}
		names[fields[0]] = true
		list[sha256.Sum256([]byte(fields[1]))] = fields[0]
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: there are no users", file)
	}
	return list, nil
}

var errUser = errors.New("gateway: no such user")

// client returns whom a request of a client comes from.
func (u users) client(r *http.Request) (nethttp.Principal, error) {
	secret, ok := headers.Bearer(r.Header.Get(headers.Authorization))
	if !ok {
		return nethttp.Principal{}, &nethttp.AuthError{}
	}
	name := u[sha256.Sum256([]byte(secret))]
	if name == "" {
		return nethttp.Principal{}, &nethttp.AuthError{Code: "invalid_token", Err: errUser}
	}
	return nethttp.Principal{ID: name}, nil
}

// browser returns whom a request of a browser comes from.
func (u users) browser(r *http.Request) (string, error) {
	name, secret, _ := r.BasicAuth()
	known := u[sha256.Sum256([]byte(secret))]
	if known == "" || subtle.ConstantTimeCompare([]byte(known), []byte(name)) != 1 {
		return "", errUser
	}
	return known, nil
}
