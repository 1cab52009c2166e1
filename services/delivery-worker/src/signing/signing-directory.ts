import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { InternalClient } from '@postmesh/internal-http';
import { SigningKeys, type SigningKey } from '@postmesh/mail-format';

// Every change is told by an event, but to one worker of several: the others learn of it within this time.
const REMEMBER_MS = 30_000;
const CACHE_SIZE = 10_000;

const SigningKeyFacts = z.object({
  key_id: z.string(),
  domain: z.string(),
  selector: z.string(),
  private_key_pem: z.string(),
});

export interface DomainSigner {
  domain: string;
  selector: string;
  key: SigningKey;
}

/** The key with which a domain's messages are signed now; asked from the domains service, kept in memory only. */
@Injectable()
export class SigningDirectory {
  private readonly known = new Map<string, { signer: DomainSigner | undefined; until: number }>();
  private readonly asked = new Map<string, Promise<DomainSigner | undefined>>();
  private readonly keys = new SigningKeys();

  constructor(private readonly client: InternalClient) {}

  /**
   * @returns undefined when the domain is gone
   * @throws Transient when the domains service cannot be asked
   */
  find(domainId: string): Promise<DomainSigner | undefined> {
    const known = this.known.get(domainId);
    if (known && known.until > Date.now()) return Promise.resolve(known.signer);
    return this.asked.get(domainId) ?? this.ask(domainId);
  }

  /** The domain changed (rotation, deletion): the next message asks again. */
  forget(domainId: string): void {
    this.known.delete(domainId);
    // an answer that is on its way may be older than the change
    this.asked.delete(domainId);
  }

  private ask(domainId: string): Promise<DomainSigner | undefined> {
    const asking = this.request(domainId).then(
      (signer) => {
        if (this.asked.get(domainId) === asking) this.remember(domainId, signer);
        return signer;
      },
      (error: unknown) => {
        if (this.asked.get(domainId) === asking) this.asked.delete(domainId);
        throw error;
      },
    );
    this.asked.set(domainId, asking);
    return asking;
  }

  private async request(domainId: string): Promise<DomainSigner | undefined> {
    const path = `/internal/domains/${domainId}/signing-key`;
    const facts = await this.client.request('domains', { method: 'GET', path }, SigningKeyFacts);
    if (!facts) return undefined;
    const key = this.keys.get(facts.key_id, () => facts.private_key_pem);
    return { domain: facts.domain, selector: facts.selector, key };
  }

  private remember(domainId: string, signer: DomainSigner | undefined): void {
    this.asked.delete(domainId);
    this.known.delete(domainId);
    this.known.set(domainId, { signer, until: Date.now() + REMEMBER_MS });
    for (const oldest of this.known.keys()) {
      if (this.known.size <= CACHE_SIZE) break;
      this.known.delete(oldest);
    }
  }
}
