import { useQuery } from '@tanstack/react-query';
import { back, read, type ConsoleSchemas } from '../api/client';
import { useAccount } from '../api/session';
import { Badge } from '../ui/badge';
import { Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';

type Consent = ConsoleSchemas['Consent'];

/** The preferences of a contact, and its consents with their ends. */
export function ChoicesOf({ contactId }: { contactId: string }) {
  return (
    <>
      <PreferencesOf contactId={contactId} />
      <ConsentsOf contactId={contactId} />
    </>
  );
}

function PreferencesOf({ contactId }: { contactId: string }) {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['contact-preferences', account.account_id, contactId],
    queryFn: () =>
      read(
        back.GET('/console/api/contacts/{contact_id}/preferences', {
          params: { path: { contact_id: contactId } },
        }),
      ),
  });
  return (
    <Section title={t.preferences.title}>
      <Loaded query={query}>
        {({ frequency, frequency_chosen_at: chosenAt, paused_until: until }) => (
          <p className="panel px-4 py-3 text-ink-2">
            {t.preferences.frequencies[frequency]}
            {chosenAt !== null && (
              <>
                {' · '}
                {t.preferences.chosen} <Time at={chosenAt} />
              </>
            )}
            {until !== null && (
              <>
                {' · '}
                {t.preferences.paused} <Time at={until} />
              </>
            )}
          </p>
        )}
      </Loaded>
    </Section>
  );
}

function ConsentsOf({ contactId }: { contactId: string }) {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['consents', account.account_id, contactId],
    queryFn: () =>
      read(
        back.GET('/console/api/contacts/{contact_id}/consents', {
          params: { path: { contact_id: contactId } },
        }),
      ),
  });
  return (
    <Section title={t.consents.title}>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="panel px-4 py-3 text-ink-2">{t.consents.none}</p>
          ) : (
            <ul className="panel divide-y divide-line">
              {data.map((one) => (
                <ConsentRow key={one.seq} consent={one} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function ConsentRow({ consent: { action, way, at, list_name, text, ip } }: { consent: Consent }) {
  return (
    <li className="flex flex-col gap-1 px-4 py-2">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="min-w-0 truncate font-medium">{list_name ?? t.consents.unknownList}</span>
        <Badge tone={action === 'granted' ? 'good' : 'bad'}>{t.consents.actions[action]}</Badge>
      </div>
      <span className="text-sm text-ink-3">
        <Time at={at} /> · {t.consents.ways[way]}
        {ip !== null && ip !== '' && ` · ${ip}`}
      </span>
      {text !== null && <span className="text-sm text-ink-2">{text}</span>}
    </li>
  );
}
