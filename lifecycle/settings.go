package lifecycle

import (
	"errors"
	"strconv"
	"time"
)

// NoTimeout disables a timeout. Zero means the default; other negative durations are refused
// (TIME-019).
const NoTimeout time.Duration = -1

// ErrConfig says that a setting has an invalid value. The error is a *ConfigError.
var ErrConfig = errors.New("lifecycle: invalid setting")

// ConfigError reports an invalid setting, its value, and the valid values.
type ConfigError struct {
	Package string // the name of the package that refuses it: "manager"
	Field   string // the path of the field in Go: "Timeouts.Connect"
	Value   string // what the field holds
	Why     string // what it may be instead: "want positive, or 0 for 30s"
}

// Error returns the error text, such as "manager: StableFor is -7s: want positive, 0 for 1m0s, or
// NoTimeout".
func (e *ConfigError) Error() string {
	return e.Package + ": " + e.Field + " is " + e.Value + ": " + e.Why
}

// Unwrap returns ErrConfig.
func (e *ConfigError) Unwrap() error { return ErrConfig }

// A Filler fills in the defaults of the settings of a package, and finds those that are wrong. The
// zero Filler is ready to use. Zero means the default for every setting; each method documents the
// other valid values. Err reports the first invalid setting; all invalid ones get their defaults.
type Filler struct{ err *ConfigError }

// none says whether a time may be NoTimeout.
type none bool

// Whether a timeout may be NoTimeout.
const (
	NeverNone none = false
	MayBeNone none = true
)

// Time fills in a time. It may be positive, and NoTimeout if none says so. A default of NoTimeout
// means no limit.
func (f *Filler) Time(field string, d *time.Duration, otherwise time.Duration, none none) {
	switch {
	case *d == 0:
		*d = otherwise
	case *d > 0, bool(none) && *d == NoTimeout:
	default:
		why := "want positive, or 0 for " + spell(otherwise)
		if none && otherwise != NoTimeout {
			why = "want positive, 0 for " + spell(otherwise) + ", or NoTimeout"
		}
		f.Wrong(field, d.String(), why)
		*d = otherwise
	}
}

func spell(d time.Duration) string {
	if d == NoTimeout {
		return "no limit"
	}
	return d.String()
}

// Count fills in a number of things or of bytes. It may be positive. A default of 0 means no limit.
func (f *Filler) Count(field string, n *int, otherwise int) {
	switch {
	case *n > 0:
		return
	case *n < 0 && otherwise == 0:
		f.Wrong(field, strconv.Itoa(*n), "want positive, or 0 for no limit")
	case *n < 0:
		f.Wrong(field, strconv.Itoa(*n), "want positive, or 0 for "+strconv.Itoa(otherwise))
	}
	*n = otherwise
}

// Choice checks one of a list of constants, which are 0 to last.
func (f *Filler) Choice(field string, value, last int) {
	if value < 0 || value > last {
		f.Wrong(field, strconv.Itoa(value), "want 0 to "+strconv.Itoa(last))
	}
}

// Wrong reports a setting that the other methods cannot check. why begins with "want".
func (f *Filler) Wrong(field, value, why string) {
	if f.err == nil {
		f.err = &ConfigError{Field: field, Value: value, Why: why}
	}
}

// Within reports a *ConfigError that another package returned for a field, with the path of the
// setting from this package. It ignores all other errors.
func (f *Filler) Within(field string, err error) {
	var inner *ConfigError
	if errors.As(err, &inner) {
		f.Wrong(field+"."+inner.Field, inner.Value, inner.Why)
	}
}

// Err returns the first setting that is wrong as a *ConfigError of the package, nil if there is
// none.
func (f *Filler) Err(pkg string) error {
	if f.err == nil {
		return nil
	}
	err := *f.err
	err.Package = pkg
	return &err
}
