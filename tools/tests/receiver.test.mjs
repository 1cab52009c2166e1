import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { deepEqual } from 'node:assert/strict';
import { signedHeaders } from '../../services/webhook-dispatcher/dist/attempt/signature.rules.js';

const SECRET = 'whsec_a+b/c=';

test('the receiver of the guide takes our calls, and no other', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'postmesh-receiver-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const source =
    /```js file=receiver.mjs\n(.*?)```/s.exec(readFileSync('docs/guides/webhooks.md', 'utf8'))?.[1] ?? '';
  const onFreePort = source.replace(
    '.listen(Number(port))',
    '.listen(0, function () { console.log(this.address().port) })',
  );
  writeFileSync(join(folder, 'receiver.mjs'), onFreePort);
  const receiver = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { ...process.env, WEBHOOK_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => receiver.kill());
  const [port] = await once(receiver.stdout, 'data');

  const body = Buffer.from('{"type":"message.delivered"}');
  const headers = (secret = SECRET, at = new Date()) => signedHeaders({ messageId: 'one', at, body, secret });
  const call = async (headers, sent = body) =>
    (await fetch(`http://127.0.0.1:${Number(port)}/`, { method: 'POST', headers, body: sent })).status;
  const ours = headers();
  const answers = [
    await call(ours),
    await call({ ...ours, 'webhook-signature': `v1,b3RoZXI= ${ours['webhook-signature']}` }),
    await call(ours, Buffer.from('{"type":"message.bounced"}')),
    await call({ ...ours, 'webhook-id': 'two' }),
    await call(headers('whsec_other')),
    await call(headers(SECRET, new Date(Date.now() - 600_000))),
    await call({}),
  ];
  deepEqual(answers, [204, 204, 401, 401, 401, 401, 401]);
});
