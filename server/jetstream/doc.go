// Package jetstream keeps the sessions of package nethttp on a stream of NATS JetStream, so that any number of
// processes serve them behind any load balancer. It is a separate module, on nats.go. It does I/O.
//
// # Loop
//
// A program makes a Table once, and passes it to package nethttp:
//
//	conn, err := jetstream.Dial("nats://127.0.0.1:4222")
//	…
//	table, err := jetstream.New(ctx, conn, jetstream.Options{Replicas: 3})
//	…
//	options.Store = nethttp.NewShared(table)
//
// All processes need the same server.Config, with the same HashKey, and the same Options. docs/examples/cluster runs
// the NATS servers in the processes themselves.
//
// # Contract
//
// A session is one subject of the stream, which keeps its newest message. A Put names the sequence of the message that
// it follows, so only one of several is stored. The message expires by the clock of the server, in whole seconds after
// the last Put. A session that is removed leaves an empty message for a minute. An Append adds a message of its own,
// and the message of the session then names all of them, by their sequences, in place of the record: messages that are
// not named belong to no session, and expire.
//
// No message is published again automatically, or later than its caller waits: New refuses a connection that
// would do so. A Put that is reported as failed may be stored, and the Handler reads the current record.
//
// The leader of the stream answers reads. A deposed leader may do so for a moment longer: in a cluster, a session
// that seems not to exist is confirmed by a message that a majority stores.
//
// A process subscribes only to the sessions for which it waits. Messages may be lost: each process reads each of
// these sessions every ten seconds, and when its connection is opened again.
//
// Requests take at most Options.Timeout. A record and its headers must fit in max_payload of the server, 1 MiB by
// default; a longer one is an error, and nothing has changed.
//
// NewLogins returns an encrypted Store of package client/oauth/store on such a server.
//
// # Not promised
//
// The form of what is stored.
package jetstream
