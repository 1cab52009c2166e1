import { ApiErrors, Transient } from '@postmesh/contracts';
import { describe, expect, it } from 'vitest';
import { createLogger } from './index.js';
import { RepeatedFailures } from './repeated-failures.js';

const away = (code: string) => Object.assign(new Error('no'), { code });

describe('log lines about an outage', () => {
  it('are logged once in half a minute for each event and cause, with the number of omitted lines', () => {
    let now = 0;
    const failures = new RepeatedFailures(() => now);
    const told = (event: string, err: unknown) => failures.admit({ event, err });
    expect(told('queue.claim_failed', away('57P03'))).toMatchObject({ event: 'queue.claim_failed' });
    for (let nth = 0; nth < 700; nth += 1) {
      expect(told('queue.claim_failed', away(nth % 2 ? 'ECONNREFUSED' : '57P01'))).toBeUndefined();
    }
    expect(told('request.failed', away('57P03'))).toBeDefined();
    expect(told('queue.claim_failed', away('53100'))).toBeDefined();
    expect(told('queue.claim_failed', away('ENOSPC'))).toBeUndefined();
    now = 30_000;
    expect(told('queue.claim_failed', away('57P03'))).toMatchObject({ left_out: 700 });
    now = 60_000;
    expect(told('queue.claim_failed', away('57P03'))).not.toHaveProperty('left_out');
  });

  it('are logged for each service that does not respond', () => {
    const failures = new RepeatedFailures(() => 0);
    const told = (text: string) => failures.admit({ event: 'delivery.unprepared', err: new Transient(text) });
    expect(told('messages responded 503')).toBeDefined();
    expect(told('messages responded 503')).toBeUndefined();
    expect(told('domains responded 503')).toBeDefined();
  });

  it.each([
    ['a bug', new Error('undefined is not a function')],
    ['a response', ApiErrors.invalidKey()],
    ['a deadlock', away('40P01')],
    ['a statement that took too long', away('57014')],
  ])('are no others: %s is told each time', (_what, err) => {
    const failures = new RepeatedFailures(() => 0);
    for (let nth = 0; nth < 3; nth += 1)
      expect(failures.admit({ event: 'request.failed', err })).toBeDefined();
  });

  it('are counted across all loggers of a process', () => {
    const lines: string[] = [];
    const logger = createLogger({ logLevel: 'info' }, 'test', { write: (line) => void lines.push(line) });
    const parts = [logger, logger.child({ service: 'domains' }), logger.child({ service: 'messages' })];
    for (const part of parts)
      part.warn({ event: 'outbox.publish_failed', err: away('57P03') }, 'interrupted');
    parts[0]?.warn('a line of text alone');
    parts[0]?.warn({ event: 'outbox.published' }, 'no failure');
    expect(lines).toHaveLength(3);
  });
});
