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

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
)

// program is the default info of the machine under test.
var program = protocol.Implementation{Name: "machine", Version: "1"}

// HashKey is the default one of the machine under test.
var HashKey = [16]byte{0: 1, 8: 2}

// option is a setting in the form of a script.
type option struct {
	key string
	set func(val string) error // what a word with the key does
	get func() []string        // the values of the words for the setting; nil for none
}

// options are those of a Config.
type options []option

// set reads a word.
func (o options) set(word string) error {
	key, val, _ := strings.Cut(word, "=")
	i := slices.IndexFunc(o, func(opt option) bool { return opt.key == key })
	if i < 0 {
		return fmt.Errorf("unknown option %q", key)
	}
	if err := o[i].set(val); err != nil {
		return fmt.Errorf("option %s: %w", word, err)
	}
	return nil
}

// words returns the words that set reads.
func (o options) words() (list []string) {
	for _, opt := range o {
		if opt.get == nil {
			continue
		}
		for _, val := range opt.get() {
			if val != "" {
				val = "=" + val
			}
			list = append(list, opt.key+val)
		}
	}
	return list
}

// value is an option for a field with one value, absent for the usual one.
func value[T any](key string, p *T, usual T, read func(string) (T, error), write func(T) string) option {
	return option{key, func(val string) (err error) {
		*p, err = read(val)
		return err
	}, func() []string {
		if reflect.DeepEqual(*p, usual) {
			return nil
		}
		return []string{write(*p)}
	}}
}

// flag is an option without a value.
func flag(key string, p *bool) option {
	return value(key, p, false, func(string) (bool, error) { return true, nil }, func(bool) string { return "" })
}

// bit is a flag of a set.
func bit(key string, p *protocol.Capability, c protocol.Capability) option {
	return option{key, func(string) error { *p |= c; return nil }, func() []string {
		if p.Has(c) {
			return []string{""}
		}
		return nil
	}}
}

func lasting(key string, p *time.Duration) option { return value(key, p, 0, duration, durationOf) }

func count(key string, p *int) option { return value(key, p, 0, strconv.Atoi, strconv.Itoa) }

func often(key string, p *lifecycle.Rate) option {
	return value(key, p, lifecycle.Rate{}, rate, func(r lifecycle.Rate) string {
		return fmt.Sprintf("%s/%d", strconv.FormatFloat(r.PerSecond, 'g', -1, 64), r.Burst)
	})
}

func text[S ~string](key string, p *S) option {
	return value(key, p, "", func(val string) (S, error) { return S(val), nil }, func(val S) string { return string(val) })
}

func secretOption(key string, p *[16]byte, usual [16]byte) option {
	return value(key, p, usual, secret, func(key [16]byte) string { return hex.EncodeToString(key[:]) })
}

// keys is an option that may be repeated, for several keys.
func keys(key string, p *[][]byte) option {
	return option{
		key: key,
		set: func(val string) error {
			raw, err := hex.DecodeString(val)
			*p = append(*p, raw)
			return err
		},
		get: func() (list []string) {
			for _, raw := range *p {
				list = append(list, hex.EncodeToString(raw))
			}
			return list
		},
	}
}

func checking(key string, p *schema.Validator) option {
	return value(key, p, nil, validator, func(v schema.Validator) string {
		for name, is := range validators { // one of them
			if v == is {
				return name
			}
		}
		return ""
	})
}

// capabilities is an option that may be repeated, for several of them.
func capabilities(key string, p *protocol.Capability) option {
	return value(key, p, 0, func(val string) (protocol.Capability, error) {
		set, ok := protocol.ParseCapability(val)
		if !ok {
			return *p, fmt.Errorf("unknown capability %q", val)
		}
		return *p | set, nil
	}, protocol.Capability.String)
}

// several is an option that is repeated for each element of a list.
func several[T any](key string, p *[]T, read func(string) (T, error), write func(T) string) option {
	return option{key, func(val string) error {
		v, err := read(val)
		*p = append(*p, v)
		return err
	}, func() (list []string) {
		for _, v := range *p {
			list = append(list, write(v))
		}
		return list
	}}
}

// none stands for an empty list.
const none = "none"

// each is several for items in JSON.
func each[T interface{ AppendJSON([]byte) []byte }, P interface {
	*T
	DecodeJSON(jsonrpc.Raw, jsonrpc.Span) error
}](key string, p *[]T) option {
	o := several(key, p, func(val string) (T, error) { return protocol.Decode[T, P](jsonrpc.Raw(val)) }, func(v T) string { return string(v.AppendJSON(nil)) })
	return option{key, func(val string) error {
		if val == none {
			*p = []T{}
			return nil
		}
		return o.set(val)
	}, func() []string {
		if *p != nil && len(*p) == 0 {
			return []string{none}
		}
		return o.get()
	}}
}

// adds is an option that adds names to a list, and is never written.
func adds(key string, p *[]string, names ...string) option {
	return option{key: key, set: func(string) error { *p = append(*p, names...); return nil }}
}

// common are the options of both roles.
func common(t *lifecycle.Timeouts, l *lifecycle.Limits, k *lifecycle.Keepalive, p *lifecycle.Policy, serve *[]string, revisions *[]protocol.Revision,
	info *protocol.Implementation, experimental *map[string]jsonrpc.Raw, hashKey *[16]byte, declare *protocol.Capability,
) options {
	return options{
		several("serve", serve, func(val string) (string, error) { return val, nil }, func(val string) string { return val }),
		several("revision", revisions, func(val string) (protocol.Revision, error) {
			r, ok := protocol.ParseRevision(val)
			if !ok {
				return r, fmt.Errorf("unknown revision %q", val)
			}
			return r, nil
		}, protocol.Revision.String),
		flag("answerUnreadable", &p.AnswerUnreadable), flag("strictInitialized", &p.StrictInitialized), flag("strictVersion", &p.StrictVersion),
		flag("strictArguments", &p.StrictArguments), flag("lenientContent", &p.LenientContent), flag("keepNulls", &p.KeepNulls),
		flag("passThrough", &p.PassThrough), flag("quietShutdown", &p.QuietShutdown),
		lasting("request", &t.Request), lasting("initialize", &t.Initialize), lasting("ping", &t.Ping), lasting("probe", &t.Probe), lasting("human", &t.Human),
		lasting("maximum", &t.Maximum), lasting("answer", &t.Inbound), lasting("keepalive", &k.Interval), count("misses", &k.Misses),
		count("inbound", &l.Inbound), count("outbound", &l.Outbound), count("batch", &l.Batch), count("subscriptions", &l.Subscriptions),
		count("text", &l.Text), count("schema", &l.Schema),
		often("requestRate", &l.Requests), often("progressRate", &l.Progress), often("logRate", &l.Logs),
		value("info", info, program, func(val string) (protocol.Implementation, error) {
			return protocol.Decode[protocol.Implementation](jsonrpc.Raw(val))
		}, func(i protocol.Implementation) string { return string(i.AppendJSON(nil)) }),
		value("experimental", experimental, nil, members, func(m map[string]jsonrpc.Raw) string {
			text := "{}"
			for _, name := range slices.Sorted(maps.Keys(m)) {
				text = rawjson.Set(text, name, string(m[name]))
			}
			return text
		}),
		secretOption("hashKey", hashKey, HashKey), capabilities("declare", declare),
	}
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

// validators are the validators of schemas, by name.
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
