import { trimText } from '@postmesh/contracts';
import { parseEmailAddress } from '@postmesh/mail-format';

/** An address in its stored form. @returns undefined for what no message can be sent to */
export function addressOf(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const parsed = parseEmailAddress(trimText(given));
  return parsed.ok ? parsed.address.address : undefined;
}

const FIRST_SIZE = 1_024;

/** Addresses that were seen, 16 to 32 bytes each; two different ones are taken for the same once in 10^10 pairs or less. */
export class SeenAddresses {
  private slots = new Float64Array(FIRST_SIZE);
  private count = 0;

  /** @returns false when it was there already */
  add(address: string): boolean {
    if (this.count * 2 >= this.slots.length) this.grow();
    const hash = hashOf(address);
    const at = this.slotOf(hash);
    if (this.slots[at] === hash) return false;
    this.slots[at] = hash;
    this.count += 1;
    return true;
  }

  private slotOf(hash: number): number {
    let at = hash % this.slots.length;
    while (this.slots[at] !== 0 && this.slots[at] !== hash) at = (at + 1) % this.slots.length;
    return at;
  }

  private grow(): void {
    const before = this.slots;
    this.slots = new Float64Array(before.length * 2);
    for (const hash of before) if (hash !== 0) this.slots[this.slotOf(hash)] = hash;
  }
}

/** 53 bits, never 0. */
function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0) || 1;
}
