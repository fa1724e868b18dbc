// Package streams is the server's end of Streamable HTTP as a value: which stream a message
// goes out on, what is kept of it, and who may read it again.
package streams
