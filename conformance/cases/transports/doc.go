// Package transports proves the rows of the catalogue that only a driver can fulfill,
// on the drivers of this module: real processes, real sockets of the
// loopback interface. What a transcript can express is one, see package transcript. It has
// only tests.
package transports
