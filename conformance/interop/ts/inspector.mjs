// inspector.mjs LAUNCHER SERVER ARGS... : runs the inspector's command line once per
// method against a server with the tools of docs/examples/stdioserver: a command, or a URL.
import { execFile } from 'node:child_process';

const [launcher, ...server] = process.argv.slice(2);
let failed = 0;
async function inspect(method, options, ok) {
  try {
    const stdout = await new Promise((resolve, reject) => execFile(process.execPath, [launcher, '--cli', ...server, '--method', method, ...options],
      { encoding: 'utf8', timeout: 60000 }, (e, out, err) => e ? reject(new Error(`exit ${e.code ?? e.signal}: ${err.slice(-300)}`)) : resolve(out)).stdin.end());
    const result = JSON.parse(stdout);
    if (!ok(result)) throw new Error('printed ' + JSON.stringify(result).slice(0, 300));
    console.log('ok   ' + method);
    return result;
  } catch (e) {
    failed++;
    console.log(`FAIL ${method}: ${e.message}`);
    return {};
  }
}
// Each is a process of its own that takes seconds to start.
const [resources, prompts] = await Promise.all([
  inspect('resources/list', [], r => r.resources.length > 0),
  inspect('prompts/list', [], r => r.prompts.length > 0),
  inspect('tools/list', [], r => r.tools.some(t => t.name === 'echo')),
  inspect('tools/call', ['--tool-name', 'echo', '--tool-arg', 'text=hello'], r => !r.isError && r.content[0].text.includes('hello')),
  inspect('resources/templates/list', [], r => r.resourceTemplates.length > 0),
  inspect('logging/setLevel', ['--log-level', 'warning'], r => Object.keys(r).length === 0),
]);
const uri = resources.resources?.[0].uri, prompt = prompts.prompts?.[0];
const values = (prompt?.arguments ?? []).filter(a => a.required).map(a => a.name + '=value');
await Promise.all([
  inspect('resources/read', ['--uri', uri ?? ''], r => r.contents[0].uri === uri),
  inspect('prompts/get', ['--prompt-name', prompt?.name ?? '', ...(values.length ? ['--prompt-args', ...values] : [])], r => r.messages.length > 0),
]);
process.exit(failed ? 1 : 0);
