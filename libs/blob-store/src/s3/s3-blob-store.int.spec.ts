import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { failureKind } from '@postmesh/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBlobStore, type BlobStore } from '../index.js';

// Behaviour that a healthy server never shows; the conformance suite runs against a healthy one.

type Step = (request: IncomingMessage, response: ServerResponse) => void;

const BYTES = Buffer.from('some content');
const xml = (status: number, code: string): Step =>
  respond(status, `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
const cutOff: Step = (_request, response) => {
  response.writeHead(200, { 'content-length': BYTES.length });
  response.write(BYTES.subarray(0, 4), () => response.destroy());
};
const hangUp: Step = (request) => request.socket.destroy();

function respond(status: number, body: string | Buffer = ''): Step {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(body);
  };
}

let server: Server;
let store: BlobStore;
/** the server's next responses; the last one repeats */
let steps: Step[] = [];
let asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    asked.push(request.method ?? '');
    const step = steps.length > 1 ? steps.shift() : steps[0];
    request.once('end', () => (step ?? respond(200))(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  store = await createBlobStore({
    driver: 's3',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    bucket: 'content',
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    pathStyle: true,
    prefix: '',
  });
});
afterAll(async () => {
  await store?.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  steps = [];
  asked = [];
});

const id = randomUUID();
const put = () => store.put([{ id, bytes: BYTES }]);
const kindOf = (work: Promise<unknown>) => work.then(() => 'done', failureKind);

describe('a server that has trouble', () => {
  it.each([
    ['is asked again after SlowDown', xml(503, 'SlowDown')],
    ['is asked again after a broken connection', hangUp],
  ])('%s', async (_what, trouble) => {
    steps = [trouble, respond(200)];
    await put();
    expect(asked).toEqual(['PUT', 'PUT']);
  });

  it('gives a content that broke off once more', async () => {
    // in chunks, as behind some proxies
    steps = [cutOff, respond(200, BYTES)];
    expect((await store.get([id])).get(id)).toEqual(BYTES);
    expect(asked).toEqual(['GET', 'GET']);
  });

  it('only delays a send and a delivery when it lasts', async () => {
    steps = [hangUp];
    expect(await kindOf(put())).toBe('transient');
    expect(await kindOf(store.get([id]))).toBe('transient');
    expect(await kindOf(store.delete([id]))).toBe('transient');
    expect(await store.ready()).toBe(false);
    steps = [respond(200)];
    expect(await store.ready()).toBe(true);
  });

  it('that rejects access is not retried: an operator has to act', async () => {
    steps = [xml(403, 'AccessDenied')];
    expect(await kindOf(put())).toBe('bug');
    expect(asked).toEqual(['PUT']);
  });

  it('that fails to delete a key makes the deletion fail as transient', async () => {
    const kept = `<DeleteResult><Error><Key>${id}</Key><Code>InternalError</Code></Error></DeleteResult>`;
    steps = [respond(200, kept)];
    expect(await kindOf(store.delete([id]))).toBe('transient');
  });
});
