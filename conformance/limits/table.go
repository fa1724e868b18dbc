package limits

import "slices"

// Row is one kind of data kept of the peer.
type Row struct {
	// Name names the row for tests.
	Name string
	// Where is the type that keeps it.
	Where string
	// What describes it.
	What string
	// Settings are the settings that bound it.
	Settings []Setting
	// Formula is the upper bound of live bytes, as Bound computes it.
	Formula string
	// Bound returns the upper bound of live bytes with the settings, without rounding by the
	// allocator.
	Bound func(Settings) int
	// Beyond says what happens beyond the limit.
	Beyond string
	// Fields are the fields that keep it, package.type.field; nil if no type does.
	Fields []string
}

// The cost of an entry in addition to its texts, in bytes.
const (
	inboundCost  = 704 // an entry of the table of calls, including rare parts
	outboundCost = 448 // one of the table of requests
	uriCost      = 256 // one of a set of uris
	causeText    = 4096
	cursorText   = 64 << 10
	retryText    = 4 << 10 // an id that client.Retries wait for
	retryCost    = 256     // it and its request beside the text

	streamTableCost = 512 // a stream that is open, and its place in the tables
)

// Rows returns the table.
func Rows() []Row { return slices.Concat(rows(), transportRows(), manyRows()) }

func rows() []Row {
	return []Row{
		{
			Name: "calls", Where: "server.State, client.State",
			What: "of each call that awaits the application: the id and the way in which the peer wrote it, the progress token, and one of: " +
				"the name of a method outside the table, of a tool whose results are checked, a uri to subscribe to, a level",
			Settings: []Setting{inbound, text}, Formula: "Inbound × (4 × Text + 704)",
			Bound:  func(s Settings) int { return s.Inbound * (4*s.Text + inboundCost) },
			Beyond: "refused with -32603",
			Fields: []string{
				"engine.requests.in", "engine.inbound.id", "engine.inbound.ext", "engine.inboundExt.spelling", "engine.inboundExt.name",
				"engine.inboundExt.subject", "engine.inboundExt.token", "jsonrpc.ID.s",
			},
		},
		{
			Name: "forms", Where: "client.State",
			What:     "the form of each elicitation/create that awaits the application",
			Settings: []Setting{inbound, schema}, Formula: "Inbound × (Schema + 704)",
			Bound:  func(s Settings) int { return s.Inbound * (s.Schema + inboundCost) },
			Beyond: "refused with -32603",
			Fields: []string{"engine.inboundExt.subject"},
		},
		{
			Name: "requests", Where: "server.State, client.State",
			What: "of each request of ours: what its answer is held against, which is an output schema as the server listed it, or a form, or a uri; " +
				"beside it the method and the progress token, if the application chose them",
			Settings: []Setting{outbound, schema, text}, Formula: "Outbound × (the larger of Schema and Text + 448)",
			Bound:  func(s Settings) int { return s.Outbound * (max(s.Schema, s.Text) + outboundCost) },
			Beyond: "ErrLimit for the application",
			Fields: []string{"engine.requests.out", "engine.outbound.ext", "engine.outboundExt.subject"},
		},
		{
			Name: "rounds", Where: "client.State",
			What: "of each request that was answered with questions: the requestState, and the keys of the questions, which count as open requests of the peer; " +
				"beside them its params and the answers, which are the application's",
			Settings: []Setting{outbound, schema, inbound, text}, Formula: "Outbound × Schema + Inbound × Text",
			Bound:  func(s Settings) int { return s.Outbound*s.Schema + s.Inbound*s.Text },
			Beyond: "the request fails with CauseInvalidResponse",
			Fields: []string{"engine.outboundExt.round", "engine.round.state", "engine.round.keys", "engine.round.params", "engine.round.answers"},
		},
		{
			Name: "verdict", Where: "client.State",
			What:     "what a server without sessions said of itself",
			Settings: []Setting{schema}, Formula: "Schema",
			Bound:  func(s Settings) int { return s.Schema },
			Beyond: "not kept: the next connection asks again",
			Fields: []string{"client.features.verdict"},
		},
		{
			Name: "subscriptions", Where: "server.State",
			What:     "the uris that the client has subscribed to",
			Settings: []Setting{subscriptions, text}, Formula: "Subscriptions × (Text + 256)",
			Bound:  func(s Settings) int { return s.Subscriptions * (s.Text + uriCost) },
			Beyond: "refused with -32603",
			Fields: []string{"server.State.feat", "server.features.subs", "engine.URIs.t"},
		},
		{
			Name: "remembered", Where: "client.State",
			What:     "the uris that the server has agreed to report changes of",
			Settings: []Setting{subscriptions, text}, Formula: "Subscriptions × (Text + 256)",
			Bound:  func(s Settings) int { return s.Subscriptions * (s.Text + uriCost) },
			Beyond: "not remembered",
			Fields: []string{"client.State.feat", "client.features.subs", "engine.URIs.t"},
		},
		{
			Name: "announced", Where: "server.State, client.State",
			What:     "the ids of elicitations by a page that have not ended: on the client those that the server named, in requests and in errors",
			Settings: []Setting{subscriptions, text}, Formula: "Subscriptions × (Text + 256)",
			Bound:  func(s Settings) int { return s.Subscriptions * (s.Text + uriCost) },
			Beyond: "not remembered, so that their end is not told",
			Fields: []string{"engine.rare.ends", "engine.URIs.t"},
		},
		{
			Name: "peer", Where: "server.State, client.State",
			What:     "clientInfo or serverInfo as JSON, where one byte may take six: name, version, title, description, websiteUrl, icons; the log level",
			Settings: []Setting{text}, Formula: "31 × Text + 512",
			Bound:  func(s Settings) int { return 31*s.Text + 512 },
			Beyond: "texts are cut; icons that are longer together are left out",
			Fields: []string{
				"engine.session.prof", "engine.inboundExt.profile", "engine.outboundExt.profile", "engine.Profile.peer",
			},
		},
		{
			Name: "cause", Where: "server.State, client.State",
			What:    "why the session ended, where the peer said why: a reason, or message and data of an error",
			Formula: "3 × 4096 + 256",
			Bound:   func(Settings) int { return 3*causeText + 256 },
			Beyond:  "reason and message are cut, larger data are left out",
			Fields: []string{
				"engine.rare.cause", "lifecycle.Cause.Reason", "lifecycle.Cause.RPC", "jsonrpc.Error.Message", "jsonrpc.Error.Data",
			},
		},
		{
			Name: "roots", Where: "server.Roots",
			What:     "the roots of the client: uri, name and _meta",
			Settings: []Setting{roots, rootBytes}, Formula: "2 × MaxBytes",
			Bound:  func(s Settings) int { return 2 * s.RootBytes },
			Beyond: "left out and reported as ErrRoots",
			Fields: []string{"server.Roots.list", "protocol.Root.URI", "protocol.Root.Name", "protocol.Root.Meta"},
		},
		{
			Name: "streams", Where: "streams.Streams",
			What: "messages to the client: those that wait to be written, and those that are kept for connections that come back; " +
				"beside them a stream for each call that is open and each GET",
			Settings: []Setting{streamBytes, streamAnswers, listeners, inbound},
			Formula:  "MaxBytes + MaxAnswers + 512 × (MaxListeners + Inbound), and the longest message",
			Bound: func(s Settings) int {
				return s.StreamBytes + s.StreamAnswers + streamTableCost*(s.Listeners+s.Inbound)
			},
			Beyond: "the oldest are given up, what was written first and answers last: the connection reads Dropped, to resume is ErrDropped",
			Fields: []string{
				"streams.Streams.b", "streams.body.streams", "streams.stream.events", "streams.event.data", "streams.body.calls",
				"streams.body.listen", "streams.body.victims", "streams.body.answers",
			},
		},
		{
			Name: "pager", Where: "client.Pager",
			What:     "the last cursor, and hashes of the others",
			Settings: []Setting{pages}, Formula: "64 Ki + 256 × MaxPages",
			Bound:  func(s Settings) int { return cursorText + 256*s.Pages },
			Beyond: "the listing ends with ErrLimit",
			Fields: []string{"client.Pager.cursor", "client.Pager.seen"},
		},
		{
			Name: "retries", Where: "client.Retries",
			What:     "of each request that has to wait for pages: its handle and the ids of the pages",
			Settings: []Setting{pageIDs}, Formula: "MaxIDs × (4096 + 256)",
			Bound:  func(s Settings) int { return s.IDs * (retryText + retryCost) },
			Beyond: "not remembered",
			Fields: []string{"client.Retries.waiting", "client.retry.ids"},
		},
		{
			Name: "framer", Where: "jsonrpc.Framer",
			What:     "the unfinished line, beside what was pushed and not fetched",
			Settings: []Setting{message}, Formula: "5/4 × (MaxBytes + the largest chunk pushed)",
			Bound:  func(s Settings) int { return 5 * (s.Message + chunk) / 4 },
			Beyond: "skipped; one message with FaultSize",
			Fields: []string{"jsonrpc.Framer.buf"},
		},
		{
			Name: "message", Where: "jsonrpc.Message",
			What:     "the text, shared by all of the message; of strings with escapes a copy; the elements of a batch",
			Settings: []Setting{message, elements}, Formula: "2 × MaxBytes + 256 × MaxBatch",
			Bound:  func(s Settings) int { return 2*s.Message + 256*s.Elements },
			Beyond: "invalid: FaultSize, FaultBatch",
			Fields: []string{
				"jsonrpc.Message.ID", "jsonrpc.Message.Method", "jsonrpc.Message.Body", "jsonrpc.Message.Err", "jsonrpc.Message.ext",
				"jsonrpc.ext.id", "jsonrpc.ext.spelling", "jsonrpc.ext.batch",
			},
		},
		{
			Name: "answers", Where: "lifecycle.Output",
			What:     "of the request that is answered at once: the id and the way in which the peer wrote it, and the uri or revision that an error names",
			Settings: []Setting{text}, Formula: "3 × Text + 1024 for each answer to an id within Text",
			Bound:  func(s Settings) int { return 3*s.Text + 1024 },
			Beyond: "a longer id, or revision asked for, is answered all the same: who queues answers bounds the queue",
		},
		{
			Name: "snapshot", Where: "State.Snapshot",
			What:     "the texts of the State as JSON, where one byte may take six",
			Settings: []Setting{inbound, outbound, subscriptions, text, schema}, Formula: "8 × what the State keeps",
			Bound: func(s Settings) int {
				return 8 * (s.Inbound*(4*s.Text+s.Schema+inboundCost) + s.Outbound*(max(s.Schema, s.Text)+outboundCost) +
					2*s.Subscriptions*(s.Text+uriCost) + 31*s.Text + 3*causeText)
			},
			Beyond: "Restore refuses what is longer than lifecycle.MaxSnapshot, 256 MiB",
		},
	}
}

// chunk is the largest chunk that the tests push into a Framer.
const chunk = 32 << 10
