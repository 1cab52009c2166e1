import { createPublicKey } from 'node:crypto';
import { SecretBox } from '@postmesh/secrets';
import { testDatabase } from '@postmesh/testing';
import { WEBHOOK_DIALECT_NAMES } from '@postmesh/webhook-dialects';
import { memberOf } from '@postmesh/service-testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { startWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';

const database = testDatabase();
let under: WebhooksUnderTest;
beforeAll(async () => {
  under = await startWebhooks(database.url);
});
afterAll(() => under.stop());

const HOOK = { name: 'Hook', url: 'https://ann:secret@shop.test/hooks', scope: 'global', on_delivered: true };
const OURS = /^pm-whsec-/;

async function made(): Promise<{ id: string; secret: string }> {
  const { status, body } = await under.webhooks('POST', '', { body: HOOK });
  expect(status).toBe(201);
  return body;
}
const choose = (id: string, body: object, by = memberOf(under.accountId)) =>
  under.call('PUT', `/console/api/webhooks/${id}/dialect`, { body, principal: by });
const shown = (id: string, by = memberOf(under.accountId)) =>
  under.call('GET', `/console/api/webhooks/${id}/dialect`, { principal: by });

const withScopes = (scopes: string[]) => ({ ...memberOf(under.accountId), scopes });

async function target(id: string) {
  const { body } = await under.internal('POST', '/internal/webhook-targets', { webhook_ids: [id] });
  return body.targets[0];
}
const opened = (id: string, sealed: string) =>
  under.service.get(SecretBox).open(sealed, `webhook-dialect/${id}`);

describe('the dialect of a webhook', () => {
  it('is none at first, and the answers of the contract are the same in one', async () => {
    const { id, secret } = await made();
    expect(secret).toMatch(OURS);
    expect((await shown(id)).body).toEqual({
      object: 'webhook_dialect',
      webhook_id: id,
      dialect: null,
      public_key: null,
    });
    const before = await under.webhooks('GET', `/${id}`);
    expect((await target(id)).dialect).toBeUndefined();
    expect((await choose(id, { dialect: 'resend' })).status).toBe(200);
    const after = await under.webhooks('GET', `/${id}`);
    expect(after.body).toEqual({ ...before.body, updated_at: after.body.updated_at });
    const renamed = await under.webhooks('PUT', `/${id}`, { body: { name: 'Other' } });
    expect(renamed.status).toBe(200);
    expect(await target(id)).toMatchObject({ url: HOOK.url, dialect: { name: 'resend' } });
  });

  it.each(WEBHOOK_DIALECT_NAMES)(
    '%s has a secret of its own, new with each choice, and shown once',
    async (name) => {
      const { id, secret } = await made();
      const first = await choose(id, { dialect: name });
      expect(first.body).toMatchObject({ object: 'webhook_dialect', webhook_id: id, dialect: name });
      const { dialect, sealed_secret: ours } = await target(id);
      expect(under.service.get(SecretBox).open(ours, `webhook/${id}`)).toBe(secret);
      if (name === 'postmark') {
        expect([first.body.secret, first.body.public_key, dialect.sealed_secret]).toEqual([null, null, null]);
        return;
      }
      const kept = opened(id, dialect.sealed_secret);
      if (name === 'sendgrid') {
        const key = createPublicKey({
          key: Buffer.from(first.body.public_key, 'base64'),
          format: 'der',
          type: 'spki',
        });
        expect(key.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
        expect([first.body.secret, first.text.includes(kept)]).toEqual([null, false]);
      } else expect(first.body.secret).toBe(kept);
      const again = await shown(id);
      expect(again.body).toEqual({
        object: 'webhook_dialect',
        webhook_id: id,
        dialect: name,
        public_key: first.body.public_key,
      });
      expect(again.text).not.toContain(kept);
      expect((await choose(id, { dialect: name })).body).not.toEqual(first.body);
      expect((await choose(id, { dialect: null })).body).toMatchObject({ dialect: null, secret: null });
      expect((await target(id)).dialect).toBeUndefined();
    },
  );

  it('takes the secret that a receiver has already', async () => {
    const { id } = await made();
    const given = { resend: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', mailgun: 'key-0123456789abcdef' };
    for (const [dialect, secret] of Object.entries(given)) {
      expect((await choose(id, { dialect, secret })).body).toMatchObject({ dialect, secret });
      expect(opened(id, (await target(id)).dialect.sealed_secret)).toBe(secret);
    }
  });

  it.each([
    [{ dialect: 'resend', secret: 'whsec_short' }, 'secret must be whsec_ and 24 to 64 bytes in base64'],
    [{ dialect: 'mailgun', secret: 'short' }, 'secret must be 16 to 128 visible ASCII characters'],
    [{ dialect: 'postmark', secret: 'a-secret-of-a-receiver' }, 'secret cannot be given for this dialect'],
    [{ dialect: 'sendgrid', secret: 'a-secret-of-a-receiver' }, 'secret cannot be given for this dialect'],
    [{ dialect: null, secret: 'a-secret-of-a-receiver' }, 'secret cannot be given for this dialect'],
  ])('refuses %j', async (body, message) => {
    const { id } = await made();
    const refused = await choose(id, body);
    expect([refused.status, refused.body.message]).toEqual([400, message]);
    expect((await shown(id)).body.dialect).toBeNull();
  });

  it('refuses a dialect that is none, and a request without one', async () => {
    const { id } = await made();
    expect((await choose(id, { dialect: 'ses' })).status).toBe(400);
    expect((await choose(id, {})).status).toBe(400);
  });

  it('is for those who may change the webhook', async () => {
    const { id } = await made();
    const body = { dialect: 'resend' };
    expect((await choose(id, body, withScopes(['webhooks:read:all']))).status).toBe(403);
    expect((await choose(id, body, withScopes(['webhooks:write:shop.test']))).status).toBe(403);
    expect((await shown(id, withScopes(['messages:read:all']))).status).toBe(403);
    expect((await choose(id, body, memberOf(newId()))).status).toBe(404);
    expect((await shown(id, memberOf(newId()))).status).toBe(404);
  });
});
