import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { proxiedClient } from './proxied-client.js';

const opened: { destroy(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.destroy();
});

/** Both ends of a connection. */
async function pair(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [near] = (await once(server, 'connection')) as [Socket];
  server.close();
  opened.push(near, far);
  far.on('error', () => undefined);
  return { near, far };
}

const LONG_MS = 60_000;

describe('the header of a connection', () => {
  it('is read byte by byte; what follows it is left for the session', async () => {
    const { near, far } = await pair();
    const client = proxiedClient(near, LONG_MS);
    for (const byte of 'PROXY TCP4 198.51.100.1 192.0.2.1 40000 25\r\nQUIT\r\n') far.write(byte);
    expect(await client).toEqual({ address: '198.51.100.1', port: 40_000 });
    far.end();
    let rest = '';
    for await (const chunk of near) rest += String(chunk);
    expect(rest).toBe('QUIT\r\n');
  });

  it.each([
    ['that is another text', (far: Socket) => far.write('EHLO me.test\r\n'), LONG_MS, 'no PROXY protocol'],
    ['that ends too soon', (far: Socket) => far.end('PROXY TCP4'), LONG_MS, 'ended before it'],
    ['that does not come', (far: Socket) => far.write('PROXY TCP4'), 20, 'did not come in time'],
  ])('%s destroys it', async (_, act, withinMs, problem) => {
    const { near, far } = await pair();
    const closed = once(far, 'close');
    far.resume();
    const client = proxiedClient(near, withinMs);
    act(far);
    await expect(client).rejects.toThrow(problem);
    await closed;
  });
});
