import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPort } from './open-port.js';

const other = createServer();
let port: number;
beforeAll(async () => {
  await once(other.listen(0, '127.0.0.1'), 'listening');
  ({ port } = other.address() as AddressInfo);
});
afterAll(() => other.close());

const listen = async (at: number, host = '127.0.0.1') => {
  const server = createServer();
  await once(server.listen(at, host), 'listening');
  server.close();
  return 'open';
};

it('names the setting of a port that is in use', async () => {
  await expect(openPort('POSTMESH_HTTP_PORT', port, () => listen(port))).rejects.toThrow(
    `POSTMESH_HTTP_PORT: port ${port} is taken by another program`,
  );
});

it('names the setting for any other error of the port', async () => {
  await expect(openPort('POSTMESH_MX_PORT', port, () => listen(port, '192.0.2.1'))).rejects.toThrow(
    `POSTMESH_MX_PORT: port ${port} cannot be opened: listen EADDRNOTAVAIL`,
  );
});

it('says that a system cannot share a port, as macOS and Windows cannot', async () => {
  const error = { code: 'ENOTSUP', syscall: 'listen', port };
  const refused = () => Promise.reject(Object.assign(new Error('listen ENOTSUP'), error));
  await expect(openPort('POSTMESH_HTTP_PORT', port, refused)).rejects.toThrow(
    `POSTMESH_HTTP_PORT: port ${port} cannot be shared: this system has no SO_REUSEPORT`,
  );
});

it('rethrows an error of another port, and any other error, unchanged', async () => {
  await expect(openPort('POSTMESH_MX_PORT', 1, () => listen(port))).rejects.toThrow(/^listen EADDRINUSE/);
  const broken = () => Promise.reject(new Error('no certificate'));
  await expect(openPort('POSTMESH_MX_PORT', port, broken)).rejects.toThrow(/^no certificate$/);
  expect(await openPort('POSTMESH_HTTP_PORT', 0, () => listen(0))).toBe('open');
});
