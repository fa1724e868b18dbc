package limits_test

import (
	"fmt"
	"go/ast"
	goconst "go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/limits"
)

// settingsOf are the types whose numbers and times are settings, by the folder of their package.
// Each field is a row of the table.
var settingsOf = map[string][]string{
	"client/attempt": {"Config", "Lane", "Limits", "Policy", "BatchOptions"},
	"client/manager": {"Config", "Timeouts", "Health", "Budget", "InboxOptions"},
	"client/naming":  {"Form"},
	"client/catalog": {"Config", "Source", "Limits"},
	"client/relay":   {"Config", "Held", "Lists"},
	"client/session": {"Options"},
	"client/links":   {"Options"},
	"client/fleet":   {"Options"},
	"client/gateway": {"Options"},
	"client/child":   {"Options"},
	"client/remote":  {"Options"},
	"server/host":    {"Options", "WorkOptions"},
	"server/nethttp": {"Options"},
	"server/stdio":   {"Options"},
	"client/oauth":   {"Config"},
	"server/guard":   {"Policy"},
	"server/jwt":     {"Config", "Introspection"},
	"jsonrpc/pipe":   nil, "client/oauth/login": nil, "client/oauth/store": nil,
	"protocol/schema/provider": nil, "protocol/toolerror": nil, "server/typed": nil,
}

// noBound are constants that look like limits on a peer but are not.
var noBound = map[string]string{
	"client/session maxPause":   "between one attempt to open a session and the next",
	"client/relay maxLag":       "the range of times in a snapshot",
	"client/naming minMax":      "the least that Form.Max may be",
	"server/nethttp maxTries":   "attempts at a turn of a session that several processes have",
	"server/nethttp maxVictims": "sessions that one that begins tries to take the place of",
}

// unproved are rows whose limit no test reaches exactly. They guard against time and memory of
// hostile input, which tests of their packages bound in total.
var unproved = []string{
	"protocol/schema/provider maxBranches", "protocol/schema/provider maxStrip",
	"protocol/schema/provider maxBytes", "protocol/schema/provider maxRefs", "server/typed maxSize",
	"client/gateway maxReports", "client/gateway maxText", "client/remote maxRedirects",
	"server/nethttp overTimeout", "server/nethttp headerTimeout", "server/nethttp connectionTimeout", "server/nethttp connectTimeout",
	"client/oauth/login formTime", "client/oauth/login connectTime", "client/oauth/login closeTime",
}

// pkg is the content of a package's sources.
type pkg struct {
	consts map[string]ast.Expr
	fields map[string]*ast.Field // by Type.Field
	docs   map[string]string     // of fields and of types
	tests  map[string]bool
}

func load(t *testing.T, dir string) *pkg {
	t.Helper()
	p := &pkg{map[string]ast.Expr{}, map[string]*ast.Field{}, map[string]string{}, map[string]bool{}}
	list, err := os.ReadDir(path.Join("../..", dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path.Join("../..", dir, e.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				p.tests[d.Name.Name] = p.tests[d.Name.Name] || d.Recv == nil && strings.HasPrefix(d.Name.Name, "Test")
			case *ast.GenDecl:
				if !strings.HasSuffix(e.Name(), "_test.go") {
					p.declare(d)
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool { // constants within functions
			if s, ok := n.(*ast.DeclStmt); ok && !strings.HasSuffix(e.Name(), "_test.go") {
				p.declare(s.Decl.(*ast.GenDecl))
			}
			return true
		})
	}
	return p
}

func (p *pkg) declare(d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.ValueSpec:
			for i, n := range s.Names {
				if d.Tok == token.CONST && i < len(s.Values) {
					p.consts[n.Name] = s.Values[i]
				}
			}
		case *ast.TypeSpec:
			p.docs[s.Name.Name] = d.Doc.Text() + s.Doc.Text()
			if typ, ok := s.Type.(*ast.StructType); ok {
				for _, f := range typ.Fields.List {
					for _, n := range f.Names {
						p.fields[s.Name.Name+"."+n.Name] = f
						p.docs[s.Name.Name+"."+n.Name] = strings.Join(strings.Fields(f.Doc.Text()+f.Comment.Text()), " ")
					}
				}
			}
		}
	}
}

// counts reports whether a field is a number or a time.
func counts(f *ast.Field) bool {
	s := types.ExprString(f.Type)
	return s == "int" || s == "time.Duration"
}

var defaultOf = regexp.MustCompile(`[Dd]efault (is )?(\d|one|half)`)

// says returns what is wrong with the documentation of a setting: it must give its default, or
// name the constant, or its type must say that zero means a default.
func (p *pkg) says(b limits.Bound) string {
	doc := p.docs[b.Setting]
	typ, _, _ := strings.Cut(b.Setting, ".")
	var value bool
	for _, w := range written(b.Default) {
		value = value || regexp.MustCompile(`(^|\W)`+regexp.QuoteMeta(w)+`(\W|$)`).MatchString(doc)
	}
	switch {
	case defaultOf.MatchString(doc):
		if !value && (b.Default != limits.None || !strings.Contains(doc, "efault 0")) {
			return fmt.Sprintf("the documentation has another default than %v: %s", b.Default, doc)
		}
	case value, b.Const != "" && strings.Contains(doc+p.docs[typ], b.Const):
	case b.Const == "" && !value && fmt.Sprint(b.Default) != limits.None:
		// It follows another setting, which the documentation names.
		if s, ok := b.Default.(string); ok && !regexp.MustCompile(`that of|those of|[Dd]efault|defaults|goes? before|means`).MatchString(doc+p.docs[typ]) {
			return fmt.Sprintf("the documentation does not say that it follows %s: %s", s, doc)
		}
	case b.Const != "" && !regexp.MustCompile(`(means|stand for) (the|its|their) default|(means|is) its default`).MatchString(strings.Join(strings.Fields(doc+" "+p.docs[typ]), " ")):
		return "the documentation does not say what zero means: " + doc
	}
	return ""
}

// written are the ways to write a default.
func written(v any) []string {
	switch v := v.(type) {
	case int:
		s := fmt.Sprint(v)
		if v >= 10_000 {
			return []string{s, s[:len(s)-3] + "," + s[len(s)-3:]}
		}
		return []string{s}
	case limits.Bytes:
		return []string{fmt.Sprintf("%d MiB", v>>20), fmt.Sprintf("%d KiB", v>>10), fmt.Sprint(int(v))}
	case time.Duration:
		s := []string{fmt.Sprintf("%g s", v.Seconds()), fmt.Sprintf("%g min", v.Minutes()), fmt.Sprintf("%d ms", v.Milliseconds())}
		if v == time.Minute {
			s = append(s, "one minute")
		}
		return s
	}
	return nil
}

// Every row of the table of bounds names an existing setting or constant, the default
// of the sources and their documentation, and existing tests. Every
// setting that is a number or a time has a row, and so has every constant that is a limit or a
// default.
func TestBounds(t *testing.T) {
	pkgs := map[string]*pkg{}
	of := func(dir string) *pkg {
		if pkgs[dir] == nil {
			pkgs[dir] = load(t, dir)
		}
		return pkgs[dir]
	}
	for _, fault := range boundFaults(limits.Bounds(), of) {
		t.Error(fault)
	}
	// It finds the faults of a damaged table.
	damaged := limits.Bounds()
	damage := map[string]func(b *limits.Bound){
		"client/attempt Config.Queue: the documentation does not": func(b *limits.Bound) { b.Const, b.Default = "maxReason", 9 },
		"client/attempt maxReason is 1024, the table has 1025":    func(b *limits.Bound) { b.Default = limits.Bytes(1025) },
		"client/session Options.MaxEvents: the documentation has": func(b *limits.Bound) { b.Default = 999 },
		"client/links Options.SendTimeout: there is no constant":  func(b *limits.Bound) { b.Const = "DefaultStuck" },
		"client/session Options.Reopen: there is no test":         func(b *limits.Bound) { b.Proof = "client/session TestNothing" },
		"no row for client/remote Options.MaxPosts":               func(b *limits.Bound) { b.Setting = "defaultMaxPosts" },
		"server/host Options.Brain: there is no such setting":     func(b *limits.Bound) { b.Setting = "Options.Brain" },
		"no row for the constant server/typed maxErrors":          func(b *limits.Bound) { b.Setting, b.Const = "maxDigits", "maxDigits" },
		"server/stdio Options.Drain: half a row":                  func(b *limits.Bound) { b.Beyond = "" },
	}
	of1 := map[string]string{
		"no row for client/remote Options.MaxPosts": "client/remote Options.MaxPosts", "server/host Options.Brain: there is no such setting": "server/host Options.Drain",
		"no row for the constant server/typed maxErrors": "server/typed maxErrors",
	}
	for fault, do := range damage {
		key := of1[fault]
		if key == "" {
			key = strings.TrimSuffix(strings.Join(strings.Fields(fault)[:2], " "), ":")
		}
		i := slices.IndexFunc(damaged, func(b limits.Bound) bool { return b.Where+" "+b.Setting == key })
		if i < 0 {
			t.Fatal(key)
		}
		do(&damaged[i])
	}
	faults := strings.Join(boundFaults(damaged, of), "\n")
	for fault := range damage {
		if !strings.Contains(faults, fault) {
			t.Errorf("of a damaged table it finds, without %q:\n%s", fault, faults)
		}
	}
}

// boundFaults returns what is wrong with the table of bounds.
func boundFaults(list []limits.Bound, of func(dir string) *pkg) (faults []string) {
	errorf := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	rows, named := map[string]bool{}, map[string]bool{}
	for _, b := range list {
		p, key := of(b.Where), b.Where+" "+b.Setting
		if rows[key] {
			errorf("%s is there twice", key)
		}
		rows[key], named[b.Where+" "+b.Const] = true, true
		if f := p.fields[b.Setting]; strings.Contains(b.Setting, ".") {
			if f == nil || !counts(f) {
				errorf("%s: there is no such setting", key)
			} else if fault := p.says(b); fault != "" {
				errorf("%s: %s", key, fault)
			}
		} else if b.Setting != b.Const {
			errorf("%s is not its constant", key)
		}
		if x := p.consts[b.Const]; b.Const != "" && x == nil {
			errorf("%s: there is no constant %s", key, b.Const)
		} else if v, ok := valueOf(x); ok && v != fmt.Sprint(numberOf(b.Default)) {
			errorf("%s is %s, the table has %v", key, v, b.Default)
		}
		if b.Beyond == "" || b.Default == nil {
			errorf("%s: half a row", key)
		}
		if (b.Proof == "") != slices.Contains(unproved, key) {
			errorf("%s: it is proved, or is not, against what is said", key)
		}
		for _, proof := range strings.Split(b.Proof, ", ") {
			if proof == "" {
				continue
			}
			dir, test, ok := strings.Cut(proof, " ")
			if !ok || !of(dir).tests[test] {
				errorf("%s: there is no test %q", key, proof)
			}
		}
	}
	for dir, typs := range settingsOf {
		p := of(dir)
		for name, f := range p.fields {
			if typ, _, _ := strings.Cut(name, "."); slices.Contains(typs, typ) && counts(f) && !rows[dir+" "+name] {
				errorf("no row for %s %s", dir, name)
			}
		}
		for name := range p.consts {
			key := dir + " " + name
			bound := regexp.MustCompile(`^(max|Max|Default|default|Queue)[A-Z]|[a-z](Time|Timeout|Life)$`).MatchString(name)
			if _, text := p.consts[name].(*ast.BasicLit); bound && !named[key] && noBound[key] == "" && !(text && p.consts[name].(*ast.BasicLit).Kind == token.STRING) {
				errorf("no row for the constant %s", key)
			}
		}
	}
	for key, why := range noBound {
		dir, name, _ := strings.Cut(key, " ")
		if of(dir).consts[name] == nil || why == "" {
			errorf("%s is not there any more", key)
		}
	}
	return faults
}

// units are those of times, in nanoseconds.
var units = strings.NewReplacer("time.Hour", "3600000000000", "time.Minute", "60000000000", "time.Second", "1000000000", "time.Millisecond", "1000000")

// valueOf computes a constant expression of numbers and units of time.
func valueOf(x ast.Expr) (string, bool) {
	if x == nil {
		return "", false
	}
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, units.Replace(types.ExprString(x)))
	if err != nil || v.Value == nil || v.Value.Kind() != goconst.Int {
		return "", false // another constant: the table is compiled with it
	}
	return v.Value.ExactString(), true
}

func numberOf(v any) any {
	switch v := v.(type) {
	case limits.Bytes:
		return int(v)
	case time.Duration:
		return int64(v)
	}
	return v
}
