import { IpNetworks, plainIp } from '@postmesh/contracts';

/** One finding of `doctor`, in words for people. */
export interface EgressCheck {
  readonly check: string;
  readonly ok: boolean;
  /** the finding, and what to do about it if it is not right */
  readonly detail: string;
}

/** An answer of DNS: names or addresses, none, or the reason for a missing answer. */
export type DnsAnswer = readonly string[] | { readonly trouble: string };

/** The result of a connection outwards; `unresolved`: there was none, as DNS had no address. */
export type Reached =
  { readonly banner: string } | { readonly trouble: string } | { readonly unresolved: string };

/** Receivers look up the name of the connecting address; without one, or with another, many refuse or mark as spam. */
export function judgePtr(address: string, ehloName: string, names: DnsAnswer): EgressCheck {
  const check = `the PTR record of ${address} is ${ehloName}`;
  if ('trouble' in names) return { check, ok: false, detail: `DNS gave no answer: ${names.trouble}` };
  if (names.some((name) => plain(name) === plain(ehloName))) return { check, ok: true, detail: 'yes' };
  const now = names.length === 0 ? 'it has none' : `it is ${names.join(', ')}`;
  return {
    check,
    ok: false,
    detail: `${now}; the owner of the address sets it (hosting provider: reverse DNS)`,
  };
}

/** Checks that the name resolves back to the address (forward-confirmed reverse DNS). */
export function judgeName(address: string, ehloName: string, addresses: DnsAnswer): EgressCheck {
  const check = `${ehloName} leads to ${address}`;
  if ('trouble' in addresses) return { check, ok: false, detail: `DNS gave no answer: ${addresses.trouble}` };
  if (addresses.some((each) => sameAddress(each, address))) return { check, ok: true, detail: 'yes' };
  const now = addresses.length === 0 ? 'it has no such address' : `it leads to ${addresses.join(', ')}`;
  const type = address.includes(':') ? 'AAAA' : 'A';
  return { check, ok: false, detail: `${now}; publish ${ehloName} ${type} ${address}` };
}

/** Receivers look for the address in the record that the records of domains include. @param texts at `host` */
export function judgeSpf(address: string, host: string, texts: DnsAnswer): EgressCheck {
  const check = `the SPF record of ${host} names ${address}`;
  if ('trouble' in texts) return { check, ok: false, detail: `DNS gave no answer: ${texts.trouble}` };
  const [record] = texts.filter((text) => /^v=spf1( |$)/i.test(text));
  if (record !== undefined && namesIn(record, address)) return { check, ok: true, detail: 'yes' };
  const now = record === undefined ? 'there is none' : `it is ${record}`;
  return { check, ok: false, detail: `${now}; publish the one of npx postmesh zone` };
}

function namesIn(record: string, address: string): boolean {
  const networks = record.split(/ +/).flatMap((term) => /^\+?ip[46]:(.+)$/i.exec(term)?.[1] ?? []);
  const own = plainIp(address);
  return own !== undefined && networks.some((network) => isNetworkOf(network, own));
}

/** The record is the operator's: a term that cannot be read names nothing. */
function isNetworkOf(network: string, address: string): boolean {
  try {
    return new IpNetworks([network]).covers(address);
  } catch {
    return false;
  }
}

/** @param from name of the source @param to the target of the connection */
export function judgePort(from: string, to: string, reached: Reached): EgressCheck {
  const check = `port 25 is open from ${from}`;
  // Any banner proves that the port is open.
  if ('banner' in reached) return { check, ok: true, detail: `${to} answers ${reached.banner}` };
  if ('unresolved' in reached)
    return {
      check,
      ok: false,
      detail: `${to}: ${reached.unresolved}, so it was not tried; repair DNS first`,
    };
  return {
    check,
    ok: false,
    detail: `${to}: ${reached.trouble}; ask your hosting provider to open outgoing port 25, or set POSTMESH_EGRESS_RELAY`,
  };
}

export const judgePresence = (address: string, isHere: boolean): EgressCheck => ({
  check: `this machine has ${address}`,
  ok: isHere,
  detail: isHere
    ? 'yes'
    : 'nothing leaves from it; give it to a network interface, or take it out of POSTMESH_EGRESS_SOURCES',
});

/** Without configured sources, the outgoing addresses are known by this setting alone. */
export const judgeAddresses = (addresses: readonly string[]): EgressCheck => ({
  check: 'the addresses that messages leave from are known',
  ok: addresses.length > 0,
  detail:
    addresses.length > 0
      ? addresses.join(', ')
      : 'POSTMESH_SENDING_ADDRESSES names no public address; SPF records are made from it, too',
});

export const judgeRelay = (name: string, trouble: string | undefined, login: boolean): EgressCheck => ({
  check: `the relay ${name} takes our mail`,
  ok: trouble === undefined,
  detail: trouble ?? (login ? 'it shows a valid certificate and takes the password' : 'it answers'),
});

const plain = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** IPv6 has several spellings of one address. */
const sameAddress = (one: string, other: string): boolean => canonical(one) === canonical(other);

const canonical = (address: string): string =>
  address.includes(':') ? new URL(`http://[${address}]`).hostname : address;
