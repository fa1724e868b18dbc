// What the checks of the gateway are made of: the servers behind it, its file, the gateway
// itself, and the clients in front of it.
import { spawn } from 'node:child_process';
import { createServer, connect as dial } from 'node:net';
import { mkdtempSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

// The programs, each a command whose words are split at blanks, and the folder of npm packages.
export const { values: flags } = parseArgs({ options: Object.fromEntries(
  ['over', 'gateway', 'stdioserver', 'httpserver', 'gosdkserver', 'fixture', 'revision', 'checks', 'expected', 'mcp'].map(n => [n, { type: 'string' }])) });
export const words = n => flags[n].split(' ');

export const sleep = ms => new Promise(r => setTimeout(r, ms));
export const want = (ok, text) => { if (!ok) throw new Error(text); };
export const brief = v => (JSON.stringify(v) ?? 'undefined').slice(0, 300);
export const textOf = r => r.content.filter(b => b.type === 'text').map(b => b.text).join('');
export async function until(f, what, seconds = 15) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(10)) if (f()) return;
  want(f(), typeof what === 'function' ? what() : what);
}
export async function rejects(promise, code) {
  let got;
  try { got = await promise; } catch (e) { want(code === undefined || e.code === code, `code ${e.code}, want ${code}: ${e.message}`); return e; }
  throw new Error('accepted: ' + brief(got));
}

let passed = 0, failed = 0;
export async function check(name, f) {
  try { await f(); passed++; console.log('ok   ' + name); }
  catch (e) { failed++; console.log(`FAIL ${name}: ${String(e?.message ?? e).slice(0, 500)}`); }
}
export const figure = (what, ms) => console.log(`note ${what}: ${ms.toFixed(1)} ms`);
export function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}

// Whatever happens, no process and no file is left.
const children = new Set();
export const folder = mkdtempSync(join(tmpdir(), 'interop-gateway-'));
process.on('exit', () => {
  for (const c of children) try { process.kill(c.pid, 'SIGKILL'); } catch { }
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(130));
setTimeout(() => { console.log('FAIL deadline'); process.exit(1); }, 140000).unref();
// Promises of the SDK that are broken off behind its back are no failure of a check.
export const strays = [];
process.on('unhandledRejection', e => strays.push(String(e)));

async function freePort() {
  for (let i = 0; i < 100; i++) {
    const port = 10000 + Math.floor(Math.random() * 20000);
    const free = await new Promise(r => { const s = createServer().once('error', () => r(false)).listen(port, '127.0.0.1', () => s.close(() => r(true))); });
    if (free) return port;
  }
  throw new Error('no free port');
}
const listens = port => new Promise(r => { const s = dial(port, '127.0.0.1', () => { s.destroy(); r(true); }).on('error', () => r(false)); });

// Listener is a program that serves HTTP, and may be killed and started anew at its port.
export class Listener {
  constructor(command) { this.command = command; }
  async start() {
    this.port ??= await freePort();
    const [file, ...args] = this.command.map(a => a.replace('{addr}', '127.0.0.1:' + this.port));
    this.child = spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    children.add(this.child);
    this.exited = new Promise(r => this.child.once('close', (code, signal) => { children.delete(this.child); r(code ?? signal); }));
    for (let i = 0; i < 1000 && !await listens(this.port); i++) await sleep(20);
    return this;
  }
  url(path = '/mcp') { return `http://127.0.0.1:${this.port}${path}`; }
  kill(signal = 'SIGKILL') { process.kill(this.child.pid, signal); return this.exited; }
}

// childrenOf returns the processes that one has started, with their command lines.
export function childrenOf(pid) {
  const found = [];
  for (const p of readdirSync('/proc')) if (/^\d+$/.test(p)) try {
    if (+readFileSync(`/proc/${p}/stat`, 'utf8').split(') ').pop().split(' ')[1] === pid) found.push({ pid: +p, command: readFileSync(`/proc/${p}/cmdline`, 'utf8').split('\0').join(' ') });
  } catch { }
  return found;
}
export const alive = pid => { try { return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z'); } catch { return false; } };

// write writes the file of the gateway, as editors do: another one takes its place.
export const file = join(folder, 'mcp.json');
export function write(servers) {
  writeFileSync(file + '.new', JSON.stringify({ mcpServers: servers }, null, 2));
  renameSync(file + '.new', file);
}
// root makes a folder that a client has for its root, with a file in it that has its name.
export function root(name) {
  const dir = join(folder, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'hello.txt'), 'text of ' + name);
  return dir;
}

// stand starts the servers that are spoken to over HTTP, and writes a file of them and of those
// that are commands.
export async function stand() {
  const [web, gosdk] = await Promise.all([new Listener(words('httpserver')).start(), new Listener(words('gosdkserver')).start()]);
  const npm = (name, ...args) => ({ command: process.execPath, args: [join(flags.mcp, name, 'dist/index.js'), ...args] });
  const servers = {
    ours: { command: words('stdioserver')[0], args: words('stdioserver').slice(1) },
    everything: npm('server-everything', 'stdio'),
    files: npm('server-filesystem', root('nobody')),
    memory: { ...npm('server-memory'), env: { MEMORY_FILE_PATH: '${INTEROP_MEMORY:-' + join(folder, 'memory.json') + '}' } },
    gosdk: { type: 'http', url: gosdk.url() },
    web: { url: web.url(), headers: { 'X-Interop': '${INTEROP_NOT_SET:-a default}' } },
  };
  write(servers);
  return { web, gosdk, servers };
}

// open returns a client with answers of its own. to is {url}, or {command, args}.
export async function open(sdk, name, to) {
  const first = sdk === 1, T = first && await import('@modelcontextprotocol/sdk/types.js');
  const { Client } = await import(first ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client');
  const { StreamableHTTPClientTransport } = await import(first ? '@modelcontextprotocol/sdk/client/streamableHttp.js' : '@modelcontextprotocol/client');
  let transport;
  if (to.url) transport = new StreamableHTTPClientTransport(new URL(to.url));
  else {
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    transport = new StdioClientTransport({ ...to, stderr: 'inherit', env: process.env });
  }
  const dir = root(name), client = new Client({ name, version: '1.0.0', title: 'Client ' + name }, {
    capabilities: { roots: { listChanged: true }, sampling: { tools: {} }, elicitation: { form: { applyDefaults: true }, url: {} } },
    versionNegotiation: { mode: 'auto' }, // of version 2: asks for newer revisions first
  });
  const p = { name, dir, client, transport, received: [], sampled: [], elicited: [], done: [], errors: [], roots: [{ uri: 'file://' + dir, name }], action: 'accept' };
  const serve = (method, schema, f) => client.setRequestHandler(first ? T[schema] : method, f);
  serve('sampling/createMessage', 'CreateMessageRequestSchema', async r => {
    p.sampled.push(r.params);
    if (p.held) return new Promise(reply => p.held.push(reply));
    const say = text => ({ role: 'assistant', model: 'model of ' + name, content: { type: 'text', text } });
    const tool = r.params.tools?.[0], result = r.params.messages.flatMap(m => m.content).find(b => b.type === 'tool_result');
    if (result) return say(`The tool of ${name} says ` + textOf(result));
    if (tool) return { role: 'assistant', model: 'none', stopReason: 'toolUse', content: [{ type: 'tool_use', id: 'use-1', name: tool.name, input: { a: 1, b: 2 } }] };
    return say('answer of ' + name);
  });
  serve('elicitation/create', 'ElicitRequestSchema', r => {
    p.elicited.push(r.params);
    if (r.params.mode === 'url' || p.action !== 'accept') return { action: p.action };
    const content = {};
    for (const [key, s] of Object.entries(r.params.requestedSchema.properties ?? {})) {
      if (key in (p.filled ?? {})) content[key] = p.filled[key];
      else if (s.type !== 'array' && s.default === undefined) content[key] = s.enum?.[0] ?? s.oneOf?.[0].const ?? (s.type === 'boolean' ? true : s.type === 'string' ? 'typed by ' + name : 7);
    }
    return { action: 'accept', content };
  });
  serve('roots/list', 'ListRootsRequestSchema', () => ({ roots: p.roots }));
  client.setNotificationHandler(first ? T.ElicitationCompleteNotificationSchema : 'notifications/elicitation/complete', n => { p.done.push(n.params.elicitationId); });
  transport.onmessage = m => p.received.push(m); // the SDK calls it before its own
  client.onerror = e => p.errors.push(e);
  p.told = method => p.received.filter(m => m.method === method);
  p.call = (tool, a, options) => first ? client.callTool({ name: tool, arguments: a }, undefined, { timeout: 30000, ...options }) : client.callTool({ name: tool, arguments: a }, { timeout: 30000, ...options });
  p.text = async (tool, a, options) => {
    const r = await p.call(tool, a, options);
    want(!r.isError, `${tool} gave an error result: ${brief(r)}`);
    return textOf(r);
  };
  p.list = async (method, key) => {
    const all = [];
    for (let cursor; ;) {
      const r = await client.request({ method, params: cursor ? { cursor } : {} }, ...(first ? [T.ResultSchema] : []));
      all.push(...r[key]);
      if ((cursor = r.nextCursor) === undefined) return all;
    }
  };
  p.tools = async () => (await p.list('tools/list', 'tools')).map(t => t.name);
  await client.connect(transport, { timeout: 20000 });
  return p;
}
