# The pairings over HTTP, for run. In each step overhttp starts a server and then a client.

# What a stream breaks off after: any message of the server that is no answer, and the
# results of tools.
CUT=(-cut '"method"' -cut '"content":[')
EXPIRE=(-expire "the session ends here")
RESTART=(-restart "the session ends here")
JUNK=", what is no message"

# http_server LABEL CLIENT... : a client of others checks our server. {mode} in its
# arguments becomes what it checks. Then the same when streams break off, in the ways of
# BREAKS, when the session ends, and when the server is started anew.
http_server() {
  local label=$1 how
  shift
  step "$label" 80 "$bin/overhttp" -stops "${HTTPSERVER[@]}" -- "${@/\{mode\}/all}"
  injected "$label$JUNK to us" 80 "${OVER[@]}" -junk server "${HTTPSERVER[@]}" -- "${@/\{mode\}/all}"
  for how in "${BREAKS[@]}"; do
    injected "$label, streams break off: $how" 80 "${OVER[@]}" "${CUT[@]}" $(breaks "$how") "${HTTPSERVER[@]}" -- "${@/\{mode\}/cuts}"
  done
  injected "$label, the session ends" 60 "${OVER[@]}" "${EXPIRE[@]}" "${HTTPSERVER[@]}" -- "${@/\{mode\}/expires}"
  injected "$label, the server is started anew" 60 "${OVER[@]}" "${RESTART[@]}" "${HTTPSERVER[@]}" -- "${@/\{mode\}/expires}"
}

# http_older LABEL CLIENT... : the same client asks for older revisions.
http_older() {
  local label=$1
  shift
  step "$label at 2025-06-18" 80 "$bin/overhttp" "${HTTPSERVER[@]}" -- "$@" -revision 2025-06-18 -url {url}
  step "$label at 2025-03-26" 60 "$bin/overhttp" "${HTTPSERVER[@]}" -- "$@" -revision 2025-03-26 -mode oneway -url {url}
  step "$label at 2024-11-05" 60 "$bin/overhttp" "${HTTPSERVER[@]}" -- "$@" -revision 2024-11-05 -mode oneway -url {url}
}
BREAKS=("after a message" "within a message")

# breaks prints the flag of overhttp for a way in which streams break off.
breaks() {
  case $1 in
  "within a message") echo -half ;;
  "in good order") echo -end ;;
  esac
}

pair_tshttp() { http_server "TypeScript SDK 1 client over HTTP" node "$work/httpclient.mjs" --sdk 1 --mode {mode} {url}; }
pair_ts2http() { http_server "TypeScript SDK 2 client over HTTP" node "$work/httpclient.mjs" --sdk 2 --mode {mode} {url}; }

# pair_processes is three processes that share sessions on NATS: each request goes to the next one, a stream that
# breaks off is resumed at another.
pair_processes() {
  local sdk three=("$bin/chaos" -do serve -program "$bin/cluster" -store nats -addr {addr})
  for sdk in 1 2; do
    step "TypeScript SDK $sdk client over HTTP, three processes" 80 "$bin/overhttp" "${three[@]}" -- node "$work/httpclient.mjs" --sdk $sdk --mode processes {url}
    injected "TypeScript SDK $sdk client over HTTP, three processes, streams break off" 80 "${OVER[@]}" "${CUT[@]}" "${three[@]}" -- node "$work/httpclient.mjs" --sdk $sdk --mode processes {url}
  done
}
pair_gosdkhttp() {
  http_server "Go SDK client over HTTP" "$bin/gosdkclient" -mode {mode} -url {url}
  http_older "Go SDK client over HTTP" "$bin/gosdkclient"
}
pair_mcpgohttp() {
  local BREAKS=("in good order") # it does not go on with others
  http_server "mcp-go client over HTTP" "$bin/mcpgoclient" -mode {mode} -url {url}
  http_older "mcp-go client over HTTP" "$bin/mcpgoclient"
}

# pair_stateless is a server without sessions: two clients, parallel calls, notifications, batches.
pair_stateless() {
  local sdk
  for sdk in 1 2; do
    step "TypeScript SDK $sdk clients over HTTP, without sessions" 80 "$bin/overhttp" -stops "${HTTPSERVER[@]}" -stateless -- node "$work/httpclient.mjs" --sdk $sdk --mode stateless {url}
  done
}

# logins AS OPTIONS... : a server of ours that wants access tokens of an authorization server, and clients of others
# that log in by code of their own. Our client, and servers of others, are in conformance/authservers. What each has to do stands
# behind the name: "scopes" is a page for more of them, "taken back" a refresh token, "keys" that it signs by a new one.
logins() {
  local as=$1 does="renewal, restart"
  shift
  case "$*" in *--scopes*) does+=", scopes" ;; esac
  case "$*" in *--forgets*) does+=", taken back" ;; esac
  case "$*" in *--rotates*) does+=", keys" ;; esac
  step "TypeScript SDK 1 and 2 clients log in, $as: $does" 60 "$bin/overhttp" "$bin/guarded" "$as" {addr} -- node "$work/auth.mjs" "$@" {url}
}
pair_authhttp() {
  logins naive --scopes --forgets
  logins opaque --known --scopes --forgets
}
pair_authdex() { logins dex --known --rotates; }
pair_authzitadel() { logins zitadel --known --scopes --forgets --rotates; }
pair_authgosdk() {
  step "Go SDK client logs in, dex: renewal" 60 "$bin/overhttp" "$bin/guarded" dex {addr} -- "$bin/gosdklogin" {url}
  step "Go SDK client logs in, zitadel: renewal, scopes" 60 "$bin/overhttp" "$bin/guarded" zitadel {addr} -- "$bin/gosdklogin" -scopes {url}
}

# pair_modernhttp is the revision without sessions: our server, which has both eras, and clients of others; and
# our client with servers of others.
pair_modernhttp() {
  local both=("${HTTPSERVER[@]}" -revision 2026-07-28) new=(-revision 2026-07-28 -url {url})
  step "TypeScript SDK 2 client over HTTP, 2026-07-28" 80 "$bin/overhttp" -stops "${both[@]}" -- node "$work/modern.mjs" {url}
  step "TypeScript SDK 2 client over HTTP that finds it out" 80 "$bin/overhttp" -stops "${both[@]}" -- node "$work/modern.mjs" --mode auto {url}
  step "Go SDK client over HTTP, 2026-07-28" 80 "$bin/overhttp" -stops "${both[@]}" -- "$bin/gosdkclient" -mode modern "${new[@]}"
  step "mcp-go client over HTTP, 2026-07-28" 80 "$bin/overhttp" -stops "${both[@]}" -- "$bin/mcpgoclient" -mode modern "${new[@]}"
  step "our client over HTTP, our server, 2026-07-28" 80 "$bin/overhttp" -stops "${both[@]}" -- "$bin/hostclient" -mode modern "${new[@]}"
  step "TypeScript SDK 1 client over HTTP, a server of both eras" 80 "$bin/overhttp" -stops "${both[@]}" -- node "$work/httpclient.mjs" --sdk 1 {url}
  step "TypeScript SDK 2 client over HTTP with sessions, a server of both eras" 80 "$bin/overhttp" -stops "${both[@]}" -- node "$work/httpclient.mjs" --sdk 2 --legacy {url}
  step "Go SDK client over HTTP at 2025-11-25, a server of both eras" 80 "$bin/overhttp" -stops "${both[@]}" -- "$bin/gosdkclient" -revision 2025-11-25 -url {url}
  step "mcp-go client over HTTP at 2025-11-25, a server of both eras" 80 "$bin/overhttp" -stops "${both[@]}" -- "$bin/mcpgoclient" -revision 2025-11-25 -url {url}
  step "our client over HTTP, Go SDK server, 2026-07-28" 80 "$bin/overhttp" "$bin/gosdkserver" -stateless -http {addr} -- "$bin/hostclient" -mode moderncalls "${new[@]}"
  step "our client over HTTP, Go SDK server without streams, 2026-07-28" 80 "$bin/overhttp" "$bin/gosdkserver" -bare -http {addr} -- "$bin/hostclient" -mode modernbare "${new[@]}"
  step "our client over HTTP, mcp-go server, 2026-07-28" 80 "$bin/overhttp" "$bin/mcpgoserver" -http {addr} -- "$bin/hostclient" -mode moderncalls -lossy "${new[@]}"
}

pair_inspectorhttp() {
  step "inspector over HTTP" 120 "$bin/overhttp" "${HTTPSERVER[@]}" -- node "$work/inspector.mjs" "$MCP/inspector/clients/launcher/build/index.js" {url} --transport http
}

# The servers of others.
EVERYTHING() { echo node --import "$work/loopback-only.mjs" "$MCP/server-everything/dist/index.js"; }

# Our client, as packages: hosthttp with our server, host... with those of others.
OURS() { echo "$bin/hostclient" -mode {mode} -url {url}; }
pair_hosthttp() {
  local BREAKS=("after a message" "within a message" "in good order")
  http_server "our client over HTTP, our server" $(OURS)
}
pair_hostmore() {
  http_older "our client over HTTP, our server" "$bin/hostclient"
  injected "our client over HTTP, our server, turned away three times" 80 "${OVER[@]}" "${CUT[@]}" -refuse 3 "${HTTPSERVER[@]}" -- "$bin/hostclient" -mode cuts -url {url}
}
pair_hostgosdk() {
  local BREAKS=("after a message" "within a message" "in good order")
  http_client "Go SDK server" "$bin/gosdkserver" -http {addr} -- $(OURS)
  step "our client over HTTP, Go SDK server without sessions and streams" 60 "$bin/overhttp" "$bin/gosdkserver" -bare -http {addr} -- "$bin/hostclient" -mode bare -url {url}
}
pair_hostts2() {
  local BREAKS=("after a message" "in good order") # the GET stream begins without an event id
  http_client "server made with the TypeScript SDK 2" node "$work/server2.mjs" -- $(OURS)
}
pair_hostothers() {
  local BREAKS=("after a message" "in good order")
  http_client "mcp-go server" "$bin/mcpgoserver" -http {addr} -- $(OURS) -lossy
  step "our client over HTTP, mcp-go server without sessions and streams" 60 "$bin/overhttp" "$bin/mcpgoserver" -bare -http {addr} -- "$bin/hostclient" -mode bare -url {url}
  http_client "server-everything" $(EVERYTHING) streamableHttp -- $(OURS) -everything
}

# http_client PEER SERVER... -- CLIENT... : our client checks a server of others.
http_client() {
  local label="our client over HTTP, $1" how
  shift
  step "$label" 80 "$bin/overhttp" "${@/\{mode\}/calls}"
  injected "$label$JUNK to us" 80 "${OVER[@]}" -junk client "${@/\{mode\}/calls}"
  for how in "${BREAKS[@]}"; do
    injected "$label, streams break off: $how" 80 "${OVER[@]}" "${CUT[@]}" $(breaks "$how") "${@/\{mode\}/cuts}"
  done
  case $label in *everything) return ;; esac # it answers 400, and not 404
  injected "$label, the server is started anew" 60 "${OVER[@]}" "${RESTART[@]}" "${@/\{mode\}/expires}"
  case $label in *Go\ SDK*) return ;; esac # its DELETE waits for calls that run
  injected "$label, the session ends" 60 "${OVER[@]}" "${EXPIRE[@]}" "${@/\{mode\}/expires}"
}

# pair_clienthttp is our client, as a program.
pair_clienthttp() {
  local everything=($(EVERYTHING) streamableHttp) gosdk=("$bin/gosdkserver" -http {addr}) mcpgo=("$bin/mcpgoserver" -http {addr})
  http_session "our server" ours "${HTTPSERVER[@]}"
  # Over HTTP it announces its tools before anybody listens.
  sed '/^> wait notifications\/tools\/list_changed$/d' sessions/server-everything.txt >"$work/server-everything-http.txt"
  http_session "server-everything" "$work/server-everything-http" "${everything[@]}"
  http_session "Go SDK everything server" gosdk-everything "$bin/gosdk-everything" -http {addr}
  http_session "Go SDK conformance server" gosdk-conformance "$bin/gosdk-conformance" -stateless=false -http {addr}
  http_session "server made with mcp-go" mcpgo "${mcpgo[@]}"
  local peer
  for peer in "our server" "server made with the Go SDK" "server made with mcp-go"; do
    local server=("${HTTPSERVER[@]}")
    case $peer in *Go\ SDK) server=("${gosdk[@]}") ;; *mcp-go) server=("${mcpgo[@]}") ;; esac
    http_session "$peer" selves "${server[@]}"
    http_session "$peer" newest "${server[@]}"
    http_older_session "$peer" older "${server[@]}"
  done
}
http_older_session() {
  local OFFER=(-revision 2025-06-18)
  http_session "$@"
}

# http_session PEER FILE SERVER... : our client does what sessions/FILE.txt says.
http_session() {
  local file=$2 label="our client over HTTP, $1: $(basename "$2")" client
  case $file in /*) ;; *) file=sessions/$file ;; esac
  client=("$bin/session" "$file.txt" "${CLIENT[@]}" "${OFFER[@]}" -i {url})
  shift 2
  step "$label" 60 "$bin/overhttp" "$@" -- "${client[@]}"
  case $file in *selves | *older) return ;; esac # they have hardly a stream
  injected "$label$JUNK to us" 60 "${OVER[@]}" -junk client "$@" -- "${client[@]}"
}

# pair_sse is HTTP+SSE of 2024-11-05, both ways.
pair_sse() {
  local sdk HTTPSERVER=("${HTTPSERVER[@]}" -sse)
  for sdk in 1 2; do
    step "TypeScript SDK $sdk client over HTTP+SSE" 80 "$bin/overhttp" -stops "${HTTPSERVER[@]}" -- node "$work/httpclient.mjs" --sdk $sdk --sse {url}
  done
  step "Go SDK client over HTTP+SSE" 80 "$bin/overhttp" -stops "${HTTPSERVER[@]}" -- "$bin/gosdkclient" -sse -url {url}
  step "mcp-go client over HTTP+SSE" 80 "$bin/overhttp" -stops "${HTTPSERVER[@]}" -- "$bin/mcpgoclient" -mode oneway -sse -url {url} # it takes no requests here
  local us=("$bin/hostclient" -mode calls -sse -url {url})
  step "our client over HTTP+SSE, our server" 60 "$bin/overhttp" -old "${HTTPSERVER[@]}" -- "${us[@]}"
  step "our client over HTTP+SSE, Go SDK server" 60 "$bin/overhttp" -path /sse "$bin/gosdkserver" -http {addr} -- "${us[@]}"
  injected "our client over HTTP+SSE, Go SDK server, it is started anew" 60 "${OVER[@]}" -path /sse "${RESTART[@]}" "$bin/gosdkserver" -http {addr} -- "$bin/hostclient" -mode expires -sse -url {url}
  injected "our client over HTTP+SSE, our server, it is started anew" 60 "${OVER[@]}" -old "${RESTART[@]}" "${HTTPSERVER[@]}" -- "$bin/hostclient" -mode expires -sse -url {url}
  step "our client over HTTP+SSE, mcp-go server" 60 "$bin/overhttp" -path /sse "$bin/mcpgoserver" -http {addr} -- "$bin/hostclient" -mode oneway -lossy -sse -url {url} # it asks nothing here
  step "our client over HTTP+SSE, server-everything" 60 "$bin/overhttp" -path /sse $(EVERYTHING) sse -- "${us[@]}" -everything
}
