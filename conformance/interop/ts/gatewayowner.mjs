// gatewayowner.mjs --gateway COMMAND ... checks with the client of the TypeScript SDK that the gateway
// does what the owner of its file meant, and that no server costs the others their place in a list:
// names that do not move, the first list, filters, odd items, and items that an older client cannot
// have. One line per check, 'N passed, N failed' at the end; lines of "note" are figures.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as bed from './gatewaybed.mjs';
const { brief, check, figure, finish, rejects, sleep, textOf, until, want, words } = bed;

const script = join(fileURLToPath(new URL('.', import.meta.url)), 'plainserver.mjs');
const tool = (name, more) => ({ name, inputSchema: { type: 'object' }, ...more });
const server = (name, tools, more = {}, env = {}) => ({ command: process.execPath, args: [script], env: { NAME: name, TOOLS: JSON.stringify(tools), ...env }, ...more });

// connect starts the gateway with these servers, and a client of it; revision is the one that it asks
// for, if not its newest.
async function connect(servers, args = [], revision) {
  bed.write(servers);
  const [command, ...rest] = words('gateway');
  const transport = new StdioClientTransport({ command, args: [...rest, '-check', '0', '-quiet', ...args, bed.file], stderr: 'ignore', env: process.env });
  if (revision) {
    const send = transport.send.bind(transport);
    transport.send = (m, o) => send(m.method === 'initialize' ? { ...m, params: { ...m.params, protocolVersion: revision } } : m, o);
  }
  const client = new Client({ name: 'owner', version: '1.0.0' });
  await client.connect(transport);
  return client;
}
// run opens a client, does something with it, and closes it.
const run = (what, servers, f, ...how) => check(what, async () => {
  const client = await connect(servers, ...how);
  try { await f(client); } finally { await client.close(); }
});
const listed = async client => (await client.listTools()).tools.map(t => t.name);

// A name that a call reached once reaches the same server for as long as it is listed.
for (const [args, slow] of [[[], 'prod'], [[], 'staging'], [['-names', 'plain'], 'prod'], [['-names', 'plain'], 'staging']]) {
  const one = name => server(name, [tool('delete_file')], {}, name === slow ? { DELAY: '1500' } : {});
  await run(`names do not move, ${args.join(' ') || 'by default'}, ${slow} starts late`, { prod: one('prod'), staging: one('staging') }, async client => {
    const reached = {};
    let both = 0;
    for (const end = Date.now() + 3000; Date.now() < end; await sleep(50)) {
      const names = await listed(client);
      for (const name of new Set([...names, 'delete_file'])) {
        const who = await client.callTool({ name, arguments: {} }).then(textOf, () => undefined);
        if (who === undefined) continue;
        want((reached[name] ??= who) === who, `${name} was of ${reached[name]}, and is of ${who}`);
      }
      both = Math.max(both, new Set(Object.values(reached)).size);
    }
    want(both === 2, `reached ${brief(reached)}`);
  }, args);
}

// The first list has what is on its way, and does not wait for who never comes.
{
  const servers = { mute: server('mute', [tool('x')], {}, { MUTE: '1' }) };
  for (let i = 0; i < 5; i++) servers['s' + i] = server('s' + i, [tool('t' + i)], {}, { DELAY: String(i * 200) });
  await run('the first list has all servers but the mute one', servers, async client => {
    const began = Date.now(), names = await listed(client);
    figure('the first list of five servers and a mute one came after', Date.now() - began);
    want(names.length === 5, brief(names));
  });
}

// Filters of several clients' files hold, in the list and for calls.
{
  const tools = [tool('read'), tool('write'), tool('drop')], f = (name, more) => server(name, tools, more);
  const servers = {
    cline: f('cline', { disabledTools: ['drop'] }), gemini: f('gemini', { includeTools: ['read'], excludeTools: ['write'] }), copilot: f('copilot', { tools: ['read', 'write'] }),
    proxy: f('proxy', { options: { toolFilter: { mode: 'block', list: ['d*'] } } }), switched: f('switched', { tools: { drop: false, write: false } }),
    off: f('off', { disabled: true }), inactive: f('inactive', { isActive: false }), odd: f('odd', { disabledTools: 'drop' }), unknown: f('unknown', { readOnlyTools: true }),
    unset: f('unset', { cwd: '${INTEROP_NOT_SET}' }),
  };
  const offered = { cline: ['read', 'write'], gemini: ['read'], copilot: ['read', 'write'], proxy: ['read', 'write'], switched: ['read'] };
  await run('filters hold, and what is not understood keeps its server out', servers, async client => {
    const names = (await listed(client)).sort(), all = Object.entries(offered).flatMap(([s, l]) => l.map(t => `mcp.${s}.${t}`)).sort();
    want(brief(names) === brief(all), brief(names));
    for (const s of Object.keys(servers)) for (const t of ['read', 'write', 'drop']) {
      const call = client.callTool({ name: `mcp.${s}.${t}`, arguments: {} });
      if (offered[s]?.includes(t)) want(textOf(await call) === `${s} ${t}`, s); else await rejects(call, -32602);
    }
  });
}

// One odd item costs at most itself, at its own server and at the others.
const odd = [
  tool('good'), tool('any', { inputSchema: { type: 'object', properties: { v: true, w: false } } }), tool('annotated', { annotations: [] }), tool('described', { description: 5 }),
  tool('titled', { title: {} }), tool('meta', { _meta: [] }), tool('output', { outputSchema: { type: 'array', items: {} } }), { name: 7, inputSchema: { type: 'object' } }, null, tool('last'),
];
for (const revision of [undefined, '2025-06-18', '2025-03-26', '2024-11-05'])
  await run(`odd items of a server hide no others, ${revision ?? 'newest revision'}`, { odd: server('odd', odd), plain: server('plain', [tool('fine')]) }, async client => {

    const names = await listed(client);
    for (const t of ['odd.good', 'odd.any', 'odd.annotated', 'odd.described', 'odd.titled', 'odd.meta', 'odd.output', 'odd.last', 'plain.fine']) want(names.includes('mcp.' + t), `no ${t} in ${brief(names)}`);
    want(textOf(await client.callTool({ name: 'mcp.odd.annotated', arguments: {} })) === 'odd annotated', 'another answer');
  }, [], revision);

// What a newer revision has, an older client gets without, or not at all; the list is good for it.
const newer = [
  tool('plain'), tool('structured', { outputSchema: { type: 'object', properties: { v: true } }, title: 'T', icons: [{ src: 'https://x.example/i.png' }], execution: { taskSupport: 'optional' } }),
  tool('array', { outputSchema: { type: 'array', items: { type: 'string' } } }),
];
for (const revision of ['2025-06-18', '2025-03-26', '2024-11-05'])
  await run(`items of a newer revision, at ${revision}`, { newer: server('newer', newer), plain: server('plain', [tool('fine')]) }, async client => {
    const { tools } = await client.listTools(), names = tools.map(t => t.name);
    for (const t of ['newer.plain', 'newer.structured', 'plain.fine']) want(names.includes('mcp.' + t), `no ${t} in ${brief(names)}`);
    const s = tools.find(t => t.name === 'mcp.newer.structured');
    want(!s.icons && !s.execution, brief(s));
    if (revision < '2025-06-18') want(!s.outputSchema && !s.title, brief(s));
  }, [], revision);

finish();
