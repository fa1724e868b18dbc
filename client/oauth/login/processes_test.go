package login_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/oauth/store"
)

// childEnv says to a process of the test which server and which folder it works with.
const childEnv = "SANSMCP_LOGIN_CHILD"

func TestMain(m *testing.M) {
	if at, folder, ok := strings.Cut(os.Getenv(childEnv), " "); ok {
		if err := child(at, folder); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// child has many requests refused at once, each time that a line comes.
func child(at, folder string) error {
	kept, err := store.NewFiles(folder)
	if err != nil {
		return err
	}
	r, err := login.New(oauth.Config{}, at+"/mcp", login.Options{Store: kept, Open: browse})
	if err != nil {
		return err
	}
	defer r.Close()
	ctx := context.Background()
	old, err := r.Authorize(ctx, oauth.Need{})
	if err != nil {
		return err
	}
	fmt.Println("ready", string(old.Access))
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var wg sync.WaitGroup
		var mu sync.Mutex
		got, used := map[string]int{}, old.Access
		for range 25 {
			wg.Go(func() {
				t, err := r.Authorize(ctx, oauth.Need{Status: 401, Used: used})
				mu.Lock()
				defer mu.Unlock()
				if got[string(t.Access)]++; err != nil {
					got[err.Error()]++
				}
				old = t
			})
		}
		wg.Wait()
		fmt.Println("done", got)
	}
	return nil
}

// A refresh token is used once, by one of a hundred requests in four processes; the others find what it has
// become. An authorization server that sees it twice ends the login.
//
// rows: SEC-112
// revisions: 2025-11-25 2026-07-28
func TestProcesses(t *testing.T) {
	s := newAuthServer(t)
	folder := filepath.Join(t.TempDir(), "kept")
	kept, err := store.NewFiles(folder)
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, s, oauth.Config{}, login.Options{Store: kept, Open: browse})
	if _, err := r.Authorize(t.Context(), s.refused("")); err != nil {
		t.Fatal(err)
	}
	type process struct {
		in  io.WriteCloser
		out *bufio.Scanner
		cmd *exec.Cmd
	}
	var all []process
	for range 4 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+s.url+" "+folder)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err = cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, process{in, bufio.NewScanner(out), cmd})
	}
	read := func(p process, want string) {
		if !p.out.Scan() || p.out.Text() != want {
			t.Errorf("%q, want %q", p.out.Text(), want)
		}
	}
	for _, p := range all {
		read(p, "ready access-3")
	}
	for round := range 3 {
		for _, p := range all {
			if _, err := fmt.Fprintln(p.in); err != nil {
				t.Error(err)
			}
		}
		for _, p := range all {
			read(p, fmt.Sprintf("done map[access-%d:25]", 5+2*round))
		}
		if s.renewals != round+1 || s.logins != 1 {
			t.Fatal(s.renewals, "renewals,", s.logins, "logins")
		}
	}
	for _, p := range all {
		_ = p.in.Close()
		if err := p.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// A Runner that begins anew goes on with the token and the registration that are kept, on the same port; what
// cannot be saved is good all the same.
func TestStore(t *testing.T) {
	s := newAuthServer(t)
	kept := store.NewMemory()
	c := oauth.Config{}
	r := newRunner(t, s, c, login.Options{Store: kept, Principal: "alice", Open: browse})
	tok, err := r.Authorize(t.Context(), s.refused(""))
	wantToken(t, tok, err, "access-3")
	r.Close()
	r = newRunner(t, s, c, login.Options{Store: kept, Principal: "alice", Open: browse})
	tok, err = r.Authorize(t.Context(), oauth.Need{})
	wantToken(t, tok, err, "access-3")
	s.mu.Lock()
	s.refresh = ""
	s.mu.Unlock()
	tok, err = r.Authorize(t.Context(), s.refused("access-3")) // another login
	wantToken(t, tok, err, "access-6")
	if n := s.count("POST /register"); n != 1 {
		t.Error(n, "registrations")
	}
	other := newRunner(t, s, c, login.Options{Store: kept, Principal: "bob", Open: browse})
	tok, err = other.Authorize(t.Context(), oauth.Need{})
	wantToken(t, tok, err, "")
	broken := &brokenStore{Store: kept}
	r = newRunner(t, s, c, login.Options{Store: broken, Principal: "carol", Open: browse})
	tok, err = r.Authorize(t.Context(), s.refused(""))
	if err != nil || tok.Access == "" {
		t.Error(err)
	}
	if again, err := r.Authorize(t.Context(), s.refused(tok.Access)); err != nil || again.Access == tok.Access {
		t.Error(err)
	}
	broken.locks = errBroken
	tok, err = r.Authorize(t.Context(), oauth.Need{})
	if _, failed := r.Authorize(t.Context(), s.refused(tok.Access)); err != nil || !errors.Is(failed, errBroken) {
		t.Error(err, failed)
	}
}

// brokenStore saves nothing, and may not be locked.
type brokenStore struct {
	store.Store
	locks error
}

var errBroken = errors.New("the disk is full")

func (*brokenStore) Save(context.Context, string, oauth.Record, store.Version) (store.Version, error) {
	return "", errBroken
}

func (b *brokenStore) Lock(ctx context.Context, key string) (func(), error) {
	if b.locks != nil {
		return nil, b.locks
	}
	return b.Store.Lock(ctx, key)
}
