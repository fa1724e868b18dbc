package bench

import (
	"net/http"
	"sync"
	"sync/atomic"
)

// library is an adapter of one library under test. A nil function is
// something that the library does not have in this form.
type library struct {
	name           string
	server         func(serverSpec) (server, error)
	client         func() (client, error)
	holder         func() (holder, error)
	pair           func() (pair, error)
	serverSessions func() (opener, error)
	clientSessions func() (opener, error)
	// http makes a handler that serves the tool echo to sessions, and closes it.
	http func() (http.Handler, func(), error)
	// httpClient opens a client of the server at a URL.
	httpClient func(url string) (client, error)
	// relay makes what passes a message on.
	relay func(passed) (pass, error)
}

// libraries are all of them. To add one, write peer_NAME_test.go and name it here.
var libraries = []library{floorAPI, floorHTTP, floorRelay, sansmcp, sansmcpSSE, gosdk, gosdkJSON, mcpgo, mcpgoStdio, mcpgoMinimal, mcpgoDirectly}

// server is a server with one initialized session.
type server interface {
	// Dispatch passes one raw request to the session and returns the raw response,
	// which is valid until the next call.
	Dispatch(msg []byte) ([]byte, error)
	// Notify passes one raw notification to the session and returns when its handler
	// has run, or its event exists.
	Notify(msg []byte) error
	Close()
}

// serverSpec says what a server offers: the tools "echo", which answers with its text
// argument, and "sink", which answers "ok", and the resource docURI.
type serverSpec struct {
	tools     int  // offer so many tools named by toolName, not echo and sink
	checked   bool // check the arguments against their schema
	stateless bool // also serve requests without a session
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

// opener opens another idle initialized session, and returns its close function, if any.
// Shared parts of sessions are made before the first.
type opener func() (session any, close func(), err error)

// stepper is a client that is stepped message by message.
type stepper interface {
	// request returns the line of a call. Arguments are Go values, as for the others.
	request(tool string, args map[string]any) ([]byte, error)
	// answer handles a response and returns its text.
	answer(msg []byte) (string, error)
}

// stepClient is a stepper with its trivial server.
type stepClient struct {
	stepper
	resp responder
}

func stepping(s stepper) *stepClient { return &stepClient{s, responder{to: newChunks(1024)}} }

func (p *stepClient) Call(tool string, args map[string]any) (string, error) {
	line, err := p.request(tool, args)
	if err != nil {
		return "", err
	}
	if _, err := p.resp.Write(line); err != nil {
		return "", err
	}
	msg, err := p.resp.to.take()
	if err != nil {
		return "", err
	}
	return p.answer(msg)
}

func (p *stepClient) Hold(n int) error {
	for range n {
		if _, err := p.request("echo", echoArgs); err != nil {
			return err
		}
	}
	return nil
}

func (p *stepClient) Close() {}

// stepPair runs a client and a server in one loop.
type stepPair struct {
	client stepper
	server server
	lines  [][]byte
}

func (p *stepPair) Run(n, inflight int) error {
	for n > 0 {
		k := min(n, inflight)
		n -= k
		p.lines = p.lines[:0]
		for range k {
			line, err := p.client.request("echo", echoArgs)
			if err != nil {
				return err
			}
			p.lines = append(p.lines, line)
		}
		for _, line := range p.lines {
			resp, err := p.server.Dispatch(line)
			if err != nil {
				return err
			}
			if err := expectEcho(p.client.answer(resp)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *stepPair) Close() {}

// concurrent runs call n times on inflight goroutines, for the pairs of libraries
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
