import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { back, read, type ConsoleSchemas } from '../api/client';
import { useAccount } from '../api/session';
import { Value } from '../ui/copy';
import { Facts, Page } from '../ui/page';
import { Loaded } from '../ui/states';
import { durationText, Time } from '../ui/times';
import { t } from '../words/words';
import { StatusBadge, targetOf } from './request-log';

type Entry = ConsoleSchemas['RequestLogEntry'];

/** One refused request: its facts, and the way to others like it. */
export default function RequestPage() {
  const { requestId = '' } = useParams({ strict: false });
  const account = useAccount();
  const query = useQuery({
    queryKey: ['request-log', account.account_id, 'one', requestId],
    queryFn: () =>
      read(
        back.GET('/console/api/request-log/{request_id}', { params: { path: { request_id: requestId } } }),
      ),
  });
  return (
    <Page
      title={t.requestLog.one}
      back={{ to: '/developers', search: { tab: 'requests' }, label: t.requestLog.title }}
    >
      <Loaded query={query}>{(entry) => <Request of={entry} />}</Loaded>
    </Page>
  );
}

function Request({ of: entry }: { of: Entry }) {
  const { key } = entry;
  return (
    <div className="panel flex flex-col gap-4 p-5">
      <p className="flex items-start gap-2">
        <StatusBadge of={entry} />
        <span className="min-w-0 font-medium break-words">{entry.message}</span>
      </p>
      <Facts
        rows={[
          [t.requestLog.time, <Time key="time" at={entry.created_at} />],
          [t.requestLog.request, <Value key="target" text={targetOf(entry)} />],
          entry.path_template !== null && [t.requestLog.operation, <Operation key="of" of={entry} />],
          [
            t.requestLog.key,
            <Link
              key="key"
              className="text-accent underline"
              to="/developers"
              search={{ tab: 'requests', key_id: key.id }}
            >
              {key.name ?? key.id}
            </Link>,
          ],
          [
            entry.protocol === 'smtp' ? t.requestLog.session : t.requestLog.id,
            <Value key="id" text={entry.request_id} />,
          ],
          [t.requestLog.clientIp, <Value key="ip" text={entry.client_ip} />],
          [
            entry.protocol === 'smtp' ? t.requestLog.helo : t.requestLog.userAgent,
            entry.user_agent === '' ? t.requestLog.notGiven : entry.user_agent,
          ],
          entry.duration_ms !== null && [t.requestLog.took, durationText(entry.duration_ms / 1_000)],
        ]}
      />
      <p className="text-xs text-ink-3">{t.requestLog.notStored}</p>
    </div>
  );
}

const Operation = ({ of: { operation, method, path_template: template } }: { of: Entry }) => (
  <Link
    className="text-accent underline"
    to="/developers"
    search={{ tab: 'requests', path: operation ?? undefined }}
  >
    {method} {template}
  </Link>
);
