import { useQuery } from '@tanstack/react-query';
import { back, read, type ConsoleSchemas } from '../api/client';
import { useAccount } from '../api/session';
import { Badge, type Tone } from '../ui/badge';
import { Value } from '../ui/copy';
import { Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { t } from '../words/words';

type ReportRecord = ConsoleSchemas['ReportRecords']['records'][number];

const TONES: Record<ReportRecord['state'], Tone> = {
  present: 'good',
  missing: 'warn',
  changed: 'warn',
  left: 'bad',
  unknown: 'plain',
};

/** The records that bring reports, with what is published now. */
export function ReportRecords({ domain }: { domain: string }) {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['report-records', account.account_id, domain],
    queryFn: () =>
      read(back.GET('/console/api/domains/{domain}/report-records', { params: { path: { domain } } })),
  });
  return (
    <Section title={t.reports.records} lead={t.reports.recordsText}>
      <Loaded query={query}>
        {({ records }) => (
          <ul className="panel divide-y divide-line">
            {records.map((record) => (
              <Record key={record.host} record={record} />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function Record({ record: { kind, type, host, content, state, found } }: { record: ReportRecord }) {
  return (
    <li className="px-4 py-3 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{t.reports.kinds[kind]}</span>
        <Badge tone={TONES[state]}>{t.reports.states[state]}</Badge>
        <span className="text-ink-3">{t.reports.purposes[kind]}</span>
      </p>
      {state !== 'present' && (
        <p className="mt-1">
          <span className="mr-2 font-mono text-xs">{type}</span>
          <Value text={host} label={t.domains.host} />
        </p>
      )}
      {state !== 'present' &&
        found.map((text) => (
          <p key={text} className="mt-1 font-mono text-xs break-all text-ink-3">
            − {text}
          </p>
        ))}
      {state === 'left' ? (
        <p className="mt-1 text-ink-2">{t.reports.leftToOwner}</p>
      ) : (
        state !== 'present' && (
          <p className="mt-1">
            <Value text={content} label={t.domains.value} />
          </p>
        )
      )}
    </li>
  );
}
