import type { HouseReply, HouseScript, Stage } from './house-script.js';

export interface Transaction {
  /** address of the client */
  source: string;
  sender: string;
  recipients: readonly string[];
}

/** State of one client at a house. */
interface Client {
  connections: number;
  /** times of its last accepted messages, oldest first; no more than the longest window needs */
  taken: number[];
  /** accepts nothing before this, Unix ms */
  closedUntil: number;
  /** accepts nothing until the client was quiet for `quietSeconds`; time of its last attempt, Unix ms */
  lastRefusedAt: number | undefined;
}

/** The least recently used clients are dropped beyond this. */
const MAX_CLIENTS = 1_000;
/** The oldest triplets are dropped beyond this: they are greylisted once more. */
const MAX_TRIPLETS = 100_000;

/** Counters of a house, and its replies that follow from them; the time is passed in. */
export class HouseLimits {
  private readonly clients = new Map<string, Client>();
  private readonly triplets = new Map<string, number>();

  /** Counts a new connection, refused or not, until `disconnected`. @returns its reply instead of a greeting */
  connected(script: HouseScript, source: string): HouseReply | undefined {
    const client = this.clientAt(source);
    client.connections += 1;
    const { connections } = script;
    return connections && client.connections > connections.most ? connections.reply : undefined;
  }

  disconnected(source: string): void {
    const client = this.clients.get(source);
    if (client) client.connections -= 1;
  }

  /** @returns the reply when it refuses at this stage */
  rejection(script: HouseScript, stage: Stage, { source, ...about }: Transaction, now: number) {
    const client = this.clientAt(source);
    return (
      this.byRate(script.rate, stage, client, now) ??
      this.untilQuiet(script.untilQuiet, stage, client, now) ??
      (stage === 'rcpt' ? this.byTriplet(script.greylist, { source, ...about }, now) : undefined)
    );
  }

  /** A message was accepted. */
  took(script: HouseScript, source: string, now: number): void {
    const most = Math.max(script.rate?.messages ?? 0, script.untilQuiet?.messages ?? 0);
    if (most === 0) return;
    const { taken } = this.clientAt(source);
    taken.push(now);
    if (taken.length > most) taken.splice(0, taken.length - most);
  }

  /** Drops all state except the open connections, which still count. */
  forget(): void {
    this.triplets.clear();
    for (const [source, { connections }] of this.clients) {
      this.clients.set(source, { ...NEW_CLIENT, taken: [], connections });
    }
  }

  private byRate(
    rate: HouseScript['rate'],
    stage: Stage,
    client: Client,
    now: number,
  ): HouseReply | undefined {
    if (rate === undefined || rate.at !== stage) return undefined;
    if (now >= client.closedUntil && isOver(client, rate, now)) {
      client.closedUntil = now + rate.forSeconds * 1_000;
      client.taken = [];
    }
    return now < client.closedUntil ? rate.reply : undefined;
  }

  private untilQuiet(
    rule: HouseScript['untilQuiet'],
    stage: Stage,
    client: Client,
    now: number,
  ): HouseReply | undefined {
    if (rule === undefined || rule.at !== stage) return undefined;
    const isQuiet =
      client.lastRefusedAt === undefined || now - client.lastRefusedAt >= rule.quietSeconds * 1_000;
    if (isQuiet) client.lastRefusedAt = undefined;
    if (isQuiet && !isOver(client, rule, now)) return undefined;
    if (isQuiet) client.taken = [];
    client.lastRefusedAt = now;
    return rule.reply;
  }

  private byTriplet(
    rule: HouseScript['greylist'],
    { source, sender, recipients }: Transaction,
    now: number,
  ): HouseReply | undefined {
    if (rule === undefined) return undefined;
    const triplet = [source, sender, ...recipients].join(' ').toLowerCase();
    const firstAt = this.triplets.get(triplet);
    if (firstAt !== undefined && now - firstAt >= rule.seconds * 1_000) return undefined;
    if (firstAt === undefined) {
      this.triplets.set(triplet, now);
      dropOldest(this.triplets, MAX_TRIPLETS);
    }
    return rule.reply;
  }

  private clientAt(source: string): Client {
    const known = this.clients.get(source);
    if (known) return known;
    const client = { ...NEW_CLIENT, taken: [] };
    this.clients.set(source, client);
    dropOldest(this.clients, MAX_CLIENTS);
    return client;
  }
}

const NEW_CLIENT: Omit<Client, 'taken'> = { connections: 0, closedUntil: 0, lastRefusedAt: undefined };

/** Whether one more message would exceed the limit of the window. */
function isOver({ taken }: Client, rule: { messages: number; perSeconds: number }, now: number): boolean {
  const oldest = taken.at(-rule.messages);
  return oldest !== undefined && now - oldest < rule.perSeconds * 1_000;
}

function dropOldest<Key>(map: Map<Key, unknown>, most: number): void {
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
