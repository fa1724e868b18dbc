// Package transports proves those rows of the catalogue that ask something of a driver and
// of nothing else, on the drivers of this module: real processes, real sockets of the
// loopback interface. What can be said in a transcript is one, see package transcript. It has
// tests only.
package transports
