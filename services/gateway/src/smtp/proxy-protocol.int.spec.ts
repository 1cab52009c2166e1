import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { freePort, haproxyProgram, SmtpDialogue, startHaproxy, testDatabase } from '@postmesh/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { mail, STORED_ID } from '../testing/echo-service.js';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';

const database = testDatabase();
let gateway: TestGateway;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.stop();
});

/** A connection that begins with this header. @returns its socket and the first text from the server ('' = nothing) */
async function opened(from: string, header: string | Buffer): Promise<{ socket: Socket; received: string }> {
  const port = gateway.smtp.find(({ role }) => role === 'submission')?.port ?? 0;
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  sockets.push(socket);
  socket.on('error', () => undefined);
  const received = new Promise<string>((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    socket.once('close', () => resolve(''));
  });
  await once(socket, 'connect');
  socket.write(header);
  return { socket, received: await received };
}

const header = (client: string) => `PROXY TCP4 ${client} 192.0.2.1 40000 25\r\n`;
/** version 2, over IPv4 */
const binaryHeader = (client: string) =>
  Buffer.from([
    ...Buffer.from('\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c', 'latin1'),
    ...client.split('.').map(Number),
    ...[192, 0, 2, 1, 0x9c, 0x40, 0, 25],
  ]);

describe('behind a load balancer that speaks the PROXY protocol', () => {
  it('counts the client that the header names; a client at its limit does not block another', async () => {
    const settings = { smtpProxies: ['127.0.0.2/32'], smtpConnectionsPerAddress: 2 };
    gateway = await startGateway(database.url, 'in process', settings);
    const greetings = [];
    for (let nth = 0; nth < 3; nth++)
      greetings.push((await opened('127.0.0.2', header('198.51.100.1'))).received);
    expect(greetings.map((received) => received.slice(0, 3))).toEqual(['220', '220', '421']);
    expect((await opened('127.0.0.2', header('198.51.100.2'))).received).toMatch(/^220 /);
    const seven = await opened('127.0.0.2', 'PROXY TCP6 2001:db8::1 2001:db8::2 40000 25\r\n');
    expect(seven.received).toMatch(/^220 /);
    // of both versions together: the third of the second client
    expect((await opened('127.0.0.2', binaryHeader('198.51.100.2'))).received).toMatch(/^220 /);
    expect((await opened('127.0.0.2', binaryHeader('198.51.100.2'))).received).toMatch(/^421 /);
  });

  it('rejects the header from other peers, and connections of the load balancer without one', async () => {
    gateway = await startGateway(database.url, 'in process', { smtpProxies: ['127.0.0.2/32'] });
    for (const sent of [header('198.51.100.1'), binaryHeader('198.51.100.1')]) {
      const stranger = await opened('127.0.0.1', '');
      expect(stranger.received).toMatch(/^220 /);
      let received = '';
      stranger.socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
      const closed = once(stranger.socket, 'close');
      stranger.socket.write(sent);
      await closed;
      expect(received).toMatch(
        /421 4\.7\.0 PROXY protocol header from an address that may not send one\r\n$/,
      );
    }
    for (const wrong of ['EHLO me.test\r\n', header('not-an-address'), 'x'.repeat(4_000)]) {
      expect((await opened('127.0.0.2', wrong)).received).not.toMatch(/^220 /);
    }
  });

  it('stops while a connection of the load balancer has not sent its header', async () => {
    gateway = await startGateway(database.url, 'in process', { smtpProxies: ['127.0.0.2/32'] });
    const silent = opened('127.0.0.2', 'PROXY TCP4');
    // what comes after it on the same port has been accepted after it
    expect((await opened('127.0.0.2', header('198.51.100.1'))).received).toMatch(/^220 /);
    await gateway.service.stop();
    expect((await silent).received).toBe('');
  });
});

const program = haproxyProgram();
describe.skipIf(!program)('behind a real HAProxy', () => {
  it.each([
    ['1', 'send-proxy'],
    ['2', 'send-proxy-v2 proxy-v2-options unique-id'],
  ])('with version %s, a submission is of the client, whose address counts', async (_, option) => {
    gateway = await startGateway(database.url, 'in process', {
      smtpProxies: ['127.0.0.2/32'],
      smtpConnectionsPerAddress: 1,
    });
    mail.submissions.length = 0;
    await vi.waitFor(() => expect(gateway.accounts.leaseCount()).toBe(1), 10_000);
    const credential = gateway.accounts.addCredential();
    const port = await freePort();
    const inner = gateway.smtp.find(({ role }) => role === 'submission')?.port ?? 0;
    const listen = [
      'listen submission',
      `  bind 127.0.0.1:${port}`,
      '  unique-id-format %[uuid()]',
      `  server gateway 127.0.0.1:${inner} source 127.0.0.2 ${option}`,
    ];
    const proxy = await startHaproxy(program!, listen.join('\n'), { port });
    try {
      const dialogue = await SmtpDialogue.secure(port, { localAddress: '127.0.0.7' });
      const token = Buffer.from(`\0${credential.username}\0${credential.password}`).toString('base64');
      expect(await dialogue.say(`AUTH PLAIN ${token}`)).toMatch(/^235 /);
      await dialogue.say('MAIL FROM:<a@shop.test>');
      await dialogue.say('RCPT TO:<ann@mail.test>');
      expect(await dialogue.data('Subject: x\r\n\r\nx\r\n')).toBe(`250 2.0.0 OK ${STORED_ID}`);
      expect(mail.submissions[0]?.envelope.session.client_ip).toBe('127.0.0.7');
      const second = await SmtpDialogue.open(port, { localAddress: '127.0.0.7' });
      expect(second.greeting).toMatch(/^421 4\.3\.2 /);
      const other = await SmtpDialogue.open(port, { localAddress: '127.0.0.8' });
      expect(other.greeting).toMatch(/^220 /);
      for (const each of [dialogue, second.dialogue, other.dialogue]) each.end();
    } finally {
      await proxy.stop();
    }
  });
});
