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
	// Open shows the page to the person; it may return before the person has answered, and ctx ends when
	// the page is no longer valid. An error ends the run. The default prints the url on standard error.
	Open func(ctx context.Context, p oauth.Page) error
	// Detached has Authorize return a *PersonError when a person is needed, instead of opening the page.
	// The answer of the person comes to Returned.
	Detached bool
	// Give returns what a run needs from the application: a signature, or the token that a grant starts
	// from.
	Give func(ctx context.Context, a oauth.Ask) ([]byte, error)
	// Proof returns the DPoP header of a request, signed by the key of the client, if Config.Proof asks
	// for tokens bound to it.
	Proof func(ctx context.Context, p oauth.Proof) (string, error)
	// Store keeps tokens and registrations, so that the next Runner need not ask the person again; nil for
	// none. Runners with the same Store use each refresh token once, in all processes.
	Store store.Store
	// Principal is the owner of the Record in the Store, if a program has several.
	Principal string
	// Transport makes the requests instead of one that checks Call.Reach when it connects, and uses no
	// proxy.
	Transport http.RoundTripper
	// Log gets errors that fail no request, such as a token that could not be saved. It never gets a secret.
	// nil discards all.
	Log *slog.Logger
}

// Errors of a Runner.
var (
	errClosed = lifecycle.Unsent(fmt.Errorf("login: %w", lifecycle.ErrClosed))
	// errState: the answer has another state than the page that a person was sent to, or came twice.
	errState = errors.New("login: the answer belongs to no login that is waited for; begin again")
)

// PersonError says that a person must open a page before the request can be sent.
type PersonError struct {
	Page oauth.Page // the page to open
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
	chosen bool            // Config.Redirect is ours
	held   net.Listener    // at Config.Redirect, for the run that goes there; nil without one
	hc     [3]*http.Client // by Reach
	ctx    context.Context
	end    context.CancelFunc
	runs   sync.WaitGroup
	kept   kept

	mu      sync.Mutex
	changed waits.Change
	f       oauth.Flow
	now     *run      // nil without one
	looked  time.Time // when the Store was asked last whether its login still waits for its person
	closed  bool
}

// kept is what the Runner knows of the Record in its Store. One run at a time uses it.
type kept struct {
	key     string
	version store.Version
	text    string       // of the Record, as it is kept
	pending oauth.Secret // of the Record
	unlock  func()       // nil unless the key is locked
}

// is notes what the Store has.
func (k *kept) is(rec oauth.Record, v store.Version) {
	k.version, k.pending, k.text = v, rec.Pending, string(oauth.AppendRecord(nil, rec))
}

// run is one run of the Flow, on a goroutine of its own. The lock of the Runner is held for all of it.
type run struct {
	need    oauth.Need
	ctx     context.Context // ends when nobody waits for the run any more
	leave   context.CancelFunc
	waiting int
	renewal bool         // its failure is no matter of who waits
	looks   bool         // it is for a login alone that another process has begun
	parked  oauth.Secret // the login that the Store was to have
	shared  bool         // it has it, or had it; else the answer has to come to this process
	away    bool         // the person is, and nobody here asks her
	gone    bool         // another process has the login, and what came of it
	answer  *answer      // of a person, to be taken
	last    error        // of the last request
	done    bool
	err     error // why there is no token
}

// answer is what a person came back with, for the run to take.
type answer struct {
	query string
	done  bool
	err   error
}

// take hands the answer of a person over, and reports whether it was that of the page.
func (r *Runner) take(query string) bool {
	if r.f.Phase() != oauth.Person {
		return false
	}
	r.f = r.f.Returned(time.Now(), random(), query)
	r.changed.Wake()
	return taken(r.f)
}

// taken reports whether what a Flow made of an answer was that of its page.
func taken(f oauth.Flow) bool {
	x := f.Failure()
	return f.Phase() != oauth.Person && (x == nil || x.Reason != oauth.Abandoned)
}

// failure returns why a Flow failed, as an error that is nil if it did not.
func failure(f oauth.Flow) error {
	if x := f.Failure(); x != nil {
		return x
	}
	return nil
}

func random() (r oauth.Random) {
	_, _ = rand.Read(r[:]) // it never fails
	return r
}
