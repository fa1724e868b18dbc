# The pairings with docs/examples/gateway in the middle, for run.

# gateway_step LABEL SCRIPT FLAGS... : a script that puts the gateway between clients and servers.
gateway_step() {
  local label=$1 script=$2
  shift 2
  step "$label" 150 env -C "$work" node "$work/$script" --gateway "${GATEWAY[*]}" --stdioserver "${SERVER[*]}" --httpserver "${HTTPSERVER[*]}" \
    --gosdkserver "$bin/gosdkserver -http {addr}" --fixture "${FIXTURE[*]}" --mcp "$MCP" "$@"
}
pair_gateway() { gateway_step "gateway over stdio, TypeScript SDK 1 client" gateway.mjs --over stdio; }
pair_gatewayhttp() {
  local GATEWAY=("${GATEWAY[@]}" -eras sessions) # which version 2 would do without
  gateway_step "gateway over HTTP, clients of the TypeScript SDK 1 and 2 at once" gateway.mjs --over http
}
# pair_gatewaydies is three gateways that share sessions on NATS, before a server made with the TypeScript SDK: each request goes to
# the next one, and the home of the session is killed.
pair_gatewaydies() {
  local sdk three=("$bin/chaos" -do serve -program "$bin/cluster" -store nats -addr {addr} -before "node $work/behind.mjs")
  for sdk in 1 2; do
    step "gateway of three processes that die, TypeScript SDK $sdk client" 80 "$bin/overhttp" "${three[@]}" -- node "$work/dying.mjs" --sdk $sdk {url}
    injected "gateway of three processes that die, TypeScript SDK $sdk client, streams break off" 80 "${OVER[@]}" "${CUT[@]}" "${three[@]}" -- node "$work/dying.mjs" --sdk $sdk {url}
  done
  step "gateway of three processes that die, TypeScript SDK 2 client at 2026-07-28" 80 "$bin/overhttp" "${three[@]}" -- node "$work/parked.mjs" {url}
}
pair_gatewayowner() { gateway_step "gateway, what the owner of its file meant, TypeScript SDK 1 client" gatewayowner.mjs; }
pair_gatewayinspector() { gateway_step "gateway over stdio and HTTP, inspector" gatewayinspector.mjs; }
pair_gatewaysuite() {
  local GATEWAY=("${GATEWAY[@]}" -names plain) # the suite knows what its tools are called
  gateway_step "official suite, server leg at 2025-06-18 through the gateway" gatewaysuite.mjs --revision 2025-06-18 --checks 56 --expected "$PWD/gatewaysuite.txt"
  gateway_step "official suite, server leg at 2025-11-25 through the gateway" gatewaysuite.mjs --revision 2025-11-25 --checks 82 --expected "$PWD/gatewaysuite.txt"
  gateway_step "official suite, server leg at 2026-07-28 through the gateway" gatewaysuite.mjs --revision 2026-07-28 --checks 152 --expected "$PWD/gatewaysuite.txt"
}

# through LABEL FLAGS... -- CLIENT... : a client of others checks the gateway before our server, with
# the checks that it has for our server; FLAGS are those of overhttp, which disturbs the two then.
# What is otherwise there is in gateway.txt, or in another file.
through() {
  local label="gateway before ${OTHERS:-our server}, $1" how=step flags=() known=${KNOWN:-gateway.txt}
  shift
  for (( ; $# > 0; )); do
    [ "$1" != -- ] || break
    flags+=("$1") how=injected
    shift
  done
  $how "$label" 80 bash "$work/known.sh" "$known" "${OVER[@]}" -stops "${flags[@]}" "${GATEWAY[@]}" -http {addr} "$file" "$@"
}
# beyond is through with a server that has both eras, to which the gateway speaks without a session: ours,
# or that of OTHERS.
beyond() {
  local SERVER=("${SERVER[@]}" -revision 2026-07-28) label="$1, without a session to the server"
  [ -z "${OTHERS:-}" ] || SERVER=("$bin/$OTHERS")
  shift
  local file
  one_server beyond
  through "$label" "$@"
}
# one_server NAME leaves in file the path of a configuration with the words of SERVER, which are plain ones.
# Pairings run side by side: each has its own.
one_server() {
  local args
  args=$(printf ', "%s"' "${SERVER[@]:1}")
  [ ${#SERVER[@]} -gt 1 ] || args=', '
  file=$work/$pairing-$1.json
  echo '{"mcpServers": {"ours": {"command": "'"${SERVER[0]}"'", "args": ['"${args#, }"']}}}' >"$file"
}
# known.sh FILE COMMAND... : a check that the file names has to fail, and no other may.
cat >"$work/known.sh" <<'EOF'
file=$1
shift
"$@" | awk '
  NR == FNR { if ($0 !~ /^(#|$)/) known[++n] = substr($0, 1, index($0, " | ") - 1); next }
  /^(ok  |FAIL) / {
    line = $0
    sub(/^(ok  |FAIL) /, "", line)
    for (i = 1; i <= n; i++) {
      if (/^FAIL/ && index(line, known[i] ": ") == 1) { print "| " $0; $0 = "ok   it is otherwise, as is known: " known[i] }
      else if (/^ok/ && line == known[i]) $0 = "FAIL " line ": it is not otherwise"
    }
  }
  /^FAIL/ { bad = 1 }
  / passed, [0-9]+ failed$/ { ended = 1 }
  { print }
  END { if (!ended) print "FAIL the client did not come to its end"; exit bad || !ended }' "$file" -
EOF
pair_gatewayts() {
  local file
  one_server one
  through "TypeScript SDK 1 client" -- node "$work/httpclient.mjs" --sdk 1 {url}
  through "TypeScript SDK 2 client at 2026-07-28" -- node "$work/modern.mjs" --gateway --keeps {url}
  beyond "TypeScript SDK 2 client at 2026-07-28" -- node "$work/modern.mjs" --gateway {url}
  local GATEWAY=("${GATEWAY[@]}" -eras sessions) # which version 2 would do without
  through "TypeScript SDK 2 client" -- node "$work/httpclient.mjs" --sdk 2 {url}
  through "TypeScript SDK 1 client, streams break off: within a message" "${CUT[@]}" -half -- node "$work/httpclient.mjs" --sdk 1 --mode cuts {url}
  through "TypeScript SDK 2 client, the gateway is started anew" "${RESTART[@]}" -- node "$work/httpclient.mjs" --sdk 2 --mode expires {url}
}
pair_gatewaygo() {
  local file
  one_server one
  # A client without a session before a server with one, and before one without. What a server with sessions
  # asks may park any call.
  through "Go SDK client at 2026-07-28" -- "$bin/gosdkclient" -mode modern -revision 2026-07-28 -url {url}
  through "mcp-go client at 2026-07-28" -- "$bin/mcpgoclient" -mode modern -revision 2026-07-28 -url {url}
  beyond "Go SDK client at 2026-07-28" -- "$bin/gosdkclient" -mode modern -revision 2026-07-28 -url {url}
  beyond "mcp-go client at 2026-07-28" -- "$bin/mcpgoclient" -mode modern -revision 2026-07-28 -url {url}
  KNOWN=gatewayeras.txt beyond "Go SDK client at 2025-11-25" -- "$bin/gosdkclient" -revision 2025-11-25 -url {url}
  OTHERS=mcpgoserver beyond "Go SDK client at 2026-07-28" -- "$bin/gosdkclient" -lossy -mode moderncalls -revision 2026-07-28 -url {url}
  OTHERS=gosdkserver beyond "mcp-go client at 2026-07-28" -- "$bin/mcpgoclient" -mode moderncalls -revision 2026-07-28 -url {url}
  through "our client at 2026-07-28" -- "$bin/hostclient" -mode modern -revision 2026-07-28 -url {url}
  local GATEWAY=("${GATEWAY[@]}" -eras sessions) # which the Go SDK would do without
  through "Go SDK client" -- "$bin/gosdkclient" -url {url}
  through "Go SDK client at 2025-06-18" -- "$bin/gosdkclient" -revision 2025-06-18 -url {url}
  through "mcp-go client$JUNK to us" -junk server -- "$bin/mcpgoclient" -url {url}
  through "Go SDK client, streams break off: after a message" "${CUT[@]}" -- "$bin/gosdkclient" -mode cuts -url {url}
  through "Go SDK client, the session ends" "${EXPIRE[@]}" -- "$bin/gosdkclient" -mode expires -url {url}
}
