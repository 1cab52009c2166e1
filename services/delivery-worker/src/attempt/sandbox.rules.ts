import type { DeliveryOutcome, RemoteAnswer } from '@postmesh/contracts';

interface SandboxOutcome {
  outcome: DeliveryOutcome;
  answer: RemoteAnswer | null;
}

/** What a sandbox send is said to have met (spec 2-messages §10). */
const SANDBOX: Readonly<Record<string, SandboxOutcome>> = {
  deliver: {
    outcome: 'delivered',
    answer: { smtp_code: 250, enhanced_status_code: '2.0.0', response: 'OK: queued', command: 'DATA' },
  },
  bounce: {
    outcome: 'bounced',
    answer: {
      classification: 'InvalidRecipient',
      smtp_code: 550,
      enhanced_status_code: '5.1.1',
      response: 'simulated: no such user',
      command: 'RCPT TO',
    },
  },
  defer: {
    outcome: 'deferred',
    answer: {
      classification: 'TransientFailure',
      smtp_code: 452,
      enhanced_status_code: '4.2.2',
      response: 'simulated: mailbox full',
      command: 'RCPT TO',
    },
  },
  fail: { outcome: 'failed', answer: null },
  suppress: { outcome: 'suppressed', answer: null },
};

export function sandboxOutcome(result: string): SandboxOutcome {
  return SANDBOX[result] ?? (SANDBOX['deliver'] as SandboxOutcome);
}
