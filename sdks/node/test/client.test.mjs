import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  IdempotencyMismatchError,
  InvalidRequestError,
  NoResponseError,
  NotFoundError,
  paginate,
  PermissionDeniedError,
  Postmesh,
  RateLimitError,
  ServerError,
} from '../src/index.ts';

const ACCOUNT = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';
const SENT = { object: 'list', data: [] };
const BODY = { from: { email: 'news@shop.test' }, recipients: [{ email: 'ann@mail.test' }], subject: 'Hi' };

const answer = (status, body = {}, headers = {}) => Response.json(body, { status, headers });
const lost = () => {
  throw new TypeError('fetch failed', { cause: new Error('other side closed') });
};

/** A client whose server gives these answers, one after the other, and what it was asked. */
function clientOf(t, answers, retries) {
  t.mock.method(Math, 'random', () => 0);
  const asked = [];
  const fetch = async (url, { method, headers, body }) => {
    const next = answers[Math.min(asked.length, answers.length - 1)];
    asked.push({
      method,
      url,
      key: headers.get('idempotency-key'),
      headers,
      body: body && JSON.parse(Buffer.from(body).toString()),
    });
    return next();
  };
  return {
    asked,
    postmesh: new Postmesh({
      baseUrl: 'https://mail.test/',
      apiKey: 'key',
      accountId: ACCOUNT,
      retries,
      fetch,
    }),
  };
}

describe('a request', () => {
  it('has the key, the account, and the body as it was given', async (t) => {
    const { postmesh, asked } = clientOf(t, [() => answer(202, SENT)]);
    assert.deepEqual(await postmesh.messages.send({ body: { ...BODY, tipo: 1 } }), SENT);
    assert.equal(asked[0].url, `https://mail.test/v2/accounts/${ACCOUNT}/messages`);
    assert.equal(asked[0].headers.get('authorization'), 'Bearer key');
    assert.deepEqual(asked[0].body, { ...BODY, tipo: 1 });
  });

  it('escapes path and query', async (t) => {
    const { postmesh, asked } = clientOf(t, [() => answer(200)]);
    await postmesh.contacts.get({ path: { id_or_email: 'a+b/c@mail.test' } });
    await postmesh.messages.list({ query: { subject: 'a&b', limit: 5 } });
    assert.ok(asked[0].url.endsWith('/contacts/a%2Bb%2Fc%40mail.test'));
    assert.ok(asked[1].url.endsWith('/messages?subject=a%26b&limit=5'));
  });

  it('needs address, key and account', () => {
    assert.throws(
      () => new Postmesh({ apiKey: 'key', accountId: ACCOUNT }),
      /baseUrl is missing.*POSTMESH_BASE_URL/,
    );
  });
});

describe('an idempotency key', () => {
  it('is new for each call, the same in its tries, and only where the operation takes one', async (t) => {
    const { postmesh, asked } = clientOf(t, [lost, () => answer(503), () => answer(202, SENT)]);
    await postmesh.messages.send({ body: BODY });
    await postmesh.messages.send({ body: BODY });
    await postmesh.domains.checkDns({ path: { domain: 'shop.test' } });
    const keys = asked.map(({ key }) => key);
    assert.match(keys[0], /^[0-9a-f-]{36}$/);
    assert.deepEqual(keys, [keys[0], keys[0], keys[0], keys[3], null]);
    assert.notEqual(keys[3], keys[0]);
  });

  it('of the caller stays', async (t) => {
    const { postmesh, asked } = clientOf(t, [() => answer(202, SENT)]);
    await postmesh.messages.send({ body: BODY, headers: { 'Idempotency-Key': 'order-17' } });
    assert.equal(asked[0].key, 'order-17');
  });
});

describe('retries', () => {
  it('end after maxTries with what was last', async (t) => {
    const { postmesh, asked } = clientOf(t, [() => answer(503, { message: 'busy' })], { maxTries: 3 });
    await assert.rejects(postmesh.messages.send({ body: BODY }), {
      name: 'ServerError',
      status: 503,
      message: 'busy',
    });
    assert.equal(asked.length, 3);
    const gone = clientOf(t, [lost], { maxTries: 2 });
    await assert.rejects(gone.postmesh.ping(), (error) => {
      assert.ok(error instanceof NoResponseError);
      assert.equal(error.message, 'no response after 2 tries: other side closed');
      return true;
    });
  });

  it('obey Retry-After, and end before a wait that is longer than maxSeconds', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    const limited = () => answer(429, {}, { 'retry-after': '7' });
    const { postmesh, asked } = clientOf(t, [limited, () => answer(202, SENT)]);
    const sent = postmesh.messages.send({ body: BODY });
    const turns = async () => {
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    };
    await turns();
    t.mock.timers.tick(6_999);
    await turns();
    assert.equal(asked.length, 1);
    t.mock.timers.tick(1);
    await sent;
    assert.equal(asked.length, 2);
    const brief = clientOf(t, [limited], { maxSeconds: 5 });
    await assert.rejects(brief.postmesh.messages.send({ body: BODY }), {
      name: 'RateLimitError',
      retryAfter: 7,
    });
    assert.equal(brief.asked.length, 1);
  });

  it('of a POST without a key come after 429 alone', async (t) => {
    const check = ({ postmesh }) => postmesh.domains.checkDns({ path: { domain: 'shop.test' } });
    for (const [first, count] of [
      [lost, 1],
      [() => answer(503), 1],
      [() => answer(429), 2],
    ]) {
      const client = clientOf(t, [first, () => answer(200)]);
      await check(client).catch(() => {});
      assert.equal(client.asked.length, count);
    }
  });

  it('wait for the first request of the key without its lease, and take any other 409 as it is', async (t) => {
    const busy = () => answer(409, {}, { 'retry-after': '300', 'idempotent-replayed': 'false' });
    const { postmesh, asked } = clientOf(t, [busy, busy, () => answer(202, SENT)]);
    await postmesh.messages.send({ body: BODY });
    assert.equal(asked.length, 3);
    const taken = clientOf(t, [() => answer(409, {}, { 'idempotent-replayed': 'true' })]);
    await assert.rejects(taken.postmesh.domains.create({ body: { domain: 'shop.test' } }), ConflictError);
    assert.equal(taken.asked.length, 1);
  });

  it('come after a body that breaks off, and not after the caller gave up', async (t) => {
    const broken = () =>
      new Response(new ReadableStream({ pull: (stream) => stream.error(new Error('reset')) }), {
        status: 202,
      });
    const { postmesh, asked } = clientOf(t, [broken, () => answer(202, SENT)]);
    assert.deepEqual(await postmesh.messages.send({ body: BODY }), SENT);
    assert.equal(asked.length, 2);
    const stop = new AbortController();
    const waiting = clientOf(t, [
      () => {
        stop.abort(new Error('enough'));
        return lost();
      },
    ]);
    await assert.rejects(waiting.postmesh.messages.send({ body: BODY, signal: stop.signal }), /enough/);
    assert.equal(waiting.asked.length, 1);
  });
});

describe('errors', () => {
  it('have a class for each status of the contract', async (t) => {
    const classes = {
      400: InvalidRequestError,
      401: AuthenticationError,
      403: PermissionDeniedError,
      404: NotFoundError,
      405: ApiError,
      409: ConflictError,
      413: InvalidRequestError,
      415: InvalidRequestError,
      422: IdempotencyMismatchError,
      429: RateLimitError,
      500: ServerError,
    };
    for (const [status, Kind] of Object.entries(classes)) {
      const { postmesh } = clientOf(
        t,
        [() => answer(Number(status), { message: 'why' }, { 'x-request-id': 'r-1' })],
        {
          maxTries: 1,
        },
      );
      await assert.rejects(postmesh.account.get(), (error) => {
        assert.equal(error.constructor, Kind);
        assert.deepEqual([error.message, error.status, error.requestId], ['why', Number(status), 'r-1']);
        return true;
      });
    }
  });

  it('name the scope that would do, and survive the page of a proxy', async (t) => {
    const scope = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="domains:read"' };
    const { postmesh } = clientOf(t, [() => answer(403, {}, scope)]);
    await assert.rejects(postmesh.domains.list(), { requiredScope: 'domains:read' });
    const proxied = clientOf(t, [() => new Response('<html>', { status: 502 })], { maxTries: 1 });
    await assert.rejects(proxied.postmesh.domains.list(), { message: 'status 502' });
  });
});

describe('pages', () => {
  const page = (data, next) => () =>
    answer(200, {
      object: 'list',
      data,
      pagination: { has_more: next !== undefined, next_cursor: next ?? null },
    });

  it('come as they are asked for', async (t) => {
    const { postmesh, asked } = clientOf(t, [page([1, 2], 'c1'), page([3], 'c2'), page([4])]);
    const seen = [];
    for await (const item of paginate((at) => postmesh.messages.list({ query: { tags: 'x', ...at } }))) {
      seen.push(item);
      if (item === 2) assert.equal(asked.length, 1);
    }
    assert.deepEqual(seen, [1, 2, 3, 4]);
    assert.deepEqual(
      asked.map(({ url }) => new URL(url).search),
      ['?tags=x', '?tags=x&after=c1', '?tags=x&after=c2'],
    );
  });

  it('end when the list leaves the cursor out', async (t) => {
    const { postmesh } = clientOf(t, [page([1], 'c1')]);
    const walk = async () => {
      for await (const _ of paginate(() => postmesh.messages.list())) continue;
    };
    await assert.rejects(walk(), /the next page is the same/);
  });
});
