// Package drivers has a test of the drivers of both ends together. Command load tests them with cut
// connections and sessions that the server forgets.
package drivers
