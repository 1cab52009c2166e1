import type { DnsHostName } from '@postmesh/settings';

/** The key to a zone at a DNS host; at rest it is sealed, and no answer or log line has it. */
export interface HostCredential {
  readonly token: string;
  /** for hosts whose keys have two halves: the half that is no secret */
  readonly accessKeyId: string | null;
}

/** One record as its host has it. */
export interface PresentRecord {
  /** lower case, without a dot at the end */
  readonly name: string;
  readonly type: string;
  /** comparable: the text of a TXT record, the lower-case target of an alias, `10 mx.example.com` */
  readonly content: string;
  /** in the form of the host, by which a record is kept as it is */
  readonly raw: string;
  readonly ttl: number;
  /** where the host gives its records ids */
  readonly id?: string;
  /** more than a plain record: proxied, weighted, an alias of the host's own */
  readonly isSpecial: boolean;
}

/** One record of ours at a name: it is added, or takes the place of one that is there. */
export interface RecordChange {
  readonly name: string;
  readonly type: 'TXT' | 'CNAME' | 'MX';
  readonly content: string;
  readonly replaced: PresentRecord | undefined;
  /** the other records of this name and type, which stay */
  readonly kept: readonly PresentRecord[];
}

/** Reasons for which a host has not done what it was asked for. */
export const HOST_TROUBLES = [
  'token_refused',
  'zone_missing',
  'zone_ambiguous',
  'rate_limited',
  'unreachable',
  'refused',
] as const;
export type HostTrouble = (typeof HOST_TROUBLES)[number];

export class DnsHostError extends Error {
  override name = 'DnsHostError';

  /** @param detail words of the host, without secrets */
  constructor(
    readonly trouble: HostTrouble,
    readonly detail: string,
  ) {
    super(`${trouble}: ${detail}`);
  }
}

/** A DNS host by its public API. Every method throws DnsHostError, and changes nothing but what it is given. */
export interface DnsHostApi {
  /** every record at these names of the zone */
  recordsAt(zone: string, names: readonly string[]): Promise<PresentRecord[]>;
  /** in one request, which the host carries out as a whole where it can */
  write(zone: string, changes: readonly RecordChange[]): Promise<void>;
}

/** One answered request; bodies are bounded. */
interface HostResponse {
  readonly status: number;
  readonly text: string;
}

export interface HostRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** below the address of the API, with its query */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The guarded client, for one host. @throws DnsHostError for a host that does not answer */
export interface HostClient {
  readonly base: URL;
  request(request: HostRequest): Promise<HostResponse>;
}

export type MakeHost = (client: HostClient, credential: HostCredential) => DnsHostApi;
export type { DnsHostName };
