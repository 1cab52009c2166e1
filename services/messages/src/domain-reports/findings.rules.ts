import { KNOWN_REPORTERS, providerName, registrable } from './reporters.table.js';

/** Reported messages of one source at one provider. */
export interface ReportedSource {
  readonly provider: string;
  /** an address, or `other`: the sources with the fewest messages of a long report */
  readonly source: string;
  readonly messages: number;
  readonly aligned: number;
  /** the receiver knew them as forwarded */
  readonly forwarded: number;
  /** of the last record that was not aligned */
  readonly dkimDomain: string | null;
  readonly dkimResult: string | null;
  readonly spfDomain: string | null;
}

/** Facts about a source in addition to reports. */
export interface KnownSource {
  readonly isOwn: boolean;
  /** SPF of the domain allows it; null: not looked up */
  readonly isInSpf: boolean | null;
}

export const FINDINGS = [
  'aligned',
  'forwarded',
  'own_unsigned',
  'own_signature_fails',
  'own_other_domain',
  'signed_by_other',
  'in_spf_only',
  'not_in_spf',
  'unknown_source',
] as const;
type FindingCode = (typeof FINDINGS)[number];

/** One sentence and one fix for a domain at a provider. */
export interface Finding {
  readonly provider: string;
  readonly code: FindingCode;
  /** the source of most messages that fail; null where none does */
  readonly source: string | null;
  readonly messages: number;
  /** messages of all sources that fail */
  readonly failed: number;
  readonly sentence: string;
  /** null: nothing is to be done */
  readonly fix: string | null;
}

/** Below this share the failures are those of forwarding, which every domain has. */
const NEGLIGIBLE = 0.01;

/**
 * One finding per provider: known mailbox providers before other writers of reports, then the one with most failures. The source with most failures decides: when it is mended, the
 * next one shows.
 */
export function findingsOf(
  domain: string,
  sources: readonly ReportedSource[],
  know: (source: string) => KnownSource,
): Finding[] {
  const providers = groupedBy(sources, 'provider');
  return [...providers]
    .map(([provider, own]) => findingAt(domain, provider, own, know))
    .toSorted(
      (one, other) =>
        isKnown(other) - isKnown(one) || other.failed - one.failed || other.messages - one.messages,
    );
}

/** The sources whose SPF decides about findings, each once. */
export const sourcesToKnow = (sources: readonly ReportedSource[]): string[] => [
  ...new Set([...groupedBy(sources, 'provider').values()].flatMap((own) => worstOf(own)?.source ?? [])),
];

/** In the order of their first row. */
export function groupedBy<R extends ReportedSource>(
  sources: readonly R[],
  key: 'provider' | 'source',
): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const each of sources) groups.set(each[key], [...(groups.get(each[key]) ?? []), each]);
  return groups;
}

const isKnown = ({ provider }: Finding): number => Number(KNOWN_REPORTERS.includes(provider));

const failedOf = ({ messages, aligned }: ReportedSource): number => messages - aligned;

const worstOf = (sources: readonly ReportedSource[]): ReportedSource | undefined =>
  sources.toSorted((one, other) => failedOf(other) - failedOf(one)).find((each) => failedOf(each) > 0);

function findingAt(
  domain: string,
  provider: string,
  sources: readonly ReportedSource[],
  know: (source: string) => KnownSource,
): Finding {
  const messages = sources.reduce((sum, each) => sum + each.messages, 0);
  const failed = sources.reduce((sum, each) => sum + failedOf(each), 0);
  const worst = worstOf(sources);
  const at = providerName(provider);
  if (worst === undefined || failed / messages < NEGLIGIBLE) {
    const share = failed === 0 ? 'All mail' : `${percent(messages - failed, messages)} of mail`;
    const sentence = `${share} at ${at} is aligned.`;
    return { provider, code: 'aligned', source: null, messages, failed, sentence, fix: null };
  }
  const code = codeOf(domain, worst, know(worst.source));
  const begin = `${percent(failed, messages)} of mail at ${at} fails alignment: `;
  const cause = CAUSES[code]({ domain, ...worst });
  const most = failedOf(worst) < failed ? 'most of it' : 'it';
  return {
    ...{ provider, code, source: worst.source, messages, failed },
    sentence: `${begin}${most} ${cause.says}.`,
    fix: cause.fix,
  };
}

function codeOf(
  domain: string,
  source: ReportedSource,
  { isOwn, isInSpf }: KnownSource,
): Exclude<FindingCode, 'aligned'> {
  const { dkimDomain, dkimResult, forwarded } = source;
  const isOurSignature = dkimDomain !== null && registrable(dkimDomain) === registrable(domain);
  if (isOwn) {
    if (dkimDomain === null) return 'own_unsigned';
    return isOurSignature ? 'own_signature_fails' : 'own_other_domain';
  }
  if (forwarded * 2 >= failedOf(source)) return 'forwarded';
  // a signature of the domain that no longer fits: the message was changed on its way
  if (isOurSignature) return 'forwarded';
  if (isInSpf === null || source.source === 'other') return 'unknown_source';
  if (dkimResult === 'pass') return 'signed_by_other';
  return isInSpf ? 'in_spf_only' : 'not_in_spf';
}

type Cause = (about: ReportedSource & { domain: string }) => { says: string; fix: string | null };

const CAUSES: Readonly<Record<Exclude<FindingCode, 'aligned'>, Cause>> = {
  forwarded: ({ source }) => ({
    says: `comes from ${source}, which forwards or changes messages on their way`,
    fix: null,
  }),
  own_unsigned: ({ source, domain }) => ({
    says: `comes from ${source}, an address of this installation, without a signature`,
    fix: `Publish the DKIM record of ${domain} and press “Check now” under “DNS records”.`,
  }),
  own_signature_fails: ({ source, domain }) => ({
    says: `comes from ${source}, an address of this installation, and its signature as ${domain} fails`,
    fix: `Compare the DKIM record of ${domain} with the one under “DNS records”: another key is published.`,
  }),
  own_other_domain: ({ source, domain, dkimDomain }) => ({
    says: `comes from ${source}, an address of this installation, and is signed as ${dkimDomain}`,
    fix: `Publish the DKIM record of ${domain}: mail is signed as the domain itself from then on.`,
  }),
  signed_by_other: ({ source, domain, dkimDomain }) => ({
    says: `comes from ${source}, which signs as ${dkimDomain} and not as ${domain}`,
    fix: `Let the service at ${source} sign with a DKIM key of ${domain}, or send from a domain of its own.`,
  }),
  in_spf_only: ({ source, domain, spfDomain }) => ({
    says: `comes from ${source}, which your SPF allows, with a return path of ${spfDomain ?? 'another domain'}`,
    fix: `Let the service at ${source} sign with a DKIM key of ${domain}, or use a return path below ${domain}.`,
  }),
  not_in_spf: ({ source, domain }) => ({
    says: `comes from ${source}, which is not one of ours and not in your SPF`,
    fix: `If ${source} sends for you, add it to the SPF record of ${domain} and let it sign with DKIM; if not, a policy of p=quarantine or p=reject keeps it out.`,
  }),
  unknown_source: ({ source, domain }) => ({
    says:
      source === 'other'
        ? 'comes from many addresses with few messages each'
        : `comes from ${source}, which is not one of ours; your SPF could not be looked up`,
    fix: `Look through the sources below: let those that send for you sign with DKIM as ${domain}.`,
  }),
};

/** `12 %`; never 100 or 0 for a part. */
function percent(part: number, whole: number): string {
  const exact = (part / whole) * 100;
  if (exact > 0 && exact < 1) return 'Less than 1 %';
  if (exact > 99 && exact < 100) return 'More than 99 %';
  return `${Math.round(exact)} %`;
}
