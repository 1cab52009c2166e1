import { randomUUID } from 'node:crypto';
import { SendBulkEmailCommand, SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { testDatabase } from '@postmesh/testing';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DoubleKey } from '../../testing/accounts-double.js';
import { takeReceived } from '../../testing/echo-service.js';
import { MODES, startGateway, type TestGateway } from '../../testing/start-gateway.js';

const database = testDatabase();
const SECRET = 'k3Yp9QxVw7Lm2RtZ8sHc4NbJ6uDfG1aEoTiPqWvX';

/** The SDK of AWS, with another endpoint and other credentials alone. */
const clientOf = (url: string, accessKeyId: string, secretAccessKey = SECRET) =>
  new SESv2Client({
    endpoint: url,
    region: 'eu-central-1',
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 1,
  });

const newAccessKey = () => ({ id: `AKPM${randomUUID().replaceAll('-', '').toUpperCase()}`, secret: SECRET });

const EMAIL = {
  FromEmailAddress: 'a@shop.test',
  Destination: { ToAddresses: ['b@mail.test'] },
  Content: { Simple: { Subject: { Data: 'Hi' }, Body: { Text: { Data: 'Grüße' } } } },
};

interface Signed {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** A request as the SDK signs it, which is not sent. */
async function signed(client: SESv2Client, given: typeof EMAIL = EMAIL): Promise<Signed> {
  const command = new SendEmailCommand(given);
  let caught: Signed | undefined;
  command.middlewareStack.add(
    () => (args) => {
      const { headers, body, path } = args.request as {
        headers: Signed['headers'];
        body: string;
        path: string;
      };
      caught = { headers, body, url: path };
      throw new Error('not sent');
    },
    { step: 'deserialize', priority: 'low' },
  );
  await client.send(command).catch(() => undefined);
  if (!caught) throw new Error('nothing was signed');
  return caught;
}

async function post(gateway: TestGateway, { url, headers, body }: Signed) {
  const response = await request(`${gateway.url}${url}`, { method: 'POST', headers, body });
  const text = await response.body.text();
  return {
    status: response.statusCode,
    type: response.headers['x-amzn-errortype'],
    body: JSON.parse(text) as unknown,
  };
}

describe('without ses in POSTMESH_DIALECTS', () => {
  it('its paths are 404, as all unknown ones below /v2', async () => {
    const gateway = await startGateway(database.url, 'in process', { dialects: ['resend'] });
    const key = gateway.accounts.addKey({ accessKey: newAccessKey() });
    for (const path of ['/v2/email/outbound-emails', '/v2/email/outbound-bulk-emails', '/v2/email']) {
      const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' };
      const { status, type, body } = await post(gateway, { url: path, headers, body: '{}' });
      expect([status, type, body]).toEqual([404, undefined, { message: 'not found' }]);
    }
    await gateway.stop();
  });
});

describe.each(MODES)('the dialect of Amazon SES, %s', (mode) => {
  let gateway: TestGateway;
  let key: DoubleKey;
  let accessKey: ReturnType<typeof newAccessKey>;
  let client: SESv2Client;
  beforeAll(async () => {
    gateway = await startGateway(database.url, mode, { dialects: ['ses'], bodyLimitBytes: 2_000_000 });
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    accessKey = newAccessKey();
    key = gateway.accounts.addKey({ accessKey });
    client = clientOf(gateway.url, accessKey.id);
    takeReceived();
  });

  it('a send reaches the service once, with our id in the response', async () => {
    const { MessageId } = await client.send(new SendEmailCommand(EMAIL));
    expect(MessageId).toMatch(/^[0-9a-f-]{36}$/);
    expect(takeReceived()).toHaveLength(1);
  });

  it('a signature without the hash of the body in a header covers the body, too', async () => {
    const { headers, ...rest } = await signed(client);
    expect(headers).toHaveProperty('x-amz-content-sha256');
    const other = rest.body.replace('Hi', 'Ho');
    expect(await post(gateway, { ...rest, headers, body: other })).toMatchObject({
      status: 403,
      type: 'InvalidSignatureException',
    });
    const { 'x-amz-content-sha256': _, ...without } = headers;
    const signedHeaders = without['authorization']!.replace('x-amz-content-sha256;', '');
    expect(
      await post(gateway, { ...rest, headers: { ...without, authorization: signedHeaders } }),
    ).toMatchObject({ status: 403, type: 'InvalidSignatureException' });
    expect(takeReceived()).toEqual([]);
    expect((await post(gateway, { ...rest, headers })).status).toBe(200);
  });

  it.each<[string, (given: Signed) => Signed]>([
    ['of another path', (given) => ({ ...given, url: '/v2/email/outbound-bulk-emails' })],
    ['with a query', (given) => ({ ...given, url: `${given.url}?a=b` })],
    [
      'of another time',
      (given) => ({ ...given, headers: { ...given.headers, 'x-amz-date': '20150830T123600Z' } }),
    ],
  ])('a request %s is refused', async (_, changed) => {
    expect(await post(gateway, changed(await signed(client)))).toMatchObject({
      status: 403,
      type: 'InvalidSignatureException',
    });
    expect(takeReceived()).toEqual([]);
  });

  it('another secret, an unknown access key and an API key in its place are refused', async () => {
    const send = (id: string, secret?: string) =>
      clientOf(gateway.url, id, secret).send(new SendEmailCommand(EMAIL));
    await expect(send(accessKey.id, `${SECRET}x`)).rejects.toMatchObject({
      name: 'InvalidSignatureException',
      $metadata: { httpStatusCode: 403 },
    });
    await expect(send(newAccessKey().id)).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
    const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' };
    expect(await post(gateway, { url: '/v2/email/outbound-emails', headers, body: '{}' })).toMatchObject({
      status: 403,
      type: 'MissingAuthenticationTokenException',
    });
    const ping = await request(`${gateway.url}/v2/ping`, {
      headers: { authorization: (await signed(client)).headers['authorization']! },
    });
    await ping.body.dump();
    expect(ping.statusCode).toBe(401);
    expect(takeReceived()).toEqual([]);
  });

  it('wrong signatures of a peer are failed authentications, and take no rate of the account', async () => {
    const own = newAccessKey();
    gateway.accounts.addKey({
      accessKey: own,
      rateLimits: { general: { per_second: 1, burst: 2 }, statistics: null },
    });
    const wrong = clientOf(gateway.url, own.id, 'wrong');
    const names = await Promise.all(
      Array.from({ length: 60 }, () =>
        wrong.send(new SendEmailCommand(EMAIL)).then(
          () => '',
          ({ name }: Error) => name,
        ),
      ),
    );
    expect(new Set(names)).toEqual(new Set(['InvalidSignatureException', 'TooManyRequestsException']));
    const right = clientOf(gateway.url, own.id);
    await expect.poll(() => right.send(new SendEmailCommand(EMAIL))).toHaveProperty('MessageId');
  });

  it('the IP allow list and the deletion of the API key count', async () => {
    const listed = newAccessKey();
    gateway.accounts.addKey({ accessKey: listed, allowList: ['192.0.2.1'] });
    await expect(clientOf(gateway.url, listed.id).send(new SendEmailCommand(EMAIL))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
    await client.send(new SendEmailCommand(EMAIL));
    await gateway.accounts.deleteKey(key);
    await expect(client.send(new SendEmailCommand(EMAIL))).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
    });
  });

  it.each<[object, string]>([
    [{ ConfigurationSetName: 'x' }, 'ConfigurationSetName is not supported: there are no configuration sets'],
    [{ Content: {} }, 'Content must have one of: Simple, Raw, Template'],
    [{ FromEmailAddress: undefined }, 'FromEmailAddress is required'],
    [{ Destination: undefined }, 'Destination is required'],
    [
      { Content: { Template: { TemplateName: 'x', TemplateData: '[' } } },
      'Content.Template.TemplateData must be the JSON of an object',
    ],
    [{ Content: { Raw: { Data: Buffer.from('no message') } } }, 'Content.Raw.Data must have a header From'],
  ])('%j is refused by name', async (more, message) => {
    await expect(client.send(new SendEmailCommand({ ...EMAIL, ...more }))).rejects.toMatchObject({
      name: 'BadRequestException',
      message,
    });
    expect(takeReceived()).toEqual([]);
  });

  it('errors of the checks before a signature have its form, too', async () => {
    const { url, headers, body } = await signed(client);
    const typed = { ...headers, 'content-type': 'text/csv' };
    expect(await post(gateway, { url, headers: typed, body })).toMatchObject({
      status: 400,
      type: 'BadRequestException',
      body: { message: 'content type must be application/json' },
    });
    const { 'content-length': _, ...open } = headers;
    expect(await post(gateway, { url, headers: open, body: ' '.repeat(2_000_001) })).toMatchObject({
      status: 413,
    });
    const token = { ...headers, 'x-amz-security-token': 'x' };
    expect(await post(gateway, { url, headers: token, body })).toMatchObject({
      body: { message: expect.stringContaining('x-amz-security-token is not supported') },
    });
  });

  it('a bulk send refuses too many entries, and an empty list', async () => {
    const bulk = (count: number) =>
      client.send(
        new SendBulkEmailCommand({
          FromEmailAddress: 'a@shop.test',
          DefaultContent: { Template: { TemplateName: 'x' } },
          BulkEmailEntries: Array.from({ length: count }, () => ({
            Destination: { ToAddresses: ['b@mail.test'] },
          })),
        }),
      );
    for (const count of [0, 51]) {
      await expect(bulk(count)).rejects.toMatchObject({
        name: 'BadRequestException',
        message: 'BulkEmailEntries must have 1 to 50 entries',
      });
    }
  });
});
