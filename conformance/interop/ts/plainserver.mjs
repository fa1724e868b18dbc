// plainserver.mjs is a server without any SDK, so that it can say what none would: NAME, DELAY in
// milliseconds before it answers initialize, MUTE to answer nothing, and TOOLS, the list as JSON. Each
// tool answers with the name of the server.
import { createInterface } from 'node:readline';

const name = process.env.NAME, tools = JSON.parse(process.env.TOOLS);
const sleep = ms => new Promise(r => setTimeout(r, ms));
for await (const line of createInterface({ input: process.stdin })) {
  const m = JSON.parse(line), say = result => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: m.id, result }) + '\n');
  if (process.env.MUTE || m.id === undefined) continue;
  if (m.method === 'initialize') {
    await sleep(+(process.env.DELAY ?? 0));
    say({ protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: '1' } });
  } else if (m.method === 'tools/list') say({ tools });
  else if (m.method === 'tools/call') say({ content: [{ type: 'text', text: name + ' ' + m.params.name }] });
  else say({});
}
