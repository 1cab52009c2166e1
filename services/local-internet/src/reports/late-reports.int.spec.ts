import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '@postmesh/secrets';
import { sendMessage, startTestInternet, type TestInternet } from '../local-internet.fixture.js';

interface Came {
  session: Pick<SMTPServerSession, 'secure' | 'envelope'>;
  raw: string;
}

/** Replaces the service, which accepts reports. */
async function mailHost() {
  const came: Came[] = [];
  const waiting: (() => void)[] = [];
  const replies: number[] = [];
  const server = new SMTPServer({
    ...selfSignedCertificate(['localhost']),
    authOptional: true,
    disabledCommands: ['AUTH'],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      const { secure, envelope } = session;
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const code = replies.shift();
        if (code !== undefined) return done(Object.assign(new Error('not now'), { responseCode: code }));
        came.push({
          session: { secure, envelope: { ...envelope } },
          raw: Buffer.concat(chunks).toString('latin1'),
        });
        waiting.splice(0).forEach((wake) => wake());
        return done();
      });
    },
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const next = async (): Promise<Came> => {
    while (came.length === 0) await new Promise<void>((wake) => waiting.push(wake));
    return came.shift()!;
  };
  const { port } = server.server.address() as AddressInfo;
  return { port, next, replies, stop: () => new Promise<void>((closed) => server.close(() => closed())) };
}

let service: Awaited<ReturnType<typeof mailHost>>;
let internet: TestInternet;
beforeAll(async () => {
  service = await mailHost();
  internet = await startTestInternet({ mxPort: service.port });
});
afterAll(async () => {
  await internet.stop();
  await service.stop();
});

const MESSAGE = [
  'From: news@shop.test',
  'CFBL-Address: fbl+token@rp.shop.test; report=arf',
  'Subject: Your order',
  '',
  'Hello',
  '',
].join('\r\n');

const reportsOn = async (to: string) => {
  const list = await fetch(`${internet.mailboxUrl}/api/messages?to=${encodeURIComponent(to)}`);
  const { messages } = (await list.json()) as { messages: { id: string }[] };
  const detail = await fetch(`${internet.mailboxUrl}/api/messages/${messages[0]!.id}`);
  return ((await detail.json()) as { reports: Record<string, string>[] }).reports;
};

describe('an accepted message', () => {
  it('that bounces later is reported to its envelope sender, over TLS and with the null sender', async () => {
    const to = 'latebounce-1@mail.test';
    expect(await sendMessage(internet, { from: 'b+token@rp.shop.test', to: [to], message: MESSAGE })).toMatch(
      /^250/,
    );
    const { session, raw } = await service.next();
    expect(session).toMatchObject({
      secure: true,
      envelope: { mailFrom: { address: '' }, rcptTo: [{ address: 'b+token@rp.shop.test' }] },
    });
    expect(raw).toMatch(/^Content-Type: multipart\/report; report-type=delivery-status;/m);
    expect(raw).toContain(`Final-Recipient: rfc822; ${to}\r\nAction: failed\r\nStatus: 5.1.1\r\n`);
    expect(await PostalMime.parse(raw)).toMatchObject({ subject: 'Undelivered Mail Returned to Sender' });
    await expect
      .poll(() => reportsOn(to))
      .toMatchObject([{ kind: 'bounce', reply: expect.stringMatching(/^250/) }]);
  });

  it('with a later complaint is reported to its CFBL-Address, with its whole text', async () => {
    await sendMessage(internet, { to: ['Complain@mail.test'], message: MESSAGE });
    const { session, raw } = await service.next();
    expect(session.envelope.rcptTo).toMatchObject([{ address: 'fbl+token@rp.shop.test' }]);
    expect(raw).toContain('Feedback-Type: abuse\r\n');
    expect(raw).toContain(
      `Content-Type: message/rfc822\r\nContent-Transfer-Encoding: 7bit\r\n\r\n${MESSAGE}`,
    );
  });

  it('is reported again after a temporary reply of the service', async () => {
    service.replies.push(451);
    await sendMessage(internet, {
      from: 'b+again@rp.shop.test',
      to: ['latebounce@mail.test'],
      message: MESSAGE,
    });
    expect((await service.next()).session.envelope.rcptTo).toMatchObject([
      { address: 'b+again@rp.shop.test' },
    ]);
  });

  it('with the null sender, or without an address for complaints, is not reported', async () => {
    await sendMessage(internet, { from: '', to: ['latebounce@none.test'], message: MESSAGE });
    await sendMessage(internet, { to: ['complain@none.test'] });
    expect(await reportsOn('latebounce@none.test')).toEqual([]);
    expect(await reportsOn('complain@none.test')).toEqual([]);
  });
});
