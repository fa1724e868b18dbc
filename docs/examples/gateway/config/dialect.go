package config

import "strings"

// dialect is the form of the files of one client.
type dialect struct {
	name string
	// marks are members, of the file or of an entry, that no other client has.
	marks []string
	// dollar means that $NAME is a variable.
	dollar bool
	// brace means that {env:NAME} is a variable.
	brace bool
}

// The dialects. If the dialect of a file is not certain, forms whose meaning differs are refused:
// see parser.dialect.
var dialects = []dialect{
	{name: "claude"}, // Claude Desktop and Claude Code
	{name: "cursor"},
	{name: "vscode"},
	{name: "gemini", dollar: true, marks: []string{"httpUrl", "trust", "includeTools", "excludeTools", "selectedAuthType", "security.auth", "allowMCPServers", "excludeMCPServers"}},
	{name: "cline"}, // and Roo Code
	{name: "windsurf", marks: []string{"serverUrl"}},
	{name: "zed"},
	{name: "opencode", brace: true},
	{name: "continue"},
	{name: "copilot"},
	{name: "proxy", marks: []string{"mcpProxy"}},
	{name: "cherry", marks: []string{"isActive"}},
}

// Dialects returns the names that Options.Dialect may have.
func Dialects() []string {
	names := make([]string, 0, len(dialects))
	for _, d := range dialects {
		names = append(names, d.name)
	}
	return names
}

func dialectOf(name string) *dialect {
	for i := range dialects {
		if dialects[i].name == name {
			return &dialects[i]
		}
	}
	return nil
}

// use is the meaning of a member of an entry.
type use uint8

const (
	useNothing   use = iota
	useCommand       // the program; with its arguments, if it is an array or an object
	useArgs          // the arguments
	useEnv           // the environment
	useFolder        // where it runs
	useAddress       // the url
	useHeader        // of requests
	useRequests      // an object with headers in it
	useSort          // the kind: command or url
	useOff           // a boolean: true leaves the entry out
	useOn            // a boolean: false leaves the entry out
	useDeny          // tools that are not offered
	useAllow         // the only tools that are offered
	useFilter        // an object with one of the two
	useOptions       // an object of the settings of a proxy
	useApprove       // tools that need no approval: nothing asks for approval here
	usePlain         // for people: no warning
	useApprovals     // a text: "never" is no restriction
	useSandboxes     // a boolean: true restricts what the process may do
)

// fields has the meaning of the members of an entry, by their names without case, - and _:
// different spellings mean the same.
var fields = map[string]use{
	"command": useCommand, "args": useArgs, "env": useEnv, "environment": useEnv, "cwd": useFolder,
	"url": useAddress, "serverurl": useAddress, "httpurl": useAddress, "baseurl": useAddress,
	"headers": useHeader, "requestoptions": useRequests, "requestinit": useRequests,
	"type": useSort, "transport": useSort, "transporttype": useSort,
	"disabled": useOff, "enabled": useOn, "isactive": useOn, "active": useOn, "isenabled": useOn,
	"disabledtools": useDeny, "excludetools": useDeny, "excludedtools": useDeny, "disallowedtools": useDeny, "deniedtools": useDeny, "blockedtools": useDeny,
	"includetools": useAllow, "includedtools": useAllow, "enabledtools": useAllow, "allowedtools": useAllow, "tools": useAllow,
	"toolfilter": useFilter, "options": useOptions,
	"autoapprove": useApprove, "alwaysallow": useApprove, "trust": useApprove,
	"disabledautoapprovetools": useApprove,
	"logenabled":               usePlain, "panicifinvalid": usePlain, "name": usePlain, "description": usePlain, "source": usePlain,
	"requireapproval": useApprovals, "sandboxenabled": useSandboxes,
}

// restricts are parts of names, as plainName makes them, of settings that restrict something. Such
// a member that is not in fields is not understood, and leaves its server out.
var restricts = []string{
	"disab", "enab", "exclu", "inclu", "deny", "denied", "disallow", "allow", "block", "forbid", "restrict", "filter", "whitelist",
	"blacklist", "permi", "readonly", "only", "hide", "hidden", "sandbox", "active", "polic", "except", "omit", "ignore",
	"approv", "confirm", "consent", "guard", "limit", "authtokens",
}

// restrictive reports whether the name of a member looks like that of a restriction.
func restrictive(name string) bool {
	plain := plainName(name)
	for _, part := range restricts {
		if strings.Contains(plain, part) {
			return true
		}
	}
	return disguised(name)
}

// plainName is a name without case, - and _.
func plainName(name string) string {
	return strings.ToLower(joints.Replace(name))
}

var joints = strings.NewReplacer("_", "", "-", "", ".", "")

// sorts has the values of "type": true for a url, false for a command.
var sorts = map[string]bool{
	"stdio": false, "command": false, "local": false,
	"http": true, "https": true, "sse": true, "remote": true, "streamablehttp": true, "streamable": true, "httpstream": true,
}
