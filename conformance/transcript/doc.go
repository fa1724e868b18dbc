// Package transcript runs scripted sessions: text files of what the peer sends, what
// has to go out, which events are reported, how time passes and what the application
// does. A person can read them, -update rewrites what is expected, and every one of
// them is also run with a snapshot and a restore after each step.
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
// A line that begins with > comes from the peer, byte for byte; "> quoted" takes a Go
// string, for what a line of text cannot hold, and "> message" a Go string that is one
// message without a line. @ lets time pass: +duration, or next for the next deadline. app is
// what the application does, with wire ids naming requests. After each of these stand the lines that go out (<), the events (!), an error of the
// application's verb (=), the close action (close) and, where the phase has changed,
// the new one (phase), all of them, in this order and byte for byte.
//
// What random sessions and misuse need is there too. clock sets the time without a tick: to
// a duration since the start, +duration since the last step, or zero. Besides its wire id a
// request has a number: #SEQ/KEY is a call, #SEQ a request of ours; zero is the zero handle,
// none one that no State made. Params and results are JSON, "quoted" and a Go string, or nil.
// A cause is left out, nil, or a text. Words with spaces in them are Go strings. These lines
// say the rest:
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
// app restore goes on with what a snapshot comes back as, "app restore head" and options
// under the Config of the head with these, and app newsession with a new session of the
// Config.
//
// A [Recorder] writes the file of a session while it happens.
//
// The head knows rows (the requirement rows that the file proves), role, config (see
// the functions Server and Client), start (fresh, the default, or ready: after a
// handshake that is not shown), peer (the capabilities that the peer declares then),
// wire, revisions and not at.
//
// # The form for HTTP
//
// The head line "# transport: http" makes a file one about Streamable HTTP. Lines about the
// application, the clock, events and phases are as above.
//
// Where the machine is a server, the peer is a client of HTTP. What it does are lines like
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
// A request has the headers of a client that makes no mistake: the session id and the version
// of the session that was spoken of last, the types that it accepts, the type of its body,
// and a token if the site wants one. Words say what is otherwise. The value none leaves a
// header out, and a word that is there twice sends its header twice. session=2 is the session
// that began as the second; any other text is an id as it stands. A body is written as a line
// of the peer is, quoted and repeat included. cut loses the connection that reads a stream. A
// peer that is slow reads only when read tells it to.
//
// After each of these stands what the request is answered, and then what comes on
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
// status says what the body is: json, the stream of a number, or nothing. Of the headers
// only those that a client acts on are shown; ${session 1} is the id of the first session. An
// event with an id and without data is prime; where the revision has no priming, nobody
// expects it. end is the end of the answer, whatever the reason.
//
// The head line "# http:" sets the site up, as in "# http: keep=1m origins=https://app.example";
// [Site] has the words. The application has two verbs more: "app hangup 500ms" closes the
// connection of the newest call and keeps its stream, and "app shutdown 1s" ends the site.
//
// Where the machine is a client, the peer is a server of HTTP. The exchanges of the client
// are numbered from 1. What the server does are lines like these, where closed is the end of
// an answer, or of a connection on which none came:
//
//	[1] status 200 json session=s1
//	[1] json > {"jsonrpc":"2.0","id":1,"result":{}}
//	[2] status 401 auth="Bearer scope=\"a\""
//	[3] status 200 sse
//	[3] id=2-1 retry=500ms prime
//	[3] id=2-2 event=message > {"jsonrpc":"2.0","id":2,"result":{}}
//	[3] closed
//
// Before the events and phases of a step stands what becomes of the exchanges:
//
//	[3] POST session=s1 version=2025-06-18 < {"jsonrpc":"2.0","id":2,"method":"ping"}
//	[3] resume in 1s
//	[3] GET session=s1 version=2025-06-18 last=2-1
//	[3] done
//	[3] lost: session gone 404
//
// Of a request those headers are shown that differ from one to the next, and all with the
// word exact in the head line http. The application has two verbs more here as well: "app
// listen" opens the GET stream, and "app again 3" makes a request again that was answered
// 401 or 403.
//
// Such a file is run against the pure machines put together: protocol/headers, server.State
// and server/streams, or client.State and client/exchange.
//
// # Revisions
//
// A file is run at every revision of the library unless its head narrows that, so one that
// comes to speak a newer revision runs the files there too, with the same lines expected;
// ${revision} in a line stands for the revision. The head line
//
//	# revisions: 2025-06-18..
//
// is for files about what only some revisions have; the function Revisions has the forms.
// A file that cannot be run at a revision in which all its rows hold says why,
//
//	# not at 2024-11-05: the form that is sent is of a later revision
//
// and a test in package coverage sees to it that no other file leaves one out.
//
// # Revisions without a session
//
// A file whose head names one, as in
//
//	# revisions: all 2026-07-28
//
// is run there too, with the same lines expected: [verbs.Envelope] puts around the peer's
// messages what the revision wants, with the capabilities of the line peer, and takes off the
// machine's what the revision adds, which has to be there. No handshake is shown or done: a
// client that starts ready has asked for server/discover, under the id 1. Ping stands for
// server/discover.
//
// A file of such revisions with the head line "# bare" has its messages as they are, with all that is
// put around them, and app initialize is Connect. It is run in memory alone.
//
// # Files marked wire
//
// A server file with the head line "# wire" needs a stream of bytes and nothing else: its
// inputs are all lines of the peer, and its application is package fixture, which answers
// by fixed rules. In memory [File.Run] answers with it; [File.Over] runs the file over a
// real transport, where the lines that begin with < have to come and no others, and
// events and phases are not seen. At least half of the files for servers are marked.
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
// A server file in the form for HTTP that is marked wire has Socket set instead. It needs a
// server of Streamable HTTP that is set up as its Site says, with the application
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
// A file that lets time pass takes as long over a socket, and no time in a bubble of
// testing/synctest. TestOverHTTP does both, over server/nethttp.
//
// The test of package server/stdio plays the others, over pipes in one process and over the standard
// input and output of another.
package transcript
