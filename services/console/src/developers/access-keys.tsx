import { useState } from 'react';
import { back, read, type ConsoleSchemas, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { SecretOnce } from '../ui/secret-once';
import { notify } from '../ui/toasts';
import { t } from '../words/words';

type Key = Schemas['ApiKey'];

const pathOf = ({ id }: Key) => ({ params: { path: { key_id: id } } });

/** The access keys of API keys, for the dialect of Amazon SES: two actions, and what is shown after the first one. */
export function useAccessKeys() {
  const [made, setMade] = useState<ConsoleSchemas['SesCredential']>();
  const make = useAction(
    (key: Key) => read(back.POST('/console/api/api-keys/{key_id}/ses-credential', pathOf(key))),
    { changes: [], done: setMade },
  );
  const end = useAction(
    (key: Key) => read(back.DELETE('/console/api/api-keys/{key_id}/ses-credential', pathOf(key))),
    { changes: [], done: (_answer, { label }) => notify(t.keys.sesEnded(label)) },
  );
  const shown = made && (
    <SecretOnce
      title={t.keys.ses}
      rows={[
        [t.keys.accessKeyId, made.access_key_id],
        [t.keys.secretAccessKey, made.secret_access_key],
      ]}
      onClose={() => setMade(undefined)}
    />
  );
  return { make: (key: Key) => make.mutate(key), end: (key: Key) => end.mutate(key), shown };
}
