import type { DmarcReading } from '../dns/dmarc.rules.js';
import type { Lookup } from '../dns/dns-resolver.port.js';
import { parseTagList } from '../dns/tag-list.rules.js';
import { fault, ok, unknownState, warning, type CheckResult } from './check-result.js';
import { svgProblems } from './svg-profile.rules.js';

/** Mailbox providers take no larger logo. */
export const MAX_LOGO_BYTES = 32_768;

/** A logo as its server gave it. */
export type SeenLogo =
  | { readonly kind: 'found'; readonly contentType: string; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** The logo of a domain (draft-brand-indicators-for-message-identification). */
export interface SeenBimi {
  domain: string;
  /** `default._bimi.<domain>`, or that of the organisational domain */
  host: string;
  texts: Lookup<string>;
  /** undefined: no record names one that may be fetched */
  logo: SeenLogo | undefined;
  dmarc: DmarcReading;
  isInherited: boolean;
}

export interface BimiRecord {
  logo: string;
  certificate: string;
}

const isBimi = (text: string): boolean => /^v=BIMI1\s*(?:;|$)/.test(text.trim());

/** @returns undefined unless there is exactly one record, in the right form */
export function readBimi(texts: Lookup<string>): BimiRecord | undefined {
  const [only, ...more] = texts.kind === 'found' ? texts.values.filter(isBimi) : [];
  const tags = only === undefined || more.length > 0 ? undefined : parseTagList(only);
  return tags && { logo: tags.get('l') ?? '', certificate: tags.get('a') ?? '' };
}

/** The URL of the logo, if it may be fetched: https, no user, no password. */
export function logoUrl(record: BimiRecord | undefined): URL | undefined {
  const url = record && URL.canParse(record.logo) ? new URL(record.logo) : undefined;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url : undefined;
}

export function judgeBimi(seen: SeenBimi): CheckResult {
  const { host, texts } = seen;
  if (texts.kind === 'unknown')
    return unknownState('bimi', { text: `DNS gave no answer that could be judged: ${texts.reason}.` });
  const records = texts.kind === 'found' ? texts.values.filter(isBimi) : [];
  if (records.length === 0) {
    return ok('bimi', {
      text: 'No BIMI record: mailbox providers show no logo. It is optional.',
      fix: `For a logo, publish at ${host} a TXT record: v=BIMI1; l=https://…/logo.svg; a=https://…/certificate.pem`,
    });
  }
  const record = readBimi(texts);
  if (record === undefined) {
    const text = `The record at ${host} is not right, or there are several.`;
    const fix = 'Keep one record: v=BIMI1; l=https://…/logo.svg; a=https://…/certificate.pem';
    return fault('bimi', { text, fix, details: records });
  }
  if (record.logo === '' && record.certificate === '')
    return ok('bimi', { text: 'The record says that the domain has no logo.', details: records });
  return judgeLogo(seen, record);
}

function judgeLogo({ logo, dmarc, isInherited }: SeenBimi, record: BimiRecord): CheckResult {
  const details = [record.logo, ...(record.certificate === '' ? [] : [record.certificate])];
  if (logoUrl(record) === undefined) {
    const text = 'The logo (l=) has no https address.';
    return fault('bimi', { text, fix: 'Serve the logo over https, and name its address.', details });
  }
  if (logo === undefined || logo.kind === 'failed') {
    const text = `The logo cannot be fetched: ${logo?.reason ?? 'it was not tried'}.`;
    const fix = `Let ${record.logo} answer with status 200, without a redirect, and with at most ${MAX_LOGO_BYTES / 1_024} KB.`;
    return fault('bimi', { text, fix, details });
  }
  const problems = svgProblems(logo.text);
  if (problems.length > 0) {
    return fault('bimi', {
      text: `The logo is no SVG Tiny Portable/Secure: ${problems[0]}.`,
      fix: 'Export it again in that profile (version 1.2, baseProfile tiny-ps, square), or convert it with the tools of bimigroup.org.',
      details: [...details, ...problems],
    });
  }
  const why = notEnforced(dmarc, isInherited);
  if (why !== undefined) {
    const fix =
      'Write p=quarantine or p=reject, without pct, once reports show that all your own mail passes.';
    return fault('bimi', { text: `The logo is right, and is not shown: ${why}.`, fix, details });
  }
  if (!/^image\/svg\+xml\s*(?:;|$)/i.test(logo.contentType)) {
    const text = `The server calls the logo ${logo.contentType || 'nothing'}.`;
    return warning('bimi', { text, fix: 'Serve it as image/svg+xml.', details });
  }
  if (!/^https:\/\//i.test(record.certificate)) {
    return warning('bimi', {
      text: 'The logo is right; Gmail and Apple Mail want a mark certificate (a=) in addition.',
      fix: 'Order a mark certificate (VMC or CMC), and name its https address as a=.',
      details,
    });
  }
  return ok('bimi', { text: 'The record and the logo are right.', details });
}

/** BIMI needs a policy that is enforced for all mail. */
function notEnforced(dmarc: DmarcReading, isInherited: boolean): string | undefined {
  if (dmarc.kind !== 'policy') return 'there is no DMARC policy that can be read';
  const policy = isInherited ? dmarc.subdomains : dmarc.policy;
  if (policy === 'none') return 'the DMARC policy is none';
  const percent = parseTagList(dmarc.text)?.get('pct') ?? '100';
  return percent === '100' ? undefined : `the DMARC policy applies to ${percent} % alone`;
}
