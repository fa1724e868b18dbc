// Package redis keeps the sessions of package nethttp on a server of Redis, so that any number of processes can
// serve them behind any load balancer. It is a separate module, over go-redis. It does I/O.
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
// A session is one string: its step, its record, and the bytes that turns have appended. A Put is one script, which
// atomically compares the step, stores the record and notifies waiting processes. An Append is one script too, and
// compares the begin and end of the record. A session expires by the clock of the server, at the time that nethttp
// passes with each Put.
//
// Commands are never retried: a Put that is reported as failed may be stored, so the Handler reads the
// record. New refuses a client that retries.
//
// A process subscribes only to the sessions for which it waits. Because messages may be lost, each process reads the
// steps of these sessions every two seconds, 500 in one request. So a lost message costs at most two seconds.
//
// How safely a server keeps acknowledged writes depends on its configuration. If a master fails before its replica
// has its writes, they are lost. A Table implements nethttp.Branches, so that clients learn of the loss and no id is
// reused; see docs/cluster.md, also for settings.
//
// Requests take at most Options.Timeout. A record has at most Options.MaxRecord bytes; a longer one is
// an error, and changes nothing.
//
// NewLogins returns an encrypted store.Store of package client/oauth/store on such a server.
//
// # Not promised
//
// Redis Cluster, and clients of go-redis other than its Client. The format of stored data.
package redis
