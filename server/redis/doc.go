// Package redis keeps the sessions of package nethttp on a server of Redis, so that any number of processes serve
// them behind any load balancer. It is a module of its own, over go-redis. It does I/O.
//
// # Loop
//
// A program makes a Table once, and gives it to package nethttp:
//
//	client, err := redis.Dial("redis://127.0.0.1:6379/0")
//	…
//	table, err := redis.New(client, redis.Options{})
//	…
//	options.Store = nethttp.NewShared(table)
//
// All processes have the same server.Config, with the same HashKey, and the same Options.
//
// # Contract
//
// A session is one string, its step in front of its record, and behind that what turns have appended. A Put is one
// script, which compares the step, stores the record and tells who waits for it; nobody else is between. An Append is
// one too, and compares how the record begins and ends. It expires by the clock of the server, as long after the
// last one as nethttp says.
//
// No command is made again by itself: a Put that is reported as failed may be stored, and the Handler reads
// what there is. New refuses a client that would.
//
// A process subscribes to the sessions for which it waits, and no others. Messages may be lost: each process asks for the
// steps of these sessions every two seconds, in one request of 500. So a lost message costs two seconds.
//
// What a server acknowledged it keeps as long as its configuration says. A master that is lost before its replica
// has its writes takes these along. A Table has nethttp.Branches, so that clients are told and no id is given twice;
// docs/cluster.md says what that means, and which settings are for it.
//
// Requests take at most Options.Timeout. A record is at most Options.MaxRecord long; a longer one is an
// error, and nothing has changed.
//
// NewLogins keeps what package client/oauth/store does, encrypted, on such a server.
//
// # Not promised
//
// Redis Cluster, and clients of go-redis other than its Client. The form of what is stored.
package redis
