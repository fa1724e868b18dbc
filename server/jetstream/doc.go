// Package jetstream keeps the sessions of package nethttp on a stream of NATS JetStream, so that any number of
// processes can serve them behind any load balancer. It is a separate module, over nats.go. It does I/O.
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
// All processes need the same server.Config, with the same HashKey, and the same Options. docs/examples/cluster
// embeds NATS servers in the processes.
//
// # Contract
//
// A session is one subject of the stream, which keeps the newest message. A Put names the sequence of the previous
// message, so that only one of several concurrent ones is stored. A session expires by the clock of the server, in
// whole seconds after the last Put. A removed session leaves an empty message for a minute. An Append adds a separate
// message; the message of the session lists these by sequence in place of the record. Unlisted ones are ignored, and
// expire.
//
// Messages are never published again, or after their caller has stopped waiting: New refuses a connection that
// does so. A Put that is reported as failed may be stored, so the Handler reads the record.
//
// The leader of the stream answers reads. A former leader may do so for a moment: a session that seems to be
// absent is confirmed by a message that a majority stores.
//
// A process subscribes only to the sessions for which it waits. Because messages may be lost, each process reads each
// of these sessions every ten seconds, and when its connection is reopened.
//
// Requests take at most Options.Timeout. A record and its headers fit in max_payload of the server, 1 MiB by default;
// a longer one is an error, and changes nothing.
//
// NewLogins keeps what package client/oauth/store does, encrypted, on such a server.
//
// # Not promised
//
// The format of stored data.
package jetstream
