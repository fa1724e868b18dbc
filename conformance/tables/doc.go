// Package tables has the tests that every nethttp.Table passes: one in memory, and those on real servers. NewRedis starts
// one.
package tables
