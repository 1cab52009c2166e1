import { Injectable } from '@nestjs/common';
import { KeyLookupResponse, Transient, type KnownKey } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';

export interface Found {
  /** the state of all keys that was looked at */
  readonly revision: number;
  /** undefined: there is no such key */
  readonly key: KnownKey | undefined;
}

interface Question {
  readonly hashes: readonly string[];
  readonly response: Promise<Found>;
  readonly resolve: (found: Found) => void;
  readonly reject: (error: unknown) => void;
}

const PER_BATCH = 250;
// Two at once: one is on its way while the accounts service works on the other.
const AT_ONCE = 2;
const MOST_WAITING = 10_000;

/**
 * Asks the accounts service for keys, many in one request: a flood of unknown keys costs no more than a few
 * requests at a time. A question that has not left yet serves everybody who asks the same; one that has
 * left serves only those who may be told what was true a moment ago.
 */
@Injectable()
export class KeyLookups {
  private waiting = new Map<string, Question>();
  private underWay = new Map<string, Question>();
  private requests = 0;
  private scheduled = false;

  constructor(private readonly client: InternalClient) {}

  /**
   * @param id names the secret; the same for the same hashes
   * @param joinUnderWay whether an answer counts whose question left before now
   * @throws Transient when the accounts service does not answer, or too many wait
   */
  ask(id: string, hashes: readonly string[], joinUnderWay: boolean): Promise<Found> {
    const same = this.waiting.get(id) ?? (joinUnderWay ? this.underWay.get(id) : undefined);
    if (same) return same.response;
    if (this.waiting.size >= MOST_WAITING) {
      return Promise.reject(new Transient('too many API keys wait to be looked up'));
    }
    const question = newQuestion(hashes);
    this.waiting.set(id, question);
    this.schedule();
    return question.response;
  }

  /** From now on nobody is served by a question that has left already. */
  forgetUnderWay(): void {
    this.underWay = new Map();
  }

  private schedule(): void {
    if (this.scheduled || this.requests >= AT_ONCE || this.waiting.size === 0) return;
    this.scheduled = true;
    // every request of this turn of the event loop joins the batch
    setImmediate(() => {
      this.scheduled = false;
      void this.send();
    });
  }

  private async send(): Promise<void> {
    const batch = [...this.waiting].slice(0, PER_BATCH);
    for (const [id, question] of batch) {
      this.waiting.delete(id);
      this.underWay.set(id, question);
    }
    this.requests += 1;
    this.schedule();
    try {
      const response = await this.request(batch.flatMap(([, question]) => question.hashes));
      const byHash = new Map(response.keys.map((key) => [key.hash, key]));
      for (const [, question] of batch) question.resolve(pick(question, response.revision, byHash));
    } catch (error) {
      for (const [, question] of batch) question.reject(error);
    } finally {
      this.requests -= 1;
      for (const [id, question] of batch) if (this.underWay.get(id) === question) this.underWay.delete(id);
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

function newQuestion(hashes: readonly string[]): Question {
  let resolve: Question['resolve'] = () => undefined;
  let reject: Question['reject'] = () => undefined;
  const response = new Promise<Found>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { hashes, response, resolve, reject };
}

function pick(question: Question, revision: number, byHash: ReadonlyMap<string, KnownKey>): Found {
  const hash = question.hashes.find((one) => byHash.has(one));
  return { revision, key: hash === undefined ? undefined : byHash.get(hash) };
}
