import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { DomUtils, parseDocument } from 'htmlparser2';
import {
  DnsHostError,
  type HostClient,
  type HostCredential,
  type HostRequest,
  type MakeHost,
  type PresentRecord,
  type RecordChange,
} from './dns-host.port.js';
import { plainName, readContent, writeContent } from './presentation.rules.js';

// https://docs.aws.amazon.com/Route53/latest/APIReference/ (read 2026-11)
const VERSION = '/2013-04-01';
const NAMESPACE = 'https://route53.amazonaws.com/doc/2013-04-01/';
const TTL = 3_600;
const MAX_SETS = 20;
const MAX_ZONES = 10;
const TOKEN_CODES: ReadonlySet<string> = new Set([
  'IncompleteSignature',
  'MissingAuthenticationToken',
  'ExpiredToken',
]);
const BUSY_CODES: ReadonlySet<string> = new Set([
  'Throttling',
  'ThrottlingException',
  'PriorRequestNotComplete',
]);

/**
 * Route 53: sets of records by name and type, in XML, with requests signed by AWS Signature Version 4. A set is deleted as it
 * was read and created anew in one batch, which the host refuses when the set is another by then.
 */
export const route53: MakeHost = (api, credential) => {
  const call = (request: Omit<HostRequest, 'headers'>, answered: string) =>
    callRoute53(api, credential, { request, answered });

  const zoneId = async (zone: string): Promise<string> => {
    const query = `dnsname=${encodeURIComponent(zone)}&maxitems=${MAX_ZONES}`;
    const answer = await call(
      { method: 'GET', path: `${VERSION}/hostedzonesbyname?${query}` },
      'HostedZones',
    );
    const [first, ...others] = all(answer, 'HostedZone').filter(
      (item) => plainName(textOf(item, 'Name')) === zone && textOf(item, 'PrivateZone') !== 'true',
    );
    if (!first) throw new DnsHostError('zone_missing', `the key sees no public hosted zone ${zone}`);
    if (others.length > 0)
      throw new DnsHostError('zone_ambiguous', `the key sees several public hosted zones ${zone}`);
    const id = textOf(first, 'Id').replace(/^\/hostedzone\//, '');
    if (!/^[A-Z0-9]{1,32}$/.test(id))
      throw new DnsHostError('unreachable', 'the id of the zone has no known form');
    return id;
  };

  return {
    async recordsAt(zone, names) {
      const id = await zoneId(zone);
      const found: PresentRecord[] = [];
      for (const name of names) {
        const query = `maxitems=${MAX_SETS}&name=${encodeURIComponent(name)}`;
        const answer = await call(
          { method: 'GET', path: `${VERSION}/hostedzone/${id}/rrset?${query}` },
          'ResourceRecordSets',
        );
        found.push(
          ...all(answer, 'ResourceRecordSet')
            .flatMap(toPresent)
            .filter((one) => one.name === name),
        );
      }
      return found;
    },

    async write(zone, changes) {
      const path = `${VERSION}/hostedzone/${await zoneId(zone)}/rrset/`;
      await call({ method: 'POST', path, body: batchOf(changes) }, 'ChangeInfo');
    },
  };
};

/** @param call.answered an element that a document of the host has */
async function callRoute53(
  api: HostClient,
  credential: HostCredential,
  { request, answered }: { request: Omit<HostRequest, 'headers'>; answered: string },
): Promise<XmlNode> {
  const { status, text } = await api.request({
    ...request,
    headers: await signed(api, credential, request),
  });
  const answer = parseDocument(text, { xmlMode: true });
  if (status === 200) {
    if (all(answer, answered).length > 0) return answer;
    throw new DnsHostError('unreachable', 'the answer is not in its documented form');
  }
  const code = textOf(answer, 'Code');
  const detail = [code, textOf(answer, 'Message')].filter(Boolean).join(': ') || `status ${status}`;
  if (TOKEN_CODES.has(code)) throw new DnsHostError('token_refused', detail);
  if (BUSY_CODES.has(code)) throw new DnsHostError('rate_limited', detail);
  throw new DnsHostError(code === 'NoSuchHostedZone' ? 'zone_missing' : 'refused', detail);
}

/** The API of Route 53 is one for all regions, and is signed for the first. */
async function signed(
  { base }: HostClient,
  { token, accessKeyId }: HostCredential,
  { method, path, body }: Omit<HostRequest, 'headers'>,
): Promise<Record<string, string>> {
  const signer = new SignatureV4({
    service: 'route53',
    region: 'us-east-1',
    credentials: { accessKeyId: accessKeyId ?? '', secretAccessKey: token },
    sha256: Sha256,
  });
  const url = new URL(`${base.href.replace(/\/$/, '')}${path}`);
  const { headers } = await signer.sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { host: url.host, ...(body === undefined ? {} : { 'content-type': 'text/xml' }) },
    ...(body === undefined ? {} : { body }),
  });
  return headers;
}

/** SHA-256, or HMAC with a key, in the form that the signer takes. */
class Sha256 {
  private hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash =
      secret === undefined
        ? createHash('sha256')
        : createHmac('sha256', typeof secret === 'string' ? secret : bytesOf(secret));
  }

  update(data: Uint8Array | string): void {
    this.hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.hash.digest());
  }

  reset(): void {
    this.hash = createHash('sha256');
  }
}

const bytesOf = (data: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);

function toPresent(set: XmlNode): PresentRecord[] {
  const name = plainName(unescapedName(textOf(set, 'Name')));
  const type = textOf(set, 'Type');
  const ttl = Number(textOf(set, 'TTL') || TTL);
  const isSpecial = all(set, 'AliasTarget').length > 0 || all(set, 'SetIdentifier').length > 0;
  const values = all(set, 'Value').map((value) => DomUtils.textContent(value));
  return (values.length === 0 ? [''] : values).map((raw) => ({
    name,
    type,
    content: readContent(type, raw),
    raw,
    ttl,
    isSpecial,
  }));
}

/** `\137` is an underscore: names have octal escapes. */
const unescapedName = (name: string): string =>
  name.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

function batchOf(changes: readonly RecordChange[]): string {
  const steps = changes.flatMap(({ name, type, content, replaced, kept }) => {
    const before = [...kept, ...(replaced ? [replaced] : [])];
    const ttl = before[0]?.ttl ?? TTL;
    const after = [...kept.map(({ raw }) => raw), writeContent(type, content)];
    const created = stepOf('CREATE', { name, type, ttl, values: after });
    if (before.length === 0) return [created];
    return [stepOf('DELETE', { name, type, ttl, values: before.map(({ raw }) => raw) }), created];
  });
  return `<?xml version="1.0" encoding="UTF-8"?><ChangeResourceRecordSetsRequest xmlns="${NAMESPACE}"><ChangeBatch><Changes>${steps.join('')}</Changes></ChangeBatch></ChangeResourceRecordSetsRequest>`;
}

function stepOf(
  action: 'CREATE' | 'DELETE',
  { name, type, ttl, values }: { name: string; type: string; ttl: number; values: readonly string[] },
): string {
  const records = values.map((value) => `<ResourceRecord><Value>${escaped(value)}</Value></ResourceRecord>`);
  return `<Change><Action>${action}</Action><ResourceRecordSet><Name>${escaped(name)}.</Name><Type>${type}</Type><TTL>${ttl}</TTL><ResourceRecords>${records.join('')}</ResourceRecords></ResourceRecordSet></Change>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');

type XmlNode = ReturnType<typeof parseDocument> | ReturnType<typeof DomUtils.getElementsByTagName>[number];

/** The elements of a name, at any depth. */
const all = (node: XmlNode, name: string) => DomUtils.getElementsByTagName(name, node);

const textOf = (node: XmlNode, name: string): string => {
  const [first] = all(node, name);
  return first === undefined ? '' : DomUtils.textContent(first);
};
