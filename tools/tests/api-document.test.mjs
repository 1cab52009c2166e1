import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { closeAnswers } from '../api-fuzz/strict-document.mjs';
import { reached } from '../api-fuzz/reached.mjs';
import { API_DOCUMENT, EVENT_DOCUMENT, lintDocument } from '../api-lint.mjs';
import { root } from '../prepare.mjs';

const text = readFileSync(join(root, API_DOCUMENT), 'utf8');

describe('the API document', () => {
  it('passes an independent OpenAPI linter', async () => {
    assert.deepEqual(await lintDocument(root, API_DOCUMENT), []);
  });

  it('fails the linter where it is wrong', async () => {
    const broken = JSON.parse(text);
    const { get } = broken.paths['/v2/ping'];
    delete get.responses['200'].headers['x-request-id'];
    get.tags = ['Nothing'];
    broken.components.schemas.Unused = { type: 'strin' };
    const rules = (await lintDocument(root, API_DOCUMENT, JSON.stringify(broken))).map(
      (line) => /\((.*)\)$/.exec(line)?.[1],
    );
    for (const rule of [
      'response-contains-header',
      'operation-tag-defined',
      'no-unused-components',
      'struct',
    ]) {
      assert.ok(rules.includes(rule), `${rule} in ${rules.join(', ')}`);
    }
  });
});

describe('the document of the events', () => {
  const read = () => JSON.parse(readFileSync(join(root, EVENT_DOCUMENT), 'utf8'));

  it('passes an independent AsyncAPI linter', async () => {
    assert.deepEqual(await lintDocument(root, EVENT_DOCUMENT), []);
  });

  it('fails the linter where it is wrong', async () => {
    const broken = read();
    broken.operations['delivery-worker.intake'].action = 'listen';
    broken.channels.messages.messages.lost = { $ref: '#/components/messages/lost.v1' };
    broken.components.schemas.EventEnvelope.type = 'strin';
    const problems = await lintDocument(root, EVENT_DOCUMENT, JSON.stringify(broken));
    for (const part of ['intake/action', 'messages/lost', 'EventEnvelope/type'])
      assert.ok(
        problems.some((line) => line.includes(part)),
        `${part} in ${problems.join('\n')}`,
      );
  });

  it('has examples that match their messages, with the data of their event', () => {
    const { components } = read();
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'events', components });
    /** @type {[string, { examples: { payload: Record<string, unknown> }[] }][]} */
    const messages = Object.entries(components.messages);
    for (const [name, { examples }] of messages) {
      const fits = ajv.compile({ $ref: `events#/components/messages/${name}/payload` });
      assert.ok(examples.length > 0, name);
      for (const { payload } of examples) {
        assert.ok(fits(payload), `${name}: ${ajv.errorsText(fits.errors)}`);
        assert.ok(!fits({ ...payload, version: 99 }), name);
        assert.ok(!fits({ ...payload, data: {} }), name);
      }
    }
  });
});

describe('the document of the fuzzer', () => {
  const closed = closeAnswers(JSON.parse(text));
  const { schemas } = closed.components;

  it('allows no undescribed field in a response, at any depth', () => {
    assert.equal(schemas.Error.additionalProperties, false);
    assert.equal(schemas.Domain.additionalProperties, false);
    assert.equal(schemas.DnsRecord.additionalProperties, false);

    assert.equal(schemas.DomainPage.additionalProperties, false);
  });

  it('allows invalid entries of a batch, which fail no request and have outcomes of their own', () => {
    assert.deepEqual(schemas.BatchContactInput, {});
    assert.deepEqual(schemas.ListedContactInput, {});
    assert.equal(schemas.ContactsBatchBody.additionalProperties, false);
    assert.equal(JSON.parse(text).components.schemas.BatchContactInput.type, 'object');
  });

  it('leaves the committed one open, so that clients expect more fields', () => {
    assert.equal(JSON.parse(text).components.schemas.Domain.additionalProperties, undefined);
  });
});

describe('a run of the fuzzer', () => {
  it('names the operations that never succeeded', () => {
    const paths = {
      '/v2/things': { get: { operationId: 'list' }, post: { operationId: 'create' } },
      '/v2/things/{id}': { get: { operationId: 'get' } },
      '/v2/things/usage': { get: { operationId: 'usage' } },
    };
    const entry = (method, path, status) => ({
      request: { method, url: `http://localhost:1${path}` },
      response: { status },
    });
    const entries = [
      entry('GET', '/v2/things?limit=1', 200),
      entry('POST', '/v2/things', 400),
      entry('GET', '/v2/things/usage', 200),
      entry('PATCH', '/v2/things/1', 200),
    ];
    assert.deepEqual(reached({ paths }, entries), { answers: 4, untouched: ['create', 'get'] });
  });
});
