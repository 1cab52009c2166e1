import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { testDatabase } from '@postmesh/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';

const database = testDatabase();
let gateway: TestGateway;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.stop();
});

/** A connection that begins with this header. @returns its socket and the first text from the server ('' = nothing) */
async function opened(from: string, header: string): Promise<{ socket: Socket; told: string }> {
  const port = gateway.smtp.find(({ role }) => role === 'submission')?.port ?? 0;
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  sockets.push(socket);
  socket.on('error', () => undefined);
  const told = new Promise<string>((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    socket.once('close', () => resolve(''));
  });
  await once(socket, 'connect');
  socket.write(header);
  return { socket, told: await told };
}

const header = (client: string) => `PROXY TCP4 ${client} 192.0.2.1 40000 25\r\n`;

describe('behind a load balancer that speaks the PROXY protocol', () => {
  it('counts the client that the header names; a client at its limit does not block another', async () => {
    const settings = { smtpProxies: ['127.0.0.2/32'], smtpConnectionsPerAddress: 2 };
    gateway = await startGateway(database.url, 'in process', settings);
    const greetings = [];
    for (let nth = 0; nth < 3; nth++)
      greetings.push((await opened('127.0.0.2', header('198.51.100.1'))).told);
    expect(greetings.map((told) => told.slice(0, 3))).toEqual(['220', '220', '421']);
    expect((await opened('127.0.0.2', header('198.51.100.2'))).told).toMatch(/^220 /);
    const seven = await opened('127.0.0.2', 'PROXY TCP6 2001:db8::1 2001:db8::2 40000 25\r\n');
    expect(seven.told).toMatch(/^220 /);
  });

  it('rejects the header from other peers, and connections of the load balancer without one', async () => {
    gateway = await startGateway(database.url, 'in process', { smtpProxies: ['127.0.0.2/32'] });
    const stranger = await opened('127.0.0.1', '');
    expect(stranger.told).toMatch(/^220 /);
    stranger.socket.write(header('198.51.100.1'));
    const [reply] = (await once(stranger.socket, 'data')) as [Buffer];
    expect(reply.toString()).toMatch(/^50\d /);
    for (const wrong of ['EHLO me.test\r\n', header('not-an-address'), 'x'.repeat(4_000)]) {
      expect((await opened('127.0.0.2', wrong)).told).not.toMatch(/^220 /);
    }
  });

  it('stops while a connection of the load balancer has not sent its header', async () => {
    gateway = await startGateway(database.url, 'in process', { smtpProxies: ['127.0.0.2/32'] });
    const silent = opened('127.0.0.2', 'PROXY TCP4');
    // what comes after it on the same port has been accepted after it
    expect((await opened('127.0.0.2', header('198.51.100.1'))).told).toMatch(/^220 /);
    await gateway.service.stop();
    expect((await silent).told).toBe('');
  });
});
