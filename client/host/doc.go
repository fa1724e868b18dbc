// Package host runs one client.State for an application: requests of many goroutines at
// once, answers to what the server asks, lists that stay current, time, and the end. What
// carries the messages is a Transport.
package host
