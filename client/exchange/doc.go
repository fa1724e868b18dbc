// Package exchange is the client's side of Streamable HTTP without the I/O.
package exchange
