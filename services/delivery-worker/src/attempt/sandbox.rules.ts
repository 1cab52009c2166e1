import type { SandboxResult } from '@postmesh/contracts';
import type { AttemptOutcome } from '../classify/attempt-outcome.rules.js';

type SandboxOutcome = Pick<AttemptOutcome, 'reply' | 'classification' | 'counted'> & {
  outcome: Exclude<AttemptOutcome['outcome'], 'postponed'>;
};

/** The outcome of a sandbox send (spec 2-messages §10). */
const SANDBOX: Readonly<Record<SandboxResult, SandboxOutcome>> = {
  deliver: {
    outcome: 'delivered',
    classification: null,
    counted: true,
    reply: { smtp_code: 250, enhanced_status_code: '2.0.0', response: 'OK: queued', command: 'DATA' },
  },
  bounce: {
    outcome: 'bounced',
    classification: 'InvalidRecipient',
    counted: true,
    reply: {
      classification: 'InvalidRecipient',
      smtp_code: 550,
      enhanced_status_code: '5.1.1',
      response: 'simulated: no such user',
      command: 'RCPT TO',
    },
  },
  defer: {
    outcome: 'deferred',
    classification: null,
    counted: true,
    reply: {
      classification: 'TransientFailure',
      smtp_code: 452,
      enhanced_status_code: '4.2.2',
      response: 'simulated: mailbox full',
      command: 'RCPT TO',
    },
  },
  fail: { outcome: 'failed', classification: 'MessageExpired', counted: false, reply: null },
  suppress: { outcome: 'suppressed', classification: null, counted: false, reply: null },
};

const KNOWN: ReadonlyMap<string, SandboxOutcome> = new Map(Object.entries(SANDBOX));

/** @param result as stored in the message's row; an unknown one of a newer version counts as delivered */
export const sandboxOutcome = (result: string): SandboxOutcome => KNOWN.get(result) ?? SANDBOX.deliver;
