package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/host"
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

// commands does what is typed until there is no more.
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
			_ = a.c.Sync(ctx) // what the server said meanwhile is printed before the next command
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
		r, err := host.Do[protocol.ReadResourceResult](ctx, a.c, protocol.ReadResourceParams{URI: rest})
		for _, c := range r.Contents {
			a.log.Println("content", c.URI, c.MIMEType, c.Text)
		}
		return err
	case "subscribe":
		_, err = a.c.Request(ctx, protocol.SubscribeParams{URI: rest}, host.RequestOptions{})
		a.log.Println("subscribed to", slices.Collect(a.c.State().Subscriptions()))
	case "unsubscribe":
		_, err = a.c.Request(ctx, protocol.UnsubscribeParams{URI: rest}, host.RequestOptions{})
		a.log.Println("subscribed to", slices.Collect(a.c.State().Subscriptions()))
	case "complete":
		return a.complete(ctx, strings.SplitN(rest, " ", 4))
	case "level":
		_, err = a.c.Request(ctx, protocol.SetLevelParams{Level: protocol.LoggingLevel(rest)}, host.RequestOptions{})
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

// complete asks for proposals after each letter, as a text field does: what was asked
// before is not needed then.
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
	var sent []*host.Pending
	var opt host.RequestOptions
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
