import { Inject, Injectable } from '@nestjs/common';
import { TimeoutError, withTimeout } from '@postmesh/concurrency';
import { namesHost, POLICY_TIMEOUT_MS } from '@postmesh/http';
import { Metrics } from '@postmesh/observability';
import { providerOfGroup } from '../mx/group-key.rules.js';
import { DEFAULT_PROVIDER, type Providers } from '../shaping/providers.table.js';
import { SHAPING_PROVIDERS } from '../shaping/read-providers.js';
import type { RouteHost } from '../smtp-client/route.js';
import { postponedFor, type SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import { DaneLookup } from './dane-lookup.js';
import type { PeerProof } from './host-need.rules.js';
import { StsPolicies, type StsPolicy } from './sts-policies.js';
import { ruleHost, type HostDane, type HostRuling } from './tls-needs.rules.js';
import { stsText } from './tls-sessions.rules.js';
import { TlsSessions } from './tls-sessions.js';

export interface TlsQuestion {
  /** the recipient's domain, lower case */
  readonly destination: string;
  readonly hosts: readonly RouteHost[];
  readonly port: number;
  readonly groupKey: string;
}

/** The route of a message, with the proof that each host needs. */
export interface SecuredRoute {
  readonly kind: 'route';
  readonly hosts: readonly RouteHost[];
  /** a policy in testing mode, which only requests reports */
  readonly testing: StsPolicy | undefined;
}

// A silent web server holds the permit of an attempt no longer; its policy may arrive meanwhile.
const POLICY_WAIT_MS = 15_000;

/** Finds the requirements of a destination's policies: DANE, then MTA-STS, then the operator. */
@Injectable()
export class TlsNeeds {
  private readonly handshakes;
  private readonly results;
  /** tests shorten it */
  policyWaitMs = POLICY_WAIT_MS;

  constructor(
    private readonly dane: DaneLookup,
    private readonly sts: StsPolicies,
    @Inject(SHAPING_PROVIDERS) private readonly providers: Providers,
    private readonly sessions: TlsSessions,
    metrics: Metrics,
  ) {
    this.handshakes = metrics.counter(
      'postmesh_smtp_connections_opened_total',
      'Connections by what their handshake showed',
      ['verdict'],
    );
    this.results = metrics.counter(
      'postmesh_tls_policy_results_total',
      'Attempts at hosts of which a policy asks something, by whether it was met',
      ['policy', 'result'],
    );
  }

  /** @returns an outcome when no host may be used: it is never final */
  async secure(question: TlsQuestion): Promise<SecuredRoute | SmtpOutcome> {
    const { destination, hosts } = question;
    const findings = await this.daneOf(question);
    if (findings.kind === 'failed')
      return dnsTrouble(`no answer about the MX of ${destination}: ${findings.reason}`);
    const { byHost } = findings;
    const asksSts = hosts.some(
      ({ name }) => byHost(name).kind === 'none' || byHost(name).kind === 'unusable',
    );
    const policy = asksSts ? await this.policyOf(destination) : undefined;
    if (policy !== undefined && 'kind' in policy) return policy;
    const required = this.isRequired(question.groupKey);
    const ruled = hosts.map((host) => ({
      host,
      ruling: ruleHost({ host: host.name, destination, dane: byHost(host.name), sts: policy, required }),
    }));
    const used = ruled.flatMap(({ host, ruling }) =>
      ruling.kind === 'used' ? [withNeed(host, ruling, policy)] : [],
    );
    if (used.length === 0) {
      for (const { host, ruling } of ruled) this.noteUnused(destination, host.name, ruling, policy);
      return noHostLeft(ruled.map(({ ruling }) => ruling));
    }
    return { kind: 'route', hosts: used, testing: policy?.mode === 'testing' ? policy : undefined };
  }

  opened({ verdict }: PeerProof): void {
    this.handshakes.inc({ verdict });
  }

  /** Counts whether a policy was met; one in testing mode has no other effect (RFC 8461 §5). */
  met({ testing }: SecuredRoute, { remoteHost, connection, command }: SmtpOutcome): void {
    if (remoteHost === undefined || connection === undefined) return;
    const policy = connection.tlsPolicy ?? 'none';
    const unmet = command === 'STARTTLS';
    if (policy !== 'none' && (unmet || connection.tlsVerdict !== undefined))
      this.results.inc({ policy, result: unmet ? 'unmet' : 'met' });
    if (testing === undefined || policy === 'dane' || connection.tlsVerdict === undefined) return;
    const good = namesHost(testing.mx, remoteHost) && connection.tlsVerdict === 'pkix';
    this.results.inc({ policy: 'sts-testing', result: good ? 'met' : 'unmet' });
  }

  /** Ends running fetches. */
  async close(): Promise<void> {
    await this.sts.close();
  }

  /** A host that no session may be opened to counts as one that failed. */
  private noteUnused(
    policyDomain: string,
    mxHost: string,
    ruling: HostRuling,
    sts: StsPolicy | undefined,
  ): void {
    if (ruling.kind === 'used') return;
    const count = { policyDomain, mxHost };
    if (ruling.because === 'dns')
      this.sessions.add({ ...count, policyType: 'tlsa', policyText: [], result: 'dnssec-invalid' });
    else if (sts)
      this.sessions.add({
        ...count,
        policyType: 'sts',
        policyText: stsText(sts),
        result: 'validation-failure',
      });
  }

  private async daneOf({ destination, hosts, port }: TlsQuestion): Promise<DaneOfHosts> {
    const secure = await this.dane.mx(destination);
    if (secure.kind === 'failed') return secure;
    if (secure.kind === 'insecure') return { kind: 'found', byHost: () => ({ kind: 'none' }) };
    const found = new Map<string, HostDane>(
      await Promise.all(
        hosts.map(async ({ name }) => {
          const finding = secure.hosts.has(name) ? await this.dane.tlsa(name, port) : UNNAMED;
          return [name, finding] as const;
        }),
      ),
    );
    return { kind: 'found', byHost: (host) => found.get(host) ?? UNNAMED };
  }

  /** An outcome when the policy is still being fetched: it may require more than the default. */
  private async policyOf(destination: string): Promise<StsPolicy | SmtpOutcome | undefined> {
    // the usual case: needs no timer
    const known = this.sts.remembered(destination);
    if (known) return known.policy;
    try {
      return await withTimeout(this.sts.of(destination), this.policyWaitMs, 'the MTA-STS policy');
    } catch (error) {
      if (error instanceof TimeoutError) {
        const waitMs = POLICY_TIMEOUT_MS - POLICY_WAIT_MS;
        return postponedFor(
          waitMs,
          `the web server of the MTA-STS policy of ${destination} does not answer yet`,
        );
      }
      const reason = error instanceof Error ? error.message : String(error);
      return postponedFor(10_000, `the MTA-STS policy of ${destination} cannot be read: ${reason}`);
    }
  }

  private isRequired(groupKey: string): boolean {
    const provider = this.providers.get(providerOfGroup(groupKey) ?? DEFAULT_PROVIDER);
    return provider?.tls === 'required';
  }
}

type DaneOfHosts =
  | { readonly kind: 'found'; readonly byHost: (host: string) => HostDane }
  | { readonly kind: 'failed'; readonly reason: string };

const UNNAMED: HostDane = { kind: 'unnamed' };

function withNeed(
  host: RouteHost,
  { need, policy, dane }: Extract<HostRuling, { kind: 'used' }>,
  sts: StsPolicy | undefined,
): RouteHost {
  return { ...host, need, policy, dane, sts };
}

function noHostLeft(rulings: readonly HostRuling[]): SmtpOutcome {
  const over = rulings.flatMap((ruling) => (ruling.kind === 'passed-over' ? [ruling] : []));
  const dns = over.find(({ because }) => because === 'dns');
  if (dns !== undefined) return dnsTrouble(dns.reason);
  const response = over[0]?.reason ?? 'no mail host may be used';
  return { kind: 'deferred', smtpCode: 0, enhancedStatusCode: '4.7.5', response };
}

/** RFC 3463 §3.5: x.4.4 unable to route. */
const dnsTrouble = (response: string): SmtpOutcome => ({
  kind: 'dns-failure',
  smtpCode: 0,
  enhancedStatusCode: '4.4.4',
  response,
});
