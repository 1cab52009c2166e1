import { isIPv4 } from 'node:net';
import type { Lookup } from '../dns/dns-resolver.port.js';
import { fault, ok, unknownState, warning, type CheckResult } from './check-result.js';

/** The names of one of our addresses, and the addresses of each name. */
export interface SeenAddress {
  address: string;
  names: Lookup<string>;
  forward: ReadonlyMap<string, Lookup<string>>;
}

const NO_ADDRESS = {
  text: 'No public address is known from which mail of this installation leaves.',
  fix: 'The operator sets POSTMESH_SENDING_ADDRESSES, or, where a relay sends, checks the addresses of the relay.',
};
export const withoutAddresses = (id: 'ptr' | 'address_lists'): CheckResult => unknownState(id, NO_ADDRESS);

/** Each address has a name, and the name has the address: forward-confirmed reverse DNS. */
export function judgePtr(seen: readonly SeenAddress[]): CheckResult {
  if (seen.length === 0) return withoutAddresses('ptr');
  const judged = seen.map((one) => ({ ...judgeAddress(one), address: one.address }));
  const details = judged.map(({ address, words }) => `${address}: ${words}`);
  const wrong = judged.find(({ state }) => state === 'fault');
  if (wrong) {
    return fault('ptr', {
      text: `The reverse DNS of ${wrong.address} is not right: ${wrong.words}.`,
      fix: `The owner of ${wrong.address} (the hosting provider) sets its PTR record to the name of the greeting, and that name gets the address.`,
      details,
    });
  }
  if (judged.some(({ state }) => state === 'unknown'))
    return unknownState('ptr', { text: 'DNS gave no answer for some addresses.', details });
  const generic = judged.find(({ state }) => state === 'generic');
  if (generic) {
    return warning('ptr', {
      text: `${generic.address} is named as addresses of homes are: ${generic.words}.`,
      fix: 'Let the PTR record have a name of a mail server, such as mta-1.example.com.',
      details,
    });
  }
  return ok('ptr', { text: 'Each sending address has a name that leads back to it.', details });
}

type Judged = { state: 'right' | 'fault' | 'unknown' | 'generic'; words: string };

function judgeAddress({ address, names, forward }: SeenAddress): Judged {
  if (names.kind === 'unknown') return { state: 'unknown', words: `no answer: ${names.reason}` };
  if (names.kind === 'none') return { state: 'fault', words: 'it has no PTR record' };
  const back = [...forward].map(([name, found]) => ({ name, found }));
  const confirmed = back.find(
    ({ found }) =>
      found.kind === 'found' && found.values.some((value) => canonical(value) === canonical(address)),
  );
  if (confirmed) {
    const isGeneric = namesItsAddress(confirmed.name, address);
    return { state: isGeneric ? 'generic' : 'right', words: confirmed.name };
  }
  const silent = back.find(({ found }) => found.kind === 'unknown');
  if (silent) return { state: 'unknown', words: `no answer for ${silent.name}` };
  return { state: 'fault', words: `${names.values.slice(0, 3).join(', ')} does not lead back to it` };
}

/** `192-0-2-10.dsl.example.net`: filters know such names. */
function namesItsAddress(name: string, address: string): boolean {
  if (!isIPv4(address)) return false;
  const parts = address.split('.');
  return [parts, parts.toReversed()].some((order) => ['-', '.'].some((by) => name.includes(order.join(by))));
}

/** IPv6 has several spellings of one address. */
const canonical = (address: string): string =>
  address.includes(':') ? new URL(`http://[${address}]`).hostname : address;

/** `10.2.0.192`: the labels of an address in reverse zones and in lists (RFC 5782 §2). */
export function reversed(address: string): string {
  if (isIPv4(address)) return address.split('.').toReversed().join('.');
  const groups = canonical(address).slice(1, -1).split('::');
  const [head = [], tail = []] = groups.map((part) => part.split(':').filter((group) => group !== ''));
  const middle = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  const digits = [...head, ...middle, ...tail].map((group) => group.padStart(4, '0')).join('');
  return [...digits].toReversed().join('.');
}

export const reverseName = (address: string): string =>
  `${reversed(address)}.${isIPv4(address) ? 'in-addr' : 'ip6'}.arpa`;

/** Names that are followed back: an address with more has a name too many anyway. */
const MAX_NAMES = 5;
export const namesOf = (lookup: Lookup<string>): readonly string[] =>
  lookup.kind === 'found' ? lookup.values.slice(0, MAX_NAMES) : [];
