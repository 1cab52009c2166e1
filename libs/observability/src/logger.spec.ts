import { QueryFailedError } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { createLogger, maskAddress } from './index.js';

function logged(fields: object): string {
  let line = '';
  const stream = { write: (text: string) => void (line += text) };
  createLogger({ logLevel: 'info' }, 'test', stream).error(fields, 'something happened');
  return line;
}

describe('a log line', () => {
  it.each(['authorization', 'password', 'secret', 'secret_key', 'api_key', 'token'])(
    'holds no %s',
    (name) => {
      expect(logged({ [name]: 'hush', request: { [name]: 'hush' } })).not.toContain('hush');
    },
  );

  it('of a failed statement has the statement and the reason, not its parameters', () => {
    const driver = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'Key (email)=(ann@mail.test) already exists.',
      where: 'unnamed portal with parameters: $1 = ann@mail.test',
    });
    const line = logged({ err: new QueryFailedError('insert into messages', ['ann@mail.test'], driver) });
    expect(line).toContain('insert into messages');
    expect(line).toContain('duplicate key');
    expect(line).toContain('23505');
    expect(line).not.toContain('ann@mail.test');
  });

  it('of a lost connection does not contain the database client', () => {
    const lost = Object.assign(new Error('terminating connection'), { client: { secretKey: 4711 } });
    expect(logged({ err: lost })).not.toContain('4711');
    const failed = new QueryFailedError('select 1', [], lost);
    expect(logged({ err: failed })).not.toContain('4711');
  });

  it('masks addresses', () => {
    expect(maskAddress('ann@mail.test')).toBe('a***@mail.test');
    expect(maskAddress('nonsense')).toBe('***');
  });

  it('is JSON with the process, and hides secrets', () => {
    const lines: string[] = [];
    const logger = createLogger({ logLevel: 'info' }, 'gateway', { write: (line) => void lines.push(line) });
    logger.info({ request: { authorization: 'Bearer pm-sk-1' }, password: 'p', id: 7 }, 'request served');
    const line = JSON.parse(lines[0] ?? '{}') as Record<string, unknown>;
    expect(line).toMatchObject({ level: 'info', process: 'gateway', id: 7, msg: 'request served' });
    expect(lines[0]).not.toContain('pm-sk-1');
    expect(line['password']).toBe('[hidden]');
  });
});
