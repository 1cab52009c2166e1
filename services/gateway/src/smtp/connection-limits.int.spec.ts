import { connect, type Socket } from 'node:net';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';

const database = testDatabase();
let gateway: TestGateway;
const sockets: Socket[] = [];

beforeAll(async () => {
  gateway = await startGateway(database.url, 'in process');
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway.stop();
});

/** A connection from an address of this machine, and the code of its greeting. */
function greeted(from: string): Promise<number> {
  const port = gateway.smtp.find(({ role }) => role === 'submission')?.port ?? 0;
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    sockets.push(socket);
    socket.once('data', (chunk: Buffer) => resolve(Number(chunk.toString().slice(0, 3))));
    socket.on('error', () => resolve(0));
  });
}

describe('one peer that takes all the connections it can', () => {
  it('does not keep a second peer out', async () => {
    const taken = await Promise.all(Array.from({ length: 1_001 }, () => greeted('127.0.0.1')));
    const open = taken.filter((code) => code === 220).length;
    const second = await greeted('127.0.0.2');
    console.info(`the first peer has ${open} sessions; the second is greeted with ${second}`);
    expect(second).toBe(220);
  });
});
