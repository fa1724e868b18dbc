// Package broken does not compile, and is looked at all the same.
package broken

import "time"

var now = time.Now() // want ambient

var missing = nowhere // want load
