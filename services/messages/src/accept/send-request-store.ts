import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { BlobStore } from '@postmesh/blob-store';
import { GroupCommit, insertRows, serverOf, type DatabaseServer } from '@postmesh/database';
import { BLOB_STORE, Idempotency, SETTINGS, type EndedRun } from '@postmesh/service-host';
import { Metrics, TopAccounts } from '@postmesh/observability';
import { Outbox } from '@postmesh/events';
import type { Settings } from '@postmesh/settings';
import { DropContent } from '../retention/drop-content.js';
import { SuppressedRecipients } from '../suppressions/suppressed-recipients.js';
import { recordFacts } from '../statistics/record-facts.js';
import { acceptedFacts } from '../statistics/statistics-facts.rules.js';
import { UsageCounter } from '../usage/usage-counter.js';
import { isCapped, monthlyLimitReached, type CreditFacts, type UsageClaim } from '../usage/usage.rules.js';
import { OtherSenders } from './other-senders.js';
import { toSendRequest, type AcceptedRequest, type SendRequest } from './send-request.rules.js';

/** Further fields of campaign messages. */
interface OfCampaign {
  createdAt: Date;
  campaignId?: string | null;
  senderName?: string | null;
}

export const SEND_REQUEST_COLUMNS = {
  id: 'uuid',
  account_id: 'uuid',
  kind: 'text',
  domain_id: 'uuid',
  domain: 'text',
  sender: 'text',
  subject: 'text',
  message_id_header: 'text',
  tags: 'text[]',
  template_id: 'uuid',
  content_id: 'uuid',
  size: 'int',
  track_opens: 'bool',
  track_clicks: 'bool',
  sandbox: 'text',
  first_attempt: 'timestamptz',
  expires: 'timestamptz',
  created_at: 'timestamptz',
  hide_when_done: 'bool',
  retain_data_until: 'timestamptz',
  retain_metadata_until: 'timestamptz',
  campaign_id: ['uuid', ({ campaignId }: OfCampaign) => campaignId],
  sender_name: ['text', ({ senderName }: OfCampaign) => senderName],
} as const;

export const MESSAGE_COLUMNS = {
  id: 'uuid',
  send_request_id: 'uuid',
  account_id: 'uuid',
  recipient: 'text',
  recipient_name: 'text',
  subject: 'text',
  status: 'text',
  created_at: 'timestamptz',
  updated_at: ['timestamptz', ({ createdAt }: { createdAt: Date }) => createdAt],
  campaign_id: ['uuid', ({ campaignId }: OfCampaign) => campaignId],
} as const;

// Larger contents are written before a commit that other requests share.
const APART_FROM_BYTES = 1024 * 1024;

type WithContent = Pick<SendRequest, 'content'>;

/** Writes send requests with their content, rows and event. */
@Injectable()
export class SendRequestStore {
  constructor(
    private readonly outbox: Outbox,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /** Before the transaction: stores contents that cannot be part of it, or would delay other requests in it. */
  async putContents(sendRequests: readonly WithContent[]): Promise<void> {
    const apart = sendRequests.filter((sendRequest) => this.goesApart(sendRequest));
    if (apart.length > 0) await this.blobs.put(apart.map(({ content }) => content));
  }

  /**
   * After the transaction: deletes such contents of requests that were not stored. Not called when the outcome is
   * unknown: a sweep deletes contents without a row.
   */
  async dropContents(sendRequests: readonly WithContent[]): Promise<void> {
    const apart = sendRequests.filter((sendRequest) => this.goesApart(sendRequest));
    if (apart.length > 0) await this.blobs.delete(apart.map(({ content }) => content.id));
  }

  /** @param tx the transaction, begun after `putContents` */
  async insert(tx: EntityManager, sendRequests: readonly SendRequest[]): Promise<void> {
    await this.joinContents(tx, sendRequests);
    await this.insertRows(tx, sendRequests);
    await this.addEvents(tx, sendRequests);
  }

  async insertRows(tx: EntityManager, sendRequests: readonly SendRequest[]): Promise<void> {
    const rows = sendRequests.map(({ row }) => row);
    const messages = sendRequests.flatMap((sendRequest) => sendRequest.messages);
    await Promise.all([
      insertRows(tx, 'send_requests', SEND_REQUEST_COLUMNS, rows),
      insertRows(tx, 'messages', MESSAGE_COLUMNS, messages),
    ]);
  }

  /** Contents that were not stored before the transaction. */
  async joinContents(tx: EntityManager, sendRequests: readonly WithContent[]): Promise<void> {
    const together = sendRequests.filter((sendRequest) => !this.goesApart(sendRequest));
    await this.blobs.put(
      together.map(({ content }) => content),
      tx,
    );
  }

  async addEvents(tx: EntityManager, sendRequests: readonly SendRequest[]): Promise<void> {
    await this.outbox.add(
      tx,
      sendRequests.map(({ event }) => event),
    );
  }

  private goesApart({ content }: WithContent): boolean {
    return !this.blobs.transactional || content.bytes.length >= APART_FROM_BYTES;
  }
}

/** One request in a queue for its commit. */
export interface PendingSend {
  sendRequest: SendRequest;
  /** of the account; null when nothing is counted (sandbox) */
  credit: CreditFacts | null;
  /**
   * returns the response to be stored under the idempotency key, if there is one; called when the request is admitted
   */
  ended: () => EndedRun | undefined;
}

// A group takes some ten milliseconds of Postgres: a row weighs one, content one per 64 KiB.
const MAX_GROUP_WEIGHT = 1_000;
const MAX_PENDING = 10_000;
const CONTENT_UNIT_BYTES = 65_536;
// At some hundreds of requests per second a response is delayed by this much, so that several requests share a commit.
const GATHER_MS = 10;

const weightOf = ({ sendRequest: { messages, content } }: PendingSend): number =>
  3 + messages.length + Math.ceil(content.bytes.length / CONTENT_UNIT_BYTES);

/**
 * The transaction of a group: content, rows, response, usage, statistics and event of each of its requests
 * (architecture §1, §3.8).
 */
@Injectable()
export class CommitSends {
  readonly server: DatabaseServer | undefined;
  private readonly accepted;
  private readonly ofAccounts;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: SendRequestStore,
    private readonly idempotency: Idempotency,
    private readonly usage: UsageCounter,
    private readonly suppressed: SuppressedRecipients,
    private readonly contents: DropContent,
    metrics: Metrics,
  ) {
    this.server = serverOf(dataSource);
    this.accepted = metrics.counter('postmesh_messages_accepted_total', 'Messages accepted and stored', [
      'kind',
    ]);
    this.ofAccounts = new TopAccounts(metrics, {
      name: 'postmesh_account_accepted',
      help: 'Messages accepted in the last minute, of the accounts with most of them in this process',
    });
  }

  /**
   * @param read the requests to be stored, read within the transaction
   * @returns per request whether it fits into its credit; and the stored rows of those that fit
   */
  async execute(read: (tx: EntityManager) => Promise<readonly PendingSend[]>): Promise<CommittedSends> {
    const committed = await this.usage.withSlot((slot) =>
      this.dataSource.transaction(async (tx) => {
        const sends = await read(tx);
        const fits = await this.admit(tx, sends);
        const accepted = sends.filter((_, nth) => fits[nth]);
        return { fits, stored: await this.insert(tx, accepted, slot) };
      }),
    );
    this.count(committed.stored);
    this.contents.done(committed.stored.filter(hasEnded).map(({ row }) => row.id));
    return committed;
  }

  private count(stored: readonly SendRequest[]): void {
    for (const { row, messages } of stored) {
      this.accepted.inc({ kind: row.kind }, messages.length);
      this.ofAccounts.count(row.accountId, '', messages.length);
    }
  }

  private async admit(tx: EntityManager, sends: readonly PendingSend[]): Promise<boolean[]> {
    const capped = sends.filter(hasLimit);
    const fits = await this.usage.admit(tx, capped.flatMap(toClaim));
    const verdicts = new Map(capped.map((send, nth) => [send, fits[nth] === true]));
    return sends.map((send) => verdicts.get(send) ?? true);
  }

  /**
   * Independent statements are sent together: queries and contents, then everything else. The event is the last one: on
   * the embedded bus, commits of one stream are serialised from there on.
   */
  private async insert(
    tx: EntityManager,
    sends: readonly PendingSend[],
    slot: number,
  ): Promise<readonly SendRequest[]> {
    const accepted = sends.map(({ sendRequest }) => sendRequest);
    const [sendRequests] = await Promise.all([
      this.suppressed.end(tx, accepted),
      this.store.joinContents(tx, accepted),
    ]);
    const ended = sends.map((send) => send.ended()).filter((run) => run !== undefined);
    await Promise.all([
      ended.length > 0 && this.idempotency.completeMany(tx, ended),
      this.store.insertRows(tx, sendRequests),
      this.usage.count(tx, sends.flatMap(toClaim), slot),
      recordFacts(tx, acceptedFacts(sendRequests)),
    ]);
    await this.store.addEvents(tx, sendRequests);
    return sendRequests;
  }
}

export interface CommittedSends {
  fits: readonly boolean[];
  stored: readonly SendRequest[];
}

/** Makes accepted requests durable: concurrent requests share one commit. */
@Injectable()
export class SendRequestWriter {
  private readonly group: GroupCommit<PendingSend, boolean>;
  /** accounts with a limit lock their family until the commit: requests of other accounts must not wait for that */
  private readonly cappedGroup: GroupCommit<PendingSend, boolean>;

  constructor(
    private readonly store: SendRequestStore,
    commits: CommitSends,
    private readonly senders: OtherSenders,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    const { server } = commits;
    const limits = { maxWeight: MAX_GROUP_WEIGHT, maxPending: MAX_PENDING, gatherMs: GATHER_MS };
    const options = { ...limits, weightOf, server };
    const commit = async (sends: readonly PendingSend[]) =>
      (await commits.execute(() => Promise.resolve(sends))).fits;
    this.group = new GroupCommit(commit, { ...options, flushers: 2 });
    this.cappedGroup = new GroupCommit(commit, { ...options, flushers: 1 });
  }

  /**
   * Stores a request that has passed every check. A sandbox send costs no credit (spec 1-platform §10.4 rule 6).
   * Resolves and throws as `write` does.
   * @param ended the response to be stored with it
   */
  accept(
    request: AcceptedRequest,
    account: CreditFacts,
    ended: PendingSend['ended'] = () => undefined,
  ): Promise<void> {
    const credit = request.sandbox === null ? account : null;
    const { rawTexts } = this.settings;
    return this.write({ sendRequest: toSendRequest(request, { rawTexts }), credit, ended });
  }

  /**
   * Resolves after the commit: from then on the request is durable.
   * @throws ApiError 403 when it would pass the credit of the account or its family; nothing of it is stored then
   */
  async write(send: PendingSend): Promise<void> {
    this.senders.send();
    await this.store.putContents([send.sendRequest]);
    const admitted = await (hasLimit(send) ? this.cappedGroup : this.group).add(send);
    if (admitted) return;
    await this.store.dropContents([send.sendRequest]);
    throw monthlyLimitReached();
  }
}

/** All recipients are suppressed: no delivery is left. */
const hasEnded = ({ messages }: SendRequest): boolean =>
  messages.every(({ status }) => status === 'Suppressed');

export const hasLimit = ({ credit }: Pick<PendingSend, 'credit'>): boolean =>
  credit !== null && isCapped(credit);

function toClaim({ credit, sendRequest: { row, messages } }: PendingSend): UsageClaim[] {
  if (credit === null) return [];
  return [{ accountId: row.accountId, credit, count: messages.length, at: row.createdAt }];
}
