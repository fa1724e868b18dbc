// auth.mjs --sdk 1|2 URL : logs in at a server that wants access tokens, as guarded does, with the OAuth code of the
// TypeScript SDK of that major version. One line per check, 'N passed, N failed' at the end.
import { parseArgs } from 'node:util';
import { check, finish, sleep, want } from './checks.mjs';

const { values: { sdk }, positionals: [url] } = parseArgs({ allowPositionals: true, options: { sdk: { type: 'string', default: '1' } } });
const { Client, StreamableHTTPClientTransport } = sdk === '2' ? await import('@modelcontextprotocol/client') : {
  ...await import('@modelcontextprotocol/sdk/client/index.js'), ...await import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
};
// person keeps what the SDK wants kept, and opens pages: the authorization server sends it back at once.
class Person {
  redirectUrl = 'http://127.0.0.1:7/callback';
  clientMetadata = {
    client_name: 'interop', redirect_uris: [this.redirectUrl], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none',
  };
  pages = 0; saved = [];
  state() { return 'a state'; }
  clientInformation() { return this.info; }
  saveClientInformation(info) { this.info = info; }
  tokens() { return this.saved.at(-1); }
  saveTokens(tokens) { this.saved.push(tokens); }
  saveCodeVerifier(v) { this.verifier = v; }
  codeVerifier() { return this.verifier; }
  async redirectToAuthorization(page) {
    this.pages++;
    this.page = new URL(page);
    const back = await fetch(page, { redirect: 'manual' });
    this.back = new URL(back.headers.get('location'));
  }
}
const person = new Person();
let client, transport;
async function connect() {
  client = new Client({ name: 'interop-ts-auth', version: '1.0.0' });
  transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: person });
  await client.connect(transport);
}
const comeBack = () => transport.finishAuth(sdk === '2' ? person.back.searchParams : person.back.searchParams.get('code'));
const call = async (name, args) => (await client.callTool({ name, arguments: args })).content[0].text;

await check('a login', async () => {
  await connect().then(() => { throw new Error('no token was wanted'); }, () => {});
  want(person.pages === 1, `${person.pages} pages`);
  want(person.page.searchParams.get('resource') === url, 'resource ' + person.page.searchParams.get('resource'));
  want(person.page.searchParams.get('scope') === 'tools', 'scope ' + person.page.searchParams.get('scope'));
  await comeBack();
  await connect();
});
await check('a call', async () => want(await call('echo', { text: 'hello' }) === 'hello', 'no echo'));
await check('a token that has expired is renewed, and nobody is asked', async () => {
  const before = person.saved.length;
  await sleep(2500);
  want(await call('echo', { text: 'again' }) === 'again', 'no echo');
  want(person.saved.length > before && person.pages === 1, `${person.saved.length} tokens, ${person.pages} pages`);
});
await check('the server names the scopes that a tool needs', async () => {
  const told = await fetch(url, {
    method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'sum', arguments: { a: 1, b: 2 } } }),
    headers: { authorization: 'Bearer ' + person.tokens().access_token, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  });
  want(told.status === 403 && told.headers.get('www-authenticate').includes('scope="sums tools"'), `${told.status} ${told.headers.get('www-authenticate')}`);
});
await client?.close().catch(() => {});
finish();
