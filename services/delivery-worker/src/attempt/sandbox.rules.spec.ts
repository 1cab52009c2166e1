import { expect, it } from 'vitest';
import { SandboxResult } from '@postmesh/contracts';
import { sandboxOutcome } from './sandbox.rules.js';

// spec 2-messages §10.3
it.each([
  [
    'deliver',
    'delivered',
    { smtp_code: 250, enhanced_status_code: '2.0.0', response: 'OK: queued', command: 'DATA' },
  ],
  [
    'bounce',
    'bounced',
    {
      classification: 'InvalidRecipient',
      smtp_code: 550,
      enhanced_status_code: '5.1.1',
      response: 'simulated: no such user',
      command: 'RCPT TO',
    },
  ],
  [
    'defer',
    'deferred',
    {
      classification: 'TransientFailure',
      smtp_code: 452,
      enhanced_status_code: '4.2.2',
      response: 'simulated: mailbox full',
      command: 'RCPT TO',
    },
  ],
  ['fail', 'failed', null],
  ['suppress', 'suppressed', null],
])('a sandbox send that asks for %s is %s', (result, outcome, reply) => {
  const simulated = sandboxOutcome(result);
  expect({ outcome: simulated.outcome, reply: simulated.reply }).toEqual({ outcome, reply });
  expect(simulated.counted).toBe(reply !== null);
});

it('every result that a client may ask for has an outcome of its own', () => {
  expect(new Set(SandboxResult.options.map((result) => sandboxOutcome(result).outcome)).size).toBe(5);
});

it('an unknown result of a newer version counts as delivered', () => {
  expect(sandboxOutcome('constructor').outcome).toBe('delivered');
});
