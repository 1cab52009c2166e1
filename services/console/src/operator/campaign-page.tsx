import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MailFrame } from '../messages/mail-frame';
import { Badge } from '../ui/badge';
import { Facts, Page, Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { notify } from '../ui/toasts';
import { call, get, to, useParam } from './api';
import { campaignTone, type Campaign } from './campaign';
import { accountLink, Act, ActionWithText, At, Code, numberText } from './parts';
import { w } from './words';

type Shown = Campaign & {
  from_name: string | null;
  reply_to: string | null;
  counts: Record<string, number>;
  content: { preheader: string | null; html: string | null; text: string | null };
};

const CHANGES = [['campaign'], ['campaigns']];
const done = () => notify(w.reviews.done);

export function CampaignPage() {
  const id = useParam('campaignId');
  const path = `marketing/campaigns/${encodeURIComponent(id)}`;
  const query = useQuery({ queryKey: ['campaign', id], queryFn: () => get<Shown>(path) });
  return (
    <Page
      title={query.data?.name ?? w.reviews.name}
      actions={query.data && <Decide status={query.data.status} path={path} />}
    >
      <Loaded query={query}>{(campaign) => <Details of={campaign} />}</Loaded>
    </Page>
  );
}

function Decide({ status, path }: { status: string; path: string }) {
  const post = (action: string) => () => call('POST', `${path}/${action}`);
  const noted = (action: string) => (note: string) =>
    call('POST', `${path}/${action}`, note === '' ? {} : { note });
  const act = { changes: CHANGES, done };
  if (status === 'waiting_for_review')
    return (
      <>
        <Act label={w.reviews.approve} run={post('approve')} {...act} primary />
        <ActionWithText
          label={w.reviews.return}
          text={w.reviews.returnText}
          field={w.reviews.note}
          run={noted('return')}
          {...act}
        />
        <ActionWithText
          label={w.reviews.reject}
          text={w.reviews.rejectText}
          field={w.reviews.note}
          run={noted('reject')}
          {...act}
          optional
          danger
        />
      </>
    );
  return (
    <>
      {status === 'sending' && <Act label={w.reviews.pause} run={post('pause')} {...act} />}
      {status === 'paused' && <Act label={w.reviews.resume} run={post('resume')} {...act} />}
      {['scheduled', 'sending', 'paused'].includes(status) && (
        <Act label={w.reviews.cancel} run={post('cancel')} {...act} />
      )}
    </>
  );
}

function Details({ of: campaign }: { of: Shown }) {
  const { content } = campaign;
  const counts = Object.entries(campaign.counts).filter(([, value]) => value > 0);
  return (
    <>
      <Section title={w.accounts.about}>
        <div className="panel p-4">
          <Facts
            rows={[
              [
                w.reviews.status,
                <>
                  <Badge tone={campaignTone(campaign.status)}>{campaign.status.replaceAll('_', ' ')}</Badge>{' '}
                  {campaign.status_reason}
                </>,
              ],
              [
                w.account,
                <Link
                  key="account"
                  {...to(accountLink(campaign.account_id))}
                  className="text-accent hover:underline"
                >
                  <Code>{campaign.account_id}</Code>
                </Link>,
              ],
              [
                w.reviews.sender,
                [campaign.from_name, campaign.from_email].filter(Boolean).join(' · ') || w.none,
              ],
              [w.reviews.subject, campaign.subject ?? w.none],
              [w.reviews.changed, <At key="changed" at={campaign.updated_at} />],
              counts.length > 0 && [
                w.reviews.counts,
                counts.map(([name, value]) => `${name} ${numberText(value)}`).join(', '),
              ],
            ]}
          />
        </div>
      </Section>
      {content.html && (
        <Section title={w.reviews.content}>
          <MailFrame html={content.html} />
        </Section>
      )}
      {content.text && (
        <Section title={w.reviews.text}>
          <pre
            tabIndex={0}
            aria-label={w.reviews.text}
            className="panel max-h-96 overflow-auto p-4 text-sm whitespace-pre-wrap"
          >
            {content.text}
          </pre>
        </Section>
      )}
    </>
  );
}
