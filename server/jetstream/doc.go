// Package jetstream keeps the sessions of package nethttp on a stream of NATS JetStream, so that any number of processes
// serve them behind any load balancer. It is a module of its own, over nats.go. It does I/O.
//
// # Loop
//
// A program makes a Table once, and gives it to package nethttp:
//
//	conn, err := jetstream.Dial("nats://127.0.0.1:4222")
//	…
//	table, err := jetstream.New(ctx, conn, jetstream.Options{Replicas: 3})
//	…
//	options.Store = nethttp.NewShared(table)
//
// All processes have the same server.Config, with the same HashKey, and the same Options. docs/examples/cluster has the
// servers of NATS in the processes themselves.
//
// # Contract
//
// A session is one subject of the stream, of which the newest message is kept. A Put names the sequence of the message
// that it follows, so that one of many is stored. It expires by the clock of the server, in whole seconds after the last
// Put. A session that is removed leaves an empty message for a minute. What an Append adds is a message of its own, and
// the one of the session names all of them, by their sequences, in place of the record: those that are not named
// belong to nothing, and expire.
//
// Nothing is published again by itself, nor later than its caller waits: New refuses a connection that would. A
// Put that is reported as failed may be stored, and the Handler reads what there is.
//
// Reads are answered by the leader of the stream. One of several servers may think so for a moment longer: there a
// session that seems to be none is confirmed by a message that a majority stores.
//
// A process subscribes to the sessions for which it waits, and no others. Messages may be lost: each process asks for
// each of these sessions every ten seconds, and when its connection is opened again.
//
// Requests take at most Options.Timeout. A record and its headers fit in max_payload of the server, 1 MiB by default;
// a longer one is an error, and nothing has changed.
//
// NewLogins keeps what package client/oauth/store does, encrypted, on such a server.
//
// # Not promised
//
// The form of what is stored.
package jetstream
