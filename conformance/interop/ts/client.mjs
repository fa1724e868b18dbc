// client.mjs [--both] SERVER ARGS... : checks a stdio server that has the tools of
// docs/examples/stdioserver with the client of the TypeScript SDK. The transport
// is our own, to see every line raw. One line per check, 'N passed, N failed' at the end.
import { spawn } from 'node:child_process';
import { late } from './late.mjs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { deserializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import * as T from '@modelcontextprotocol/sdk/types.js';

const both = process.argv[2] === '--both'; // the server has requests without a session too
const [command, ...args] = process.argv.slice(both ? 3 : 2);
const ROOT = 'file:///tmp/interop-root', ANSWER = 'an answer of the client';
const sleep = ms => new Promise(r => setTimeout(r, ms));
const want = (ok, text) => { if (!ok) throw new Error(text); };
const brief = v => JSON.stringify(v).slice(0, 200);
let passed = 0, failed = 0;
async function check(name, f) {
  try { await f(); passed++; console.log('ok   ' + name); }
  catch (e) { failed++; console.log(`FAIL ${name}: ${String(e.message ?? e).slice(0, 300)}`); }
}
async function rejects(promise, code) {
  let got;
  try { got = await promise; } catch (e) { want(e.code === code, `code ${e.code}, want ${code}: ${e.message}`); return e; }
  throw new Error('accepted: ' + brief(got));
}

const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
child.stdin.on('error', () => { });
const exited = new Promise(r => child.once('close', (code, signal) => r(code ?? signal)));
const bad = [];       // lines that are no message by the SDK's strict schema
const received = [];  // every message, in order
let lastId;           // id of the latest request sent
const transport = {
  async start() {
    let rest = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', chunk => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        let m;
        try { m = deserializeMessage(line); } catch { bad.push(line); continue; }
        received.push(m);
        this.onmessage?.(m);
      }
    });
    child.stdout.on('end', () => { if (rest !== '') bad.push('no line end: ' + rest); });
    child.once('close', () => this.onclose?.());
  },
  async send(m) {
    if (m.method !== undefined && m.id !== undefined) lastId = m.id;
    child.stdin.write(JSON.stringify(m) + '\n');
  },
  async close() { child.stdin.end(); },
};
const refreshed = []; // the names of the tools, each time that the SDK has read them again
const ME = { title: 'A client', description: 'Checks a server.', websiteUrl: 'https://example.com/interop', icons: [{ src: 'https://example.com/interop.png' }] };
const ICON = 'https://example.com/icon.svg';
const c = new Client({ name: 'interop-ts', version: '1.0.0', ...ME }, {
  capabilities: { roots: { listChanged: true }, sampling: { tools: {} }, elicitation: { form: { applyDefaults: true }, url: {} } },
  listChanged: { tools: { debounceMs: 10, onChanged: (e, tools) => refreshed.push(e ?? tools.map(t => t.name)) } },
});
const sampled = [], elicited = [], done = [], roots = [{ uri: ROOT, name: 'root' }];
let rootsAsked = 0;
let action = 'accept', filled; // what is said, and what a form is filled in with if it is not made up
c.setNotificationHandler(T.ElicitationCompleteNotificationSchema, n => { done.push(n.params.elicitationId); });
c.setRequestHandler(T.CreateMessageRequestSchema, r => {
  sampled.push(r.params);
  const tool = r.params.tools?.[0], result = r.params.messages.flatMap(m => m.content).find(b => b.type === 'tool_result');
  if (result) return { role: 'assistant', model: 'none', content: { type: 'text', text: 'The tool says ' + textOf(result) } };
  if (tool) return { role: 'assistant', model: 'none', stopReason: 'toolUse', content: [{ type: 'tool_use', id: 'use-1', name: tool.name, input: { a: 1, b: 2 } }] };
  return { role: 'assistant', model: 'none', content: { type: 'text', text: ANSWER } };
});
c.setRequestHandler(T.ListRootsRequestSchema, () => { rootsAsked++; return { roots }; });
c.setRequestHandler(T.ElicitRequestSchema, r => {
  elicited.push(r.params);
  if (r.params.mode === 'url') return { action };
  if (filled) return { action, content: { ...filled } }; // the SDK adds the defaults to it
  if (action === 'break') return { action: 'accept', content: { answer: 7, times: 700 } };
  if (action !== 'accept') return { action };
  const content = {};
  for (const [name, p] of Object.entries(r.params.requestedSchema.properties ?? {})) {
    content[name] = p.enum?.[0] ?? (p.type === 'boolean' ? true : p.type === 'string' ? 'some text' : 7);
  }
  return { action, content };
});
const call = (name, a, options) => c.callTool({ name, arguments: a }, undefined, options);
const textOf = r => r.content.filter(b => b.type === 'text').map(b => b.text).join('');
async function text(name, a, options) {
  const r = await call(name, a, options);
  want(!r.isError, `${name} gave an error result: ${brief(r)}`);
  return textOf(r);
}
async function list(method, key) {
  const all = [];
  let cursor, pages = 0;
  do {
    const r = await c[method](cursor === undefined ? undefined : { cursor });
    all.push(...r[key]);
    cursor = r.nextCursor;
    want(++pages < 100, method + ' never ends');
  } while (cursor !== undefined);
  want(all.length > 0, method + ' is empty');
  return all;
}
async function until(f, what) {
  for (let i = 0; i < 300 && !f(); i++) await sleep(10);
  want(f(), what);
}
// told calls a tool and returns the params of the notifications of a method that came
// before its result, or a little after.
async function told(method, name, a) {
  const before = received.length;
  await text(name, a);
  await sleep(50);
  return received.slice(before).filter(m => m.method === method).map(m => m.params);
}
// raw asks for one answer with own bytes; the SDK ignores an id that it did not send.
async function raw(bytes, id) {
  for (const b of [].concat(bytes)) { child.stdin.write(b); await sleep(20); }
  for (let i = 0; i < 200; i++) {
    const m = received.find(m => m.id === id && m.method === undefined);
    if (m) return m;
    await sleep(10);
  }
  throw new Error(`no answer to ${id}`);
}
function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  child.kill();
  process.exit(failed ? 1 : 0);
}
setTimeout(() => { console.log('FAIL deadline'); child.kill(); process.exit(1); }, 60000).unref();
exited.then(code => setTimeout(() => { console.log('FAIL the server ended early, ' + code); process.exit(1); }, 8000).unref());

let tools, resources, prompts;
await check('initialize', async () => {
  await c.connect(transport, { timeout: 10000 });
  const version = received.find(m => m.result?.protocolVersion).result.protocolVersion;
  want(version === '2025-11-25', 'negotiated ' + version);
});
if (failed) finish();
await check('ping', () => c.ping());
await check('lists to the end', async () => {
  tools = await list('listTools', 'tools');
  resources = await list('listResources', 'resources');
  await list('listResourceTemplates', 'resourceTemplates');
  prompts = await list('listPrompts', 'prompts');
  for (const name of ['echo', 'slow', 'ask', 'confirm', 'roots', 'fail', 'content', 'toggle', 'write', 'log', 'sum']) want(tools.some(t => t.name === name), `tool ${name} is not listed`);
  want(tools.every(t => t.description && t.inputSchema.type === 'object'), 'a tool without description or object schema');
});
await check('echo', async () => {
  for (const t of ['', 'grüße, <b> & "quotes" \\ \u2028 🙂', 'x'.repeat(300000)]) want((await text('echo', { text: t })).includes(t), 'another text came back');
});
await check('every kind of content', async () => {
  const r = await call('content', {});
  for (const kind of ['text', 'image', 'audio', 'resource_link', 'resource']) want(r.content.some(b => b.type === kind), `no ${kind} in ${brief(r)}`);
});
await check('a failing tool is a result', async () => {
  const r = await call('fail', { message: 'it broke' });
  want(r.isError === true && textOf(r).includes('it broke'), brief(r));
});
await check('progress, all before the result', async () => {
  // Judged by the lines: the SDK loses a progress that arrives in one chunk with the result.
  const before = received.length;
  const p = text('slow', { ms: 200, steps: 4 }, { onprogress() { } }), id = lastId;
  want(await p, 'no text');
  const lines = received.slice(before, received.findIndex(m => m.id === id && m.method === undefined));
  const seen = lines.filter(m => m.method === 'notifications/progress' && m.params.progressToken === id).map(m => m.params.progress);
  want(seen.length === 4 && seen.every((p, i) => i === 0 || p > seen[i - 1]), 'progress ' + seen);
});
await check('no progress without a token', async () => {
  const before = received.length;
  await text('slow', { ms: 20, steps: 2 });
  want(!received.slice(before).some(m => m.method === 'notifications/progress'), 'progress came');
});
await check('sampling within a call', async () => {
  const got = await text('ask', { prompt: 'the question' });
  want(got.includes(ANSWER) && sampled.length === 1 && JSON.stringify(sampled[0].messages).includes('the question'), `${got}, asked ${brief(sampled)}`);
});
for (action of ['accept', 'decline', 'cancel']) await check('elicitation within a call: ' + action, async () => {
  elicited.length = 0;
  const got = await text('confirm', { message: 'really?' });
  want(elicited.length === 1 && elicited[0].message.includes('really?'), 'asked ' + brief(elicited));
  want(got.includes(action), got);
  if (action === 'accept') for (const name of Object.keys(elicited[0].requestedSchema.properties)) want(got.includes(name), `no ${name} in ${got}`);
});
await check('roots within a call', async () => { const got = await text('roots', {}); want(got.includes(ROOT), got); });
await check('resources/read', async () => {
  const r = await c.readResource({ uri: resources[0].uri });
  want(r.contents[0].uri === resources[0].uri, brief(r));
});
await check('prompts/get', async () => {
  const required = (prompts[0].arguments ?? []).filter(a => a.required).map(a => [a.name, 'value']);
  want((await c.getPrompt({ name: prompts[0].name, arguments: Object.fromEntries(required) })).messages.length > 0, 'no messages');
});
await check('elicitation: an answer that breaks the form is not taken', async () => {
  action = 'break';
  const r = await call('confirm', { message: 'really?' });
  want(r.isError === true && !textOf(r).includes('700'), brief(r));
});
await check('list changes: announced, and the SDK lists again', async () => {
  await text('toggle', {});
  await until(() => refreshed.length === 1, 'not announced');
  want(refreshed[0].includes('extra') && refreshed[0].includes('echo'), brief(refreshed));
  want(await text('extra', {}) === 'here', 'the tool is not there');
  await text('toggle', {});
  await until(() => refreshed.length === 2, 'the second change is not announced');
  want(!refreshed[1].includes('extra'), brief(refreshed));
  await rejects(call('extra', {}), -32602);
});
await check('subscriptions: updates come while subscribed, and only then', async () => {
  const uri = 'example://note', updated = 'notifications/resources/updated';
  want((await told(updated, 'write', { text: 'before' })).length === 0, 'told without a subscription');
  await c.subscribeResource({ uri });
  const got = await told(updated, 'write', { text: 'meanwhile' });
  want(got.length === 1 && got[0].uri === uri, brief(got));
  want((await c.readResource({ uri })).contents[0].text === 'meanwhile', 'another text was read');
  await c.unsubscribeResource({ uri });
  want((await told(updated, 'write', { text: 'after' })).length === 0, 'told after the end of the subscription');
});
await check('roots: asked once, and again after a change', async () => {
  want(await text('roots', {}) === ROOT && rootsAsked === 1, `asked ${rootsAsked} times`);
  roots.push({ uri: ROOT + '-added' });
  want(await text('roots', {}) === ROOT && rootsAsked === 1, `asked ${rootsAsked} times before the change was announced`);
  await c.sendRootsListChanged();
  const got = await text('roots', {});
  want(got === `${ROOT}\n${ROOT}-added` && rootsAsked === 2, `asked ${rootsAsked} times, ${got}`);
});
await check('what the server says of itself', async () => {
  const v = c.getServerVersion();
  want(v.name && v.version && v.title === 'Example server' && v.description && v.websiteUrl === 'https://example.com/stdioserver' && v.icons[0].src === ICON, brief(v));
});
await check('what the client says of itself arrives', async () => {
  const got = JSON.parse(await text('who', {}));
  for (const [name, value] of Object.entries(ME)) want(JSON.stringify(got[name]) === JSON.stringify(value), `${name}: ${brief(got)}`);
});
await check('the names of tools and their icons', async () => {
  for (const t of tools) want(/^[A-Za-z0-9_./-]{1,128}$/.test(t.name) && t.icons?.[0].src === (t.name === 'echo' ? ICON : undefined), brief(t));
});
const ORDER = { size: 'l', fruits: ['plum', 'cherry'], extras: ['ice'], glasses: 3, name: 'me' };
await check('elicitation: choices of all kinds', async () => {
  action = 'accept', filled = ORDER, elicited.length = 0;
  const got = JSON.parse(await text('choose', {})).content, { properties: p, required } = elicited[0].requestedSchema;
  for (const [name, value] of Object.entries(ORDER)) want(JSON.stringify(got[name]) === JSON.stringify(value), `${name}: ${brief(got)}`);
  want(p.size.oneOf[2].const === 'l' && p.size.oneOf[2].title === 'Large' && p.fruits.items.enum.length === 3 && p.extras.items.anyOf[0].title === 'A leaf of mint', brief(p));
  want(p.size.default === 'm' && p.fruits.default[0] === 'apple' && p.fruits.maxItems === 2 && required.join() === 'fruits', brief(p));
});
for (const fruits of [['apple', 'plum', 'cherry'], [], ['pear'], 'plum']) await check('elicitation: a choice that the form does not have is not taken: ' + brief(fruits), async () => {
  filled = { fruits };
  const r = await call('choose', {});
  want(r.isError === true, brief(r));
});
await check('elicitation: what is not filled in has its default', async () => {
  filled = { fruits: ['plum'] };
  const { size, fruits, extras, glasses, name } = JSON.parse(await text('choose', {})).content;
  want([size, fruits, extras.length, glasses, name].join() === 'm,plum,0,2,Ada', brief([size, fruits, extras, glasses, name]));
});
filled = undefined;
for (action of ['accept', 'decline', 'cancel']) await check('elicitation by url: ' + action, async () => {
  elicited.length = done.length = 0;
  const got = JSON.parse(await text('visit', {})), { mode, url, elicitationId: id } = elicited[0];
  await sleep(50);
  want(got.action === action && mode === 'url' && id && url === 'https://example.com/visit/' + id, brief(elicited));
  want(done.join() === (action === 'accept' ? id : ''), `${id}: done are ${done}`);
});
await check('elicitation by url: a call that needs it, and again when it is done', async () => {
  done.length = 0;
  const e = await rejects(call('account', {}), -32042);
  want(e instanceof T.UrlElicitationRequiredError && e.elicitations.length === 1 && e.elicitations[0].mode === 'url', brief(e));
  await until(() => done.length > 0, 'not told that it is done');
  want(done.join() === e.elicitations[0].elicitationId, `${brief(e)}: done are ${done}`);
  want(await text('account', {}) === 'signed in', 'not signed in');
});
await check('sampling with tools', async () => {
  const got = await text('reason', { prompt: 'the sum' });
  want(got === 'The tool says 3', got);
});
const complete = async (ref, name, value, context) => (await c.complete({ ref, argument: { name, value }, context })).completion;
await check('completion: the context counts', async () => {
  const ref = { type: 'ref/prompt', name: 'greet' };
  const plain = await complete(ref, 'name', 'Al'), french = await complete(ref, 'name', 'Al', { arguments: { language: 'French' } });
  want(plain.values.join() === 'Alan' && french.values.join() === 'Alain', brief([plain, french]));
});
await check('completion: no more than 100', async () => {
  const got = await complete({ type: 'ref/resource', uri: 'example://square/{n}' }, 'n', '');
  want(got.values.length === 100 && got.values[99] === '99' && got.hasMore && got.total === 1000, brief(got));
});
await check('completion: of what does not exist', () => rejects(complete({ type: 'ref/prompt', name: 'no-such' }, 'name', ''), -32602));
await check('logging: what is below the level does not come', async () => {
  await c.setLoggingLevel('warning');
  for (const [level, n] of [['info', 0], ['warning', 1], ['error', 1]]) {
    const got = await told('notifications/message', 'log', { level, text: 'text of ' + level });
    want(got.length === n && got.every(p => p.level === level && p.data === 'text of ' + level), `${level}: ${brief(got)}`);
  }
  await rejects(c.request({ method: 'logging/setLevel', params: { level: 'loud' } }, T.ResultSchema), -32602);
});
await check('structured results', async () => {
  // The SDK checks the result against the outputSchema that the list had.
  const r = await call('sum', { a: 1, b: 2.5 });
  want(r.structuredContent.sum === 3.5 && JSON.parse(textOf(r)).sum === 3.5, brief(r));
});
await check('unknown tool', () => rejects(call('no-such-tool', {}), -32602));
await check('unknown prompt', () => rejects(c.getPrompt({ name: 'no-such-prompt' }), -32602));
await check('unknown resource', () => rejects(c.readResource({ uri: 'nowhere://at-all' }), -32002));
await check('unknown method', () => rejects(c.request({ method: 'no/such' }, T.ResultSchema), -32601));
await check('server/discover without a revision is refused', () => rejects(c.request({ method: 'server/discover' }, T.ResultSchema), both ? -32602 : -32601));
await check('wrong arguments are an error of one kind or the other', async () => {
  let r;
  try { r = await call('echo', { text: 7 }); } catch (e) { want(e.code === -32602, 'code ' + e.code); return; }
  want(r.isError, 'accepted: ' + brief(r));
});
await check('ping is answered while a tool runs', async () => {
  const done = [];
  await Promise.all([text('slow', { ms: 500, steps: 2 }).then(() => done.push('slow')), c.ping().then(() => done.push('ping'))]);
  want(done[0] === 'ping', 'the ping waited for the tool');
});
await check('answers come in the order in which the calls end', async () => {
  const done = [];
  await Promise.all([600, 100, 350].map(ms => text('slow', { ms, steps: 1 }).then(() => done.push(ms))));
  want(done.join() === '100,350,600', done.join());
});
await check('a cancelled call is not answered and the session goes on', async () => {
  const abort = new AbortController(), seen = [];
  const p = call('slow', { ms: 600, steps: 6 }, { signal: abort.signal, onprogress: () => seen.push(0) });
  const id = lastId;
  await sleep(150);
  abort.abort('enough');
  await p.then(() => { throw new Error('not cancelled'); }, () => { });
  await sleep(100);
  const before = received.length;
  await sleep(700);
  want(late(received.slice(before)).length === 0, 'still sent ' + brief(late(received.slice(before))));
  want(!received.some(m => m.id === id && m.method === undefined), 'answered');
  await c.ping();
});
await check('a cancelled call that waits for the client is not answered either', async () => {
  const abort = new AbortController();
  let reply;
  c.setRequestHandler(T.CreateMessageRequestSchema, () => new Promise(resolve => { reply = resolve; }));
  const p = call('ask', { prompt: 'no hurry' }, { signal: abort.signal }), id = lastId;
  for (let i = 0; !reply && i < 200; i++) await sleep(10);
  want(reply, 'not asked');
  abort.abort('enough');
  await p.then(() => { throw new Error('not cancelled'); }, () => { });
  reply({ role: 'assistant', model: 'none', content: { type: 'text', text: 'too late' } });
  await sleep(200);
  want(!received.some(m => m.id === id && m.method === undefined), 'answered');
  await c.ping();
});
await check('unknown notifications and answers to nothing are ignored', async () => {
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/no-such"}\n{"jsonrpc":"2.0","id":99999,"result":{}}\n{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}\n');
  await c.ping();
});
await check('malformed lines end no session and get no answer', async () => {
  const before = received.length;
  for (const line of ['this is no JSON', '{"jsonrpc":"2.0","id":', '"text"', '12', 'null', '{}', '[]', '\0\x01', '{"jsonrpc":"2.0","method":7}', '']) child.stdin.write(line + '\n');
  child.stdin.write(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]));
  await sleep(100);
  want(received.length === before, 'sent ' + brief(received.slice(before)));
  await c.ping();
});
await check('lines in pieces, two in one write, CR LF', async () => {
  const m = id => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
  want((await raw([m('p1').slice(0, 9), m('p1').slice(9, 30), m('p1').slice(30) + '\n'], 'p1')).result, 'p1');
  want((await raw(m('p2') + '\n' + m('p3') + '\r\n', 'p3')).result, 'p3');
  want((await raw([], 'p2')).result, 'p2');
  want((await raw('  ' + m(-0.5e1) + ' \n', -5)).result, 'spaces');
});
await check('when its input closes it finishes the running call and exits with 0', async () => {
  const p = text('slow', { ms: 600, steps: 2 });
  await sleep(100);
  child.stdin.end();
  want(await p, 'no text');
  const code = await Promise.race([exited, sleep(3000).then(() => 'still running')]);
  want(code === 0, 'exit ' + code);
});
await check('every line is a message by the strict schema', async () => want(bad.length === 0, `${bad.length} bad: ${bad[0]?.slice(0, 200)}`));
finish();
