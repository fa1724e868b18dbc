package login

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/store"
	"github.com/sansmcp/mcp/lifecycle"
)

// Options are the settings of a Runner.
type Options struct {
	// Open shows the page to the person. It may return before the person has finished; ctx ends when the
	// page is no longer needed. An error ends the run. The default prints the url on standard error.
	Open func(ctx context.Context, p oauth.Page) error
	// Detached makes Authorize return a *PersonError if a person is needed, instead of opening the page.
	// Pass the person's answer to Returned.
	Detached bool
	// Give returns what a run needs from the application: a signature, or the token that a grant begins
	// with.
	Give func(ctx context.Context, a oauth.Ask) ([]byte, error)
	// Proof returns the DPoP header of a request, signed by the key of the client. Config.Proof requires
	// it.
	Proof func(ctx context.Context, p oauth.Proof) (string, error)
	// Store keeps the Record, so that a later Runner need not ask the person again; nil keeps nothing.
	// Runners with one Store, in any processes, use each refresh token once.
	Store store.Store
	// Principal identifies the Record in a Store with several principals.
	Principal string
	// Transport sends the requests. The default checks HTTPRequest.Reach when it connects, and uses no
	// proxy; a Transport set here must do so itself.
	Transport http.RoundTripper
	// Log gets problems that fail no request, such as a token that could not be saved. It never gets a
	// secret. nil discards all.
	Log *slog.Logger
}

// Errors of a Runner.
var (
	errClosed = lifecycle.Unsent(fmt.Errorf("login: %w", lifecycle.ErrClosed))
	// errState: the answer has another state than the person's page, or is a second answer.
	errState = errors.New("login: no login waits for this answer; begin again")
)

// PersonError reports that a person must open a page before the request can be sent.
type PersonError struct {
	Page oauth.Page // to open
}

// Error implements error.
func (e *PersonError) Error() string {
	at, _, _ := strings.Cut(e.Page.URL, "?")
	return "login: a person has to log in at " + at
}

// Runner logs one principal in at one server.
type Runner struct {
	opt    Options
	config oauth.Config
	at     string
	chosen bool            // New chose Config.Redirect
	held   net.Listener    // at Config.Redirect, for a run that uses it; nil if none
	hc     [3]*http.Client // by Reach
	ctx    context.Context
	end    context.CancelFunc
	runs   sync.WaitGroup
	kept   kept

	mu      sync.Mutex
	changed waits.Change
	f       oauth.Flow
	now     *run      // nil if none
	looked  time.Time // when the Store was last checked for the run's login
	closed  bool
}

// kept is the Runner's knowledge of the Record in its Store. Only the current run uses it.
type kept struct {
	key     string
	version store.Version
	text    string       // of the Record, as stored
	pending oauth.Secret // of the Record
	unlock  func()       // nil unless the key is locked
}

// is records the content of the Store.
func (k *kept) is(rec oauth.Record, v store.Version) {
	k.version, k.pending, k.text = v, rec.Pending, string(oauth.AppendRecord(nil, rec))
}

// run is one run of the Flow, on its own goroutine. The lock of the Runner guards all fields.
type run struct {
	need    oauth.Need
	ctx     context.Context // ends when no caller waits for the run
	leave   context.CancelFunc
	waiting int
	renewal bool         // callers ignore its failure
	looks   bool         // only checks for a login that another process has begun
	parked  oauth.Secret // the login saved in the Store
	shared  bool         // the Store has it, or had it; otherwise only this process can handle the answer
	away    bool         // it waits for a person, Detached
	gone    bool         // another process has claimed the login, and its result
	answer  *answer      // of a person, not yet handled
	last    error        // of the last request
	done    bool
	err     error // why it has no token
}

// answer is a person's answer, for the run to handle.
type answer struct {
	query string
	done  bool
	err   error
}

// take passes a person's answer to the Flow, and reports whether it was the answer to its page.
func (r *Runner) take(query string) bool {
	if r.f.Phase() != oauth.Person {
		return false
	}
	r.f = r.f.Returned(time.Now(), random(), query)
	r.changed.Wake()
	return taken(r.f)
}

// taken reports whether a Flow has accepted an answer.
func taken(f oauth.Flow) bool {
	x := f.Failure()
	return f.Phase() != oauth.Person && (x == nil || x.Reason != oauth.Abandoned)
}

// failure returns why a Flow failed; nil if it did not.
func failure(f oauth.Flow) error {
	if x := f.Failure(); x != nil {
		return x
	}
	return nil
}

func random() (r oauth.Random) {
	_, _ = rand.Read(r[:]) // never fails
	return r
}
