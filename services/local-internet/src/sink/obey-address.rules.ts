/** What the sink does with a letter to an address; its local part decides. */
export type Conduct =
  | { kind: 'refuse'; code: number; text: string }
  | { kind: 'greylist' }
  | { kind: 'cut-during-data' }
  | { kind: 'cut-after-dot' }
  | { kind: 'answer-late' }
  | { kind: 'keep' };

// The first prefix that fits decides, so `dropdot` stands before `drop`.
const CONDUCTS: readonly (readonly [prefix: string, conduct: Conduct])[] = [
  ['bounce', { kind: 'refuse', code: 550, text: '5.1.1 no mailbox here by that name' }],
  ['blocked', { kind: 'refuse', code: 550, text: '5.7.1 message refused by policy' }],
  ['full', { kind: 'refuse', code: 452, text: '4.2.2 mailbox full' }],
  ['defer', { kind: 'refuse', code: 451, text: '4.3.0 not now, try again later' }],
  ['greylist', { kind: 'greylist' }],
  ['dropdot', { kind: 'cut-after-dot' }],
  ['drop', { kind: 'cut-during-data' }],
  ['slow', { kind: 'answer-late' }],
];

/** @param address as in RCPT TO, quoted local parts and any letter case included */
export function conductFor(address: string): Conduct {
  const local = address
    .slice(0, Math.max(address.lastIndexOf('@'), 0))
    .toLowerCase()
    .replace(/^"/, '');
  return CONDUCTS.find(([prefix]) => local.startsWith(prefix))?.[1] ?? { kind: 'keep' };
}
