import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { api, Problem, read, type Schemas } from '../api/client';
import { useAccount } from '../api/session';
import { Badge } from '../ui/badge';
import { Facts, Page, Section } from '../ui/page';
import { RowsTable } from '../ui/rows-table';
import { Curl, Empty, Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { SuppressionsOf } from '../suppressions/suppressions-of';
import { t } from '../words/words';
import { COLUMNS, linkOfMessage, onPhone, SearchFurther, useSearched } from './messages-page';

/** The answer to "what happened to ann@…?": everything about one address, on one page. */
export function AboutAddressPage() {
  const { address = '' } = useParams({ strict: false });
  const messages = useSearched({ recipient: address });
  return (
    <Page title={address} lead={t.about.lead}>
      <div className="grid gap-8 lg:grid-cols-2">
        <Section title={t.about.mayWeSend}>
          <SuppressionsOf address={address} />
        </Section>
        <Section title={t.about.contact}>
          <ContactOf address={address} />
        </Section>
      </div>
      <Section title={t.messages.title}>
        <RowsTable
          label={t.messages.title}
          list={messages}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          linkOf={linkOfMessage}
          phone={onPhone}
          empty={
            <Empty
              title={t.about.noMessages}
              curl={<Curl path={`/messages?recipient=${encodeURIComponent(address)}`} />}
            >
              {t.about.noMessagesText}
            </Empty>
          }
        />
        <SearchFurther list={messages} />
      </Section>
    </Page>
  );
}

function ContactOf({ address }: { address: string }) {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['contact', account.account_id, address],
    queryFn: async (): Promise<Schemas['Contact'] | null> => {
      try {
        return await read(
          api.GET('/v2/accounts/{account_id}/contacts/{id_or_email}', {
            params: { path: { ...account, id_or_email: address } },
          }),
        );
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return null;
        throw error;
      }
    },
  });
  return (
    <Loaded query={query}>
      {(contact) =>
        contact === null ? (
          <p className="panel px-4 py-3 text-ink-2">{t.about.noContact}</p>
        ) : (
          <div className="panel p-4">
            <Facts
              rows={[
                [
                  t.contacts.name,
                  <Link
                    key="name"
                    className="text-accent hover:underline"
                    to="/audience/contacts/$contactId"
                    params={{ contactId: contact.id }}
                  >
                    {`${contact.first_name} ${contact.last_name}`.trim() || contact.email}
                  </Link>,
                ],
                [t.contacts.status, contact.status],
                [
                  t.contacts.subscribed,
                  contact.unsubscribed ? (
                    <Badge tone="bad">{t.contacts.unsubscribedFromAll}</Badge>
                  ) : (
                    <Badge tone="good">{t.contacts.mayGetCampaigns}</Badge>
                  ),
                ],
                [t.contacts.since, <Time key="since" at={contact.created_at} />],
              ]}
            />
          </div>
        )
      }
    </Loaded>
  );
}
