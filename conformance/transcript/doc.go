// Package transcript runs scripted sessions: text files of what the peer sends, the expected
// messages and events, the passing of time and the acts of the application.
// They are readable, -update rewrites the expected lines, and every one of
// them also runs with a snapshot and a restore after each step.
//
// # The form of a file
//
// A head of lines that begin with #, then the script:
//
//	# What this shows, in a sentence or two.
//	# rows: LIFE-005 LIFE-012
//	# role: server
//	# config: tools logging
//
//	> {"jsonrpc":"2.0","id":1,"method":"ping"}
//	< {"jsonrpc":"2.0","id":1,"result":{}}
//	@ +10s
//	app request sampling/createMessage {"messages":[],"maxTokens":1} timeout=5s
//	= ErrPhase
//
// A line that begins with > comes from the peer, byte for byte; "> quoted" is followed by a Go
// string, for bytes that a line of text cannot hold, and "> message" by a Go string that is one
// message without a line. @ lets time pass: +duration, or next for the next deadline. app is
// an act of the application, with wire ids naming requests. After each of these follow all effects,
// in this order and byte for byte: the messages sent (<), the events (!), an error of the
// application's verb (=), the close action (close) and, if the phase has changed,
// the new one (phase).
//
// Random sessions and misuse need more forms. clock sets the time without a tick: to
// a duration since the start, +duration since the last step, or zero. In addition to its wire id a
// request has a number: #SEQ/KEY is a call, #SEQ a request of ours; zero is the zero handle,
// none one that no State made. Params and results are JSON, "quoted" and a Go string, or nil.
// A cause is absent, nil, or a text. Words with spaces are Go strings. These lines
// show the other forms:
//
//	app request tools/call {"name":"t"} replaces=2 schema={"type":"object"} timeout=none
//	app progress 2 {"progressToken":0,"progress":0} progress=NaN
//	app fail 2 code=1 data="{"
//	app finish 2 error {"code":1,"message":"m"}
//	app responselost 2 nil
//	app catalog tool={"name":"t","inputSchema":{"type":"object"}} prompt=none
//	app roots file:///a {"uri":"file:///b","name":"b"}
//	app restore
//	app newsession
//
// app restore continues with the restored snapshot, "app restore head" and options
// with the Config of the head plus these, and app newsession with a new session of the
// Config.
//
// A [Recorder] writes the file of a running session.
//
// The head has rows (the requirement rows that the file proves), role, config (see
// the functions Server and Client), start (fresh, the default, or ready: after a
// handshake that is not shown), peer (the capabilities of the peer in that handshake),
// wire, revisions and not at.
//
// # The form for HTTP
//
// The head line "# transport: http" makes a file one about Streamable HTTP. Lines about the
// application, the clock, events and phases have the forms above.
//
// If the machine is a server, the peer is an HTTP client. Its acts are lines like
// these:
//
//	POST > {"jsonrpc":"2.0","id":1,"method":"ping"}
//	POST session=none version=1999-01-01 accept=*/* type=text/plain origin=null host=evil.example auth=none > BODY
//	GET
//	GET last=2-1
//	GET slow
//	DELETE
//	cut stream 2
//	read stream 2
//
// A request has the headers of a correct client: the session id and the version
// of the session last used, the types that it accepts, the type of its body,
// and a token if the site requires one. Words change this. The value none omits a
// header, and a repeated word sends its header twice. session=2 is the session
// that began second; any other text is a literal id. A body is written like a line
// of the peer, including quoted and repeat. cut breaks the connection that reads a stream. A
// slow peer reads only on a read line.
//
// After each of these follow the answer to the request, and then the events on
// connections, in the order in which they were opened:
//
//	status 200 stream 2
//	header Mcp-Session-Id ${session 1}
//	json < {"jsonrpc":"2.0","id":1,"result":{}}
//	[stream 2] id=2-1 retry=1s prime
//	[stream 2] id=2-2 < {"jsonrpc":"2.0","method":"notifications/progress","params":{}}
//	[stream 2] retry=500ms
//	[stream 2] end
//
// status says what the body is: json, the stream of a number, or nothing. Only headers that
// a client acts on are shown; ${session 1} is the id of the first session. An
// event with an id and without data is prime; it is not expected in a revision without
// priming. end is the end of the answer, for any reason.
//
// The head line "# http:" configures the site, as in "# http: keep=1m origins=https://app.example";
// [Site] has the words. The application has two more verbs: "app hangup 500ms" closes the
// connection of the newest call and keeps its stream, and "app shutdown 1s" ends the site.
//
// If the machine is a client, the peer is an HTTP server. The exchanges of the client
// are numbered from 1. The acts of the server are lines like these, where closed is the end of
// an answer, or of a connection without one:
//
//	[1] status 200 json session=s1
//	[1] json > {"jsonrpc":"2.0","id":1,"result":{}}
//	[2] status 401 auth="Bearer scope=\"a\""
//	[3] status 200 sse
//	[3] id=2-1 retry=500ms prime
//	[3] id=2-2 event=message > {"jsonrpc":"2.0","id":2,"result":{}}
//	[3] closed
//
// The outcome of the exchanges precedes the events and phases of a step:
//
//	[3] POST session=s1 version=2025-06-18 < {"jsonrpc":"2.0","id":2,"method":"ping"}
//	[3] resume in 1s
//	[3] GET session=s1 version=2025-06-18 last=2-1
//	[3] done
//	[3] lost: session gone 404
//
// Only headers of a request that vary are shown, or all with the
// word exact in the head line http. The application has two more verbs here too: "app
// listen" opens the GET stream, and "app again 3" repeats a request that was answered
// 401 or 403.
//
// Such a file runs against the combined pure machines: protocol/headers, server.State
// and server/streams, or client.State and client/exchange.
//
// # Revisions
//
// A file runs in every revision of the library unless its head narrows that. In a newly
// supported revision the files run too, with the same expected lines;
// ${revision} in a line stands for the revision. The head line
//
//	# revisions: 2025-06-18..
//
// is for files about certain revisions; the function Revisions has the forms.
// A file that cannot run in a revision in which all its rows hold says why,
//
//	# not at 2024-11-05: the form that is sent is of a later revision
//
// and a test in package coverage checks that every other file runs in all of them.
//
// # Revisions without a session
//
// A file whose head names one, as in
//
//	# revisions: all 2026-07-28
//
// also runs there, with the same expected lines: [verbs.Envelope] adds to the peer's
// messages what the revision requires, with the capabilities of the line peer, and removes from the
// machine's what the revision adds, which must be present. There is no handshake: a
// client that starts ready has sent server/discover, with the id 1. Ping stands for
// server/discover.
//
// A file of such revisions with the head line "# bare" shows its messages unchanged, with these
// additions, and app initialize is Connect. It runs only in memory.
//
// # Files marked wire
//
// A server file with the head line "# wire" needs only a stream of bytes: its
// inputs are all lines of the peer, and its application is package fixture, which answers
// by fixed rules. In memory [File.Run] answers with it; [File.Over] runs the file over a
// real transport, which must return exactly the lines that begin with <;
// events and phases are not visible. At least half of the server files have this line.
//
// To run them against a transport of your own, write a server program that reads the
// options of [Server] from its command line and serves one session of
//
//	cfg, err := transcript.Server(os.Args[1:])
//	s, err := server.New(cfg, time.Now())
//	handlers := fixture.Handlers()
//
// and a test that opens a connection to it for each run:
//
//	files, err := transcript.All()
//	for _, f := range files {
//		for _, r := range f.Revisions {
//			if f.Wire {
//				err := f.Over(dial(f.Options(r)), r)
//			}
//		}
//	}
//
// A server file in HTTP form with the line wire has Socket set instead. It needs a
// server of Streamable HTTP configured as its Site, with the application
// fixture.Handlers, or fixture.Watched for those that hang up:
//
//	for _, f := range files {
//		for _, r := range f.Revisions {
//			if f.Socket && !f.Waits() {
//				err := f.OverHTTP(transcript.Endpoint{URL: url, Transport: http.DefaultTransport}, r)
//			}
//		}
//	}
//
// A file that lets time pass takes that time over a socket, and none in a bubble of
// testing/synctest. TestOverHTTP does both, over server/nethttp.
//
// The test of package server/stdio plays the other files, over pipes in one process and over the standard
// input and output of another.
package transcript
