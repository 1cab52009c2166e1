import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { OutgoingHttp, readExtraCa } from '@postmesh/http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import {
  DnsHostError,
  type DnsHostApi,
  type DnsHostName,
  type HostClient,
  type HostCredential,
  type PresentRecord,
  type RecordChange,
} from './hosts/dns-host.port.js';
import { DNS_HOSTS } from './hosts/hosts.table.js';

const TIMEOUT_MS = 8_000;
const MAX_BYTES = 524_288;
const CONNECTIONS = 4;
const MAX_DETAIL = 200;

/** DNS hosts over the guarded client: public addresses over TLS, no redirects, bounded in time and size. */
@Injectable()
export class DnsHostClient implements OnModuleDestroy {
  private readonly http: OutgoingHttp;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    const { dnsServers, extraCaFile, outgoingHttpAllow } = settings;
    this.http = new OutgoingHttp({
      allow: outgoingHttpAllow,
      dnsServers,
      connectionsPerOrigin: CONNECTIONS,
      ca: readExtraCa(extraCaFile),
    });
  }

  /** The host with a key; its errors never quote the key. */
  of(host: DnsHostName, credential: HostCredential): DnsHostApi {
    const { make, api } = DNS_HOSTS[host];
    const driver = make(this.client(this.settings.dnsHostApis[host] ?? api), credential);
    const guarded = async <T>(run: Promise<T>): Promise<T> => {
      try {
        return await run;
      } catch (error) {
        throw error instanceof DnsHostError ? withoutSecrets(error, credential) : error;
      }
    };
    return {
      recordsAt: (zone: string, names: readonly string[]): Promise<PresentRecord[]> =>
        guarded(driver.recordsAt(zone, names)),
      write: (zone: string, changes: readonly RecordChange[]): Promise<void> =>
        guarded(driver.write(zone, changes)),
    };
  }

  onModuleDestroy(): Promise<void> {
    return this.http.close();
  }

  private client(address: string): HostClient {
    const base = new URL(address);
    return {
      base,
      request: async ({ method, path, headers, body }) => {
        const response = await this.http.fetch({
          url: new URL(`${address}${path}`),
          headers,
          timeoutMs: TIMEOUT_MS,
          maxResponseBytes: MAX_BYTES,
          ...(method === 'GET' ? {} : { method, body: Buffer.from(body ?? '') }),
        });
        if (response.kind === 'failed') throw new DnsHostError('unreachable', response.trouble);
        const { status } = response;
        if (status === 401 || status === 403) throw new DnsHostError('token_refused', `status ${status}`);
        if (status === 429) throw new DnsHostError('rate_limited', 'status 429');
        if (status >= 500) throw new DnsHostError('unreachable', `status ${status}`);
        return { status, text: response.body.toString('utf8') };
      },
    };
  }
}

function withoutSecrets({ trouble, detail }: DnsHostError, { token }: HostCredential): DnsHostError {
  const text = detail.replaceAll(token, '…').replaceAll(/[\p{C}\p{Z}]+/gu, ' ');
  return new DnsHostError(trouble, text.trim().slice(0, MAX_DETAIL));
}
