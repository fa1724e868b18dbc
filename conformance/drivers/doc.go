// Package drivers holds a test of the drivers of both ends together. How they do over connections that
// are cut, and with sessions that the server forgets, is what command load shows.
package drivers
