// Package drivers holds tests of the drivers of both ends together.
package drivers
