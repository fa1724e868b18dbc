package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

const usage = `commands:
  about                       what the server says of itself
  list METHOD                 show a list again: tools/list, resources/list, ...
  call TOOL {ARGUMENTS}       call a tool
  read URI                    read a resource
  expand TEMPLATE {VALUES}    read the resource of a template; a value is a text, a list or an object
  subscribe URI, unsubscribe URI
  complete REF NAME TEXT {CONTEXT}
                              type TEXT as the argument NAME of a prompt or template
  level LEVEL                 set the level of log messages
  answer ACTION {CONTENT}     what to say when asked: accept, decline or cancel
  root URI                    add a root
  status                      what is out of date, left out or lost
  notify METHOD {PARAMS}      send a notification
  wait METHOD                 wait for a notification, 10 s at most
  sleep MS                    do nothing`

// commands runs the commands in the input until its end.
func (a *app) commands(ctx context.Context, in io.Reader) error {
	input := lines(in)
	for {
		select {
		case line, more := <-input:
			if !more {
				return nil
			}
			if line == "" {
				continue
			}
			a.log.Println(">", line)
			name, rest, _ := strings.Cut(line, " ")
			if err := a.command(ctx, name, rest); err != nil {
				a.log.Println("error:", err)
			}
			_ = a.c.Sync(ctx) // messages of the server are printed before the next command
		case <-a.c.Done():
			return errors.Join(errors.New("the server is gone"), a.c.Err())
		case <-ctx.Done():
			return context.Cause(ctx)
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

func (a *app) command(ctx context.Context, name, rest string) (err error) {
	switch name {
	case "about":
		a.about()
	case "list":
		return a.showList(ctx, rest)
	case "call":
		tool, args := rest, ""
		if i := strings.IndexByte(rest, '{'); i >= 0 {
			tool, args = rest[:i], rest[i:]
		}
		return a.callTool(ctx, strings.TrimSpace(tool), args)
	case "read":
		return a.read(ctx, rest)
	case "expand":
		template, values, _ := strings.Cut(rest, " ")
		uri, err := expanded(template, values)
		if err != nil {
			return err
		}
		return a.read(ctx, uri)
	case "status":
		for _, method := range methods {
			if a.c.Stale(method) {
				a.log.Println(method, "may be out of date")
			}
		}
		a.log.Println(a.c.LeftOut(), "events were left out; the session before was subscribed to", a.c.Lost())
	case "notify":
		method, params, _ := strings.Cut(rest, " ")
		return a.c.Notify(ctx, protocol.RawRequest{Name: method, Body: protocol.Raw(params)}, client.Call{})
	case "subscribe":
		_, err = a.c.Request(ctx, protocol.SubscribeParams{URI: rest}, session.RequestOptions{})
		a.log.Println("subscribed to", slices.Collect(a.c.State().Subscriptions()))
	case "unsubscribe":
		_, err = a.c.Request(ctx, protocol.UnsubscribeParams{URI: rest}, session.RequestOptions{})
		a.log.Println("subscribed to", slices.Collect(a.c.State().Subscriptions()))
	case "complete":
		return a.complete(ctx, strings.SplitN(rest, " ", 4))
	case "level":
		_, err = a.c.Request(ctx, protocol.SetLevelParams{Level: protocol.LoggingLevel(rest)}, session.RequestOptions{})
	case "answer":
		action, content, _ := strings.Cut(rest, " ")
		a.mu.Lock()
		defer a.mu.Unlock()
		a.answer, err = protocol.Decode[protocol.ElicitResult](jsonrpc.Raw(`{"action":"` + action + `","content":` + orEmpty(content) + `}`))
	case "root":
		a.roots = append(a.roots, protocol.Root{URI: rest})
		return a.c.SetRoots(ctx, a.roots)
	case "wait":
		return a.heard.wait(ctx, rest, 10*time.Second)
	case "sleep":
		ms, _ := strconv.Atoi(rest)
		time.Sleep(time.Duration(ms) * time.Millisecond)
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

func (a *app) read(ctx context.Context, uri string) error {
	r, err := session.Do[protocol.ReadResourceResult](ctx, a.c, protocol.ReadResourceParams{URI: uri})
	for _, c := range r.Contents {
		a.log.Println("content", c.URI, c.MIMEType, c.Text)
	}
	return err
}

// expanded returns the uri of a template with values, which are a JSON object.
func expanded(template, values string) (string, error) {
	t, err := uritemplate.Parse(template)
	if err != nil {
		return "", err
	}
	var given map[string]any
	if err := json.Unmarshal([]byte(orEmpty(values)), &given); err != nil {
		return "", err
	}
	var vars uritemplate.Values
	for name, v := range given {
		val := uritemplate.Text(fmt.Sprint(v))
		switch v := v.(type) {
		case []any:
			var items []string
			for _, item := range v {
				items = append(items, fmt.Sprint(item))
			}
			val = uritemplate.List(items...)
		case map[string]any:
			var pairs []uritemplate.Pair
			for _, key := range slices.Sorted(maps.Keys(v)) {
				pairs = append(pairs, uritemplate.Pair{Name: key, Value: fmt.Sprint(v[key])})
			}
			val = uritemplate.Pairs(pairs...)
		}
		vars = append(vars, uritemplate.Binding{Name: name, Value: val})
	}
	return t.Expand(vars)
}

// complete asks for proposals after each letter, as a text field does: earlier requests are then
// obsolete.
func (a *app) complete(ctx context.Context, args []string) error {
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
	var sent []*session.Pending
	var opt session.RequestOptions
	for end := range args[2] + "." {
		p.Argument.Value = args[2][:end]
		s, err := a.c.Send(ctx, p, opt)
		if err != nil {
			return err
		}
		sent, opt.Replaces = append(sent, s), s.Req()
	}
	var body jsonrpc.Raw
	var err error
	for i, s := range sent {
		if body, err = s.Wait(ctx); err != nil {
			a.log.Printf("letter %d: %v", i, err)
		}
	}
	if err != nil {
		return err
	}
	r, err := protocol.Decode[protocol.CompleteResult](body)
	a.log.Println(len(r.Completion.Values), "proposals, more:", r.Completion.HasMore, r.Completion.Values)
	return err
}
