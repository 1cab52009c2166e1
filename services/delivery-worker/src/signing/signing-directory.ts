import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { SingleFlight } from '@postmesh/concurrency';
import { InternalClient } from '@postmesh/http';
import { SigningKeys, type SigningKey } from '@postmesh/mail-format';

// Every worker is notified of a change. One whose connection is lost at that moment sees it within this time.
const KEEP_MS = 30_000;
const MAX_DOMAINS = 10_000;

const SigningKeyFacts = z.object({
  key_id: z.string(),
  domain: z.string(),
  selector: z.string(),
  private_key_pem: z.string(),
  /** missing in the answer of a release without tracking */
  tracking_host: z.string().nullish(),
  // missing in the answer of a release without it
  dns_valid: z.boolean().default(true),
  paused: z.boolean().default(false),
});

interface DomainSigner {
  domain: string;
  selector: string;
  key: SigningKey;
  /** null: links point to the service's own host */
  trackingHost: string | null;
  dnsValid: boolean;
  paused: boolean;
}

/** A domain's current signing key, standing and tracking host, requested from the domains service, kept in memory only. */
@Injectable()
export class SigningDirectory {
  /** `signer` is undefined when the domain is gone */
  private readonly known = new LRUCache<string, { signer: DomainSigner | undefined }>({
    max: MAX_DOMAINS,
    ttl: KEEP_MS,
    ttlResolution: 0,
    perf: Date,
  });
  private readonly requests = new SingleFlight<string, DomainSigner | undefined>();
  private readonly keys = new SigningKeys();
  private changes = 0;

  constructor(private readonly client: InternalClient) {}

  /**
   * @returns undefined when the domain is gone
   * @throws Transient when the domains service cannot be reached
   */
  async find(domainId: string): Promise<DomainSigner | undefined> {
    const known = this.known.get(domainId);
    return known ? known.signer : this.requests.run(domainId, () => this.requestAndKeep(domainId));
  }

  /** The domain changed (rotation, pause, deletion): the next message requests it again. */
  forget(domainId: string): void {
    this.known.delete(domainId);
    // A response in flight may be older than the change.
    this.requests.forget(domainId);
    this.changes++;
  }

  /** Changes may have been missed. */
  forgetAll(): void {
    this.known.clear();
    this.requests.forgetAll();
    this.changes++;
  }

  private async requestAndKeep(domainId: string): Promise<DomainSigner | undefined> {
    const { changes } = this;
    const signer = await this.request(domainId);
    if (changes === this.changes) this.known.set(domainId, { signer });
    return signer;
  }

  private async request(domainId: string): Promise<DomainSigner | undefined> {
    const path = `/internal/domains/${domainId}/signing-key`;
    const facts = await this.client.request('domains', { method: 'GET', path }, SigningKeyFacts);
    if (!facts) return undefined;
    const key = this.keys.get(facts.key_id, () => facts.private_key_pem);
    const { domain, selector, dns_valid: dnsValid, paused } = facts;
    return { domain, selector, key, trackingHost: facts.tracking_host ?? null, dnsValid, paused };
  }
}
