import { Injectable } from '@nestjs/common';
import { KeyLookupResponse, Transient, type KnownKey } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';

export interface Found {
  /** the state of all keys that was looked at */
  readonly revision: number;
  /** undefined: there is no such key */
  readonly key: KnownKey | undefined;
}

interface Lookup {
  readonly hashes: readonly string[];
  readonly response: Promise<Found>;
  readonly resolve: (found: Found) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_PER_BATCH = 250;
// Two at once: one is on its way while the accounts service works on the other.
const MAX_REQUESTS = 2;
const MAX_WAITING = 10_000;

/**
 * Asks the accounts service for keys, many in one request: a flood of unknown keys costs no more than a few
 * requests at a time. A lookup that was not sent yet serves everybody who asks the same; one that was sent
 * serves only those who may be told what was true a moment ago.
 */
@Injectable()
export class KeyLookups {
  private waiting = new Map<string, Lookup>();
  private inFlight = new Map<string, Lookup>();
  private requests = 0;
  private scheduled = false;

  constructor(private readonly client: InternalClient) {}

  /**
   * @param id names the secret; the same for the same hashes
   * @param joinInFlight whether the result of a lookup counts that was sent before now
   * @throws Transient when the accounts service does not answer, or too many wait
   */
  ask(id: string, hashes: readonly string[], joinInFlight: boolean): Promise<Found> {
    const same = this.waiting.get(id) ?? (joinInFlight ? this.inFlight.get(id) : undefined);
    if (same) return same.response;
    if (this.waiting.size >= MAX_WAITING) {
      return Promise.reject(new Transient('too many API keys wait to be looked up'));
    }
    const lookup = newLookup(hashes);
    this.waiting.set(id, lookup);
    this.schedule();
    return lookup.response;
  }

  /** From now on nobody is served by a lookup that was sent already. */
  forgetInFlight(): void {
    this.inFlight = new Map();
  }

  private schedule(): void {
    if (this.scheduled || this.requests >= MAX_REQUESTS || this.waiting.size === 0) return;
    this.scheduled = true;
    // every request of this turn of the event loop joins the batch
    setImmediate(() => {
      this.scheduled = false;
      void this.send();
    });
  }

  private async send(): Promise<void> {
    const batch = [...this.waiting].slice(0, MAX_PER_BATCH);
    for (const [id, lookup] of batch) {
      this.waiting.delete(id);
      this.inFlight.set(id, lookup);
    }
    this.requests += 1;
    this.schedule();
    try {
      const response = await this.request(batch.flatMap(([, lookup]) => lookup.hashes));
      const byHash = new Map(response.keys.map((key) => [key.hash, key]));
      for (const [, lookup] of batch) lookup.resolve(pick(lookup, response.revision, byHash));
    } catch (error) {
      for (const [, lookup] of batch) lookup.reject(error);
    } finally {
      this.requests -= 1;
      for (const [id, lookup] of batch) if (this.inFlight.get(id) === lookup) this.inFlight.delete(id);
      this.schedule();
    }
  }

  private async request(hashes: readonly string[]): Promise<KeyLookupResponse> {
    const request = { method: 'POST' as const, path: '/internal/keys/lookup', body: { hashes } };
    const response = await this.client.request('accounts', request, KeyLookupResponse);
    if (!response) throw new Transient('the accounts service does not know key lookups');
    return response;
  }
}

function newLookup(hashes: readonly string[]): Lookup {
  let resolve: Lookup['resolve'] = () => undefined;
  let reject: Lookup['reject'] = () => undefined;
  const response = new Promise<Found>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { hashes, response, resolve, reject };
}

function pick(lookup: Lookup, revision: number, byHash: ReadonlyMap<string, KnownKey>): Found {
  const hash = lookup.hashes.find((one) => byHash.has(one));
  return { revision, key: hash === undefined ? undefined : byHash.get(hash) };
}
