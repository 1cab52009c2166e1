import { DataSource } from 'typeorm';
import {
  MessageReceived,
  RAW_MESSAGE_TYPE,
  SMTP_ENVELOPE_HEADER,
  SubmissionResult,
  type InboundEnvelope,
} from '@postmesh/messages-contract';
import { InboundOwner, newId, type EventOf } from '@postmesh/contracts';
import { InternalClient, serviceTokenKeys, ServiceTokens } from '@postmesh/http';
import {
  recordEvents,
  startTestService,
  type RecordedEvents,
  type TestService,
} from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from './domain.js';

const SHOP_DOMAIN_ID = '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00';
/** An account that is deleted in the accounts service. */
export const DELETED_ACCOUNT_ID = '01980f3e-0000-7c11-a2d4-0c5f9e6b8aff';

export interface InboundUnderTest extends TestService {
  readonly received: RecordedEvents<EventOf<typeof MessageReceived>>;
  /** the accounts service's response for every account except the deleted one */
  readonly facts: Record<string, unknown>;
  /** hands in a message to ticket-9@shop.test of the default account; fields of the envelope are replaced */
  receive(raw: Buffer | string, envelope?: Partial<InboundEnvelope>): Promise<SubmissionResult>;
  owner(domain?: string, accountId?: string): InboundOwner;
  sql<Row>(text: string, parameters?: unknown[]): Promise<Row[]>;
}

/** The service with an accounts service that has all accounts, and a client like the gateway. */
export async function startInbound(
  databaseUrl: string,
  settings: Partial<Settings> = {},
): Promise<InboundUnderTest> {
  const facts: Record<string, unknown> = { ...FACTS };
  const under = await startTestService(MESSAGES_SERVICE, {
    databaseUrl,
    settings: { dnsServers: ['127.0.0.1:9'], ...settings },
    neighbours: {
      domains: () => ({ status: 200, body: DOMAIN }),
      accounts: ({ body }) => {
        const { account_ids } = body as { account_ids: string[] };
        const known = account_ids.filter((id) => id !== DELETED_ACCOUNT_ID);
        return {
          status: 200,
          body: { accounts: known.map((account_id) => ({ account_id, account: facts })) },
        };
      },
      'delivery-worker': () => ({ status: 404, body: {} }),
    },
  });
  const received = await recordEvents(under.bus, {
    streams: ['messages'],
    pick: (event) => (event.type === 'message-received' ? MessageReceived.parse(event as never) : undefined),
  });
  const { directory } = under.context;
  const client = new InternalClient(
    directory,
    new ServiceTokens(serviceTokenKeys(under.context.settings), 'gateway'),
  );
  const dataSource = under.service.get(DataSource);
  const owner = (domain = 'shop.test', accountId = under.accountId) =>
    InboundOwner.parse({ account_id: accountId, domain_id: SHOP_DOMAIN_ID, domain });
  return Object.assign(under, {
    received,
    facts,
    owner,
    sql: <Row>(text: string, parameters: unknown[] = []) =>
      dataSource.query(text, parameters) as Promise<Row[]>,
    receive: async (raw: Buffer | string, envelope: Partial<InboundEnvelope> = {}) => {
      const whole = {
        sender: 'zoe@mail.test',
        recipients: [{ address: 'ticket-9@shop.test', owners: [owner()] }],
        session: { id: newId(), client_ip: '192.0.2.7', helo: 'mail.test', tls: 'TLSv1.3' },
        ...envelope,
      };
      const request = {
        method: 'POST' as const,
        path: '/internal/inbound-messages',
        headers: { [SMTP_ENVELOPE_HEADER]: Buffer.from(JSON.stringify(whole)).toString('base64url') },
        raw: { bytes: Buffer.from(raw as string, 'latin1'), contentType: RAW_MESSAGE_TYPE },
      };
      const result = await client.request('messages', request, SubmissionResult);
      if (!result) throw new Error('there is no such endpoint');
      return result;
    },
  });
}

const FACTS = {
  status: 'active',
  platform_partner: false,
  track_opens: false,
  track_clicks: false,
  reject_bad_recipients: false,
  reject_mistyped_recipients: false,
  message_metadata_retention: 7,
  message_data_retention: 7,
};
