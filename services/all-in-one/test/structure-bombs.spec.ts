import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '@postmesh/contracts';
import { Installation } from './installation.js';

// The heap of all services in one process: less than the chart gives to the smallest of them alone (512Mi).
const HEAP_MB = 384;
const LARGEST = 28_000_000;
const UUID = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a00';
const TOO_DEEP = { message: 'request body is nested too deeply' };
const TOO_MANY = { message: 'request body has too many values' };

const deep = (bytes: number): string => `{"a":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`;
const wide = (bytes: number): string => `{"a":[${'[],'.repeat(bytes / 3)}[]]}`;

let postmesh: Installation;
beforeAll(async () => {
  postmesh = await Installation.create({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });
  await postmesh.start();
});
afterAll(() => postmesh?.remove());

/** Every operation that may have a body, on resources that do not exist. */
const writes = Object.values(OPERATIONS)
  .filter(({ method }) => method !== 'GET')
  .map(({ method, path }) => ({
    method,
    path: path
      .replace('/v2/accounts/{account_id}', '{A}')
      .replace('{domain}', 'bomb.test')
      .replaceAll(/\{(?!A\})\w+\}/g, UUID),
  }));

/** Median response time of a client that sends nothing else, ms: of 20 requests, and until another task ends. */
async function median(isOver = () => true): Promise<number> {
  const times: number[] = [];
  while (times.length < 20 || !isOver()) {
    const begin = performance.now();
    expect((await postmesh.api('GET', '{A}/domains')).status).toBe(200);
    times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}

describe('spec 1-platform §1.4: a body whose structure is a bomb', () => {
  it('hurts no operation that takes a body', async () => {
    const body = deep(200_000);
    let read = 0;
    for (const { method, path } of writes) {
      const { status, body: answer } = await postmesh.api(method, path, body);
      expect([path, status < 500]).toEqual([path, true]);
      if (status === 400 && answer.message === TOO_DEEP.message) read += 1;
    }
    // the others take no body, or are refused before it is read
    expect(read).toBeGreaterThan(30);
  });

  it('of the largest size is refused within the time of reading it', async () => {
    expect(await postmesh.api('POST', '{A}/messages', deep(LARGEST))).toMatchObject({
      status: 400,
      body: TOO_DEEP,
    });
    expect(await postmesh.api('POST', '{A}/contacts/batch', wide(LARGEST))).toMatchObject({
      status: 400,
      body: TOO_MANY,
    });
  });

  it('is refused by the operator interface, and line by line in an import', async () => {
    const { operator_url: url, operator_token: token, account_id: account } = postmesh.credentials;
    const operator = async (path: string, body: string, type = 'application/json') => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': type };
      const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
      return { status: response.status, body: await response.json() };
    };
    expect(await operator('/operator/accounts/accounts', deep(400_000))).toEqual({
      status: 400,
      body: TOO_DEEP,
    });
    const lines = Array.from({ length: 20 }, () => deep(100_000)).join('\n');
    const path = `/operator/marketing/accounts/${account}/contact-imports`;
    expect((await operator(path, lines, 'application/x-ndjson')).status).toBe(202);
  });

  it('of MJML or HTML is refused, too', async () => {
    const mjml = (inside: string) =>
      `<mjml><mj-body><mj-section><mj-column>${inside}</mj-column></mj-section></mj-body></mjml>`;
    for (const content of [
      { mjml: mjml('<mj-text/>'.repeat(50_000)) },
      { mjml: mjml('<mj-wrapper>'.repeat(50_000)) },
      { html: '<b>'.repeat(200_000) },
    ]) {
      const { status, body } = await postmesh.api('POST', '{A}/templates', { name: 'Bomb', content });
      expect([status, body.message]).toEqual([
        400,
        expect.stringMatching(/it is nested too deeply|it has too many elements/),
      ]);
    }
  });

  it('of a megabyte, ten a second, delays no other client', async () => {
    const baseline = await median();
    const body = wide(1_000_000);
    const attack: Promise<unknown>[] = [];
    const timer = setInterval(() => attack.push(postmesh.api('POST', '{A}/messages', body)), 100);
    const during = await median(() => attack.length >= 15);
    clearInterval(timer);
    await Promise.all(attack);
    process.stdout.write(
      `\n  median during the attack ${during.toFixed(1)} ms, alone ${baseline.toFixed(1)} ms\n`,
    );
    expect(during).toBeLessThan(2 * baseline + 1_000);
  });

  it('has ended no process', async () => {
    expect((await postmesh.api('GET', '/v2/ping')).status).toBe(200);
    expect(postmesh.output).not.toMatch(/heap|out of memory/i);
    expect((await postmesh.stop()).code).toBe(0);
  });
});
