// auth.mjs [--known] [--scopes] [--forgets] [--rotates] URL : logs in at a server that wants access tokens, as guarded
// does, with the OAuth code of the TypeScript SDK 1 and 2, both at once. Clients are known at the authorization server
// beforehand; tokens have scopes there, refresh tokens can be taken back, and keys change. One line per check, 'N
// passed, N failed' at the end.
// auth.mjs --begin 1|2 [--known] URL : begins a login, and prints what another process needs to finish it.
import { execFile } from 'node:child_process';
import { promisify, parseArgs } from 'node:util';
import { check, finish, sleep, want } from './checks.mjs';

const options = Object.fromEntries(['known', 'scopes', 'forgets', 'rotates'].map(name => [name, { type: 'boolean' }]));
const { values: args, positionals: [url] } = parseArgs({ allowPositionals: true, options: { ...options, begin: { type: 'string' } } });
const sdks = {
  1: { ...await import('@modelcontextprotocol/sdk/client/index.js'), ...await import('@modelcontextprotocol/sdk/client/streamableHttp.js') },
  2: await import('@modelcontextprotocol/client'),
};
// act has guarded do what a person or an operator does.
async function act(what, body) {
  const told = await fetch(new URL('/test/' + what, url), { method: 'POST', body });
  const text = await told.text();
  want(told.ok, `${what}: ${told.status} ${text}`);
  return text;
}
// Person keeps what the SDK wants kept, and opens pages.
class Person {
  redirectUrl = 'http://127.0.0.1:7/callback';
  clientMetadata = {
    client_name: 'interop', redirect_uris: [this.redirectUrl], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none',
  };
  pages = 0; saved = [];
  constructor(sdk) { this.kept = { info: args.known ? { client_id: sdk === '1' ? 'client' : 'other' } : undefined }; }
  state() { return 'a state'; }
  clientInformation() { return this.kept.info; }
  saveClientInformation(info) { this.kept.info = info; }
  tokens() { return this.saved.at(-1); }
  saveTokens(tokens) { this.saved.push(tokens); }
  saveCodeVerifier(v) { this.kept.verifier = v; }
  codeVerifier() { return this.kept.verifier; }
  discoveryState() { return this.kept.discovered; }
  saveDiscoveryState(found) { this.kept.discovered = found; }
  invalidateCredentials(which) { if (which === 'tokens' || which === 'all') this.saved.push(undefined); }
  redirectToAuthorization(page) {
    this.pages++;
    page = new URL(page);
    const scopes = (page.searchParams.get('scope') ?? '').split(' ');
    if (args.known && !scopes.includes('offline_access')) page.searchParams.set('scope', [...scopes, 'offline_access'].join(' ')); // SDK 1 leaves that to the application
    this.kept.page = page.href;
  }
  get page() { return new URL(this.kept.page).searchParams; }
}
// A Visit is one client: what its SDK has, and who logs in.
class Visit {
  constructor(sdk) { this.sdk = sdk; this.person = new Person(sdk); }
  transport() { return new sdks[this.sdk].StreamableHTTPClientTransport(new URL(url), { authProvider: this.person }); }
  async connect() {
    this.client = new sdks[this.sdk].Client({ name: 'interop-ts-auth', version: '1.0.0' });
    this.over = this.transport();
    await this.client.connect(this.over);
  }
  // logIn has the person go through the pages, and the SDK take what comes of it.
  async logIn(over = this.over) {
    const back = new URL(await act('login', this.person.kept.page)).searchParams;
    await over.finishAuth(this.sdk === '2' ? back : back.get('code'));
  }
  async call(name, args) { return (await this.client.callTool({ name, arguments: args })).content[0].text; }
  async echo() { want(await this.call('echo', { text: 'hello' }) === 'hello', 'no echo'); }
  check(name, f) { return check(`SDK ${this.sdk}: ${name}`, f); }
}
const refused = async (p, what) => want(await p.then(() => false, () => true), what);
const expire = () => sleep(3500);
const key = tokens => tokens.access_token.split('.')[0];

async function visit(sdk) {
  const v = new Visit(sdk), { person } = v;
  await v.check('a login that another process began', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [process.argv[1], '--begin', sdk, ...args.known ? ['--known'] : [], url]);
    const other = new Visit(sdk);
    other.person.kept = JSON.parse(stdout);
    await other.logIn(other.transport());
    await other.connect();
    await other.echo();
    want(other.person.pages === 0, 'a page of its own');
    await other.client.close();
  });
  await v.check('a login', async () => {
    await refused(v.connect(), 'no token was wanted');
    want(person.pages === 1, `${person.pages} pages`);
    want(person.page.get('resource') === url, 'resource ' + person.page.get('resource'));
    want(person.page.get('code_challenge_method') === 'S256', 'no PKCE');
    await v.logIn();
    await v.connect();
  });
  await v.check('a call', () => v.echo());
  await v.check('a token that has expired is renewed, and nobody is asked', async () => {
    const before = person.saved.length;
    await expire();
    await v.echo();
    want(person.saved.length > before && person.pages === 1, `${person.saved.length} tokens, ${person.pages} pages`);
  });
  if (args.scopes) await v.check('a tool that needs more scopes leads to a page, and is called then', async () => {
    const all = person.page.get('scope');
    if (sdk === '1') delete person.tokens().refresh_token; // it would renew the token in place of asking for more
    await refused(v.call('sum', { a: 1, b: 2 }), 'no scope was wanted');
    want(person.pages === 2 && person.page.get('scope').split(' ').length > all.split(' ').length, `${person.pages} pages, scope ${person.page.get('scope')}`);
    await v.logIn();
    want((await v.call('sum', { a: 1, b: 2 })).includes('3'), 'no sum');
  });
  if (args.forgets) await v.check('a refresh token that was taken back leads to a page', async () => {
    const before = person.pages;
    await act('forget?client=' + person.kept.info.client_id, person.tokens().refresh_token);
    await expire();
    await refused(v.echo(), 'the token is good');
    want(person.pages === before + 1, `${person.pages} pages`);
    await v.logIn();
    await v.echo();
  });
  return v;
}
// renew goes on with a client whose authorization server signs by another key.
const renew = (v, old) => v.check('a token by the new key of the authorization server', async () => {
  for (let tries = 0; ; tries++) { // the server reads keys every 30 s at most, and is not there for new ones until then
    const failed = await v.connect().then(() => v.echo()).then(() => null, e => e);
    if (!failed) break;
    want(tries < 35 && String(failed.message).includes('retry after 1s'), String(failed.message));
    await sleep(1000);
  }
  want(key(v.person.tokens()) !== old, 'the key is the old one');
});

if (args.begin) {
  const v = new Visit(args.begin);
  await refused(v.connect(), 'no token was wanted');
  console.log(JSON.stringify(v.person.kept));
  process.exit();
}
const visits = await Promise.all(Object.keys(sdks).map(visit));
if (args.rotates) {
  const old = visits.map(v => key(v.person.tokens()));
  await act('rotate');
  await expire();
  await Promise.all(visits.map((v, i) => renew(v, old[i])));
}
for (const v of visits) await v.client?.close().catch(() => {});
finish();
