package bench

import (
	"net/http"
	"sync"
	"sync/atomic"
)

// library is one library under test: a value of it is the adapter. A nil function is
// something that the library does not have in this form.
type library struct {
	name           string
	server         func(serverSpec) (server, error)
	client         func() (client, error)
	holder         func() (holder, error)
	pair           func() (pair, error)
	serverSessions func() (sessions, error)
	clientSessions func() (sessions, error)
	// http makes a handler that serves the tool echo to sessions, and closes it.
	http func() (http.Handler, func(), error)
	// httpClient opens a client of the server at a URL.
	httpClient func(url string) (client, error)
}

// libraries are all of them. To add one, write peer_NAME_test.go and name it here.
var libraries = []library{floorAPI, floorRaw, floorHTTP, sansmcp, sansmcpSSE, gosdk, gosdkJSON, mcpgo, mcpgoStdio, mcpgoMinimal, mcpgoDirectly}

// server is a server with one initialized session.
type server interface {
	// Dispatch hands one raw request to the session and returns the raw response,
	// which is valid until the next call.
	Dispatch(msg []byte) ([]byte, error)
	// Notify hands one raw notification to the session and returns when its handler
	// has run, or when its event is there.
	Notify(msg []byte) error
	Close()
}

// serverSpec says what a server offers: the tools "echo", which answers with its text
// argument, and "sink", which answers "ok", and the resource docURI.
type serverSpec struct {
	tools   int  // offer that many tools named by toolName, not echo and sink
	checked bool // hold the arguments to their schema
}

// client is a client with one initialized session and a trivial server, which answers in
// lines of JSON.
type client interface {
	// Call calls a tool and returns the text of the first content block.
	Call(tool string, args map[string]any) (string, error)
	Close()
}

// holder is a client whose server can withhold its answers.
type holder interface {
	client
	// Hold starts n calls that get no answer until the holder is closed, and returns
	// when all of them are in flight.
	Hold(n int) error
}

// pair is a client and a server, connected in memory and initialized.
type pair interface {
	// Run makes n echo calls with at most inflight of them in flight, and returns when
	// all are answered.
	Run(n, inflight int) error
	Close()
}

// sessions opens idle initialized sessions. What sessions of one server or client share
// is made before the first.
type sessions interface {
	Open() error
	Close()
}

// concurrent runs call n times on inflight goroutines. It serves the pairs of libraries
// whose calls block.
func concurrent(n, inflight int, call func() error) error {
	if inflight == 1 {
		for range n {
			if err := call(); err != nil {
				return err
			}
		}
		return nil
	}
	var (
		wg    sync.WaitGroup
		left  atomic.Int64
		first atomic.Pointer[error]
	)
	left.Store(int64(n))
	for range inflight {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := call(); err != nil {
					first.CompareAndSwap(nil, &err)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := first.Load(); err != nil {
		return *err
	}
	return nil
}
