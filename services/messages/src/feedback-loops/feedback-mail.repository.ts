import type { EntityManager } from 'typeorm';
import { derivedId } from '@postmesh/contracts';
import { summaryOf } from '../inbound/inbound-headers.rules.js';
import type { RawReport } from '../reports/report-records.rules.js';

/** Counted complaints of one kind of writer. */
export interface FeedbackLoop {
  /** of docs/reports.md */
  form: string;
  /** about a known message */
  matched: number;
  unmatched: number;
  lastAt: Date;
}

/** Mail to the address of feedback loops without an effect. */
export interface FeedbackMail {
  id: string;
  /** its classification; `unknown` is no report */
  kind: string;
  sender: string;
  subject: string;
  receivedAt: Date;
}

// The address is public: stored mail is bounded in number, size and time.
const MAX_MAILS = 200;
const MAX_CONTENT_BYTES = 256 * 1024;
const KEPT_DAYS = 30;

type Database = Pick<EntityManager, 'query'>;

/** @param form of docs/reports.md: there are few */
export async function countFeedback(
  database: Database,
  { form, isMatched, at }: { form: string; isMatched: boolean; at: Date },
): Promise<void> {
  await database.query(COUNT, [form, isMatched ? 1 : 0, isMatched ? 0 : 1, at]);
}

/** Stores a mail without another record, once, and deletes the oldest. */
export async function keepFeedbackMail(
  database: Database,
  { raw, sender, receivedAt }: RawReport,
  kind: string,
): Promise<void> {
  const { author, subject } = summaryOf(raw);
  const clean = (text: string) => text.replaceAll('\0', '');
  await database.query(KEEP, [
    derivedId('feedback-mail', raw),
    kind,
    clean(author || sender),
    clean(subject),
    raw.subarray(0, MAX_CONTENT_BYTES),
    receivedAt,
  ]);
  await database.query(PRUNE, [MAX_MAILS, KEPT_DAYS]);
}

/** Writers by their last complaint, newest first. */
export const readFeedbackLoops = (database: Database): Promise<FeedbackLoop[]> =>
  database.query(
    `select form, matched::float8 as matched, unmatched::float8 as unmatched, last_at as "lastAt"
     from feedback_loops order by last_at desc, form`,
  );

/** Newest first. */
export const listFeedbackMail = (database: Database): Promise<FeedbackMail[]> =>
  database.query(
    `select id, kind, sender, subject, received_at as "receivedAt" from feedback_mail
     where received_at > now() - $1 * interval '1 day' order by received_at desc, id limit $2`,
    [KEPT_DAYS, MAX_MAILS],
  );

export async function findFeedbackMail(
  database: Database,
  id: string,
): Promise<(FeedbackMail & { content: Buffer }) | undefined> {
  const rows: (FeedbackMail & { content: Buffer })[] = await database.query(
    `select id, kind, sender, subject, received_at as "receivedAt", content from feedback_mail
     where id = $1 and received_at > now() - $2 * interval '1 day'`,
    [id, KEPT_DAYS],
  );
  return rows[0];
}

const COUNT = `
  insert into feedback_loops as known (form, matched, unmatched, last_at) values ($1, $2, $3, $4)
  on conflict (form) do update set matched = known.matched + excluded.matched,
    unmatched = known.unmatched + excluded.unmatched, last_at = greatest(known.last_at, excluded.last_at)`;

const KEEP = `
  insert into feedback_mail (id, kind, sender, subject, content, received_at) values ($1, $2, $3, $4, $5, $6)
  on conflict (id) do nothing`;

const PRUNE = `
  delete from feedback_mail where received_at < now() - $2 * interval '1 day' or id in (
    select id from feedback_mail order by received_at desc, id offset $1)`;
