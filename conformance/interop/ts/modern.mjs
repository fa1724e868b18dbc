// modern.mjs [--mode auto|pin] [--gateway] [--keeps] URL | -- COMMAND ARGS... : checks a server that has the tools of
// docs/examples/stdioserver at 2026-07-28, without a session, with the client of the TypeScript
// SDK 2, which is told to speak that revision or finds it out. With --keeps the server behind a gateway has
// a session: it keeps roots of whose changes nobody can tell it, and the progress of a parked call comes with
// the next round. One line per check, 'N passed, N failed' at the end.
import { parseArgs } from 'node:util';
import { late } from './late.mjs';
import { brief, check, finish, sleep, someFailed, strays, want } from './checks.mjs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const { values: { mode, gateway, keeps }, positionals: [where, ...args] } = parseArgs({
  allowPositionals: true,
  options: { mode: { type: 'string', default: 'pin' }, gateway: { type: 'boolean', default: false }, keeps: { type: 'boolean', default: false } },
});
const REVISION = '2026-07-28', http = /^https?:/.test(where);
const ANSWER = 'an answer of the client', ROOT = 'file:///tmp/interop-root', NOTE = 'example://note';

const ME = { title: 'A client', description: 'Checks a server.', websiteUrl: 'https://example.com/interop', icons: [{ src: 'https://example.com/interop.png' }] };
const received = [], errors = [], sampled = [], elicited = [], refreshed = [], updated = [], logged = [];
const roots = [{ uri: ROOT, name: 'root' }];
let held, action = 'accept', filled; // held has answers for the model that are held back
const client = new Client({ name: 'interop-ts-modern', version: '1.0.0', ...ME }, {
  capabilities: { roots: {}, sampling: { tools: {} }, elicitation: { form: { applyDefaults: true }, url: {} } },
  listChanged: { tools: { debounceMs: 10, autoRefresh: true, onChanged: (e, tools) => refreshed.push(e ?? tools.map(t => t.name)) } },
  versionNegotiation: { mode: mode === 'pin' ? { pin: REVISION } : mode },
});
client.setRequestHandler('sampling/createMessage', r => {
  sampled.push(r.params);
  if (held) return new Promise(reply => held.push(reply));
  const text = t => ({ role: 'assistant', model: 'none', content: { type: 'text', text: t } });
  const tool = r.params.tools?.[0], result = r.params.messages.flatMap(m => m.content).find(b => b.type === 'tool_result');
  if (result) return text('The tool says ' + textOf(result));
  if (tool) return { role: 'assistant', model: 'none', stopReason: 'toolUse', content: [{ type: 'tool_use', id: 'use-1', name: tool.name, input: { a: 1, b: 2 } }] };
  return text(ANSWER);
});
client.setRequestHandler('elicitation/create', r => {
  elicited.push(r.params);
  if (r.params.mode === 'url' || action !== 'accept') return { action };
  if (filled) return { action, content: { ...filled } };
  const content = {};
  for (const [name, p] of Object.entries(r.params.requestedSchema.properties ?? {})) {
    content[name] = p.enum?.[0] ?? (p.type === 'boolean' ? true : p.type === 'string' ? 'some text' : 7);
  }
  return { action, content };
});
client.setRequestHandler('roots/list', () => ({ roots }));
client.setNotificationHandler('notifications/resources/updated', n => { updated.push(n.params.uri); });
client.setNotificationHandler('notifications/message', n => { logged.push(n.params.level); });
const transport = http ? new StreamableHTTPClientTransport(new URL(where)) : new StdioClientTransport({ command: where, args, stderr: 'inherit' });
transport.onmessage = m => received.push(m); // the SDK calls it before its own
client.onerror = e => errors.push(e);

const call = (name, a, options, _meta) => client.callTool({ name, arguments: a, ..._meta && { _meta } }, options);
const textOf = r => r.content.filter(b => b.type === 'text').map(b => b.text).join('');
async function text(name, a, options, meta) {
  const r = await call(name, a, options, meta);
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
async function progress() {
  const steps = [];
  want(await text('slow', { ms: 200, steps: 4 }, { onprogress: p => { if (p.total) steps.push(p.progress); }, timeout: 30000 }), 'no text');
  want((keeps || steps.length >= 3) && steps.every((p, i) => i === 0 || p > steps[i - 1]), 'progress ' + steps); // the last may come in one chunk with the result; those of the SDK itself, one a round, have no total
}
async function ask(prompt) {
  const got = await text('ask', { prompt }, { timeout: 30000 });
  want(got.includes(ANSWER), got);
}
async function confirm() {
  const got = await text('confirm', { message: 'really?' }, { timeout: 30000 });
  want(got.includes(action), got);
}

await check('connect: a server without sessions', async () => {
  await client.connect(transport, { timeout: 10000 });
  want(client.getProtocolEra() === 'modern' && client.getNegotiatedProtocolVersion() === REVISION, `${client.getProtocolEra()} ${client.getNegotiatedProtocolVersion()}`);
  want(!received.some(m => m.result?.protocolVersion), 'there was a handshake');
});
if (someFailed()) finish();
await check('server/discover', async () => {
  const d = await client.discover();
  want(d.supportedVersions.includes(REVISION) && d.capabilities.tools && d.capabilities.resources && d.capabilities.prompts, brief(d));
  const v = client.getServerVersion();
  want(v.name && v.version && (gateway || v.title === 'Example server'), brief(v));
});
await check('lists, with what may be kept of them', async () => {
  const from = received.length;
  const { tools } = await client.listTools(), { resources } = await client.listResources(), { prompts } = await client.listPrompts();
  const { resourceTemplates } = await client.listResourceTemplates();
  for (const name of ['echo', 'slow', 'ask', 'confirm', 'roots', 'toggle', 'write', 'log', 'sum']) want(tools.some(t => t.name === name), `tool ${name} is not listed`);
  want(resources.length > 0 && prompts.length > 0 && resourceTemplates.length > 0, 'an empty list');
  const got = received.slice(from).filter(m => m.result && m.result.resultType);
  want(got.length >= 4 && got.every(m => m.result.resultType === 'complete' && Number.isInteger(m.result.ttlMs) && m.result.cacheScope), brief(got.map(m => [m.result.resultType, m.result.ttlMs, m.result.cacheScope])));
});
await check('echo', async () => {
  for (const t of ['', 'grüße, <b> & "quotes" \\ \u2028 \r\n\n 🙂', 'x'.repeat(300000)]) want(await text('echo', { text: t }) === t, 'another text came back');
});
await check('what the client says of itself', async () => {
  const got = JSON.parse(await text('who', {}));
  want(gateway || got.title === ME.title && got.name === 'interop-ts-modern', brief(got));
});
await check('progress', progress);
await check('sampling within a call', async () => { await ask('the question'); want(sampled.length === 1 && sampled[0].messages[0].content.text === 'the question', brief(sampled)); });
await check('sampling with tools, in two rounds', async () => { const got = await text('reason', { prompt: 'the sum' }); want(got === 'The tool says 3', got); });
for (action of ['accept', 'decline', 'cancel']) await check('elicitation within a call: ' + action, async () => {
  elicited.length = 0;
  await confirm();
  want(elicited.length === 1 && elicited[0].message.includes('really?'), 'asked ' + brief(elicited));
});
action = 'accept';
await check('elicitation: choices, and the defaults of what is not filled in', async () => {
  filled = { fruits: ['cherry', 'plum'], extras: ['ice'] };
  const { content } = JSON.parse(await text('choose', {}));
  filled = undefined;
  want(content.fruits.join() === 'cherry,plum' && content.extras.join() === 'ice' && content.size === 'm' && content.glasses === 2 && content.name === 'Ada', brief(content));
});
await check('roots within a call, and again after a change', async () => {
  want(await text('roots', {}) === ROOT, 'the root');
  if (keeps) return;
  roots.push({ uri: ROOT + '-added' });
  want(await text('roots', {}) === `${ROOT}\n${ROOT}-added`, 'the roots after a change');
  roots.pop();
});
await check('list changes: announced on the subscription, and the SDK lists again', async () => {
  for (const there of [true, false]) {
    const before = refreshed.length;
    await text('toggle', {});
    await until(() => refreshed.length > before, 'not announced');
    want(refreshed.at(-1).includes('extra') === there, brief(refreshed.at(-1)));
    if (there) await text('extra', {});
    else await rejects(call('extra', {}), -32602);
  }
});
await check('subscriptions: updates come while it is open, and only then', async () => {
  await text('write', { text: 'before' });
  const s = await client.listen({ resourceSubscriptions: [NOTE] });
  want(s.honoredFilter.resourceSubscriptions?.join() === NOTE, brief(s.honoredFilter));
  await text('write', { text: 'meanwhile' });
  await until(() => updated.length > 0, 'no update');
  want((await client.readResource({ uri: NOTE })).contents[0].text === 'meanwhile', 'another text was read');
  await s.close();
  want(await s.closed === 'local', 'it ended by itself');
  await sleep(100);
  await text('write', { text: 'after' });
  await sleep(200);
  want(updated.join() === NOTE, `told ${updated}`);
  want((await client.readResource({ uri: NOTE })).contents[0].text === 'after', 'another text was read');
});
await check('logging: from the level of the request on, and nothing without one', async () => {
  for (const level of ['info', 'warning', 'error']) await text('log', { level, text: 'text' }, {}, { 'io.modelcontextprotocol/logLevel': 'warning' });
  await text('log', { level: 'error', text: 'text' });
  await sleep(200);
  want(logged.join() === 'warning,error', brief(logged));
});
await check('completion', async () => {
  const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'Al' }, context: { arguments: { language: 'French' } } });
  want(completion.values.join() === 'Alain', brief(completion));
});
await check('a prompt', async () => {
  const r = await client.getPrompt({ name: 'greet', arguments: { name: 'Ada', language: 'French' } });
  want(r.messages.length > 0, brief(r));
});
await check('structured results', async () => { const r = await call('sum', { a: 1, b: 2.5 }); want(r.structuredContent.sum === 3.5, brief(r)); });
await check('unknown tool', () => rejects(call('no-such-tool', {}), -32602));
await check('unknown resource', () => rejects(client.readResource({ uri: 'nowhere://at-all' }), -32602));
await check('what the revision does not have is not sent', async () => { await rejects(client.ping()); await rejects(client.setLoggingLevel('error')); });
await check('a cancelled call is not answered, and others go on', async () => {
  const abort = new AbortController();
  const p = call('slow', { ms: 600, steps: 6 }, { signal: abort.signal, onprogress() { } });
  const other = text('slow', { ms: 600, steps: 2 });
  await sleep(150);
  abort.abort('enough');
  await rejects(p);
  const before = received.length;
  await other;
  await sleep(300);
  const more = late(received.slice(before));
  want(more.length === 1 && more[0].result, 'still sent ' + brief(more)); // the answer of the other
});
await check('a call that waits for the client is given up', async () => {
  const abort = new AbortController();
  held = [];
  const p = call('ask', { prompt: 'no hurry' }, { signal: abort.signal });
  await until(() => held.length > 0, 'not asked');
  abort.abort('enough');
  held[0]({ role: 'assistant', model: 'none', content: { type: 'text', text: 'too late' } });
  held = undefined;
  await rejects(p);
  await ask('the next question');
});
await check('twenty calls at once, with progress and questions', async () => {
  sampled.length = 0;
  await Promise.all(Array.from({ length: 20 }, async (_, i) => {
    const t = `text number ${i}.`;
    if (i % 4 === 0) want(await text('echo', { text: t }, { timeout: 30000 }) === t, 'another text came back');
    else if (i % 4 === 1) await ask(t);
    else if (i % 4 === 2) await confirm();
    else await progress();
  }));
  const asked = sampled.map(p => p.messages[0].content.text).sort();
  want(asked.length === 5 && new Set(asked).size === 5, 'asked ' + asked);
});
await check('the server makes no request', async () => {
  const asked = received.filter(m => m.method && m.id !== undefined);
  want(asked.length === 0, brief(asked));
});
await check('there is no session', async () => want(!transport.sessionId, 'a session id: ' + transport.sessionId));
await check('every message is one by the strict schema', async () => {
  // The SDK has forgotten the token when a progress comes in one chunk with the result.
  const real = errors.filter(e => !/unknown token|unknown message ID/.test(e.message));
  want(real.length === 0, `${real.length} errors: ${real[0]}`);
});
await check('closing', () => client.close());
await check('no promise of the SDK was broken', async () => want(strays.length === 0, brief(strays)));
finish();
