import { Badge } from '../ui/badge';
import { t } from '../words/words';
import type { SignUpForm } from './forms';

export function FormState({ form: { is_open, list_name } }: { form: SignUpForm }) {
  if (list_name === null) return <Badge tone="bad">{t.forms.listGone}</Badge>;
  return <Badge tone={is_open ? 'good' : 'warn'}>{is_open ? t.forms.open : t.forms.closed}</Badge>;
}
