import { tlsOf, type Authority, type HouseTls } from './house-certificates.js';
import { HouseLimits, type Transaction } from './house-limits.rules.js';
import { HouseScript, type HouseReply, type Stage } from './house-script.js';
import type { House } from './houses.table.js';

/** An event at a house, for tests against it. */
export interface HouseEvent {
  /** ISO 8601 */
  at: string;
  /** address of the client */
  source: string;
  /** the same for all events of one connection */
  connection: string;
  /** `connected`, `closed`, `accepted`, `cut`, or the code of a reply and its first words */
  what: string;
}

/** More are dropped, the oldest first. */
const MAX_EVENTS = 2_000;
const MAX_WHAT_CHARACTERS = 80;

export const HOUSES_ZONE = 'houses.test';

/** A house with its current script and its events. */
export class RunningHouse {
  readonly name: string;
  readonly about: string;
  readonly domain: string;
  readonly host: string;
  script: HouseScript;
  tls: HouseTls;
  readonly events: HouseEvent[] = [];
  readonly counts = { connections: 0, open: 0, most_open: 0, accepted: 0, rejected: 0, cut: 0 };
  private readonly limits = new HouseLimits();
  /** messages accepted on each open connection */
  private readonly taken = new Map<string, number>();
  private readonly given: HouseScript;

  constructor(
    { name, about, ...script }: House,
    readonly address: string,
    private readonly authority: Authority,
  ) {
    this.name = name;
    this.about = about;
    this.domain = `${name}.${HOUSES_ZONE}`;
    this.host = `mx.${this.domain}`;
    this.given = HouseScript.parse(script);
    this.script = this.given;
    this.tls = tlsOf(this.script.tls, this.host, authority);
  }

  /** A handshake cannot be slowed down byte by byte. */
  get offersTls(): boolean {
    return this.script.tls !== 'none' && this.script.bytesPerSecond === undefined;
  }

  /** Changes its script from now on. */
  behaveAs(script: HouseScript): void {
    if (script.tls !== this.script.tls) this.tls = tlsOf(script.tls, this.host, this.authority);
    this.script = script;
  }

  /** Restores the state of the start. */
  reset(): void {
    this.behaveAs(this.given);
    this.limits.forget();
    this.events.length = 0;
    const { open } = this.counts;
    Object.assign(this.counts, {
      connections: open,
      open,
      most_open: open,
      accepted: 0,
      rejected: 0,
      cut: 0,
    });
  }

  /** @returns the reply to the client instead of a greeting */
  connected(source: string, connection: string): HouseReply | undefined {
    this.counts.connections += 1;
    this.counts.open += 1;
    this.counts.most_open = Math.max(this.counts.most_open, this.counts.open);
    this.note(source, connection, 'connected');
    const reply = this.limits.connected(this.script, source);
    return reply && this.reject(reply, source, connection);
  }

  disconnected(source: string, connection: string): void {
    this.counts.open -= 1;
    this.limits.disconnected(source);
    this.taken.delete(connection);
    this.note(source, connection, 'closed');
  }

  /** @returns the reply to the client when the house refuses at this stage of a transaction */
  rejection(stage: Stage, transaction: Transaction, connection: string): HouseReply | undefined {
    const reply = this.limits.rejection(this.script, stage, transaction, Date.now());
    return reply && this.reject(reply, transaction.source, connection);
  }

  /** @returns `last` when the house closes the connection now */
  accepted(source: string, connection: string): 'last' | undefined {
    this.counts.accepted += 1;
    this.limits.took(this.script, source, Date.now());
    this.note(source, connection, 'accepted');
    const taken = (this.taken.get(connection) ?? 0) + 1;
    this.taken.set(connection, taken);
    return taken >= (this.script.perConnection?.most ?? Infinity) ? 'last' : undefined;
  }

  wasCut(source: string, connection: string): void {
    this.counts.cut += 1;
    this.note(source, connection, 'cut');
  }

  private reject(reply: HouseReply, source: string, connection: string): HouseReply {
    this.counts.rejected += 1;
    this.note(source, connection, `${reply.code} ${reply.text}`);
    return reply;
  }

  private note(source: string, connection: string, what: string): void {
    this.events.push({
      ...{ at: new Date().toISOString(), source, connection },
      what: what.slice(0, MAX_WHAT_CHARACTERS),
    });
    if (this.events.length > MAX_EVENTS) this.events.shift();
  }
}
