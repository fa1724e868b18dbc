// Package headers is the heads of the HTTP messages of the Streamable HTTP transport.
package headers
