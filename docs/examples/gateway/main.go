// Command gateway is an MCP server in front of the servers of a configuration file, as clients
// have them (package config says which files are understood):
//
//	gateway [flags] CONFIG
//	go run ./docs/examples/gateway mcp.json                       # over standard input and output
//	go run ./docs/examples/gateway -http 127.0.0.1:8080 mcp.json  # over HTTP, at /mcp
//
// Its client sees the tools, resources and prompts of all servers. Each session has its own
// connections to all servers, so that sampling, elicitation and progress reach the right client. A
// server that fails does not affect the others; it is started again, and its tools come back.
//
// Commands have the environment of this process, with the env of their entry on top: a variable that
// is set for the header of one server is visible to the commands of all. A command without a slash
// is first searched in the PATH of its own env.
//
// Filters of tools and switches of servers apply as in each client's files. A restriction that is not
// understood, or a mistake in an entry, leaves that server out: the others start all the same, unless
// -strict is set. ${input:id} is the value of -input or, with -http, from the user at the terminal.
//
// Clients and servers may use revisions with sessions, and 2026-07-28 without, in any mixture. Clients without
// sessions share servers over HTTP. With -eras=sessions no server is asked which revisions it has.
//
// A session over HTTP whose client has left stops its servers after -rest, and starts them again at
// its next request. A server that is silent is pinged after -health. What servers write on standard
// error is written to that of the gateway, with their name before each line.
//
// With -login people log in at servers that require it, separately for each user of -users: log and status name the
// page to open. At servers of -exchange no one logs in: an issuer exchanges the users' own tokens.
//
// The file is read again when it has changed, and on SIGHUP: servers with the same definition keep
// their connections, and clients are notified of changed lists. GET /status, as JSON with
// ?format=json, SIGUSR1 and -status show the condition of the servers. SIGTERM, SIGINT and the end of
// input end the program, and everything that it has started; a second signal ends it at once.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/docs/examples/gateway/config"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server/nethttp"
)

// settings are the flags and arguments of the command line.
type settings struct {
	file     string
	addr     string         // "" for standard input and output
	sse      bool           // also HTTP+SSE of 2024-11-05
	eras     string         // of revisions, with clients and servers
	named    named          // names of tools and prompts
	form     naming.Profile // of qualified names
	uris     naming.Qualify // names of resources
	away     naming.Loss    // what to do with the lists of a server that is unavailable
	settle   time.Duration  // how long lists wait for servers that start; 0: the default
	check    time.Duration  // how often the file is checked; 0: never
	status   time.Duration  // how often the status is printed; 0: only on SIGUSR1
	idle     time.Duration  // how long a session over HTTP lives without its client
	sessions int            // over HTTP
	drain    time.Duration  // how long calls may run at the end
	health   time.Duration  // how long a server may be silent before it is pinged; 0: the default
	rest     time.Duration  // how long a session over HTTP without its client keeps its servers; 0: until it ends
	message  int            // the longest message of a server, in bytes
	body     int            // the longest message of a client over HTTP, in bytes
	dialect  string         // of the file; "" to find it out
	inputs   inputs         // values of ${input:id}
	userFile string         // who may use the gateway over HTTP; "" for anyone
	login    string         // the url of the pages on which people log in at servers; "" for none
	tokens   string         // the folder in which tokens are kept; "" for memory
	forUser  string         // the file of servers whose tokens are exchanged for those of users; "" for none
	strict   bool           // an entry that is refused prevents the start
	quiet    bool
}

// named has the flags for names of tools and prompts.
type named struct {
	names    naming.Qualify
	conflict naming.Conflict
}

// policy returns the naming policy of the flags.
func (s *settings) policy() naming.Policy {
	return naming.Policy{
		Form: naming.Form{Profile: s.form}, Names: s.named.names, URIs: s.uris, OnConflict: s.named.conflict, OnLoss: s.away,
	}
}

func main() {
	s, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "gateway:", err)
		os.Exit(2)
	}
	ctx, stop := untilSignal()
	defer stop()
	p := &program{settings: s, in: os.Stdin, out: os.Stdout, log: newLossy(os.Stderr), reload: reloadSignal(), show: showSignal()}
	if s.addr != "" { // otherwise standard input is the client's
		p.ask = askTerminal
	}
	err = p.run(ctx)
	p.log.Close()
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintln(os.Stderr, "gateway:", strings.TrimSuffix(line, "\n"))
		}
		os.Exit(1)
	}
}

// choice is a flag with one of several words.
type choice[T comparable] struct {
	to     *T
	words  []string
	values []T // of the words
}

// String implements flag.Value.
func (c choice[T]) String() string {
	if c.to == nil {
		return ""
	}
	return c.words[max(slices.Index(c.values, *c.to), 0)]
}

// Set implements flag.Value.
func (c choice[T]) Set(word string) error {
	i := slices.Index(c.words, word)
	if i < 0 {
		return fmt.Errorf("want one of %s", strings.Join(c.words, ", "))
	}
	*c.to = c.values[i]
	return nil
}

// leastBytes is enough for every handshake.
const leastBytes = 64 << 10

// parse parses the command line.
func parse(args []string, out io.Writer) (s settings, err error) {
	f := flag.NewFlagSet("gateway", flag.ContinueOnError)
	f.SetOutput(out)
	f.Usage = func() {
		fmt.Fprintln(out, "usage: gateway [flags] CONFIG")
		f.PrintDefaults()
	}
	f.StringVar(&s.addr, "http", "", "serve over HTTP at this `address`, such as 127.0.0.1:8080, instead of standard input and output")
	f.BoolVar(&s.sse, "sse", false, "serve HTTP+SSE of 2024-11-05 as well")
	f.Var(choice[string]{&s.eras, []string{"both", "sessions"}, []string{"", "sessions"}}, "eras",
		"`which` revisions to support, with clients and with servers: both (with sessions, and 2026-07-28 without) or sessions. both probes each server first, which delays a server that does not answer the probe by 5s")
	f.Var(choice[named]{&s.named, []string{"auto", "plain", "plain-hidden", "qualified"},
		[]named{{naming.Auto, 0}, {naming.Plain, naming.Qualified}, {naming.Plain, naming.Hidden}, {naming.Always, 0}}}, "names",
		"`how` to name tools and prompts: auto (qualified if there is more than one server), plain (the second with the same name is qualified), plain-hidden (the second is hidden) or qualified")
	f.Var(choice[naming.Profile]{&s.form, []string{"dotted", "provider"}, []naming.Profile{naming.Dotted, naming.Provider}}, "form",
		"`form` of qualified names: dotted (mcp.server.tool) or provider (mcp__server__tool, 64 characters)")
	f.Var(choice[naming.Qualify]{&s.uris, []string{"plain", "qualified"}, []naming.Qualify{naming.Auto, naming.Always}}, "uris",
		"`how` to name resources: plain or qualified (server+uri)")
	f.Var(choice[naming.Loss]{&s.away, []string{"hide", "keep"}, []naming.Loss{naming.Hide, naming.Keep}}, "away",
		"`what` to do with the lists of a disconnected server: hide or keep")
	f.DurationVar(&s.settle, "settle", 0, "how long the first list waits for starting servers, except those that hung before; 0 for 5s. Later ones are announced by list_changed")
	f.DurationVar(&s.check, "check", 2*time.Second, "how often to look whether the file has changed; 0 for never")
	f.DurationVar(&s.status, "status", 0, "how often to print the status to standard error; 0 for only on SIGUSR1")
	f.DurationVar(&s.idle, "idle", 30*time.Minute, "how long a session over HTTP lives without messages of its client")
	f.DurationVar(&s.health, "health", 10*time.Second, "how long a server may be silent before it is pinged; after two missed pings it is restarted")
	f.DurationVar(&s.rest, "rest", gateway.DefaultRestAfter, "how long a session over HTTP without connections and calls keeps its servers; the next request starts them again; 0 for until it ends")
	f.IntVar(&s.message, "max-message", jsonrpc.DefaultMaxBytes, "limit in `bytes` of a message of a server")
	f.IntVar(&s.body, "max-body", nethttp.DefaultMaxBody, "limit in `bytes` of a message of a client over HTTP")
	f.StringVar(&s.dialect, "dialect", "", "the `client` whose format the file has, if the file does not show it: "+strings.Join(config.Dialects(), ", "))
	f.Var(&s.inputs, "input", "`id=value` of ${input:id}; may be repeated. Without it the gateway asks on the terminal, with -http")
	f.StringVar(&s.userFile, "users", "", "the `file` of users of the gateway over HTTP, with a line \"NAME SECRET\" for each: clients send the secret as a Bearer token. For -exchange the third word is the file of the user's own token")
	f.StringVar(&s.login, "login", "", "log in at servers that require it, on pages at this `url`, such as http://127.0.0.1:8080/login. Status and log name the page to open")
	f.StringVar(&s.tokens, "tokens", "", "the `folder` for the tokens of -login; without it they are kept in memory")
	f.StringVar(&s.forUser, "exchange", "", "the `file` of servers without a login page, with a line \"SERVER ISSUER CLIENT SECRET\" for each: the issuer exchanges the user's own token for a token of the server (RFC 8693)")
	f.BoolVar(&s.strict, "strict", false, "do not start with a faulty entry in the file; without it only that entry is skipped")
	f.IntVar(&s.sessions, "sessions", 100, "limit of sessions over HTTP")
	f.DurationVar(&s.drain, "drain", 1500*time.Millisecond, "how long calls may run at the end")
	f.BoolVar(&s.quiet, "quiet", false, "log only errors")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return s, err
		}
		return s, errors.New("bad flags")
	}
	switch {
	case f.NArg() != 1:
		f.Usage()
		return s, errors.New("want one configuration file")
	case s.settle < 0 || s.check < 0 || s.status < 0 || s.drain < 0 || s.rest < 0 || s.health < 0 || s.idle <= 0 || s.sessions <= 0:
		return s, errors.New("a time or number is too small")
	case s.message < leastBytes || s.body < leastBytes:
		return s, fmt.Errorf("-max-message and -max-body: want at least %d", leastBytes)
	case s.dialect != "" && !slices.Contains(config.Dialects(), s.dialect):
		return s, fmt.Errorf("-dialect: want one of %s", strings.Join(config.Dialects(), ", "))
	}
	s.file = f.Arg(0)
	return s, s.checkLogin()
}
