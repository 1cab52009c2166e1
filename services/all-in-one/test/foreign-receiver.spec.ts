import { createHash, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '@postmesh/secrets';
import { postfixProgram, startForeignMailHost, type ForeignMailHost } from '@postmesh/testing';
import { publishZone, removeZone } from './contract/dns-zones.js';
import { eventually, ownInstallation } from './contract/harness.js';
import { Sender } from './contract/sender.js';
import { HousesClient } from './houses-client.js';

const program = postfixProgram();
const DOMAIN = 'postfix.test';
const HOST = `mx.${DOMAIN}`;
const ADDRESS = '127.26.0.1';

describe.runIf(program)('Postfix as receiver', () => {
  const postmesh = ownInstallation({ POSTMESH_RETRY_DELAYS_S: '600,600,600,600,600,600,600' });
  const tls = selfSignedCertificate([HOST]);
  let postfix: ForeignMailHost;
  let sender: Sender;

  beforeAll(async () => {
    const port = await new HousesClient(postmesh).port();
    postfix = await startForeignMailHost(program ?? '', {
      ...{ address: ADDRESS, port, host: HOST, domains: [DOMAIN], tls },
    });
    sender = await Sender.make(postmesh);
  });
  afterAll(() => postfix?.stop());

  const publish = (key: Buffer) =>
    publishZone(postmesh, DOMAIN, {
      secure: true,
      records: [
        { type: 'MX', host: DOMAIN, content: `10 ${HOST}` },
        { type: 'A', host: HOST, content: ADDRESS },
        { type: 'TLSA', host: `_25._tcp.${HOST}`, content: `3 1 1 ${sha256(key)}` },
      ],
    });
  const keyOf = (cert: string) => new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });

  it('takes a signed message over TLS that DANE verifies, and keeps it as it was sent', async () => {
    await publish(keyOf(tls.cert));
    const text = 'Grüße an die andere Seite\n.allein am Anfang\n';
    const id = await sender.send(`ann@${DOMAIN}`, { subject: 'Über Postfix', text_content: text });
    await sender.becomes(id, 'Delivered');
    await eventually(async () => (await postfix.messages()).length).toBe(1);
    const [message = ''] = await postfix.messages();
    expect(message).toMatch(/^Delivered-To: ann@postfix\.test$/m);
    expect(message).toMatch(/^Return-Path: <b\+[a-z2-7]{42}@/m);
    expect(message).toMatch(/^\s*\(using TLSv1\.3 with cipher /m);
    expect(message).toMatch(/^DKIM-Signature: /m);
    expect(message).toContain('.allein am Anfang');
  });

  it('takes nothing while its TLSA records name another key', async () => {
    await removeZone(postmesh, DOMAIN);
    await publish(Buffer.from('another key'));
    const before = (await postfix.messages()).length;
    const id = await sender.send(`bob@${DOMAIN}`);
    await sender.becomes(id, 'Deferred');
    expect(await postfix.messages()).toHaveLength(before);
  });
});

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
