import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@postmesh/contracts';
import type { SignedRequest } from '../dialect.js';

// AWS Signature Version 4, the verifying side: "Signature Version 4 signing process" of the AWS General Reference.

const ALGORITHM = 'AWS4-HMAC-SHA256';
const MAX_SKEW_MS = 300_000;
/** Headers without which a signature could be used for another host or at another time. */
const NEEDED = ['host', 'x-amz-date'] as const;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 +Credential=(\w{16,128})\/(\d{8})\/([\w-]{1,40})\/([\w-]{1,40})\/aws4_request, *SignedHeaders=([a-z0-9;-]{1,2000}), *Signature=([0-9a-f]{64})$/;
const TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** The parts of an `Authorization` header. */
interface Claim {
  readonly accessKeyId: string;
  /** YYYYMMDD */
  readonly day: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

/** The errors of a signature, which its client sees. */
export class SignatureError extends ApiError {
  constructor(message: string) {
    super(401, message);
  }
}

/** @returns the id of the access key; undefined where the request is not signed in this way */
export const accessKeyOf = (rawHeaders: readonly string[]): string | undefined =>
  claimOf(rawHeaders)?.accessKeyId;

/**
 * Any region is accepted, as an installation has one.
 * @param service of the scope of the credential
 * @throws SignatureError
 */
export function verifySignature(
  request: SignedRequest,
  body: Buffer,
  { secret, service, now }: { secret: string; service: string; now: Date },
): void {
  const claim = claimOf(request.rawHeaders);
  if (!claim) throw new SignatureError('The request is not signed with AWS Signature Version 4');
  const missing = NEEDED.find((name) => !claim.signedHeaders.includes(name));
  if (missing) throw new SignatureError(`The header ${missing} must be signed`);
  const time = valuesOf(request.rawHeaders, 'x-amz-date').join();
  requireTime(time, claim, now);
  if (claim.service !== service)
    throw new SignatureError(`Credential should be scoped to service '${service}'`);
  const payloadHash = sha256(body);
  const [claimed = payloadHash] = valuesOf(request.rawHeaders, 'x-amz-content-sha256');
  if (claimed !== payloadHash)
    throw new SignatureError('The body does not have the hash of x-amz-content-sha256');
  const scope = `${claim.day}/${claim.region}/${service}/aws4_request`;
  const text = [ALGORITHM, time, scope, sha256(canonicalRequest(request, claim, payloadHash))].join('\n');
  const wanted = hmac(signingKey(secret, claim), text);
  if (!timingSafeEqual(wanted, Buffer.from(claim.signature, 'hex'))) {
    throw new SignatureError('The signature of the request does not match the one that it should have');
  }
}

function claimOf(rawHeaders: readonly string[]): Claim | undefined {
  const given = valuesOf(rawHeaders, 'authorization');
  const [, accessKeyId = '', day = '', region = '', service = '', headers = '', signature = ''] =
    (given.length === 1 && AUTHORIZATION.exec(given[0] ?? '')) || [];
  if (accessKeyId === '') return undefined;
  return { accessKeyId, day, region, service, signedHeaders: headers.split(';'), signature };
}

function requireTime(time: string, { day }: Claim, now: Date): void {
  const parts = TIME.exec(time);
  if (!parts) throw new SignatureError('x-amz-date must have the form YYYYMMDDTHHMMSSZ');
  const [, year, month, date, hour, minute, second] = parts;
  const at = Date.parse(`${year}-${month}-${date}T${hour}:${minute}:${second}Z`);
  if (!(Math.abs(now.getTime() - at) <= MAX_SKEW_MS)) {
    throw new SignatureError('Signature expired: x-amz-date is more than five minutes off');
  }
  if (!time.startsWith(day)) throw new SignatureError('Date in Credential scope does not match x-amz-date');
}

const signingKey = (secret: string, { day, region, service }: Claim): Buffer =>
  [day, region, service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secret}`) as Buffer;

function canonicalRequest(
  { method = '', url = '', rawHeaders }: SignedRequest,
  { signedHeaders }: Claim,
  payloadHash: string,
): string {
  const at = url.indexOf('?');
  const [path, query] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
  const headers = signedHeaders.map(
    (name) => `${name}:${valuesOf(rawHeaders, name).map(trimmed).join(',')}\n`,
  );
  return [
    method,
    path.split('/').map(encoded).join('/'),
    canonicalQuery(query),
    headers.join(''),
    signedHeaders.join(';'),
    payloadHash,
  ].join('\n');
}

/** Names and values are encoded already; they are sorted by name, then by value. */
const canonicalQuery = (query: string): string =>
  query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    .join('&');

/** A path is encoded once more (RFC 3986 §2.3), except by S3. */
const encoded = (segment: string): string =>
  encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const trimmed = (value: string): string => value.trim().replaceAll(/ +/g, ' ');

const valuesOf = (rawHeaders: readonly string[], name: string): string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();
