import type { Schemas } from '../api/client';
import { Badge } from '../ui/badge';
import { t } from '../words/words';

type Contact = Schemas['Contact'];

export const nameOf = ({ first_name, last_name }: Contact): string => `${first_name} ${last_name}`.trim();

export function ContactState({ contact: { status, unsubscribed } }: { contact: Contact }) {
  if (status !== 'enabled') return <Badge tone="warn">{t.contacts.statuses[status]}</Badge>;
  if (unsubscribed) return <Badge tone="bad">{t.contacts.unsubscribedFromAll}</Badge>;
  return <Badge tone="good">{t.contacts.mayGetCampaigns}</Badge>;
}
