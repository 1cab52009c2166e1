import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DeliveryAttempted, type CancelDeliveriesRequest } from '@postmesh/delivery-worker-contract';
import { newId } from '@postmesh/contracts';
import { deliver, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from '../testing/domain.js';
import { Cancellations } from './cancellations.js';

type Asked = CancelDeliveriesRequest['deliveries'];

const database = testDatabase();
let messages: TestService;
/** requests to the delivery worker, and its responses: everything is canceled unless a test replaces them */
let asked: Asked[] = [];
let decide: (deliveries: Asked) => { status: number; body: unknown };
const cancelAll = (deliveries: Asked) => ({
  status: 200,
  body: { canceled: deliveries.map(({ id }) => id) },
});

beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, {
    databaseUrl: database.url,
    neighbours: {
      domains: () => ({ status: 200, body: DOMAIN }),
      'delivery-worker': ({ body }) => {
        const { deliveries } = body as CancelDeliveriesRequest;
        asked.push(deliveries);
        return decide(deliveries);
      },
    },
  });
});
afterAll(() => messages?.stop());
beforeEach(() => {
  asked = [];
  decide = cancelAll;
});

const query = (sql: string, parameters: unknown[] = []) =>
  messages.service.get(DataSource).query(sql, parameters);
const path = (reference: string) =>
  `/v2/accounts/${messages.accountId}/messages/${encodeURIComponent(reference)}`;
const cancel = (reference: string, scopes?: string[]) =>
  messages.call('DELETE', `${path(reference)}/cancel`, scopes ? { scopes } : {});
const read = async (reference: string) => (await messages.call('GET', path(reference))).body;

/** @returns the shared Message-ID of the recipients */
async function send(to = ['b@mail.test']): Promise<string> {
  const response = await messages.call('POST', `/v2/accounts/${messages.accountId}/messages/conversation`, {
    body: {
      from: { email: 'a@shop.test' },
      to: to.map((email) => ({ email })),
      subject: 'Hello',
      text_content: 'x',
    },
  });
  expect(response.status).toBe(202);
  return response.body.data[0].id as string;
}
const idOf = (messageId: string) => messageId.slice(1, 37);
const idsOf = async (messageId: string): Promise<string[]> =>
  (
    await query('select id from messages where send_request_id = $1 or id = $1 order by id', [
      idOf(messageId),
    ])
  ).map(({ id }: { id: string }) => id);
const statusesOf = async (messageId: string) =>
  (await query('select status from messages where id = any($1) order by id', [await idsOf(messageId)])).map(
    ({ status }: { status: string }) => status,
  );
const attempted = (id: string, outcome: 'delivered' | 'deferred') =>
  deliver(messages.service, [
    DeliveryAttempted.make(
      { ...DeliveryAttempted.examples[0]!, message_id: id, outcome },
      { account_id: messages.accountId },
    ),
  ]);
const cancelled = { status: 200, body: { message: 'message cancelled successfully' } };
const refused = { status: 400, body: { message: 'message cannot be cancelled' } };
const finish = () => messages.service.get(Cancellations).finishLeftBehind(new AbortController().signal);
const leaveBehind = () => query(`update cancellations set wished_at = now() - interval '1 minute'`);

describe('a cancel (spec 2-messages §2.3)', () => {
  it('is decided by the delivery worker and stored, with an entry among the attempts', async () => {
    const id = await send();
    expect(await cancel(id)).toMatchObject(cancelled);
    expect(asked).toEqual([
      [
        {
          id: idOf(id),
          account_id: messages.accountId,
          send_request_id: idOf(id),
          accepted_at: expect.any(String),
        },
      ],
    ]);
    expect(await read(id)).toMatchObject({
      status: 'Canceled',
      num_attempts: 0,
      sent_at: null,
      delivery_attempts: [{ status: 'Cancellation', log: 'canceled before its first attempt' }],
    });
    expect(await query('select 1 from cancellations')).toEqual([]);
    expect(await cancel(id)).toMatchObject(refused);
    expect(asked).toHaveLength(1);
  });

  it('of a shared Message-ID cancels each that still can be', async () => {
    const id = await send(['a@mail.test', 'b@mail.test', 'c@mail.test']);
    const [first, second, third] = await idsOf(id);
    await attempted(first!, 'delivered');
    decide = () => ({ status: 200, body: { canceled: [third] } });
    expect(await cancel(id)).toMatchObject(cancelled);
    expect(asked[0]!.map((one) => one.id)).toEqual([second, third]);
    expect(await statusesOf(id)).toEqual(['Delivered', 'Received', 'Canceled']);
    decide = () => ({ status: 200, body: { canceled: [] } });
    expect(await cancel(id)).toMatchObject(refused);
  });

  it('of one id cancels only that one', async () => {
    const id = await send(['a@mail.test', 'b@mail.test']);
    const [, second] = await idsOf(id);
    expect(await cancel(second!)).toMatchObject(cancelled);
    expect(await statusesOf(id)).toEqual(['Received', 'Canceled']);
  });

  it('twice at once cancels once', async () => {
    const id = await send();
    const answers = await Promise.all([cancel(id), cancel(id), cancel(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect((await read(id)).delivery_attempts).toHaveLength(1);
  });

  it('of a tried message, of another domain, of an unknown message is refused', async () => {
    const id = await send();
    expect(await cancel(id, ['messages:cancel:{other.test}'])).toMatchObject({ status: 403 });
    expect(await cancel(id, ['messages:read:all'])).toMatchObject({ status: 403 });
    expect(await cancel('nonsense')).toMatchObject({ status: 400, body: { message: 'invalid message_id' } });
    expect(await cancel(newId())).toMatchObject({ status: 404, body: { message: 'message not found' } });
    await attempted(idOf(id), 'deferred');
    expect(await cancel(id)).toMatchObject(refused);
    expect(asked).toEqual([]);
  });

  it('that dies before the response is finished later, by a second request to the worker', async () => {
    const id = await send();
    decide = () => ({ status: 500, body: {} });
    expect((await cancel(id)).status).toBe(503);
    expect(await statusesOf(id)).toEqual(['Received']);
    decide = cancelAll;
    await finish();
    expect(await statusesOf(id)).toEqual(['Received']);
    await leaveBehind();
    await finish();
    expect(await statusesOf(id)).toEqual(['Canceled']);
    expect(await query('select 1 from cancellations')).toEqual([]);
  });

  it('that is too late at its second request changes nothing, and is forgotten', async () => {
    const id = await send();
    decide = () => ({ status: 500, body: {} });
    await cancel(id);
    decide = () => ({ status: 200, body: { canceled: [] } });
    await leaveBehind();
    await finish();
    expect(await statusesOf(id)).toEqual(['Received']);
    expect(await query('select 1 from cancellations')).toEqual([]);
  });
});
