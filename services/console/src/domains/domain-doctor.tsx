import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { back, read, type ConsoleSchemas } from '../api/client';
import { useAccount } from '../api/session';
import { Badge, Dot, type Tone } from '../ui/badge';
import { Facts, Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';

type Doctor = ConsoleSchemas['DomainDoctor'];
type Check = Doctor['checks'][number];
type Requirement = Doctor['requirements'][number];

/** The service looks things up once in this time. */
const FRESH_MS = 600_000;

type FilterResult = Doctor['address_views'][number]['addresses'][number]['filter_result'];
const FILTER_TONES: Record<FilterResult, Tone> = { green: 'good', yellow: 'warn', red: 'bad' };

const TONES: Record<Check['state'], Tone> = { ok: 'good', warning: 'warn', fault: 'bad', unknown: 'plain' };

/** The deliverability of the domain, check by check. */
export default function DomainDoctor({ domain }: { domain: string }) {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['domain-doctor', account.account_id, domain],
    queryFn: () => read(back.GET('/console/api/domains/{domain}/doctor', { params: { path: { domain } } })),
    staleTime: FRESH_MS,
  });
  return <Loaded query={query}>{(doctor) => <Findings doctor={doctor} />}</Loaded>;
}

function Findings({
  doctor: { checks, requirements, views, address_views, feedback_views },
}: {
  doctor: Doctor;
}) {
  const { check: wanted } = useSearch({ strict: false });
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  return (
    <div className="flex flex-col gap-8">
      <Section title={t.doctor.checks} lead={t.doctor.lead}>
        <p role="status" className="mb-3 font-medium">
          {t.doctor.summary(count('fault'), count('warning'))}
        </p>
        <ul className="panel divide-y divide-line">
          {checks.map((check) => (
            <Finding key={check.id} check={check} isWanted={check.id === wanted} />
          ))}
        </ul>
      </Section>
      <Section title={t.doctor.requirements} lead={t.doctor.requirementsLead}>
        <div className="grid gap-4 lg:grid-cols-2">
          {requirements.map((of) => (
            <Provider key={of.provider} of={of} />
          ))}
        </div>
      </Section>
      {views.map((view) => (
        <View key={view.provider} view={view} />
      ))}
      {address_views.map((view) => (
        <AddressView key={view.provider} view={view} />
      ))}
      {feedback_views.map((view) => (
        <FeedbackView key={view.provider} view={view} />
      ))}
    </div>
  );
}

/** The figures that a provider has of the domain. */
function View({ view: { provider, source, read_at, trouble, figures } }: { view: Doctor['views'][number] }) {
  return (
    <Section title={t.doctor.viewOf(t.doctor.providers[provider])} lead={source}>
      <div className="panel p-4">
        {trouble !== null && <p className="text-sm text-ink-2">{t.doctor.troubles[trouble]}</p>}
        {trouble === null && figures.length === 0 && (
          <p className="text-sm text-ink-2">{t.doctor.noFigures}</p>
        )}
        <Facts
          rows={figures.map(({ figure, value, day }) => [
            t.doctor.figures[figure],
            `${(value * 100).toFixed(2)} % (${day})`,
          ])}
        />
        <p className="mt-2 text-xs text-ink-3">
          {t.doctor.readAt} <Time at={read_at} ago />
        </p>
      </div>
    </Section>
  );
}

/** The figures that a provider has of our addresses. */
function AddressView({
  view: { provider, source, read_at, trouble, addresses },
}: {
  view: Doctor['address_views'][number];
}) {
  return (
    <Section title={t.doctor.addressesOf(t.doctor.providers[provider])} lead={source}>
      <div className="panel p-4">
        {trouble !== null && <p className="text-sm text-ink-2">{t.doctor.troubles[trouble]}</p>}
        {trouble === null && addresses.length === 0 && (
          <p className="text-sm text-ink-2">{t.doctor.noAddresses}</p>
        )}
        <Facts
          rows={addresses.map((figure) => [
            figure.address,
            <span key={figure.address}>
              <Badge tone={FILTER_TONES[figure.filter_result]}>
                {t.doctor.filterResults[figure.filter_result]}
              </Badge>{' '}
              {t.doctor.addressFigures(figure)}
            </span>,
          ])}
        />
        <p className="mt-2 text-xs text-ink-3">
          {t.doctor.readAt} <Time at={read_at} ago />
        </p>
      </div>
    </Section>
  );
}

/** The complaints that came by the feedback loop of a provider. An unknown figure has a word and no zero. */
function FeedbackView({ view }: { view: Doctor['feedback_views'][number] }) {
  const { provider, source, read_at, days_shown, delivered, complained, share, last_report_day, days } = view;
  const words = t.doctor.feedback;
  return (
    <Section title={words.title(t.doctor.providers[provider])} lead={source}>
      <div className="panel p-4">
        {complained === null && <p className="mb-2 text-sm text-ink-2">{words.none(days_shown)}</p>}
        <Facts
          rows={[
            [words.delivered(days_shown), delivered?.toLocaleString('en') ?? words.unknown],
            [words.complained(days_shown), complained?.toLocaleString('en') ?? words.unknown],
            [words.share, share === null ? words.unknown : `${(share * 100).toFixed(2)} %`],
            [words.lastReport, last_report_day ?? words.unknown],
            ...days.map(({ day, reports }): [string, string] => [day, words.reports(reports)]),
          ]}
        />
        <p className="mt-2 text-xs text-ink-3">
          {t.doctor.readAt} <Time at={read_at} ago />
        </p>
      </div>
    </Section>
  );
}

/** One check. A link from a message leads to it. */
function Finding({
  check: { id, state, text, fix, details, checked_at },
  isWanted,
}: {
  check: Check;
  isWanted: boolean;
}) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    item.current?.scrollIntoView({ block: 'center' });
    item.current?.focus({ preventScroll: true });
  }, [isWanted]);
  return (
    <li
      ref={item}
      tabIndex={isWanted ? -1 : undefined}
      aria-current={isWanted || undefined}
      className={`px-4 py-3 ${isWanted ? 'bg-accent-soft' : ''}`}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h3 className="flex items-center gap-2 font-medium">
          <Dot tone={TONES[state]} />
          {t.doctor.names[id]}
          <Badge tone={TONES[state]}>{t.doctor.states[state]}</Badge>
        </h3>
        <p className="text-xs text-ink-3">
          <Time at={checked_at} ago />
        </p>
      </div>
      <p className="mt-1 text-sm break-words text-ink-2">{text}</p>
      {fix !== null && (
        <p className="mt-1 text-sm break-words">
          <span className="font-medium">{state === 'ok' ? t.doctor.tip : t.doctor.fix}</span> {fix}
        </p>
      )}
      {details.length > 0 && (
        <details className="mt-1">
          <summary className="py-1 text-xs text-ink-3 hover:text-ink">{t.doctor.details}</summary>
          <ul className="mt-1 font-mono text-xs break-all text-ink-2">
            {details.map((detail) => (
              <li key={detail}>{detail}</li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

const met = (is: boolean | null): [Tone, string] =>
  is === null ? ['plain', t.doctor.states.unknown] : is ? ['good', t.doctor.met] : ['bad', t.doctor.notMet];

function Provider({ of: { provider, source, items } }: { of: Requirement }) {
  const name = t.doctor.providers[provider];
  return (
    <section className="panel p-4" aria-label={name}>
      <h3 className="font-medium">{name}</h3>
      <ul className="mt-2 flex flex-col gap-1.5 text-sm">
        {items.map(({ text, applies_to, met: is }) => {
          const [tone, word] = met(is);
          return (
            <li key={`${applies_to} ${text}`} className="flex items-start justify-between gap-3">
              <span>
                {text} <span className="text-ink-3">{t.doctor.appliesTo[applies_to]}</span>
              </span>
              <Badge tone={tone}>{word}</Badge>
            </li>
          );
        })}
      </ul>
      <p className="mt-3 text-xs text-ink-3">
        <a href={source} target="_blank" rel="noreferrer" className="underline hover:text-ink">
          {t.doctor.source(name)}
        </a>
      </p>
    </section>
  );
}
