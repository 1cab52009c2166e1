import { generateKeyPairSync, sign } from 'node:crypto';

/**
 * A certificate that nobody vouches for, made anew for each test run (X.509, RFC 5280 §4.1; P-256).
 * @returns key and certificate as PEM, valid for `name` from yesterday to tomorrow
 */
export function selfSignedCertificate(name: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaSha256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'));
  const subject = sequence(set(sequence(Buffer.from('0603550403', 'hex'), tlv(0x0c, Buffer.from(name)))));
  const alternativeName = sequence(
    Buffer.from('0603551d11', 'hex'),
    tlv(0x04, sequence(tlv(0x82, Buffer.from(name)))),
  );
  const body = sequence(
    tlv(0xa0, Buffer.from('020102', 'hex')),
    Buffer.from('020101', 'hex'),
    ecdsaSha256,
    subject,
    sequence(utcTime(-86_400_000), utcTime(86_400_000)),
    subject,
    publicKey.export({ format: 'der', type: 'spki' }),
    tlv(0xa3, sequence(alternativeName)),
  );
  const signature = tlv(0x03, Buffer.concat([Buffer.of(0), sign('sha256', body, privateKey)]));
  const der = sequence(body, ecdsaSha256, signature);
  const cert = `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
  return { key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), cert };
}

const sequence = (...parts: Buffer[]): Buffer => tlv(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]): Buffer => tlv(0x31, Buffer.concat(parts));

function utcTime(fromNowMs: number): Buffer {
  const digits = new Date(Date.now() + fromNowMs).toISOString().replace(/[-:T]/g, '');
  return tlv(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function tlv(tag: number, value: Buffer): Buffer {
  const { length } = value;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), value]);
}
