import { SecretBox } from '@postmesh/secrets';
import { memberOf, rotateSecrets } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { expect, it } from 'vitest';
import { startWebhooks } from '../testing/webhooks-under-test.js';

const A = 'the-key-of-the-first-year-long-enough';
const B = 'the-key-of-the-second-year-long-enough';
const database = testDatabase();

it('signing secrets and stored responses stay readable after a rotation of the secret keys', async () => {
  const body = { name: 'Hook', url: 'https://u:password@shop.test/hooks', scope: 'global', on_opened: true };
  const headers = { 'idempotency-key': 'once' };
  const first = await startWebhooks(database.url, { secretKeys: [A] });
  const account_id = first.accountId;
  const made = await first.webhooks('POST', '', { body, headers });
  const path = `/console/api/webhooks/${made.body.id}/dialect`;
  const chosen = await first.call('PUT', path, {
    principal: memberOf(account_id),
    body: { dialect: 'resend' },
  });
  expect(chosen.status).toBe(200);
  const route = { name: 'Route', url: 'https://shop.test/in', recipient: '' };
  const routed = await first.routes('POST', '', { body: route });
  await first.stop();

  const both = await startWebhooks(database.url, { secretKeys: [B, A] });
  expect(await rotateSecrets(both)).toMatchObject({
    'webhook-secrets': { current: 1, older: 0, unreadable: 0, state: 'current' },
    'webhook-urls': { current: 1, older: 0, unreadable: 0, state: 'current' },
    'webhook-dialect-secrets': { current: 1, older: 0, unreadable: 0, state: 'current' },
    'route-secrets': { current: 1, older: 0, unreadable: 0, state: 'current' },
    'stored-responses': { current: 1, older: 0, unreadable: 0, state: 'current' },
  });
  await both.stop();

  const last = await startWebhooks(database.url, { secretKeys: [B] });
  const { id, secret } = made.body;
  const asked = await last.internal('POST', '/internal/webhook-targets', { webhook_ids: [id] });
  const [{ sealed_secret, url, dialect }] = asked.body.targets;
  expect(url).toBe(body.url);
  expect(new SecretBox([B]).open(sealed_secret, `webhook/${id}`)).toBe(secret);
  expect(new SecretBox([B]).open(dialect.sealed_secret, `webhook-dialect/${id}`)).toBe(chosen.body.secret);
  const routes = await last.internal('POST', '/internal/route-targets', { route_ids: [routed.body.id] });
  expect(new SecretBox([B]).open(routes.body.targets[0].sealed_secret, `route/${routed.body.id}`)).toBe(
    routed.body.secret,
  );
  const replayed = await last.webhooks('POST', '', { body, headers, account_id });
  expect([replayed.status, replayed.text]).toEqual([201, made.text]);
  await last.stop();
});
