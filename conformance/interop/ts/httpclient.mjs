// httpclient.mjs --sdk 1|2 [--mode all|cuts|processes|expires|stateless] [--sse] [--legacy] URL : checks a server over HTTP
// that has the tools of docs/examples/stdioserver, with the client of the TypeScript SDK of
// that major version. One line per check, 'N passed, N failed' at the end.
import { parseArgs } from 'node:util';
import { late } from './late.mjs';
import { brief, check, finish, sleep, someFailed, strays, want } from './checks.mjs';

const { values: { sdk, mode, sse, legacy }, positionals: [url] } = parseArgs({
  allowPositionals: true,
  options: { sdk: { type: 'string', default: '1' }, mode: { type: 'string', default: 'all' }, sse: { type: 'boolean', default: false }, legacy: { type: 'boolean', default: false } },
});
const second = sdk === '2';
let Client, StreamableHTTPClientTransport, SSEClientTransport, T;
if (second) {
  ({ Client, StreamableHTTPClientTransport, SSEClientTransport } = await import('@modelcontextprotocol/client'));
} else {
  ({ Client } = await import('@modelcontextprotocol/sdk/client/index.js'));
  ({ StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js'));
  ({ SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js'));
  T = await import('@modelcontextprotocol/sdk/types.js');
}
const ANSWER = 'an answer of the client', ROOT = 'file:///tmp/interop-root', EXPIRE = 'the session ends here';

const ME = { title: 'A client', description: 'Checks a server.', websiteUrl: 'https://example.com/interop', icons: [{ src: 'https://example.com/interop.png' }] };
let held; // answers for the model that are held back, if it is a list
let received, errors, sampled, elicited, refreshed, done, action = 'accept', client, transport;
const roots = [{ uri: ROOT, name: 'root' }];
const NAMES = {
  'sampling/createMessage': 'CreateMessageRequestSchema', 'elicitation/create': 'ElicitRequestSchema', 'roots/list': 'ListRootsRequestSchema',
  'notifications/elicitation/complete': 'ElicitationCompleteNotificationSchema',
};
async function connect() {
  received = [], errors = [], sampled = [], elicited = [], refreshed = [], done = [];
  client = new Client({ name: 'interop-ts-http', version: '1.0.0', ...ME }, {
    capabilities: { roots: { listChanged: true }, sampling: { tools: {} }, elicitation: { form: { applyDefaults: true }, url: {} } },
    listChanged: { tools: { debounceMs: 10, autoRefresh: true, onChanged: (e, tools) => refreshed.push(e ?? tools.map(t => t.name)) } },
    versionNegotiation: { mode: legacy ? 'legacy' : 'auto' }, // of version 2: asks for newer revisions first
  });
  const serve = (method, f) => client.setRequestHandler(second ? method : T[NAMES[method]], f);
  serve('sampling/createMessage', r => {
    sampled.push(r.params);
    if (held) return new Promise(reply => held.push(reply));
    const text = t => ({ role: 'assistant', model: 'none', content: { type: 'text', text: t } });
    const tool = r.params.tools?.[0], result = r.params.messages.flatMap(m => m.content).find(b => b.type === 'tool_result');
    if (result) return text('The tool says ' + textOf(result));
    if (tool) return { role: 'assistant', model: 'none', stopReason: 'toolUse', content: [{ type: 'tool_use', id: 'use-1', name: tool.name, input: { a: 1, b: 2 } }] };
    return text(ANSWER);
  });
  serve('elicitation/create', r => {
    elicited.push(r.params);
    if (r.params.mode === 'url' || action !== 'accept') return { action };
    const content = {};
    for (const [name, p] of Object.entries(r.params.requestedSchema.properties ?? {})) {
      content[name] = p.enum?.[0] ?? (p.type === 'boolean' ? true : p.type === 'string' ? 'some text' : 7);
    }
    return { action, content };
  });
  serve('roots/list', () => ({ roots }));
  client.setNotificationHandler(second ? 'notifications/elicitation/complete' : T[NAMES['notifications/elicitation/complete']], n => { done.push(n.params.elicitationId); });
  transport = sse ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url));
  transport.onmessage = m => received.push(m); // the SDK calls it before its own
  client.onerror = e => errors.push(e);
  await client.connect(transport, { timeout: 10000 });
}
const call = (name, a, options) => second ? client.callTool({ name, arguments: a }, options) : client.callTool({ name, arguments: a }, undefined, options);
const textOf = r => r.content.filter(b => b.type === 'text').map(b => b.text).join('');
async function text(name, a, options) {
  const r = await call(name, a, options);
  want(!r.isError, `${name} gave an error result: ${brief(r)}`);
  return textOf(r);
}
async function until(f, what, seconds = 10) {
  for (let i = 0; i < seconds * 100 && !f(); i++) await sleep(10);
  want(f(), what);
}
async function rejects(promise, code) {
  let got;
  try { got = await promise; } catch (e) { want(code === undefined || e.code === code, `code ${e.code}, want ${code}: ${e.message}`); return e; }
  throw new Error('accepted: ' + brief(got));
}
// gone checks that the server does not know a session.
async function gone(id) {
  want(id, 'there was no session id');
  const r = await fetch(url, {
    method: 'POST', body: '{"jsonrpc":"2.0","id":"gone","method":"ping"}',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'Mcp-Session-Id': id, 'Mcp-Protocol-Version': '2025-11-25' },
  });
  await r.text();
  want(r.status === 404, `a ping of the session has status ${r.status}`);
}
// slow looks at the messages: version 1 of the SDK loses a progress that arrives in one
// chunk with the result. The steps come each once, in order, before the result.
async function slow(ms, steps) {
  const token = 'token-' + Math.random();
  const got = await text('slow', { ms, steps }, { onprogress() { }, timeout: 30000 });
  want(got, 'no text');
  return token;
}
async function progress() {
  const before = received.length;
  await slow(200, 4);
  const lines = received.slice(before), end = lines.findIndex(m => m.result?.content);
  const seen = lines.slice(0, end).filter(m => m.method === 'notifications/progress').map(m => m.params.progress);
  want(seen.length === 4 && seen.every((p, i) => i === 0 || p > seen[i - 1]), 'progress ' + seen);
}
async function ask(prompt) {
  const got = await text('ask', { prompt }, { timeout: 30000 });
  want(got.includes(ANSWER), got);
}
async function confirm() {
  const got = await text('confirm', { message: 'really?' }, { timeout: 30000 });
  want(got.includes(action), got);
}
async function twenty() {
  sampled.length = 0;
  action = 'accept';
  await Promise.all(Array.from({ length: 20 }, async (_, i) => {
    const t = `text number ${i}.`;
    if (i % 4 === 0) want(await text('echo', { text: t }, { timeout: 30000 }) === t, 'another text came back');
    else if (i % 4 === 1) await ask(t);
    else if (i % 4 === 2) await confirm();
    else await slow(200, 4);
  }));
  const asked = sampled.map(p => p.messages[0].content.text).sort();
  want(asked.length === 5 && new Set(asked).size === 5, 'asked ' + asked);
}
async function toggles() {
  await client.listTools(); // who has not read the list need not be told
  for (let i = 1; i <= 2; i++) {
    const before = refreshed.length, told = () => received.filter(m => m.method === 'notifications/tools/list_changed').length, n = told();
    await text('toggle', {});
    await until(() => refreshed.length > before, 'not announced');
    await sleep(mode === 'cuts' ? 1500 : 100);
    want(told() === n + 1, `announced ${told() - n} times`);
    want(refreshed.at(-1).includes('extra') === (i === 1), brief(refreshed.at(-1)));
  }
}

await check('initialize', async () => {
  await connect();
  const version = received.find(m => m.result?.protocolVersion).result.protocolVersion;
  want(version === '2025-11-25', 'negotiated ' + version);
});
if (someFailed()) finish();

if (mode === 'cuts' || mode === 'processes') {
  await check('progress: each step once, then the result', progress);
  await check('sampling: asked once, and the answer arrives', async () => { await ask('one'); await sleep(100); want(sampled.length === 1, brief(sampled)); });
  await check('elicitation: asked once, and the answer arrives', async () => { await confirm(); await sleep(100); want(elicited.length === 1, brief(elicited)); });
  if (mode === 'cuts') await check('list changes: each is announced once', toggles); // each process has a list of its own
  await check('twenty calls at once, with progress and questions', twenty);
  await check('the session goes on', () => text('echo', { text: 'still here' }));
  await check('closing', () => client.close());
  finish();
}
if (mode === 'expires') {
  const id = transport.sessionId;
  await check('a call', () => text('echo', { text: 'before' }));
  await check('a call of the ended session fails', async () => {
    const e = await rejects(text('echo', { text: EXPIRE }, { timeout: 10000 }));
    want(!/timed out|timeout/i.test(e.message), e.message);
  });
  await check('the session is unknown', () => gone(id));
  await client.close();
  await check('another session', connect);
  await check('has another id, and works', async () => {
    want(transport.sessionId && transport.sessionId !== id, `the ids are ${id} and ${transport.sessionId}`);
    await text('echo', { text: 'after' });
  });
  await check('closing', () => client.close());
  finish();
}
if (mode === 'stateless') {
  const sessionless = () => want(!transport.sessionId, 'a session id: ' + transport.sessionId);
  await check('there is no session', sessionless);
  await check('ping', () => client.ping());
  await check('lists', async () => want((await client.listTools()).tools.some(t => t.name === 'echo'), 'echo is not listed'));
  await check('progress, all before the result', progress);
  await check('structured results', async () => { const r = await call('sum', { a: 1, b: 2.5 }); want(r.structuredContent.sum === 3.5, brief(r)); });
  await check('unknown tool', () => rejects(call('no-such-tool', {}), -32602));
  await check('nobody is asked within a call', async () => {
    for (const [name, a] of [['ask', { prompt: 'x' }], ['confirm', { message: 'x' }]]) want((await call(name, a)).isError, name + ' succeeds');
    want(sampled.length === 0 && elicited.length === 0, brief([sampled, elicited]));
  });
  await check('notifications are taken', async () => { for (let i = 0; i < 3; i++) await client.sendRootsListChanged(); });
  await check('a cancelled call leaves the others alone', async () => {
    const abort = new AbortController();
    const p = call('slow', { ms: 600, steps: 6 }, { signal: abort.signal, onprogress() { } });
    const other = text('slow', { ms: 600, steps: 2 });
    await sleep(150);
    abort.abort('enough');
    await rejects(p);
    await other;
  });
  const first = [client, transport, received, errors];
  await check('a second client', connect);
  // All ids, of both clients, are the same: no answer may be another's.
  const mix = (c, who) => Promise.all(Array.from({ length: 20 }, async (_, i) => {
    const t = `${who} ${i}`, args = i % 4 ? { name: 'echo', arguments: { text: t } } : { name: 'slow', arguments: { ms: 200, steps: 4 } };
    const r = await (second ? c.callTool(args, { timeout: 30000 }) : c.callTool(args, undefined, { timeout: 30000 }));
    want(i % 4 ? textOf(r) === t : !r.isError, `${t}: ${brief(r)}`);
    if (i % 5 === 0) await c.sendRootsListChanged();
  }));
  await check('two clients at once', () => Promise.all([mix(first[0], 'first'), mix(client, 'second')]));
  const raw = (body, version) => fetch(url, {
    method: 'POST', body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...version && { 'Mcp-Protocol-Version': version } },
  });
  await check('batches, where the revision has them', async () => {
    const batch = n => [1, 2, 3].map(id => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text: `${n}-${id}` } } })).concat({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    await Promise.all(Array.from({ length: 10 }, async (_, n) => {
      const r = await raw(batch(n), n % 2 ? '2025-03-26' : ''), got = await r.json();
      want(r.status === 200 && got.length === 3 && got.every(m => textOf(m.result) === `${n}-${m.id}`), `${r.status} ${brief(got)}`);
    }));
    const r = await raw(batch(0), '2025-11-25');
    want(r.status === 400, `at 2025-11-25: ${r.status} ${await r.text()}`);
  });
  await check('there is no stream of the server', async () => { const r = await fetch(url, { headers: { Accept: 'text/event-stream' } }); want(r.status === 405, r.status); });
  await check('no session at the end', sessionless);
  await check('every message is one by the strict schema', async () => {
    // A cancellation finds no call, so the cancelled one is answered.
    const real = [...first[3], ...errors].filter(e => !/unknown token|unknown message ID/.test(e.message));
    want(real.length === 0, `${real.length} errors: ${real[0]}`);
  });
  await check('closing', async () => { await first[0].close(); await client.close(); });
  await check('no promise of the SDK was broken', async () => want(strays.length === 0, brief(strays)));
  finish();
}
await check('ping', () => client.ping());
await check('lists', async () => {
  const { tools } = await client.listTools(), { resources } = await client.listResources(), { prompts } = await client.listPrompts();
  for (const name of ['echo', 'slow', 'ask', 'confirm', 'roots', 'toggle', 'write', 'log', 'sum']) want(tools.some(t => t.name === name), `tool ${name} is not listed`);
  want(resources.length > 0 && prompts.length > 0, 'an empty list');
});
await check('echo', async () => {
  for (const t of ['', 'grüße, <b> & "quotes" \\ \u2028 \r\n\n 🙂', 'x'.repeat(300000)]) want(await text('echo', { text: t }) === t, 'another text came back');
});
await check('what both say of themselves', async () => {
  const v = client.getServerVersion();
  want(v.name && v.title === 'Example server' && v.description, brief(v));
  const got = JSON.parse(await text('who', {}));
  for (const [name, value] of Object.entries(ME)) want(JSON.stringify(got[name]) === JSON.stringify(value), `${name}: ${brief(got)}`);
});
await check('progress, all before the result', progress);
await check('sampling within a call', async () => { await ask('the question'); want(sampled.length === 1, brief(sampled)); });
await check('sampling with tools', async () => { const got = await text('reason', { prompt: 'the sum' }); want(got === 'The tool says 3', got); });
for (action of ['accept', 'decline', 'cancel']) await check('elicitation within a call: ' + action, async () => {
  elicited.length = 0;
  await confirm();
  want(elicited.length === 1 && elicited[0].message.includes('really?'), 'asked ' + brief(elicited));
});
action = 'accept';
await check('elicitation by url, and the word that it is done', async () => {
  elicited.length = done.length = 0;
  const got = JSON.parse(await text('visit', {})), { mode, elicitationId: id } = elicited[0];
  await until(() => done.length > 0, 'not told that it is done');
  want(got.action === 'accept' && mode === 'url' && id && done.join() === id, `${brief(elicited)}: done are ${done}`);
});
await check('elicitation by url: a call that needs it', () => rejects(call('account', {}), -32042));
await check('roots within a call, and again after a change', async () => {
  want(await text('roots', {}) === ROOT, 'the root');
  roots.push({ uri: ROOT + '-added' });
  await client.sendRootsListChanged();
  const got = await text('roots', {});
  want(got === `${ROOT}\n${ROOT}-added`, got);
});
await check('list changes: announced on the GET stream, and the SDK lists again', toggles);
await check('subscriptions: updates come while subscribed, and only then', async () => {
  const uri = 'example://note', told = () => received.filter(m => m.method === 'notifications/resources/updated').length;
  await text('write', { text: 'before' });
  await client.subscribeResource({ uri });
  await text('write', { text: 'meanwhile' });
  await until(() => told() > 0, 'no update');
  want((await client.readResource({ uri })).contents[0].text === 'meanwhile', 'another text was read');
  await client.unsubscribeResource({ uri });
  await text('write', { text: 'after' });
  await sleep(200);
  want(told() === 1, `told ${told()} times`);
});
await check('logging: what is below the level does not come', async () => {
  await client.setLoggingLevel('warning');
  for (const level of ['info', 'warning', 'error']) await text('log', { level, text: 'text' });
  await sleep(200);
  const got = received.filter(m => m.method === 'notifications/message').map(m => m.params.level);
  want(got.join() === 'warning,error', brief(got));
});
await check('completion', async () => {
  const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'Al' } });
  want(completion.values.join() === 'Alan', brief(completion));
});
await check('structured results', async () => { const r = await call('sum', { a: 1, b: 2.5 }); want(r.structuredContent.sum === 3.5, brief(r)); });
await check('unknown tool', () => rejects(call('no-such-tool', {}), -32602));
await check('unknown resource', async () => {
  await rejects(client.readResource({ uri: 'nowhere://at-all' })); // version 2 has another code for it
  want(received.at(-1).error?.code === -32002, brief(received.at(-1)));
});
await check('ping is answered while a tool runs', async () => {
  const order = [];
  await Promise.all([text('slow', { ms: 500, steps: 2 }).then(() => order.push('slow')), client.ping().then(() => order.push('ping'))]);
  want(order[0] === 'ping', 'the ping waited for the tool');
});
await check('a cancelled call is not answered and the session goes on', async () => {
  const abort = new AbortController();
  const p = call('slow', { ms: 600, steps: 6 }, { signal: abort.signal, onprogress() { } });
  await sleep(150);
  abort.abort('enough');
  await rejects(p);
  await sleep(100);
  const before = received.length;
  await sleep(700);
  want(late(received.slice(before)).length === 0, 'still sent ' + brief(late(received.slice(before))));
  await client.ping();
});
await check('a cancelled call that waits for the client is not answered either', async () => {
  const abort = new AbortController(), from = received.length;
  held = [];
  const p = call('ask', { prompt: 'no hurry' }, { signal: abort.signal });
  await until(() => held.length > 0, 'not asked');
  abort.abort('enough');
  await rejects(p);
  await sleep(100);
  const before = received.length;
  held[0]({ role: 'assistant', model: 'none', content: { type: 'text', text: 'too late' } });
  held = undefined;
  await sleep(300);
  want(late(received.slice(before)).length === 0, 'still sent ' + brief(late(received.slice(before))));
  await until(() => received.slice(from).some(m => m.method === 'notifications/cancelled'), 'the question was not withdrawn');
  await client.ping();
});
await check('twenty calls at once, with progress and questions', twenty);
await check('every message is one by the strict schema', async () => {
  // The SDK has forgotten the token when a progress comes in one chunk with the result.
  const real = errors.filter(e => !/unknown token/.test(e.message));
  want(real.length === 0, `${real.length} errors: ${real[0]}`);
});
await check('the session ends when the client leaves', async () => {
  const id = transport.sessionId;
  if (!sse) await transport.terminateSession();
  await client.close();
  if (!sse) await gone(id);
});
await check('no promise of the SDK was broken', async () => want(strays.length === 0, brief(strays)));
finish();
