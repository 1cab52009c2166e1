import type { AuthenticateResult } from 'mailauth';
import type { Verdict } from '../letters/letter.js';

type Signatures = AuthenticateResult['dkim']['results'];

const LONGEST_COMMENT = 200;
const MOST_SIGNATURES = 10;

/** Puts the verifier's findings into one word each (RFC 8601 §2.7) and a line of why. */
export function verdictOf({ spf, dkim, dmarc }: AuthenticateResult): Verdict {
  const signatures = (dkim.results ?? []).slice(0, MOST_SIGNATURES).map(signatureVerdict);
  return {
    spf: spf === false ? 'none' : spf.status.result,
    dkim: dkimWord(signatures.map(({ result }) => result)),
    dmarc: dmarc === false ? 'none' : dmarc.status.result,
    details: {
      spf: spf === false ? '' : brief(spf.status.comment),
      dkim: signatures.filter(({ domain }) => domain !== ''),
      dmarc: dmarc === false ? '' : brief(policyLine(dmarc.policy, dmarc.domain)),
    },
  };
}

/** What is said when the verifier itself failed. */
export function verdictOfFailure(reason: string): Verdict {
  const details = { spf: brief(reason), dkim: [], dmarc: '' };
  return { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror', details };
}

/** One good signature is enough (RFC 6376 §6.1); without it the first one speaks. */
function dkimWord(results: readonly string[]): string {
  return results.includes('pass') ? 'pass' : (results[0] ?? 'none');
}

function signatureVerdict(signature: NonNullable<Signatures>[number]): Verdict['details']['dkim'][number] {
  const comment = brief(signature.status.comment);
  return {
    domain: brief(signature.signingDomain),
    selector: brief(signature.selector),
    // mailauth calls a changed body "neutral"; a signature that did not verify is a fail (RFC 8601 §2.7.1).
    result: comment === 'body hash did not verify' ? 'fail' : signature.status.result,
    comment,
  };
}

function policyLine(policy: unknown, domain: unknown): string {
  return `${typeof domain === 'string' ? domain : ''} p=${typeof policy === 'string' ? policy : 'none'}`.trim();
}

function brief(text: unknown): string {
  return typeof text === 'string' ? text.slice(0, LONGEST_COMMENT) : '';
}
