import { createHash, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '@postmesh/secrets';
import { postfixProgram, startForeignMailHost, type ForeignMailHost } from '@postmesh/testing';
import { publishZone } from './contract/dns-zones.js';
import { eventually, ownInstallation } from './contract/harness.js';
import { Sender } from './contract/sender.js';
import { HousesClient } from './houses-client.js';

const program = postfixProgram();
const GOOD = 'postfix.test';
const BAD = 'postfix-with-bad-records.test';
const ADDRESS = '127.26.0.1';

describe.runIf(program)('Postfix as receiver', () => {
  const postmesh = ownInstallation({ POSTMESH_RETRY_DELAYS_S: '600,600,600,600,600,600,600' });
  const tls = selfSignedCertificate([`mx.${GOOD}`]);
  let postfix: ForeignMailHost;
  let sender: Sender;
  let port = 0;

  beforeAll(async () => {
    port = await new HousesClient(postmesh).port();
    postfix = await startForeignMailHost(program ?? '', {
      ...{ address: ADDRESS, port, host: `mx.${GOOD}`, domains: [GOOD, BAD], tls },
    });
    sender = await Sender.make(postmesh);
  });
  afterAll(() => postfix?.stop());

  /** @param key that TLSA names as that of the domain's host */
  const publish = (domain: string, key: Buffer) =>
    publishZone(postmesh, domain, {
      secure: true,
      records: [
        { type: 'MX', host: domain, content: `10 mx.${domain}` },
        { type: 'A', host: `mx.${domain}`, content: ADDRESS },
        { type: 'TLSA', host: `_${port}._tcp.mx.${domain}`, content: `3 1 1 ${sha256(key)}` },
      ],
    });
  const keyOf = (cert: string) => new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });

  /** What the operator reads of the last attempt. */
  const tlsOf = async (id: string): Promise<string> => {
    const { body } = await postmesh.operator('GET', `/operator/messages/messages/${id}`);
    return body.timeline.findLast((entry: { tls: string | null }) => entry.tls !== null)?.tls;
  };

  it('takes a signed message over TLS that DANE verifies, and keeps it as it was sent', async () => {
    await publish(GOOD, keyOf(tls.cert));
    const text = 'Grüße an die andere Seite\n.allein am Anfang\n';
    const id = await sender.send(`ann@${GOOD}`, { subject: 'Über Postfix', text_content: text });
    await sender.becomes(id, 'Delivered');
    expect(await tlsOf(id)).toMatch(/^TLSv1\.3 \S+, verified by DANE, DANE asks for it$/);
    await eventually(async () => (await postfix.messages()).length).toBe(1);
    const [message = ''] = await postfix.messages();
    expect(message).toMatch(/^Delivered-To: ann@postfix\.test$/m);
    expect(message).toMatch(/^Return-Path: <b\+[a-z2-7]{42}@/m);
    expect(message).toMatch(/^\s*\(using TLSv1\.3 with cipher /m);
    expect(message).toMatch(/^DKIM-Signature: /m);
    expect(message).toContain('=2Eallein am Anfang');
  });

  it('takes nothing while its TLSA records name another key', async () => {
    await publish(BAD, Buffer.from('another key'));
    const before = (await postfix.messages()).length;
    const id = await sender.send(`bob@${BAD}`);
    await sender.becomes(id, 'Deferred');
    expect(await postfix.messages()).toHaveLength(before);
  });
});

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
