import { generateKeyPairSync } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode } from 'dns-packet';
import { dkimSign } from 'mailauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger, Metrics } from '@postmesh/observability';
import { loadSettings } from '@postmesh/settings';
import { knotServer, startForeignNameServer, type ForeignNameServer } from '@postmesh/testing';
import { AuthenticateSender } from './authenticate-sender.js';
import { readHeaderBlock } from './inbound-headers.rules.js';

// proven again: each result of SPF, DKIM and DMARC, from other addresses than the one of the test's client
const MAIL = 'From: Zoe <zoe@mail.test>\r\nTo: a@shop.test\r\nSubject: Hi\r\n\r\nWorks.\r\n';
// RFC 1035 §4.1.1
const SERVFAIL = 2;
const KEYS = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

function judgeBy(dnsServer: string, maxMs?: number) {
  const settings = { ...loadSettings({}), dnsServers: [dnsServer], logLevel: 'silent' as const };
  const check = new AuthenticateSender(
    settings,
    createLogger(settings, 'test'),
    new Metrics({ defaults: false }),
  );
  if (maxMs !== undefined) check.maxMs = maxMs;
  return async (message: string, ip = '192.0.2.7', sender = 'zoe@mail.test'): Promise<string> => {
    const raw = Buffer.from(message, 'latin1');
    const about = {
      raw,
      headers: readHeaderBlock(raw),
      host: 'mx.postmesh.test',
      sender,
      ip,
      helo: 'mail.test',
    };
    return (await check.execute(about)).replace(/\r\n\s+/g, ' ');
  };
}

async function signed(message = MAIL): Promise<string> {
  const key = { signingDomain: 'mail.test', selector: 's', privateKey: KEYS.privateKey };
  const { signatures } = await dkimSign(Buffer.from(message), { ...key, signatureData: [key] });
  return `${signatures}${message}`;
}

const program = knotServer();
describe.skipIf(program === undefined)('spec 2-messages §16 rule 4: the sender of an inbound message', () => {
  let server: ForeignNameServer;
  let judge: ReturnType<typeof judgeBy>;
  beforeAll(async () => {
    const key = KEYS.publicKey.toString('base64');
    const [half, rest] = [key.slice(0, 200), key.slice(200)];
    server = await startForeignNameServer(program ?? '', {
      zones: {
        'mail.test': [
          '@ TXT "v=spf1 ip4:192.0.2.7 -all"',
          '_dmarc TXT "v=DMARC1; p=reject"',
          `s._domainkey TXT "v=DKIM1; k=rsa; p=${half}" "${rest}"`,
        ].join('\n'),
      },
    });
    judge = judgeBy(server.address);
  });
  afterAll(() => server?.stop());

  it('passes SPF, DKIM and DMARC, in one field in our name', async () => {
    const field = await judge(await signed());
    expect(field).toMatch(/^Authentication-Results: mx\.postmesh\.test; dkim=pass .*header\.i=@mail\.test/);
    expect(field).toMatch(/spf=pass .*smtp\.mailfrom=zoe@mail\.test/);
    expect(field).toMatch(/dmarc=pass .*header\.from=mail\.test/);
  });

  it('fails all of them when it is forged', async () => {
    const changed = (await signed()).replace('Works.', 'Pay me.');
    const field = await judge(changed, '192.0.2.99');
    expect(field).toMatch(/dkim=(?:fail|neutral) /);
    expect(field).toMatch(/spf=fail /);
    expect(field).toMatch(/dmarc=fail /);
  });

  it('is checked for ten signatures at most', async () => {
    const [one = ''] = /^DKIM-Signature:[^]*?\r\n(?=\S)/.exec(await signed()) ?? [];
    const field = await judge(`${one.repeat(40)}${MAIL}`);
    expect(field.match(/dkim=/g)).toHaveLength(10);
  });

  it('is not checked where there is no header, or a flood of it', async () => {
    expect(await judge('no header')).toContain('dkim=none; spf=none; dmarc=none');
    expect(await judge(`X: ${'x'.repeat(300_000)}\r\n${MAIL}`)).toContain('dkim=none; spf=none; dmarc=none');
  });

  it('cannot inject text into the field', async () => {
    const field = await judge(MAIL, '192.0.2.7', '"x; dkim=pass\r\nX-Evil: 1"@mail.test');
    expect(field).not.toMatch(/\nX-Evil/);
    expect(field.match(/\n(?![ \t])/g)).toBeNull();
  });
});

describe('a name server without an answer', () => {
  it('for the record of an include makes a temporary error, not a fail (RFC 7208 §5.2)', async () => {
    const server = createSocket('udp4').bind(0, '127.0.0.1');
    await once(server, 'listening');
    server.on('message', (query, { port }) => {
      const { id, questions = [] } = decode(query);
      const isKnown = questions[0]?.name === 'mail.test' && questions[0].type === 'TXT';
      const record = { name: 'mail.test', type: 'TXT', data: 'v=spf1 include:spf.mail.test -all' } as const;
      const answers = isKnown ? [record] : [];
      server.send(encode({ id, type: 'response', flags: isKnown ? 0 : SERVFAIL, questions, answers }), port);
    });
    try {
      expect(await judgeBy(`127.0.0.1:${server.address().port}`)(MAIL)).toMatch(/spf=temperror/);
    } finally {
      server.close();
    }
  });

  it('makes a temporary error, and the message waits no longer', async () => {
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      const field = await judgeBy(`127.0.0.1:${silent.address().port}`, 300)(await signed());
      expect(field).toMatch(/spf=temperror/);
      expect(field).toMatch(/dkim=temperror/);
      expect(field).toMatch(/dmarc=temperror/);
    } finally {
      silent.close();
    }
  });
});
