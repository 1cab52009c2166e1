import { DataSource } from 'typeorm';
import {
  BounceReported,
  DeliveryAttempted,
  MessageAccepted,
  newId,
  SuppressionsChanged,
  type DeliveryOutcome,
  type EventEnvelope,
  type EventOf,
} from '@postmesh/contracts';
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

/** The service with domains whose senders want reports as `dsnRecipients` says. */
export interface ReportsUnderTest extends TestService {
  readonly bounces: RecordedEvents<EventOf<typeof BounceReported>>;
  readonly accepted: RecordedEvents<EventOf<typeof MessageAccepted>>;
  readonly suppressions: RecordedEvents<EventOf<typeof SuppressionsChanged>>;
  /** by domain */
  readonly dsnRecipients: Map<string, string>;
  sql<Row = Record<string, unknown>>(text: string, parameters?: unknown[]): Promise<Row[]>;
  /** @returns ids of the records, in the order of the recipients; each is Delivered */
  delivered(kind: '' | '/conversation', recipients: readonly string[], more?: object): Promise<string[]>;
  /** what became of a message, as the delivery worker says it */
  outcome(id: string, outcome: DeliveryOutcome, more?: object, accountId?: string): Promise<void>;
  report(kind: 'bounce' | 'feedback', recordId: string, raw: string): Promise<void>;
}

export async function startReports(databaseUrl: string): Promise<ReportsUnderTest> {
  const dsnRecipients = new Map<string, string>();
  const facts = (domain: string) => ({ ...DOMAIN, domain });
  const under = await startTestService(MESSAGES_SERVICE, {
    databaseUrl,
    neighbours: {
      domains: ({ path, body }) => {
        const name = path.split('/').at(-1) ?? '';
        if (name !== 'find')
          return { status: 200, body: facts(name === 'system-domain' ? 'svc.test' : name) };
        const { domains } = body as { domains: string[] };
        const found = domains.map((domain) => ({
          ...facts(domain),
          dsn_recipient: dsnRecipients.get(domain),
        }));
        return { status: 200, body: found };
      },
    },
  });
  const recorded = async <T>(streams: string[], pick: (event: EventEnvelope) => T | undefined) =>
    recordEvents(under.bus, { streams, pick });
  const ofType =
    <T>(type: string, parse: (event: EventEnvelope) => T) =>
    (event: EventEnvelope) =>
      event.type === type ? parse(event) : undefined;
  const dataSource = under.service.get(DataSource);
  const sql = <Row>(text: string, parameters: unknown[] = []) =>
    dataSource.query(text, parameters) as Promise<Row[]>;

  const outcome: ReportsUnderTest['outcome'] = async (
    id,
    result,
    more = {},
    account_id = under.accountId,
  ) => {
    const [row] = await sql<{ domain: string; recipient: string }>(
      `select s.domain, m.recipient from messages m join send_requests s on s.id = m.send_request_id where m.id = $1`,
      [id],
    );
    const example = DeliveryAttempted.examples[0]!;
    const data = { ...example, ...row, message_id: id, outcome: result, ...more };
    await deliver(under.service, [DeliveryAttempted.make(data, { account_id })]);
  };

  return Object.assign(under, {
    bounces: await recorded(
      ['messages'],
      ofType(BounceReported.type, (event) => BounceReported.parse(event)),
    ),
    accepted: await recorded(
      ['messages'],
      ofType(MessageAccepted.type, (event) => MessageAccepted.parse(event)),
    ),
    suppressions: await recorded(
      ['suppressions'],
      ofType(SuppressionsChanged.type, (event) => SuppressionsChanged.parse(event)),
    ),
    dsnRecipients,
    sql,
    outcome,
    delivered: async (kind: '' | '/conversation', recipients: readonly string[], more: object = {}) => {
      const body = {
        from: { email: 'news@shop.test' },
        ...(kind === ''
          ? { recipients: recipients.map((email) => ({ email })) }
          : { to: recipients.map((email) => ({ email })) }),
        subject: 'Your order',
        text_content: 'Hello',
        ...more,
      };
      const sent = await under.call('POST', `/v2/accounts/${under.accountId}/messages${kind}`, { body });
      if (sent.status !== 202) throw new Error(JSON.stringify(sent.body));
      const [first] = sent.body.data as { id: string }[];
      const header = first!.id.replace(/^<|@.*$/g, '');
      const rows = await sql<{ id: string; recipient: string }>(
        'select id, recipient from messages where id = $1 or send_request_id = $1',
        [header],
      );
      const ids = recipients.map((email) => rows.find(({ recipient }) => recipient === email)!.id);
      for (const id of ids) await outcome(id, 'delivered');
      return ids;
    },
    report: async (kind: 'bounce' | 'feedback', recordId: string, raw: string) => {
      const [key = ''] = under.context.settings.secretKeys;
      const address = (kind === 'bounce' ? verpAddress : feedbackAddress)(recordId, 'rp.shop.test', key);
      const to: ReportRecipient = { address, report: kind, record_id: recordId };
      await under.service.get(HandleReport).execute({
        recipients: [to],
        envelope: { sender: '' },
        raw: Buffer.from(raw.replace(/\r?\n/g, '\r\n')),
        receivedAt: new Date(),
      });
    },
  }) as unknown as ReportsUnderTest;
}

/** A report as Postfix writes it. */
export const dsn = (
  recipient: string,
  { action = 'failed', status = '5.1.1', diagnostic = `550 ${status} no such user`, subject = newId() } = {},
): string => `From: Mail Delivery System <mailer-daemon@mx.mail.test>
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

/** A complaint as mailbox providers write it (RFC 5965). */
export const complaint = (
  feedbackType: string,
  recipient?: string,
  letter = '',
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
${letter}
Hello
--b--
`;
