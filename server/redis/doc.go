// Package redis keeps the sessions of package nethttp on a Redis server, so that any number of processes serve
// them behind any load balancer. It is a separate module, on go-redis. It does I/O.
//
// # Loop
//
// A program makes a Table once, and passes it to package nethttp:
//
//	client, err := redis.Dial("redis://127.0.0.1:6379/0")
//	…
//	table, err := redis.New(client, redis.Options{})
//	…
//	options.Store = nethttp.NewShared(table)
//
// All processes need the same server.Config, with the same HashKey, and the same Options.
//
// # Contract
//
// A session is one string: its step, its record, and what turns have appended. A Put is one script, which compares
// the step, stores the record and publishes the step to processes that wait; no other command runs in between. An
// Append is one script too, and compares the beginning and the end of the record. The session expires by the clock of
// the server, after the time since the last turn that nethttp sets.
//
// No command is repeated automatically: a Put that is reported as failed may be stored, and the Handler
// reads the current record. New refuses a client that repeats commands.
//
// A process subscribes only to the sessions for which it waits. Messages may be lost: each process reads the steps of
// these sessions every two seconds, in one request for up to 500. So a lost message costs two seconds.
//
// A server keeps what it has acknowledged as its configuration says. A master that is lost before its replica has
// its writes loses these. A Table has nethttp.Branches, so that clients learn of it and no id is used twice;
// docs/cluster.md says what that means, and which settings help.
//
// Requests take at most Options.Timeout. A record has at most Options.MaxRecord bytes; a longer one is
// an error, and nothing has changed.
//
// NewLogins returns an encrypted Store of package client/oauth/store on such a server.
//
// # Not promised
//
// Redis Cluster, and clients of go-redis other than its Client. The form of what is stored.
package redis
