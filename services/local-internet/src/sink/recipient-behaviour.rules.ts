import type { ReportKind } from '../reports/compose-reports.js';

/** Behaviour of the sink for a message to an address; the local part decides (architecture §5.3). */
export type Behaviour =
  | { kind: 'reject'; code: number; text: string }
  | { kind: 'greylist' }
  | { kind: 'cut-during-data' }
  | { kind: 'cut-after-dot' }
  | { kind: 'reply-late' }
  /** accepted, with a later report */
  | { kind: 'report'; report: ReportKind }
  | { kind: 'accept' };

// The first matching prefix decides, so `dropdot` comes before `drop`.
const BEHAVIOURS: readonly (readonly [prefix: string, behaviour: Behaviour])[] = [
  ['bounce', { kind: 'reject', code: 550, text: '5.1.1 no mailbox here by that name' }],
  ['blocked', { kind: 'reject', code: 550, text: '5.7.1 message refused by policy' }],
  ['full', { kind: 'reject', code: 452, text: '4.2.2 mailbox full' }],
  ['defer', { kind: 'reject', code: 451, text: '4.3.0 not now, try again later' }],
  ['greylist', { kind: 'greylist' }],
  ['dropdot', { kind: 'cut-after-dot' }],
  ['drop', { kind: 'cut-during-data' }],
  ['slow', { kind: 'reply-late' }],
  ['latebounce', { kind: 'report', report: 'bounce' }],
  ['complain', { kind: 'report', report: 'complaint' }],
];

// `say-552-5.2.2-mailbox-full`: that reply, so that tests can provoke any bounce.
const SAID = /^say-([45]\d\d)-([45]\.\d{1,3}\.\d{1,3})(?:-(.*))?$/;

/** @param address as in RCPT TO, quoted local parts and any case included */
export function behaviourOf(address: string): Behaviour {
  const localPart = address
    .slice(0, Math.max(address.lastIndexOf('@'), 0))
    .toLowerCase()
    .replace(/^"/, '');
  const [, code, enhanced, words = 'as asked'] = SAID.exec(localPart) ?? [];
  if (enhanced)
    return { kind: 'reject', code: Number(code), text: `${enhanced} ${words.replaceAll('-', ' ')}` };
  return BEHAVIOURS.find(([prefix]) => localPart.startsWith(prefix))?.[1] ?? { kind: 'accept' };
}

/** The oldest pairs are dropped beyond this; their next message is greylisted once more. */
const MAX_PAIRS = 100_000;

/** Pairs of sender domain and recipient with an earlier attempt. */
export class Greylist {
  private readonly seen = new Set<string>();

  /** @returns true when this pair had an earlier attempt, so that its message may pass */
  admits(sender: string, recipient: string): boolean {
    // The domain only: a sender with an envelope address per message is still one sender.
    const pair = `${sender.slice(sender.lastIndexOf('@') + 1)} ${recipient}`.toLowerCase();
    if (this.seen.has(pair)) return true;
    this.seen.add(pair);
    const [oldest] = this.seen;
    if (this.seen.size > MAX_PAIRS && oldest !== undefined) this.seen.delete(oldest);
    return false;
  }
}
