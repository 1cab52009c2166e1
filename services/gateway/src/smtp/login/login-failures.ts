import { LRUCache } from 'lru-cache';

const WINDOW_MS = 600_000;
const MAX_REMEMBERED = 100_000;

/**
 * Recent failed logins. Failures of one peer block it for ten minutes. Failures of a username only delay further ones:
 * knowledge of a username must not be enough to lock its owner out.
 */
export class LoginFailures {
  private readonly peers: LRUCache<string, number>;
  private readonly usernames: LRUCache<string, true>;

  constructor(private readonly maxPerPeer: number) {
    const bounds = { max: MAX_REMEMBERED, ttl: WINDOW_MS };
    this.peers = new LRUCache(bounds);
    this.usernames = new LRUCache(bounds);
  }

  isBlocked(peer: string): boolean {
    return (this.peers.get(peer) ?? 0) >= this.maxPerPeer;
  }

  /** @returns whether this username failed before in the last ten minutes, from any peer */
  add(peer: string, username: string): boolean {
    const failures = (this.peers.get(peer) ?? 0) + 1;
    // the window begins with the first failure, the block with the last
    this.peers.set(peer, failures, { noUpdateTTL: failures < this.maxPerPeer });
    const again = this.usernames.has(username);
    this.usernames.set(username, true);
    return again;
  }
}
