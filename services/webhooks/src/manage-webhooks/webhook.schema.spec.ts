import { describe, expect, it } from 'vitest';
import { parseFilters } from './webhook.schema.js';

describe('filters of the list', () => {
  it('are true or false', () => {
    expect(parseFilters({ enabled: 'true', on_failed: 'false', limit: '5' })).toEqual({
      enabled: true,
      on_failed: false,
    });
  });
  it.each(['TRUE', '1', 'yes'])('%j is refused', (value) => {
    expect(() => parseFilters({ on_dns_error: value })).toThrow(
      'invalid on_dns_error, must be true or false',
    );
  });
});
