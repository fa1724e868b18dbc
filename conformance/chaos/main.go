// Command chaos starts a store, processes that serve MCP on it, and a proxy that forwards each request to the next of them;
// then clients call tools while processes are killed and suspended, and the command checks that each caller learned
// the outcome of its call:
//
//	go run . -store nats                       # needs only Go
//	go run . -store redis -for 10m -kill 2s    # needs Debian's redis-server
//	go run . -store redis -do figures          # what a call, progress and an idle session cost
//	go run . -store memory -servers 1 -do load # calls a second, without kills
//
// It exits non-zero, and reports the violations, if there are any.
//
// # Calls
//
// Each call has its name in its arguments, its progress, its question and its answer, so that misdirected ones are
// noticed. The kinds: quick; slow, which have progress and become streams; asking, with sampling at the
// client; cut, whose client leaves its stream and resumes it elsewhere; and cancelled.
//
// # Faults of the store
//
// With -fault stop a server of the store is suspended for a while (SIGSTOP). With -fault slow all its traffic
// is delayed. With -fault failover Redis has a replica, which is held back for that time, so that it lacks the
// writes meanwhile, and then replaces the master, which becomes the replica. NATS is then a
// cluster of three, one of which is killed and returns with its data.
//
// # Checks
//
// Everything that callers see is recorded, and compared with the file in which functions record their start (check.go). The ids
// of the events of a stream have no gap, except over a failover, and none is repeated in a session, nor is that of a
// question. A function starts at most once. A call is answered at most once, with its own text, by the process that has run it;
// none of its messages reaches another call or session. Each caller learns the outcome: by an answer, an error, an HTTP error, or as its own
// connection was cut. None waits forever, and none gets an empty response.
//
// The operations of processes on their leases are recorded too, and porcupine decides whether an order of them exists
// in which each lease ends once, not early, and is not renewed after its end (leases.go). A
// store that loses writes loses leases, which are then not checked.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/conformance/tables"
)

type settings struct {
	store, program, before, addr  string
	servers, clients, calls       int
	length, kill, lease, patience time.Duration
	frozen, quick                 float64
	fault, dump                   string
	faultEvery, faultFor          time.Duration
	seed                          uint64
}

func main() {
	var s settings
	flag.StringVar(&s.store, "store", "nats", "memory, redis or nats")
	flag.IntVar(&s.servers, "servers", 3, "how many processes serve")
	flag.IntVar(&s.clients, "clients", 8, "how many sessions there are, each with two calls at a time")
	flag.IntVar(&s.calls, "calls", 0, "end after so many calls")
	flag.DurationVar(&s.length, "for", 20*time.Second, "end after so long")
	flag.DurationVar(&s.kill, "kill", 1500*time.Millisecond, "how often a process is killed or stopped; 0 for never")
	flag.Float64Var(&s.frozen, "frozen", 0.3, "which part of these are stopped for half a lease to three")
	flag.Float64Var(&s.quick, "quick", 0.4, "which part of the calls are quick; the others are slow, asking, cut and cancelled")
	flag.StringVar(&s.fault, "fault", "", "what happens to the store: stop, slow or failover, as below; empty for nothing")
	flag.DurationVar(&s.faultEvery, "fault-every", 15*time.Second, "how long after the end of one the next fault begins")
	flag.DurationVar(&s.faultFor, "fault-for", 5*time.Second, "how long a fault lasts")
	flag.DurationVar(&s.lease, "lease", 3*time.Second, "Options.Lease of the processes")
	flag.DurationVar(&s.patience, "wait", 30*time.Second, "how long a caller waits until it counts as hung")
	flag.StringVar(&s.dump, "dump", "", "a folder for what all processes do when a caller hangs, and what its session is then")
	flag.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "which calls are made, and which processes killed")
	flag.StringVar(&s.program, "program", "", "docs/examples/cluster, to be the processes in place of this program")
	flag.StringVar(&s.before, "before", "", "of -program: be gateways in front of the server that this `command` is")
	flag.StringVar(&s.addr, "addr", "127.0.0.1:0", "where the proxy listens")
	do := flag.String("do", "kill", "kill, load, figures, or serve, which waits for SIGTERM")
	serving := flag.String("serve", "", "be one process that listens here")
	url := flag.String("url", "", "the store of -serve")
	marks := flag.String("marks", "", "the file of marks of -serve")
	var at nodeAt
	flag.StringVar(&at.addr, "node", "", "be a server of NATS that listens here")
	flag.StringVar(&at.dir, "dir", "", "the folder of -node")
	flag.StringVar(&at.advertise, "advertise", "", "where clients reach -node, if not there")
	flag.StringVar(&at.route, "route", "", "where -node takes connections of its cluster")
	flag.StringVar(&at.routes, "routes", "", "where all of its cluster do, with commas")
	flag.Parse()
	var err error
	switch {
	case *serving != "":
		err = serve(*serving, *url, *marks, s.lease)
	case at.addr != "":
		err = node(at)
	default:
		err = s.drive(*do)
	}
	if errors.Is(err, tables.ErrNoRedis) {
		fmt.Println("NOT RUN:", err)
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

// errWrong reports a violation.
var errWrong = errors.New("something did not hold")

func (s *settings) drive(do string) error {
	began := time.Now()
	f, err := s.newFleet()
	if f != nil {
		defer f.close()
	}
	if err != nil {
		return err
	}
	fmt.Printf("%s, %d processes, lease %v, seed %d, begun within %v\n", s.store, s.servers, s.lease, s.seed, time.Since(began).Round(time.Millisecond))
	switch do {
	case "kill":
		return s.chaos(f)
	case "load":
		return s.load(f)
	case "figures":
		return s.figures(f)
	case "serve":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		fmt.Println("listening on", f.proxy.url)
		<-ctx.Done()
		return nil
	}
	return fmt.Errorf("-do is %q: want kill, load, figures or serve", do)
}

func client() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
}

// chaos lets clients call while processes are killed.
func (s *settings) chaos(f *fleet) error {
	b, began := newBook(), time.Now()
	ctx, stop := context.WithTimeout(context.Background(), s.length)
	defer stop()
	var clients, killer sync.WaitGroup
	for i := range s.clients {
		clients.Go(func() { s.client(ctx, f, b, fmt.Sprint("c", i), stop) })
	}
	kills, freezes, faults := 0, 0, 0
	var failed, faulty error
	killer.Go(func() { kills, freezes, failed = s.killing(ctx, f) })
	killer.Go(func() { faults, faulty = s.faulting(ctx, f, b) })
	clients.Wait()
	stop() // of -calls
	killer.Wait()
	if err := errors.Join(failed, faulty); err != nil {
		return err
	}
	took := time.Since(began)
	n := b.calls()
	fmt.Printf("%d calls in %v, %.0f a second, %d kills, %d stops, %d faults of the store\n", n, took.Round(time.Millisecond), float64(n)/took.Seconds(), kills, freezes, faults)
	if err := b.report(f.marks()); err != nil {
		fmt.Print(f.log())
		return err
	}
	return nil
}

// faulting causes faults of the store until ctx ends.
func (s *settings) faulting(ctx context.Context, f *fleet, b *book) (n int, err error) {
	rng := rand.New(rand.NewPCG(s.seed, 2))
	for s.fault != "" && f.place != nil {
		if pause(ctx, s.faultEvery); ctx.Err() != nil {
			break
		}
		began := time.Now()
		if err := f.place.fault(s.fault, rng.Int(), s.faultFor); err != nil {
			return n, err
		}
		if n++; s.fault == "failover" && f.place.loses {
			b.loses(began, time.Now())
		}
	}
	return n, nil
}

// killing kills and suspends processes until ctx ends.
func (s *settings) killing(ctx context.Context, f *fleet) (kills, freezes int, err error) {
	rng := rand.New(rand.NewPCG(s.seed, 1))
	for s.kill > 0 {
		if pause(ctx, s.kill); ctx.Err() != nil {
			break
		}
		i := rng.IntN(s.servers)
		if rng.Float64() < s.frozen {
			err = f.freeze(i, time.Duration((0.5+2.5*rng.Float64())*float64(s.lease)))
			freezes++
		} else {
			err = f.kill(i, time.Duration(rng.IntN(400))*time.Millisecond)
			kills++
		}
		if err != nil {
			return kills, freezes, err
		}
	}
	return kills, freezes, nil
}

// sessionCalls is the number of calls in a session, before its client begins another one.
const sessionCalls = 60

// client is one client: sequential sessions with two calls at a time.
func (s *settings) client(ctx context.Context, f *fleet, b *book, name string, stop func()) {
	h := client()
	var number atomic.Int64
	for k := 0; ctx.Err() == nil; k++ {
		x, err := begin(ctx, f.proxy.url, h)
		if err != nil {
			return
		}
		var both sync.WaitGroup
		for j := range 2 {
			rng := rand.New(rand.NewPCG(s.seed, uint64(len(name))+uint64(k)<<20+uint64(j)<<10))
			both.Go(func() {
				for range sessionCalls / 2 {
					if ctx.Err() != nil || x.gone.Load() {
						return
					}
					id := x.ids.Add(1)
					c := &call{plan: s.plan(rng), s: x, b: b, id: id, name: fmt.Sprintf("%s-%d", name, number.Add(1))}
					c.args.ID, c.why = c.name, func(c *call) { f.why(c, s.dump) }
					c.make(context.WithoutCancel(ctx)) // a begun call is completed
					if s.calls > 0 && b.calls() >= s.calls {
						stop()
					}
				}
			})
		}
		both.Wait()
		x.finish(context.WithoutCancel(ctx))
	}
}

// plan draws a call.
func (s *settings) plan(rng *rand.Rand) plan {
	ms := func(least, most int) int64 { return int64(least + rng.IntN(most-least)) }
	p := plan{over: s.patience}
	if rng.Float64() < s.quick {
		p.kind, p.args = "quick", markArgs{MS: ms(0, 30)}
		return p
	}
	switch rng.IntN(6) {
	case 0, 1:
		p.kind, p.args = "slow", markArgs{MS: ms(200, 900), Steps: ms(2, 8)}
	case 2:
		p.kind, p.args = "asking", markArgs{MS: ms(1, 100), Ask: true}
	case 3, 4:
		p.kind, p.args = "cut", markArgs{MS: ms(300, 900), Steps: ms(4, 8)}
		p.leave = int(ms(1, 4))
	default:
		p.kind, p.args = "cancelled", markArgs{MS: 3000, Steps: 30}
		p.stop = int(ms(1, 4))
	}
	return p
}
