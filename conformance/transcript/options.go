package transcript

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// program names the machine under test where no option does.
var program = protocol.Implementation{Name: "machine", Version: "1"}

// HashKey is the one of the machine under test where no option says another.
var HashKey = [16]byte{0: 1, 8: 2}

// common are the fields that the Configs of both roles have, by the option that sets them.
type common struct {
	serve        *[]string
	revisions    *[]protocol.Revision
	info         *protocol.Implementation
	experimental *map[string]jsonrpc.Raw
	hashKey      *[16]byte
	declare      *protocol.Capability
	durations    map[string]*time.Duration
	counts       map[string]*int
	rates        map[string]*lifecycle.Rate
	flags        map[string]*bool
}

func ofServer(cfg *server.Config) common {
	c := newCommon(&cfg.Timeouts, &cfg.Limits, &cfg.Keepalive, &cfg.Policy)
	c.serve, c.revisions, c.info, c.experimental = &cfg.Serve, &cfg.Revisions, &cfg.Info, &cfg.Experimental
	c.hashKey, c.declare = &cfg.HashKey, &cfg.Declare
	c.flags["unknown"], c.flags["logging"], c.flags["subscribe"] = &cfg.ServeUnknown, &cfg.Logging, &cfg.Subscribe
	return c
}

func ofClient(cfg *client.Config) common {
	c := newCommon(&cfg.Timeouts, &cfg.Limits, &cfg.Keepalive, &cfg.Policy)
	c.serve, c.revisions, c.info, c.experimental = &cfg.Serve, &cfg.Revisions, &cfg.Info, &cfg.Experimental
	c.hashKey, c.declare = &cfg.HashKey, &cfg.Declare
	c.flags["unknown"], c.flags["rootsChanged"] = &cfg.ServeUnknown, &cfg.RootsListChanged
	return c
}

func newCommon(t *lifecycle.Timeouts, l *lifecycle.Limits, k *lifecycle.Keepalive, p *lifecycle.Policy) common {
	return common{
		durations: map[string]*time.Duration{
			"request": &t.Request, "initialize": &t.Initialize, "ping": &t.Ping, "human": &t.Human,
			"maximum": &t.Maximum, "answer": &t.Inbound, "keepalive": &k.Interval,
		},
		counts: map[string]*int{
			"inbound": &l.Inbound, "outbound": &l.Outbound, "batch": &l.Batch, "subscriptions": &l.Subscriptions,
			"text": &l.Text, "schema": &l.Schema, "misses": &k.Misses,
		},
		rates: map[string]*lifecycle.Rate{"requestRate": &l.Requests, "progressRate": &l.Progress, "logRate": &l.Logs},
		flags: map[string]*bool{
			"answerUnreadable": &p.AnswerUnreadable, "strictInitialized": &p.StrictInitialized, "strictVersion": &p.StrictVersion,
			"strictArguments": &p.StrictArguments, "lenientContent": &p.LenientContent, "keepNulls": &p.KeepNulls,
			"passThrough": &p.PassThrough, "quietShutdown": &p.QuietShutdown,
		},
	}
}

// set reads an option that both roles have.
func (c *common) set(key, val string) (err error) {
	switch {
	case c.durations[key] != nil:
		*c.durations[key], err = duration(val)
	case c.counts[key] != nil:
		*c.counts[key], err = strconv.Atoi(val)
	case c.rates[key] != nil:
		*c.rates[key], err = rate(val)
	case c.flags[key] != nil:
		*c.flags[key] = true
	case key == "serve":
		*c.serve = append(*c.serve, val)
	case key == "revision":
		r, ok := protocol.ParseRevision(val)
		if !ok {
			return fmt.Errorf("unknown revision %q", val)
		}
		*c.revisions = append(*c.revisions, r)
	case key == "info":
		*c.info, err = protocol.Decode[protocol.Implementation](jsonrpc.Raw(val))
	case key == "experimental":
		*c.experimental, err = members(val)
	case key == "hashKey":
		*c.hashKey, err = secret(val)
	case key == "declare":
		var set protocol.Capability
		set, err = capability(val)
		*c.declare |= set
	default:
		return fmt.Errorf("unknown option %q", key)
	}
	return err
}

// options returns what set reads, in an order that is always the same.
func (c *common) options() (list []string) {
	for _, name := range *c.serve {
		list = append(list, "serve="+name)
	}
	for _, r := range *c.revisions {
		list = append(list, "revision="+r.String())
	}
	list = append(list, sorted(c.flags, func(key string, on bool) string { return key })...)
	list = append(list, sorted(c.durations, func(key string, d time.Duration) string { return key + "=" + durationOf(d) })...)
	list = append(list, sorted(c.counts, func(key string, n int) string { return key + "=" + strconv.Itoa(n) })...)
	list = append(list, sorted(c.rates, func(key string, r lifecycle.Rate) string {
		return fmt.Sprintf("%s=%s/%d", key, strconv.FormatFloat(r.PerSecond, 'g', -1, 64), r.Burst)
	})...)
	if !reflect.DeepEqual(*c.info, program) {
		list = append(list, "info="+string(c.info.AppendJSON(nil)))
	}
	if len(*c.experimental) > 0 {
		text := "{}"
		for _, name := range slices.Sorted(maps.Keys(*c.experimental)) {
			text = rawjson.Set(text, name, string((*c.experimental)[name]))
		}
		list = append(list, "experimental="+text)
	}
	if *c.hashKey != HashKey {
		list = append(list, "hashKey="+hex.EncodeToString(c.hashKey[:]))
	}
	if *c.declare != 0 {
		list = append(list, "declare="+c.declare.String())
	}
	return list
}

// sorted returns an option for each field that is not zero.
func sorted[T comparable](fields map[string]*T, option func(key string, val T) string) (list []string) {
	var zero T
	for key, p := range fields {
		if *p != zero {
			list = append(list, option(key, *p))
		}
	}
	slices.Sort(list)
	return list
}

// none stands for a list that is there and empty.
const none = "none"

// one reads an item of a list from JSON.
func one[T any, P interface {
	*T
	DecodeJSON(jsonrpc.Raw, jsonrpc.Span) error
}](list []T, text string) ([]T, error) {
	if text == none {
		return []T{}, nil
	}
	v, err := protocol.Decode[T, P](jsonrpc.Raw(text))
	return append(list, v), err
}

// each returns what one reads, for each item of a list.
func each[T interface{ AppendJSON([]byte) []byte }](option string, items []T) (list []string) {
	if items != nil && len(items) == 0 {
		return []string{option + "=" + none}
	}
	for _, v := range items {
		list = append(list, option+"="+string(v.AppendJSON(nil)))
	}
	return list
}

func capability(names string) (protocol.Capability, error) {
	set, ok := protocol.ParseCapability(names)
	if !ok {
		return 0, fmt.Errorf("unknown capability %q", names)
	}
	return set, nil
}

func validator(name string) (schema.Validator, error) {
	v := validators[name]
	if v == nil {
		return nil, fmt.Errorf("unknown validator %q", name)
	}
	return v, nil
}

func members(text string) (map[string]jsonrpc.Raw, error) {
	object, ok := rawjson.Members(text)
	if !ok || !rawjson.Valid(text) {
		return nil, fmt.Errorf("%q is no object", text)
	}
	list := map[string]jsonrpc.Raw{}
	for name, val, more := object.Next(); more; name, val, more = object.Next() {
		list[name] = jsonrpc.Raw(val)
	}
	return list, nil
}

func secret(text string) (key [16]byte, err error) {
	data, err := hex.DecodeString(text)
	if err != nil || len(data) != len(key) {
		return key, errors.Join(err, fmt.Errorf("%q is no key of 16 bytes", text))
	}
	return [16]byte(data), nil
}

// rate reads N, or N/BURST.
func rate(text string) (r lifecycle.Rate, err error) {
	often, burst, both := strings.Cut(text, "/")
	if r.PerSecond, err = strconv.ParseFloat(often, 64); err != nil {
		return r, err
	}
	if !both {
		burst = often
	}
	r.Burst, err = strconv.Atoi(burst)
	return r, err
}

// validators are the ways to look at schemas, by name.
var validators = map[string]schema.Validator{"basic": schema.Basic{}, "lenient": schema.Lenient{}, "none": schema.None{}}

func duration(s string) (time.Duration, error) {
	if s == "none" {
		return lifecycle.NoTimeout, nil
	}
	return time.ParseDuration(s)
}

func durationOf(d time.Duration) string {
	if d == lifecycle.NoTimeout {
		return "none"
	}
	return d.String()
}
