import type { Schemas } from '../api/client';
import { Badge } from '../ui/badge';
import { t } from '../words/words';

export const DomainState = ({ domain }: { domain: Schemas['Domain'] }) =>
  domain.paused ? (
    <Badge tone="bad">{t.domains.paused}</Badge>
  ) : domain.dns_valid ? (
    <Badge tone="good">{t.domains.ready}</Badge>
  ) : (
    <Badge tone="warn">{t.domains.dnsMissing}</Badge>
  );
