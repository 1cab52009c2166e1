import { Resolver } from 'node:dns/promises';
import type { OutgoingHttp } from '../outgoing/outgoing-http.js';
import { parseStsPolicy, readStsRecord } from './sts-policy.rules.js';
import type { StsPolicyText } from './sts-policy.rules.js';

interface PublishedPoliciesOptions {
  readonly http: OutgoingHttp;
  /** `ip` or `ip:port`; empty = the resolvers of the system */
  readonly dnsServers: readonly string[];
  /** port of the policy servers: 443, except in tests */
  readonly port: number;
}

type FetchedPolicy =
  | { readonly ok: true; readonly policy: StsPolicyText }
  | { readonly ok: false; readonly reason: string; readonly fault: PolicyFault };

/** By the names of RFC 8460 §4.3.2.2. */
export type PolicyFault = 'sts-policy-fetch-error' | 'sts-policy-invalid' | 'sts-webpki-invalid';

// RFC 8461 §3.3 suggests a minute, and 64 kilobytes.
export const POLICY_TIMEOUT_MS = 60_000;
const MAX_BYTES = 65_536;

/** The MTA-STS publications of domains: the record in DNS, and the policy on their web server. */
export class PublishedPolicies {
  private readonly resolver = new Resolver({ timeout: 3_000, tries: 2 });

  constructor(private readonly options: PublishedPoliciesOptions) {
    if (options.dnsServers.length > 0) this.resolver.setServers(options.dnsServers);
  }

  /** @returns the id in the record; undefined where there is none, and where DNS does not answer */
  async id(domain: string): Promise<string | undefined> {
    const records = await this.resolver.resolveTxt(`_mta-sts.${domain}`).catch(() => []);
    return readStsRecord(records.map((strings) => strings.join('')));
  }

  /** RFC 8461 §3.3: over TLS with a valid certificate, 200 and nothing else, plain text. */
  async fetch(domain: string, timeoutMs = POLICY_TIMEOUT_MS): Promise<FetchedPolicy> {
    const port = this.options.port === 443 ? '' : `:${this.options.port}`;
    const response = await this.options.http.fetch({
      url: new URL(`https://mta-sts.${domain}${port}/.well-known/mta-sts.txt`),
      headers: { accept: 'text/plain' },
      timeoutMs,
      maxResponseBytes: MAX_BYTES,
    });
    if (response.kind === 'failed') {
      const fault = response.trouble === 'tls-failed' ? 'sts-webpki-invalid' : 'sts-policy-fetch-error';
      return { ok: false, reason: `${response.trouble} (${response.code})`, fault };
    }
    if (response.status !== 200)
      return { ok: false, reason: `status ${response.status}`, fault: 'sts-policy-fetch-error' };
    if (!/^text\/plain[ \t]*(;|$)/i.test(response.contentType))
      return { ok: false, reason: 'it is no plain text', fault: 'sts-policy-invalid' };
    try {
      return { ok: true, policy: parseStsPolicy(response.body.toString('utf8')) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { ok: false, reason, fault: 'sts-policy-invalid' };
    }
  }

  /** Ends running requests without a result. */
  async close(): Promise<void> {
    this.resolver.cancel();
    await this.options.http.close();
  }
}
