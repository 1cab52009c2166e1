import { loadSettings } from '@postmesh/settings';
import { describe, expect, it } from 'vitest';
import { acceptProcessCount, shareOf } from './accept-processes.rules.js';
import { processorsOf } from './processors.js';

describe('processes that accept', () => {
  it.each([
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 1],
    [5, 1],
    [6, 2],
    [8, 3],
    [10, 4],
    [64, 4],
  ])('of %i processors there are %i', (processors, count) => {
    expect(acceptProcessCount(loadSettings({}), processors)).toBe(count);
  });

  it('are as many as somebody says, and none where everything is in one thread', () => {
    expect(acceptProcessCount(loadSettings({ POSTMESH_ACCEPT_PROCESSES: '2' }), 1)).toBe(2);
    expect(acceptProcessCount(loadSettings({ POSTMESH_ACCEPT_PROCESSES: '0' }), 64)).toBe(0);
    expect(acceptProcessCount(loadSettings({ POSTMESH_WORKER_THREADS: 'off' }), 64)).toBe(0);
    expect(() => loadSettings({ POSTMESH_ACCEPT_PROCESSES: '9' })).toThrow('POSTMESH_ACCEPT_PROCESSES');
  });

  it('share what bounds all of them, and each has the least that it needs', () => {
    const settings = loadSettings({});
    const shared = shareOf(settings, 4);
    expect(4 * shared.bodyBytes).toBe(settings.bodyBytes);
    expect(4 * shared.smtpConnections).toBe(settings.smtpConnections);
    expect(shareOf(settings, 2).smtpLoginFailures).toBe(5);
    // as many as one session may have
    expect(shareOf(settings, 8).smtpLoginFailures).toBe(3);
    expect(shareOf(loadSettings({ POSTMESH_SMTP_LOGIN_FAILURES: '1' }), 8).smtpLoginFailures).toBe(1);
    expect(shareOf(loadSettings({ POSTMESH_BODY_BYTES: '6291456' }), 4).bodyBytes).toBe(6_291_456);
    expect(shareOf(loadSettings({ POSTMESH_SMTP_CONNECTIONS: '1' }), 4).smtpConnections).toBe(1);
  });

  it('have room for the largest body each, as far as one process alone has it', () => {
    const largeOf = (bytes: string, count: number) =>
      shareOf(loadSettings({ POSTMESH_LARGE_BYTES: bytes }), count).largeBytes;
    expect(largeOf('50331648', 1)).toBe(50_331_648);
    expect(largeOf('50331648', 4)).toBe(30_000_000);
    expect(largeOf('240000000', 4)).toBe(60_000_000);
    expect(largeOf('1048576', 4)).toBe(1_048_576);
  });
});

it.each([
  ['max 100000\n', Infinity],
  ['max', Infinity],
  ['', Infinity],
  ['200000 100000\n', 2],
  ['250000 100000\n', 2],
  ['50000 100000\n', 0],
  ['-1\n 100000\n', Infinity],
  ['200000\n 100000\n', 2],
])('a quota %j of a container is %d processors', (quota, processors) => {
  expect(processorsOf(quota)).toBe(processors);
});
