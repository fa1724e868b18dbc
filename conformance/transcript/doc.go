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
// The test of package server/stdio is one, over pipes in one process and over the standard
// input and output of another.
package transcript
