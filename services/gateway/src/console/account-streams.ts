import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import {
  ApiError,
  hasAnyOfFamily,
  hasStaticScope,
  recentChangesPath,
  RecentChanges,
  type Principal,
  type RecentChange,
} from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { Drain, LOGGER } from '@postmesh/service-host';
import type { Exchange } from '../http-api/exchange.js';
import { freshChanges, type SentChanges } from './recent-changes.rules.js';

/** The time between two looks at an account whose stream is open somewhere in this process. */
const LOOK_MS = 2_000;
const HEARTBEAT_MS = 15_000;
const MAX_STREAMS = 2_000;
export const MAX_PER_ACCOUNT = 20;
/** A change is seen this long after the time that it has: its transaction takes as long. */
const LATE_MS = 10_000;
/** A client that comes back after longer reads everything again. */
const MAX_AWAY_MS = 300_000;
/** A reader this far behind is cut off, and comes back. */
const MAX_UNSENT_BYTES = 262_144;

interface Stream {
  readonly exchange: Exchange;
  readonly principal: Principal;
  /** looks its session up again. @throws ApiError when it has ended */
  readonly recheck: () => Promise<Principal>;
  readonly beat: NodeJS.Timeout;
}

interface Watched {
  readonly streams: Set<Stream>;
  readonly sent: SentChanges;
  readonly timer: NodeJS.Timeout;
  isLooking: boolean;
}

const TooManyStreams = () => new ApiError(429, 'too many event streams are open for the account');

/**
 * Server-sent events of an account for the pages of the console that are open. Services are asked for what has changed
 * among the newest resources, every two seconds, for accounts with a stream in this process only: the path of mail writes
 * nothing for it, and a closed console costs nothing.
 */
@Injectable()
export class AccountStreams implements OnModuleDestroy {
  private readonly accounts = new Map<string, Watched>();
  private open = 0;

  constructor(
    private readonly client: InternalClient,
    private readonly drain: Drain,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleDestroy(): void {
    this.endAll();
  }

  /** Begins a stream, which lasts as long as its session and its connection. @throws ApiError 429 */
  begin(exchange: Exchange, principal: Principal, recheck: () => Promise<Principal>): void {
    const { account_id: accountId } = principal;
    const known = this.accounts.get(accountId);
    if (this.open >= MAX_STREAMS || (known && known.streams.size >= MAX_PER_ACCOUNT)) throw TooManyStreams();
    const watched = known ?? this.watch(accountId);
    const { request, response } = exchange;
    const beat = setInterval(() => void this.beat(stream), HEARTBEAT_MS);
    const stream: Stream = { exchange, principal, recheck, beat };
    watched.streams.add(stream);
    this.open += 1;
    response.once('close', () => this.forget(accountId, watched, stream));
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    response.write(`retry: ${LOOK_MS}\n\n`);
    const since = lastSeen(request.headers['last-event-id'], Date.now());
    if (since === 'long ago') send(stream, 'event: reset\ndata: {}\n\n');
    else if (since) void this.catchUp(stream, since);
  }

  /** Browsers connect again, to another process where this one stops. */
  endAll(): void {
    for (const { streams } of this.accounts.values())
      for (const { exchange } of streams) exchange.response.end();
  }

  private watch(accountId: string): Watched {
    const watched: Watched = {
      streams: new Set(),
      sent: new Map(),
      timer: setInterval(() => void this.look(accountId, watched), LOOK_MS),
      isLooking: false,
    };
    this.accounts.set(accountId, watched);
    return watched;
  }

  private forget(accountId: string, watched: Watched, stream: Stream): void {
    clearInterval(stream.beat);
    watched.streams.delete(stream);
    this.open -= 1;
    if (watched.streams.size > 0) return;
    clearInterval(watched.timer);
    this.accounts.delete(accountId);
  }

  private async look(accountId: string, watched: Watched): Promise<void> {
    if (watched.isLooking) return;
    watched.isLooking = true;
    try {
      const now = Date.now();
      const changes = await this.changesOf(accountId, new Date(now - LATE_MS));
      const fresh = freshChanges(watched.sent, changes, now - 2 * LATE_MS);
      for (const stream of watched.streams) sendChanges(stream, fresh, now);
    } catch (error) {
      this.logger.warn(
        { event: 'console.changes_unread', err: error, account_id: accountId },
        'reading changes for the console failed, will retry',
      );
    } finally {
      watched.isLooking = false;
    }
  }

  private async catchUp(stream: Stream, since: Date): Promise<void> {
    const now = Date.now();
    try {
      const from = new Date(since.getTime() - LATE_MS);
      sendChanges(stream, await this.changesOf(stream.principal.account_id, from), now);
    } catch {
      send(stream, 'event: reset\ndata: {}\n\n');
    }
  }

  /** A service that is away, or of a release without this, has no changes. */
  private async changesOf(accountId: string, since: Date): Promise<RecentChange[]> {
    const request = { method: 'GET' as const, path: recentChangesPath(accountId, since) };
    const found = await Promise.allSettled([
      this.client.request('messages', request, RecentChanges),
      this.client.request('marketing', request, RecentChanges),
      this.client.request('webhooks', request, RecentChanges),
    ]);
    if (found.every(({ status }) => status === 'rejected')) throw (found[0] as PromiseRejectedResult).reason;
    return found.flatMap((one) => (one.status === 'fulfilled' ? (one.value?.changes ?? []) : []));
  }

  /** Keeps proxies from closing a quiet connection, and ends the stream of a session that has ended. */
  private async beat(stream: Stream): Promise<void> {
    const { exchange, principal, recheck } = stream;
    try {
      const now = await recheck();
      if (this.drain.hasBegun || now.account_id !== principal.account_id) return void exchange.response.end();
      send(stream, ': still here\n\n');
    } catch (error) {
      // another failure is one of the look-up, and says nothing about the session
      if (error instanceof ApiError && error.status !== 429) exchange.response.end();
    }
  }
}

function lastSeen(id: string | string[] | undefined, now: number): Date | 'long ago' | undefined {
  if (id === undefined) return undefined;
  const at = /^\d{13}$/.test(String(id)) ? Number(id) : 0;
  return at > now - MAX_AWAY_MS && at <= now ? new Date(at) : 'long ago';
}

function sendChanges(stream: Stream, changes: readonly RecentChange[], now: number): void {
  const shown = changes.filter(({ kind }) => mayKnow(stream.principal, kind));
  if (shown.length > 0)
    send(stream, `id: ${now}\nevent: changes\ndata: ${JSON.stringify({ changes: shown })}\n\n`);
}

function send({ exchange: { response } }: Stream, text: string): void {
  if (response.writableEnded) return;
  if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
  else response.write(text);
}

function mayKnow(principal: Principal, kind: RecentChange['kind']): boolean {
  switch (kind) {
    case 'message':
      return hasAnyOfFamily(principal, 'messages:read');
    case 'campaign':
      return hasStaticScope(principal, 'campaigns:read');
    case 'import':
      return hasStaticScope(principal, 'contacts:read');
    case 'webhook':
      return hasAnyOfFamily(principal, 'webhooks:read');
    case 'route':
      return hasAnyOfFamily(principal, 'routes:read');
  }
}
