import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { OutgoingHttp, readExtraCa, readTargetUrl } from '@postmesh/http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { z } from 'zod';
import { organisationalDomain } from '../dns/dns-records.rules.js';
import { DNS_RESOLVER, type DnsResolver } from '../dns/dns-resolver.port.js';
import { templateUrl, type Signer } from './apply-link.rules.js';

const TIMEOUT_MS = 4_000;
const MAX_BYTES = 65_536;
/** From the name itself to its organisational domain; a zone further down is rare. */
const MAX_ZONES = 4;
const MAX_RECORDS = 2;
const MAX_NAME = 60;
/** The text of `_domainconnect` (section 7.1): a name with dots, perhaps a port and a path. */
const POINTER = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?(?:\/(?!\/)\S*)?$/i;

/** A prefix of URLs: https, without query and fragment (draft-ietf-dconn-domainconnect-04, section 7.2). */
const Prefix = z.string().refine((text) => prefixOf(text) !== undefined);

const DnsHostSettings = z.object({
  providerName: z.string(),
  providerDisplayName: z.string().nullish(),
  urlSyncUX: Prefix.nullish(),
  urlAPI: Prefix,
  crit: z.array(z.string()).nullish(),
});
type DnsHostSettings = z.infer<typeof DnsHostSettings>;
const UNDERSTOOD = new Set([
  'providerId',
  'providerName',
  'providerDisplayName',
  'urlSyncUX',
  'urlAPI',
  'nameServers',
]);

/** The host of a zone, which applies templates. */
export interface DnsHost {
  /** name of the zone */
  readonly zone: string;
  /** as the host calls itself */
  readonly name: string;
  readonly urlSyncUx: string | undefined;
  readonly urlApi: string;
}

export type FoundDnsHost =
  | { readonly kind: 'found'; readonly host: DnsHost }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreachable' };

/** DNS hosts with Domain Connect. Their addresses come from the records of customers: the guarded client calls them. */
@Injectable()
export class DnsHosts implements OnModuleDestroy {
  private readonly http: OutgoingHttp;

  constructor(
    @Inject(SETTINGS) { dnsServers, extraCaFile, outgoingHttpAllow }: Settings,
    @Inject(DNS_RESOLVER) private readonly dns: DnsResolver,
  ) {
    this.http = new OutgoingHttp({
      allow: outgoingHttpAllow,
      dnsServers,
      connectionsPerOrigin: 2,
      ca: readExtraCa(extraCaFile),
    });
  }

  /** The host of the zone that a name is in (section 7): the nearest name that has one. */
  async of(name: string): Promise<FoundDnsHost> {
    let isReachable = true;
    for (const zone of zonesOf(name)) {
      const records = await this.dns.txt(`_domainconnect.${zone}`);
      if (records.kind === 'unknown') return { kind: 'unreachable' };
      const prefixes =
        records.kind === 'found'
          ? records.values.flatMap((text) => (POINTER.test(text) ? (prefixOf(`https://${text}`) ?? []) : []))
          : [];
      for (const prefix of prefixes.slice(0, MAX_RECORDS)) {
        const read = await this.settings(prefix, zone);
        if (read.kind === 'found') return { kind: 'found', host: hostOf(zone, read.settings) };
        if (read.kind === 'unreachable') isReachable = false;
      }
    }
    return { kind: isReachable ? 'none' : 'unreachable' };
  }

  /** Whether the host has the template (section 8.2); undefined: it does not answer. */
  async hasTemplate({ urlApi }: DnsHost, signer: Signer): Promise<boolean | undefined> {
    const response = await this.get(templateUrl(urlApi, signer));
    if (response === undefined || response.status >= 500) return undefined;
    return response.status >= 200 && response.status < 300;
  }

  onModuleDestroy(): Promise<void> {
    return this.http.close();
  }

  private async settings(prefix: string, zone: string) {
    const response = await this.get(`${prefix}/v2/${encodeURIComponent(zone)}/settings`);
    if (response === undefined || response.status >= 500) return { kind: 'unreachable' } as const;
    if (response.status !== 200) return { kind: 'none' } as const;
    const settings = parsed(response.body);
    return settings ? ({ kind: 'found', settings } as const) : ({ kind: 'none' } as const);
  }

  private async get(url: string): Promise<{ status: number; body: Buffer } | undefined> {
    const response = await this.http.fetch({
      url: new URL(url),
      headers: { accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_BYTES,
    });
    return response.kind === 'answered' ? response : undefined;
  }
}

/** `a.b.example.com`, `b.example.com`, `example.com`: a template is applied to a zone. */
export function zonesOf(name: string): string[] {
  const root = organisationalDomain(name);
  const labels = name.split('.');
  const zones = labels
    .map((_, at) => labels.slice(at).join('.'))
    .filter((zone) => zone === root || zone.endsWith(`.${root}`));
  return zones.slice(-MAX_ZONES);
}

/** @returns the prefix without a slash at its end; undefined unless it is https without user, query and fragment */
function prefixOf(text: string): string | undefined {
  const url = readTargetUrl(text);
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === '';
  return isPlain && !/[?#]/.test(text) ? url.href.replace(/\/+$/, '') : undefined;
}

/** @returns undefined for what is no settings, and for those with demands that we do not know (section 7.2.1) */
function parsed(body: Buffer): DnsHostSettings | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    const { data } = DnsHostSettings.safeParse(value);
    const isUnderstood = (name: string) => UNDERSTOOD.has(name) || !Object.hasOwn(value as object, name);
    return data?.crit?.every(isUnderstood) === false ? undefined : data;
  } catch {
    return undefined;
  }
}

const hostOf = (
  zone: string,
  { providerName, providerDisplayName, urlSyncUX, urlAPI }: DnsHostSettings,
): DnsHost => ({
  zone,
  // the name is shown: nothing in it may look like more than a name
  name: (providerDisplayName || providerName)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME),
  urlSyncUx: urlSyncUX ? prefixOf(urlSyncUX) : undefined,
  urlApi: prefixOf(urlAPI) ?? urlAPI,
});
