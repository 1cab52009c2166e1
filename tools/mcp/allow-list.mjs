// @ts-check
// The recipients that an assistant may send to.
import { domainToASCII } from 'node:url';
import { OperatorTrouble } from '../operator-cli/requests.mjs';

// Letters, digits and signs that need no quotes (RFC 5322 §3.2.3): every reader of the address finds the same domain in it.
const LOCAL_PART = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}$/;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/;

/**
 * @param {string} address
 * @returns {{ address: string, local: string, domain: string } | undefined} its domain in ASCII and lower case; undefined:
 *   no plain address
 */
export function plainAddress(address) {
  const [local = '', domain, ...more] = address.trim().split('@');
  if (domain === undefined || more.length > 0 || !LOCAL_PART.test(local)) return undefined;
  const ascii = plainDomain(domain);
  return ascii === undefined ? undefined : { address: `${local}@${ascii}`, local, domain: ascii };
}

/** @param {string} domain @returns {string | undefined} */
function plainDomain(domain) {
  const ascii = domainToASCII(domain.trim().toLowerCase());
  return DOMAIN.test(ascii) ? ascii : undefined;
}

/** Addresses, in any letter case, and whole domains without their subdomains. */
export class AllowList {
  #addresses = new Set();
  #domains = new Set();

  /** @param {readonly string[]} entries @throws OperatorTrouble for one that is neither an address nor a domain */
  constructor(entries) {
    for (const entry of entries) {
      const address = plainAddress(entry);
      const domain = plainDomain(entry);
      if (address) this.#addresses.add(address.address.toLowerCase());
      else if (domain) this.#domains.add(domain);
      else throw new OperatorTrouble(`--allow must be an address or a domain, not '${entry}'`);
    }
  }

  get isEmpty() {
    return this.#addresses.size + this.#domains.size === 0;
  }

  /** @returns {string[]} */
  get entries() {
    return [...this.#addresses, ...this.#domains];
  }

  /**
   * @param {string} address
   * @returns {string} the address to send to
   * @throws OperatorTrouble when it may not be sent to
   */
  allowed(address) {
    const plain = plainAddress(address);
    if (!plain) throw new OperatorTrouble(`'${address}' is not a plain address such as ann@example.com`);
    if (!this.#addresses.has(plain.address.toLowerCase()) && !this.#domains.has(plain.domain))
      throw new OperatorTrouble(
        `${plain.address} is not on the list of allowed recipients: ${this.entries.join(', ')}`,
      );
    return plain.address;
  }
}
