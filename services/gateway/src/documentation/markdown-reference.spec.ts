import { OPERATIONS } from '@postmesh/contracts';
import { describe, expect, it } from 'vitest';
import { readApiDocument, type JsonSchema } from '../openapi/open-api.js';
import { markdownReference } from './markdown-reference.js';
import { fieldTable, row, typeOf } from './markdown-schema.js';

// Half of what a small model reads at once.
const MAX_PAGE = 64_000;

const document = readApiDocument();
const pages = markdownReference(document);
const texts = [...pages].filter(([path]) => path.endsWith('.md'));

describe('the reference as Markdown', () => {
  it('is the same each time, and each page is short enough to be read at once', () => {
    expect([...markdownReference(document)]).toEqual([...pages]);
    for (const [path, text] of pages) expect([path, text.length < MAX_PAGE]).toEqual([path, true]);
  });

  it.each(Object.entries(OPERATIONS))(
    'has %s on one page, with its scopes',
    (id, { method, path, scope }) => {
      const found = texts.filter(([, text]) => text.includes(`\`${method} ${path}\` (\`${id}\`)`));
      expect(found).toHaveLength(1);
      const [, section = ''] = found[0]?.[1].split(`(\`${id}\`)`) ?? [];
      const scopes = /^Scopes: (.*)$/m.exec(section)?.[1];
      if (scope.kind === 'static') for (const one of scope.scopes) expect(scopes).toContain(`\`${one}\``);
      if (scope.kind === 'family') expect(scopes).toContain(`\`${scope.family}:all\``);
    },
  );

  it('has every field of every object of the document, with what it is about', () => {
    const all = texts.map(([, text]) => text).join('\n');
    const visit = (schema: JsonSchema): void => {
      for (const [name, field] of Object.entries(
        (schema['properties'] ?? {}) as Record<string, JsonSchema>,
      )) {
        expect(all).toMatch(new RegExp(`^\\| \`(?:\\S+\\.)?${name.replaceAll('-', '\\-')}\` \\|`, 'm'));
        if (typeof field['description'] === 'string')
          expect(all).toContain(row(field['description']).slice(2, -2));
      }
    };
    Object.values(document.components.schemas).forEach(visit);
  });

  it('has every error of an operation, and an example of its body', () => {
    const text = pages.get('/docs/messages.md') ?? '';
    const send = text.split('(`messages.send`)')[1]?.split('\n## ')[0] ?? '';
    for (const status of ['400', '401', '403', '409', '413', '422', '429', '503'])
      expect(send).toMatch(new RegExp(`^\\| ${status} \\| \\S`, 'm'));
    const request = /```http\n[^]*?\n\n([^]*?)\n```/.exec(send)?.[1] ?? '';
    expect(JSON.parse(request)).toHaveProperty('recipients');
    expect(send).toContain('Idempotency-Key: <a new one');
  });

  it('has links and tables that hold', () => {
    for (const [path, text] of texts) {
      const prose = text.replace(/^```[^]*?^```/gm, '').replace(/`[^`\n]*`/g, '``');
      const anchors = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, title]) => title?.toLowerCase());
      for (const [, link = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (link.startsWith('#'))
          expect([path, anchors]).toEqual([path, expect.arrayContaining([link.slice(1)])]);
        else expect(pages.has(`/docs/${link}`)).toBe(true);
      }
      for (const [table = ''] of prose.matchAll(/(?:^\|.*\n?)+/gm)) {
        const widths = table
          .trim()
          .split('\n')
          .map((line) => line.split(/(?<!\\)\|/).length);
        expect(new Set(widths).size).toBe(1);
      }
    }
  });
});

describe('a schema', () => {
  it.each([
    [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Address' } }, 'list of [Address](#address)'],
    [{ enum: ['a', null] }, '`"a"` or `null`'],
    [
      { anyOf: [{ type: 'string' }, { anyOf: [{ type: 'null' }, { type: 'string' }] }] },
      'string or null or string',
    ],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'object with values: number'],
    [{ type: 'object', additionalProperties: false }, 'object'],
    [{}, 'any JSON'],
  ] as [JsonSchema, string][])('%j is %s', (schema, text) => {
    expect(typeOf(schema)).toBe(text);
  });

  it('has the fields within its fields, and its limits', () => {
    const address = {
      type: 'object',
      properties: { email: { type: 'string', maxLength: 9 } },
      required: ['email'],
    };
    const schema = {
      properties: { to: { type: 'array', items: address, minItems: 1, description: 'A | B\nC' } },
    };
    expect(fieldTable(schema).split('\n').slice(2)).toEqual([
      '| `to` | list of object |  | A \\| B C At least 1 items. |',
      '| `to[].email` | string | yes | At most 9 characters. |',
    ]);
  });
});
