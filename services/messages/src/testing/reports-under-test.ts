import { DataSource } from 'typeorm';
import { DeliveryAttempted, type DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import { MessageAccepted, MessageChanged, SuppressionsChanged } from '@postmesh/messages-contract';
import { newId, type EventEnvelope, type EventOf } from '@postmesh/contracts';
import type { InternalRequest } from '@postmesh/http';
import { feedbackAddress, verpAddress } from '@postmesh/mail-format';
import {
  deliver,
  recordEvents,
  startTestService,
  type RecordedEvents,
  type TestService,
} from '@postmesh/service-testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { HandleReport, type ReportRecipient } from '../reports/handle-report.js';
import { DOMAIN } from './domain.js';

/** The service with domains whose addresses for reports are in `dsnRecipients`. */
export interface ReportsUnderTest extends TestService {
  readonly changes: RecordedEvents<EventOf<typeof MessageChanged>>;
  readonly accepted: RecordedEvents<EventOf<typeof MessageAccepted>>;
  readonly suppressions: RecordedEvents<EventOf<typeof SuppressionsChanged>>;
  /** by domain */
  readonly dsnRecipients: Map<string, string>;
  sql<Row = Record<string, unknown>>(text: string, parameters?: unknown[]): Promise<Row[]>;
  /** @returns ids of the records, in the order of the recipients; each is Delivered */
  delivered(kind: '' | '/conversation', recipients: readonly string[], more?: object): Promise<string[]>;
  /** consumes an outcome from the delivery worker */
  outcome(id: string, outcome: DeliveryOutcome, more?: object, accountId?: string): Promise<void>;
  report(kind: 'bounce' | 'feedback', recordId: string, raw: string): Promise<void>;
  /** to the address of feedback loops */
  feedback(raw: string): Promise<void>;
}

export async function startReports(databaseUrl: string): Promise<ReportsUnderTest> {
  const dsnRecipients = new Map<string, string>();
  const under = await startTestService(MESSAGES_SERVICE, {
    databaseUrl,
    neighbours: { domains: domainsService(dsnRecipients) },
  });
  const dataSource = under.service.get(DataSource);
  const sql: Sql = (text, parameters = []) => dataSource.query(text, parameters);
  const recorded = <T>(
    stream: 'messages' | 'suppressions',
    of: { type: string; parse(event: EventEnvelope): T },
  ) =>
    recordEvents(under.bus, {
      streams: [stream],
      pick: (event) => (event.type === of.type ? of.parse(event) : undefined),
    });
  const outcome: ReportsUnderTest['outcome'] = async (id, result, more = {}, account = under.accountId) =>
    deliver(under.service, [await attempted(sql, account, { ...more, message_id: id, outcome: result })]);
  return Object.assign(under, {
    changes: await recorded('messages', MessageChanged),
    accepted: await recorded('messages', MessageAccepted),
    suppressions: await recorded('suppressions', SuppressionsChanged),
    dsnRecipients,
    sql,
    outcome,
    delivered: async (kind: '' | '/conversation', recipients: readonly string[], more: object = {}) => {
      const ids = await send(under, sql, { kind, recipients, more });
      for (const id of ids) await outcome(id, 'delivered');
      return ids;
    },
    report: (kind: 'bounce' | 'feedback', recordId: string, raw: string) =>
      report(under, { kind, recordId, raw }),
    feedback: (raw: string) =>
      handle(under, { address: 'fbl@rp.postmesh.test', report: 'feedback-loop' }, raw),
  });
}

type Sql = ReportsUnderTest['sql'];

const domainsService =
  (dsnRecipients: ReadonlyMap<string, string>) =>
  ({ path, body }: InternalRequest) => {
    const factsOf = (domain: string) => ({ ...DOMAIN, domain });
    const name = path.split('/').at(-1) ?? '';
    if (name === 'system-domain') return { status: 200, body: factsOf('svc.test') };
    if (name !== 'find') return { status: 200, body: factsOf(name) };
    const { domains } = body as { domains: string[] };
    const found = domains.map((domain) => ({
      ...factsOf(domain),
      dsn_recipient: dsnRecipients.get(domain),
    }));
    return { status: 200, body: found };
  };

async function attempted(
  sql: Sql,
  account_id: string,
  more: { message_id: string; outcome: DeliveryOutcome },
) {
  const [row] = await sql<{ domain: string; recipient: string }>(
    `select s.domain, m.recipient from messages m join send_requests s on s.id = m.send_request_id where m.id = $1`,
    [more.message_id],
  );
  const [example] = DeliveryAttempted.examples;
  if (!example) throw new Error('the event has no example');
  return DeliveryAttempted.make({ ...example, ...row, ...more }, { account_id });
}

async function send(
  under: TestService,
  sql: Sql,
  { kind, recipients, more }: { kind: '' | '/conversation'; recipients: readonly string[]; more: object },
): Promise<string[]> {
  const addresses = recipients.map((email) => ({ email }));
  const body = {
    from: { email: 'news@shop.test' },
    ...(kind === '' ? { recipients: addresses } : { to: addresses }),
    subject: 'Your order',
    text_content: 'Hello',
    ...more,
  };
  const sent = await under.call('POST', `/v2/accounts/${under.accountId}/messages${kind}`, { body });
  if (sent.status !== 202) throw new Error(JSON.stringify(sent.body));
  const first = String(sent.body.data[0].id).replace(/^<|@.*$/g, '');
  const rows = await sql<{ id: string; recipient: string }>(
    'select id, recipient from messages where id = $1 or send_request_id = $1',
    [first],
  );
  return recipients.map((email) => rows.find(({ recipient }) => recipient === email)?.id ?? '');
}

export function report(
  under: TestService,
  { kind, recordId, raw }: { kind: 'bounce' | 'feedback'; recordId: string; raw: string },
): Promise<void> {
  const [key = ''] = under.context.settings.secretKeys;
  const address = (kind === 'bounce' ? verpAddress : feedbackAddress)(recordId, 'rp.shop.test', key);
  return handle(under, { address, report: kind, record_id: recordId }, raw);
}

function handle({ service }: TestService, recipient: ReportRecipient, raw: string): Promise<void> {
  return service.get(HandleReport).execute({
    recipients: [recipient],
    envelope: { sender: '' },
    raw: Buffer.from(raw.replace(/\r?\n/g, '\r\n')),
    receivedAt: new Date(),
  });
}

/** A report in the form of Postfix. */
export const dsn = (
  recipient: string,
  about: { action?: string; status?: string; diagnostic?: string; subject?: string } = {},
): string => {
  const { action = 'failed', status = '5.1.1', subject = newId() } = about;
  const { diagnostic = `550 ${status} no such user` } = about;
  return `From: Mail Delivery System <mailer-daemon@mx.mail.test>
To: b@rp.shop.test
Subject: Undelivered ${subject}
Message-ID: <${subject}@mx.mail.test>
Auto-Submitted: auto-replied
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: text/plain

It could not be delivered.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.mail.test

Final-Recipient: rfc822; ${recipient}
Action: ${action}
Status: ${status}
Remote-MTA: dns; inner.mail.test
Diagnostic-Code: smtp; ${diagnostic}

--b
Content-Type: text/rfc822-headers

Subject: Your order
--b--
`;
};

/** A complaint in the form of mailbox providers (RFC 5965). */
export const complaint = (
  feedbackType: string,
  recipient?: string,
  enclosed = '',
): string => `From: feedback@mail.test
Subject: Abuse
Message-ID: <${newId()}@mail.test>
Content-Type: multipart/report; report-type=feedback-report; boundary=b

--b
Content-Type: text/plain

Spam.
--b
Content-Type: message/feedback-report

Feedback-Type: ${feedbackType}
User-Agent: test/1
Version: 1
${recipient === undefined ? '' : `Original-Rcpt-To: <${recipient}>\n`}
--b
Content-Type: message/rfc822

Subject: Your order
${enclosed}
Hello
--b--
`;
