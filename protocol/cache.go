package protocol

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Cache says how long a client may keep a result, and for whom (caching page; since 2026-07-28). The zero Cache means
// not at all.
type Cache struct {
	TTL   time.Duration // from the answer on; cut to milliseconds
	Scope CacheScope    // "" means CachePrivate
}

// CacheScope says for whom a client may keep a result.
type CacheScope string

// The scopes (CACH-003).
const (
	CachePrivate CacheScope = "private" // for those alone who asked with the same authorization
	CachePublic  CacheScope = "public"  // for everybody
)

// Valid reports whether s is one of the scopes.
func (s CacheScope) Valid() bool { return s == CachePrivate || s == CachePublic }

var errCache = errors.New("a time to keep a result that is negative, or a scope that is none")

// Validate reports whether c can be sent.
func (c Cache) Validate() error {
	if c.TTL < 0 || c.Scope != "" && !c.Scope.Valid() { // CACH-002
		return errCache
	}
	return nil
}

// Put returns a result without cache members with a valid c added, for a revision without sessions. For the zero
// Cache, and for text that is not an object, it returns the result unchanged.
func (c Cache) Put(result Raw) Raw {
	start := rawjson.Space(string(result), 0)
	if c == (Cache{}) || !strings.HasPrefix(string(result[start:]), "{") {
		return result
	}
	head := `{"ttlMs":` + strconv.FormatInt(c.TTL.Milliseconds(), 10) + `,"cacheScope":"` + string(cmp.Or(c.Scope, CachePrivate)) + `"`
	rest := string(result[rawjson.Space(string(result), start+1):])
	if rest == "" || rest[0] == '}' {
		return Raw(head + rest)
	}
	return Raw(head + "," + rest)
}
