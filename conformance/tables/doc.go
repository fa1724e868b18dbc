// Package tables has the tests that every nethttp.Table must pass: one in memory, and those on real servers. NewRedis starts
// one.
package tables
