// Package imports imports what it may not.
package imports

import (
	_ "encoding/json" // want import
	"errors"
	_ "go/parser"     // want import
	_ "io"            // want import
	_ "math/rand/v2"  // want import
	_ "mime"          // want import
	_ "net/http"      // want import
	_ "os"            // want import
	_ "path/filepath" // want import
	_ "reflect"       // want import
	_ "strings"
	_ "sync/atomic" // want import

	_ "pgregory.net/rapid" // want import
)

var errImports = errors.New("imports")
