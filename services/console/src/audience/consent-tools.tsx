import { useState } from 'react';
import { back, read, type ConsoleSchemas } from '../api/client';
import { useAccount, useCan } from '../api/session';
import { Button } from '../ui/button';
import { Section } from '../ui/page';
import { ExportProgress, useCsvExport } from '../ui/save-csv';
import { notify } from '../ui/toasts';
import { t } from '../words/words';

type Consent = ConsoleSchemas['Consent'];

const HEAD = [
  'seq',
  'contact_id',
  'list_id',
  'action',
  'way',
  'form_id',
  'text_version',
  'text_digest',
  'at',
  'details_digest',
  'hash',
  'email',
  'ip',
  'salt',
  'list_name',
  'text',
  'status',
  'frequency',
] as const satisfies readonly (keyof Consent)[];
const cellsOf = (one: Consent): string[] => HEAD.map((name) => String(one[name] ?? ''));

const pageAfter = (after: string | undefined) =>
  read(back.GET('/console/api/consents', { params: { query: after === undefined ? {} : { after } } }));

/** The chain as a file, and whether it is whole. */
export function ConsentTools() {
  const account = useAccount();
  const mayRead = useCan('contacts:read');
  const file = useCsvExport<Consent>('consents.csv', {
    head: HEAD,
    cellsOf,
    queryKey: ['consents', account.account_id],
    fetchPage: pageAfter,
  });
  const [isBusy, setBusy] = useState(false);
  const verify = () => {
    setBusy(true);
    verifyAll()
      .then(({ last, problem }) =>
        notify(problem ?? t.consents.whole(last), problem === null ? 'good' : 'bad'),
      )
      .catch((error: Error) => notify(error.message, 'bad'))
      .finally(() => setBusy(false));
  };
  if (!mayRead) return null;
  return (
    <div className="mt-8">
      <Section title={t.consents.title} lead={t.consents.lead}>
        <ExportProgress of={file} />
        <div className="flex flex-wrap gap-2">
          <Button onClick={file.start}>{t.consents.export}</Button>
          <Button busy={isBusy} onClick={verify}>
            {t.consents.verify}
          </Button>
        </div>
      </Section>
    </div>
  );
}

/** Each verifies some thousand records: ten million in all. */
const MAX_REQUESTS = 2_000;

async function verifyAll(): Promise<ConsoleSchemas['ConsentVerification']> {
  let after = '0';
  for (let request = 1; ; request += 1) {
    const found = await read(
      back.GET('/console/api/consents/verification', { params: { query: { after } } }),
    );
    if (!found.has_more || request === MAX_REQUESTS) return found;
    after = String(found.last);
  }
}
