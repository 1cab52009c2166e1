import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import { realProgram, testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DoubleCredential } from '../testing/accounts-double.js';
import { mail, STORED_ID } from '../testing/echo-service.js';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';

const run = promisify(execFile);
const database = testDatabase();
let gateway: TestGateway;
let folder: string;
let credential: DoubleCredential;

beforeAll(async () => {
  gateway = await startGateway(database.url, 'in process');
  credential = gateway.accounts.addCredential();
  folder = await mkdtemp(join(tmpdir(), 'postmesh-clients-'));
  await vi.waitFor(() => expect(gateway.accounts.leaseCount()).toBe(1), 10_000);
});
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  mail.submissions.length = 0;
});

const port = () => gateway.smtp.find(({ role }) => role === 'submission')?.port ?? 0;
const taken = () =>
  mail.submissions.map(({ envelope, raw }) => ({
    sender: envelope.sender,
    recipients: envelope.recipients,
    text: raw.toString(),
  }));

describe('clients that are not ours', () => {
  it('nodemailer: a pool, a large message, an address that is not ASCII', async () => {
    const transport = createTransport({
      host: '127.0.0.1',
      port: port(),
      pool: true,
      maxConnections: 3,
      requireTLS: true,
      auth: { user: credential.username, pass: credential.password },
      tls: { rejectUnauthorized: false },
    });
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        transport.sendMail({
          from: 'a@shop.test',
          to: [`r${at}@mail.test`, 'jörg@bücher.test'],
          subject: 'Grüße',
          text: `.\n..\n${'x'.repeat(at * 10_000)}`,
        }),
      ),
    );
    transport.close();
    for (const { response, rejected } of sent) {
      expect([response, rejected]).toEqual([`250 2.0.0 OK ${STORED_ID}`, []]);
    }
    expect(taken()[0]?.recipients[1]).toBe('jörg@xn--bcher-kva.test');
    expect(taken()).toHaveLength(20);
  });

  const python = realProgram('PYTHON', 'python3');
  it.skipIf(!python)("Python's smtplib: AUTH, partly refused recipients, lone line feeds", async () => {
    const script = `
import smtplib, ssl, sys
context = ssl._create_unverified_context()
server = smtplib.SMTP('127.0.0.1', int(sys.argv[1]), timeout=20)
server.starttls(context=context)
server.ehlo('[127.0.0.1]')
server.user, server.password = sys.argv[2], sys.argv[3]
for method in (server.auth_plain, server.auth_login):
    print(server.auth(method.__name__[5:].upper(), method)[0])
    server.rset()
    break
print(server.sendmail('a@shop.test', ['ann@mail.test', 'no-address'], 'Subject: x\\n\\nline\\n.\\nend\\n'))
server.quit()`;
    const { stdout } = await run(python ?? '', [
      '-c',
      script,
      String(port()),
      credential.username,
      credential.password,
    ]);
    expect(stdout).toMatch(/^235\n\{'no-address': \(501, b'5\.1\.3 /);
    expect(taken()).toEqual([
      {
        sender: 'a@shop.test',
        recipients: ['ann@mail.test'],
        text: 'Subject: x\r\n\r\nline\r\n.\r\nend\r\n',
      },
    ]);
  });

  const curl = realProgram('CURL', 'curl');
  it.skipIf(!curl)('curl, as the README shows it', async () => {
    const file = join(folder, 'message.eml');
    await writeFile(file, 'From: a@shop.test\r\nTo: ann@mail.test\r\nSubject: Hello\r\n\r\nHello\r\n');
    const user = `${credential.username}:${credential.password}`;
    const send = (...more: string[]) =>
      run(curl ?? '', [
        ...['-sS', '--url', `smtp://127.0.0.1:${port()}`, '--ssl-reqd', '-k', ...more],
        ...['--mail-from', 'a@shop.test', '--mail-rcpt', 'ann@mail.test', '-T', file],
      ]);
    await send('-u', user);
    await send('-u', user, '--login-options', 'AUTH=LOGIN');
    expect(taken()).toHaveLength(2);
    await expect(send('-u', `${user}x`)).rejects.toMatchObject({ code: 67 });
  });

  const swaks = realProgram('SWAKS', 'swaks');
  it.skipIf(!swaks).each([['PLAIN'], ['LOGIN']])('swaks, AUTH %s, pipelined', async (mechanism) => {
    const { stdout } = await run(swaks ?? '', [
      ...['--server', '127.0.0.1', '--port', String(port()), '--tls', '--pipeline'],
      ...['--auth', mechanism, '--auth-user', credential.username, '--auth-password', credential.password],
      ...['--from', 'a@shop.test', '--to', 'ann@mail.test,ben@mail.test', '--ehlo', 'localhost'],
      ...['--body', 'line\n.\nend'],
    ]);
    expect(stdout).toContain('235 2.7.0 Authentication successful');
    expect(stdout).toContain(`250 2.0.0 OK ${STORED_ID}`);
    expect(taken()[0]?.recipients).toEqual(['ann@mail.test', 'ben@mail.test']);
    expect(taken()[0]?.text).toContain('line\r\n.\r\nend');
  });
});
