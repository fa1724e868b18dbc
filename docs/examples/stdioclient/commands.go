package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

const usage = `commands:
  about                       what the server says of itself
  list METHOD                 show a list again: tools/list, resources/list, ...
  call TOOL {ARGUMENTS}       call a tool
  read URI                    read a resource
  subscribe URI, unsubscribe URI
  complete REF NAME TEXT {CONTEXT}
                              type TEXT as the argument NAME of a prompt or template
  level LEVEL                 set the level of log messages
  answer ACTION {CONTENT}     what to say when asked: accept, decline or cancel
  root URI                    add a root
  wait METHOD                 wait for a notification, 10 s at most
  sleep MS                    do nothing`

// commands does what is typed until there is no more. What arrives meanwhile is dealt
// with as well.
func (d *driver) commands(in io.Reader) error {
	input := lines(in)
	for {
		line, got, err := d.turn(input)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case d.messages == nil:
			return errGone
		case !got || line == "":
			continue
		}
		fmt.Fprintln(d.log, ">", line)
		name, rest, _ := strings.Cut(line, " ")
		if err := d.command(name, rest); err != nil {
			fmt.Fprintln(d.log, "error:", err)
		}
	}
}

func lines(in io.Reader) <-chan string {
	c := make(chan string)
	go func() {
		defer close(c)
		for s := bufio.NewScanner(in); s.Scan(); {
			c <- s.Text()
		}
	}()
	return c
}

func (d *driver) command(name, rest string) (err error) {
	switch name {
	case "about":
		d.about()
	case "list":
		return d.showList(rest)
	case "call":
		tool, args := rest, ""
		if i := strings.IndexByte(rest, '{'); i >= 0 {
			tool, args = rest[:i], rest[i:]
		}
		return d.callTool(strings.TrimSpace(tool), args)
	case "read":
		return d.read(rest)
	case "subscribe":
		_, err = d.request(protocol.SubscribeParams{URI: rest}, client.RequestOptions{})
		fmt.Fprintln(d.log, "subscribed to", slices.Collect(d.s.Subscriptions()))
	case "unsubscribe":
		_, err = d.request(protocol.UnsubscribeParams{URI: rest}, client.RequestOptions{})
		fmt.Fprintln(d.log, "subscribed to", slices.Collect(d.s.Subscriptions()))
	case "complete":
		return d.complete(strings.SplitN(rest, " ", 4))
	case "level":
		_, err = d.request(protocol.SetLevelParams{Level: protocol.LoggingLevel(rest)}, client.RequestOptions{})
	case "answer":
		action, content, _ := strings.Cut(rest, " ")
		d.answer, err = protocol.Decode[protocol.ElicitResult](jsonrpc.Raw(`{"action":"` + action + `","content":` + orEmpty(content) + `}`))
	case "root":
		var out client.Output
		d.roots = append(d.roots, protocol.Root{URI: rest})
		if d.s, out, err = d.s.SetRoots(time.Now(), d.roots); err == nil {
			err = d.step(out)
		}
	case "wait":
		return d.wait(rest)
	case "sleep":
		ms, _ := strconv.Atoi(rest)
		return d.pass(time.Duration(ms)*time.Millisecond, func() bool { return false })
	default:
		fmt.Fprintln(os.Stderr, usage)
	}
	return err
}

func orEmpty(object string) string {
	if object == "" {
		return "{}"
	}
	return object
}

func (d *driver) read(uri string) error {
	ev, err := d.request(protocol.ReadResourceParams{URI: uri}, client.RequestOptions{})
	if err != nil {
		return err
	}
	r, err := protocol.Decode[protocol.ReadResourceResult](ev.Body)
	for _, c := range r.Contents {
		fmt.Fprintln(d.log, "content", c.URI, c.MIMEType, c.Text)
	}
	return err
}

// complete asks for proposals after each letter, as a text field does: what was asked
// before is not needed then.
func (d *driver) complete(args []string) error {
	if len(args) < 3 {
		return errors.New("complete REF NAME TEXT")
	}
	p := protocol.CompleteParams{Ref: protocol.PromptReference(args[0]), Argument: protocol.CompleteArgument{Name: args[1]}}
	if strings.Contains(args[0], "://") {
		p.Ref = protocol.ResourceReference(args[0])
	}
	if len(args) == 4 {
		p.Context = new(protocol.CompleteContext)
		if err := json.Unmarshal([]byte(args[3]), &p.Context.Arguments); err != nil {
			return err
		}
	}
	var ev client.Event
	var reqs []client.Req
	for end := range args[2] + "." {
		var opt client.RequestOptions
		if len(reqs) > 0 {
			opt.Replaces = reqs[len(reqs)-1]
		}
		p.Argument.Value = args[2][:end]
		req, err := d.send(p, opt)
		if err != nil {
			return err
		}
		reqs = append(reqs, req)
	}
	var err error
	for i, req := range reqs {
		if ev, err = d.await(req); err != nil {
			fmt.Fprintf(d.log, "letter %d: %v\n", i, err)
		}
	}
	if err != nil {
		return err
	}
	r, err := protocol.Decode[protocol.CompleteResult](ev.Body)
	fmt.Fprintln(d.log, len(r.Completion.Values), "proposals, more:", r.Completion.HasMore, r.Completion.Values)
	return err
}

// wait waits for a notification that no wait has taken yet.
func (d *driver) wait(method string) error {
	taken := false
	err := d.pass(10*time.Second, func() bool {
		if !taken {
			_, taken = d.heard.take(method)
		}
		return taken
	})
	switch {
	case taken:
		return err
	case d.heard.left > 0:
		fmt.Fprintln(d.log, d.heard.left, "notifications were left out, for there were too many")
	}
	return errors.Join(err, errors.New(method+" did not come"))
}

// pass runs the session for some time, or until done says so.
func (d *driver) pass(t time.Duration, done func() bool) error {
	over := make(chan string, 1)
	defer time.AfterFunc(t, func() { over <- "" }).Stop()
	for !done() {
		if d.messages == nil {
			return errGone
		}
		if _, got, err := d.turn(over); got || err != nil {
			return err
		}
	}
	return nil
}
