import { LRUCache } from 'lru-cache';
import type { SmtpTimeouts } from './timeouts.js';

const MAX_ADDRESSES = 20_000;
// Some servers greet late on purpose: once an hour an address gets the full timeout again, or those would never be
// reached.
const FORGET_MS = 60 * 60_000;
const LEAST_CONNECT_MS = 5_000;
const LEAST_BANNER_MS = 10_000;

/** The timeout of a silent address is halved each time, until it answers. */
export class SilentAddresses {
  private readonly silences = new LRUCache<string, number>({
    max: MAX_ADDRESSES,
    ttl: FORGET_MS,
    noUpdateTTL: true,
  });

  timeoutsOf(address: string, timeouts: SmtpTimeouts): SmtpTimeouts {
    const silences = this.silences.get(address);
    return silences === undefined ? timeouts : shortened(timeouts, silences);
  }

  /** It accepted no connection, or gave no banner, within its timeout. */
  wasSilent(address: string): void {
    this.silences.set(address, (this.silences.get(address) ?? 0) + 1);
  }

  answered(address: string): void {
    this.silences.delete(address);
  }
}

/** @param silences of the address in a row */
export function shortened(timeouts: SmtpTimeouts, silences: number): SmtpTimeouts {
  const half = (ms: number, least: number) => Math.max(Math.min(ms, least), ms / 2 ** silences);
  return {
    ...timeouts,
    connectMs: half(timeouts.connectMs, LEAST_CONNECT_MS),
    bannerMs: half(timeouts.bannerMs, LEAST_BANNER_MS),
  };
}
