import { stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { selfSignedCertificate } from '@postmesh/secrets';
import { startService } from '@postmesh/service-host';
import { freePort, SmtpDialogue, testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayListeners } from '../gateway-listeners.js';
import { GATEWAY_SERVICE } from '../gateway.module.js';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';

const database = testDatabase();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway(database.url, 'in process', { messageLimitBytes: 20_971_520 });
});
afterAll(() => gateway.stop());

const portOf = (role: string) => gateway.smtp.find((listener) => listener.role === role)?.port ?? 0;
const plain = (user: string, password: string) => Buffer.from(`\0${user}\0${password}`).toString('base64');

/** A second gateway with other settings. */
async function another(settings: object) {
  const context = { ...gateway.context, settings: { ...gateway.context.settings, ...settings } };
  const service = await startService(GATEWAY_SERVICE, context);
  return { service, listeners: service.get(GatewayListeners) };
}

describe('submission', () => {
  it('offers STARTTLS first and AUTH only after it', async () => {
    const { dialogue, greeting } = await SmtpDialogue.open(portOf('submission'));
    expect(greeting).toMatch(/^220 smtp\.postmesh\.test ESMTP/);
    const before = await dialogue.say('EHLO client.test');
    for (const feature of ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES', 'STARTTLS']) {
      expect(before).toMatch(new RegExp(`^250[ -]${feature}`, 'm'));
    }
    expect(before).toMatch(/^250[ -]SIZE 20971520/m);
    expect(before).not.toMatch(/AUTH/);
    expect(await dialogue.say('STARTTLS')).toMatch(/^220 /);
    expect(await dialogue.startTls()).toBe('smtp.postmesh.test');
    const after = await dialogue.say('EHLO client.test');
    expect(after).toMatch(/^250[ -]AUTH PLAIN LOGIN/m);
    expect(after).not.toMatch(/STARTTLS/);
    dialogue.end();
  });

  it('530 5.7.0: no mail and no login before STARTTLS, no mail before the login', async () => {
    const { dialogue } = await SmtpDialogue.open(portOf('submission'));
    await dialogue.say('EHLO client.test');
    expect(await dialogue.say('MAIL FROM:<a@shop.test>')).toMatch(/^530 5\.7\.0 .*STARTTLS/);
    expect(await dialogue.say(`AUTH PLAIN ${plain('user', 'secret')}`)).toMatch(/^530 5\.7\.0 .*STARTTLS/);
    await dialogue.say('STARTTLS');
    await dialogue.startTls();
    await dialogue.say('EHLO client.test');
    expect(await dialogue.say('MAIL FROM:<a@shop.test>')).toMatch(/^530 5\.7\.0 Authentication required/);
    dialogue.end();
  });
});

describe('inbound', () => {
  it('550 5.1.1 for every recipient, and no message without one', async () => {
    const { dialogue, greeting } = await SmtpDialogue.open(portOf('inbound'));
    expect(greeting).toMatch(/^220 mx\.postmesh\.test ESMTP/);
    expect(await dialogue.say('EHLO client.test')).not.toMatch(/AUTH/);
    expect(await dialogue.say('MAIL FROM:<a@else.test>')).toMatch(/^250 /);
    expect(await dialogue.say('RCPT TO:<b@shop.test>')).toMatch(/^550 5\.1\.1 /);
    expect(await dialogue.say('DATA')).toMatch(/^503 /);
    expect(await dialogue.say('MAIL FROM:<>')).toMatch(/^(250|503) /);
    expect(await dialogue.say(`AUTH PLAIN ${plain('a', 'b')}`)).toMatch(/^500 /);
    expect(await dialogue.say('MAIL FROM:<a@else.test> SIZE=30000000')).toMatch(/^(552|503) /);
    dialogue.end();
  });
});

describe('opening', () => {
  it('one port can do both', async () => {
    const port = await freePort();
    const { service, listeners } = await another({ submissionPorts: [port], mxPort: port });
    expect((await listeners.open()).smtp).toEqual([{ role: 'both', port }]);
    const { dialogue } = await SmtpDialogue.open(port);
    await dialogue.say('EHLO client.test');
    expect(await dialogue.say('MAIL FROM:<a@else.test>')).toMatch(/^250 /);
    expect(await dialogue.say('RCPT TO:<b@shop.test>')).toMatch(/^550 5\.1\.1 /);
    await dialogue.say('RSET');
    await dialogue.say('STARTTLS');
    await dialogue.startTls();
    expect(await dialogue.say('EHLO client.test')).toMatch(/AUTH PLAIN LOGIN/);
    dialogue.end();
    await service.stop();
  });

  it('names the setting of a port that is taken; the other listeners are closed again', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    const free = await freePort();
    const cases = [
      [{ submissionPorts: [free, port] }, 'POSTMESH_SUBMISSION_PORTS'],
      [{ submissionPorts: [free], mxPort: port }, 'POSTMESH_MX_PORT'],
      [{ submissionPorts: [free], httpPort: port }, 'POSTMESH_HTTP_PORT'],
    ] as const;
    for (const [settings, name] of cases) {
      const { service, listeners } = await another(settings);
      await expect(listeners.open()).rejects.toThrow(`${name}: port ${port} is taken by another program`);
      await expect(SmtpDialogue.open(free)).rejects.toThrow(/ECONNREFUSED/);
      await service.stop();
    }
    taken.close();
  });

  it('keeps its self-signed certificate, for its owner only', async () => {
    const key = await stat(join(gateway.context.settings.dataDir, 'tls', 'smtp.key.pem'));
    expect(key.mode & 0o777).toBe(0o600);
  });

  it('uses a given certificate', async () => {
    const { dataDir } = gateway.context.settings;
    const [smtpTlsKeyFile, smtpTlsCertFile] = [join(dataDir, 'k.pem'), join(dataDir, 'c.pem')];
    const pair = selfSignedCertificate(['mail.example.com']);
    await writeFile(smtpTlsKeyFile, pair.key);
    await writeFile(smtpTlsCertFile, pair.cert);
    const { service, listeners } = await another({ smtpTlsKeyFile, smtpTlsCertFile });
    const { smtp } = await listeners.open();
    const { dialogue } = await SmtpDialogue.open(smtp[0]?.port ?? 0);
    await dialogue.say('EHLO client.test');
    await dialogue.say('STARTTLS');
    expect(await dialogue.startTls()).toBe('mail.example.com');
    dialogue.end();
    await service.stop();
    const half = await another({ smtpTlsKeyFile });
    await expect(half.listeners.open()).rejects.toThrow(/belong together/);
    await half.service.stop();
  });
});
