import { describe, expect, it } from 'vitest';
import { explainStartFailure, parsePostmasterFile } from './postmaster.js';

const full = '4711\n/data/cluster\n1763700000\n54321\n\n127.0.0.1\n  123 456\nready   \n';

describe('postmaster.pid', () => {
  it.each([
    ['complete', full, { pid: 4711, port: 54_321, status: 'ready' }],
    ['shutting down', full.replace('ready', 'stopping'), { pid: 4711, port: 54_321, status: 'stopping' }],
    ['half written', '4711\n/data/cluster\n', { pid: 4711, port: undefined, status: 'unknown' }],
    ['empty', '', undefined],
    ['single-user backend', '-4711\n', undefined],
    ['not a number', 'x\n', undefined],
    ['impossible port', full.replace('54321', '99999'), { pid: 4711, port: undefined, status: 'ready' }],
  ])('%s', (_name, text, expected) => {
    expect(parsePostmasterFile(text)).toEqual(expected);
  });
});

describe('why a start failed', () => {
  it.each([
    ['FATAL:  lock file "postmaster.pid" already exists', 'another-server'],
    ['FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use', 'another-server'],
    ['LOG:  could not bind IPv4 address "127.0.0.1": Address already in use', 'port-taken'],
    ['FATAL:  could not create any TCP/IP sockets', 'port-taken'],
    ['FATAL:  database files are incompatible with server', 'broken'],
    ['', 'broken'],
  ])('%s', (log, expected) => {
    expect(explainStartFailure(log)).toBe(expected);
  });
});
