import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '@postmesh/contracts';
import { API_DOCUMENT } from './api-document.js';

describe('the API document of messages', () => {
  it('describes each of its operations', () => {
    const own = Object.entries(OPERATIONS).filter(([, { service }]) => service === 'messages');
    expect(Object.keys(API_DOCUMENT).sort()).toEqual(own.map(([id]) => id).sort());
  });

  it.each(Object.keys(API_DOCUMENT).filter((id) => API_DOCUMENT[id as keyof typeof API_DOCUMENT]?.example))(
    'has an example that the schema takes: %s',
    (id) => {
      const { body, example } = API_DOCUMENT[id as keyof typeof API_DOCUMENT]!;
      expect(body!.safeParse(example).error).toBeUndefined();
    },
  );

  it('can be read without Nest', () => {
    const source = dirname(fileURLToPath(import.meta.url));
    const seen = new Set<string>();
    const visit = (file: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, 'utf8');
      expect(text, file).not.toMatch(/from '@nestjs|from '@postmesh\/service-host'/);
      for (const [, path] of text.matchAll(/^(?:import|export) (?!type\b)[^;]*? from '(\.[^']+)\.js';/gm)) {
        visit(join(dirname(file), `${path}.ts`));
      }
    };
    visit(join(source, 'api-document.ts'));
    expect(seen.size).toBeGreaterThan(5);
  });
});
