import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Page, Section, Tabs } from '../ui/page';
import { Skeleton } from '../ui/states';
import { useCan } from '../api/session';
import { t } from '../words/words';

const ApiKeys = lazy(() => import('./api-keys'));
const FirstRequest = lazy(() => import('./first-request'));
const RequestLog = lazy(() => import('./request-log'));
const SmtpCredentials = lazy(() => import('./smtp-credentials'));

export function DevelopersPage() {
  const { tab = 'keys' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const readsRequests = useCan('api-keys:write');
  return (
    <Page title={t.developers.title} lead={t.developers.lead}>
      <Tabs
        label={t.developers.title}
        current={tab}
        choose={(next) => void navigate({ to: '/developers', search: { tab: next }, replace: true })}
        tabs={[
          { id: 'keys', label: t.keys.title },
          { id: 'smtp', label: t.smtp.title },
          ...(readsRequests ? [{ id: 'requests', label: t.requestLog.title }] : []),
          { id: 'start', label: t.developers.start },
        ]}
      />
      <Suspense fallback={<Skeleton />}>
        {tab === 'keys' && <ApiKeys />}
        {tab === 'smtp' && <SmtpCredentials />}
        {tab === 'requests' && <RequestLog />}
        {tab === 'start' && <FirstRequest />}
      </Suspense>
      {tab === 'start' && <Reference />}
    </Page>
  );
}

const Reference = () => (
  <Section title={t.developers.reference} lead={t.developers.referenceText}>
    <ul className="panel divide-y divide-line">
      {[
        ['/docs', t.developers.docs],
        ['/docs/console', t.developers.consoleDocs],
        ['/openapi.json', t.developers.openApi],
        ['/llms.txt', t.developers.markdown],
      ].map(([href, text]) => (
        <li key={href}>
          <a
            href={href}
            target="_blank"
            rel="noreferrer"
            className="block px-4 py-2.5 text-accent hover:bg-sunken"
          >
            {text}
          </a>
        </li>
      ))}
    </ul>
  </Section>
);
