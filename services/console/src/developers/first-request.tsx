import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, once, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan, useSession } from '../api/session';
import { Button, LinkButton } from '../ui/button';
import { CodeBlock } from '../ui/copy';
import { Section } from '../ui/page';
import { notify } from '../ui/toasts';
import { t } from '../words/words';

/** A message that can be sent as it is shown: from a domain that is ready, to the member who reads this. */
export default function FirstRequest() {
  const { account, member } = useSession();
  const path = useAccount();
  const domains = useQuery({
    queryKey: ['domains', path.account_id, 'names'],
    queryFn: () => read(api.GET('/v2/accounts/{account_id}/domains', { params: { path } })),
  });
  const ready = domains.data?.data.find(({ dns_valid, paused }) => dns_valid && !paused)?.domain;
  const message = {
    from: { email: `hello@${ready ?? 'mail.example.com'}` },
    recipients: [{ email: member.email }],
    subject: 'Hello',
    text_content: 'The first message.',
  };
  const [key] = useState(() => once()['Idempotency-Key']);
  return (
    <Section title={t.developers.send} lead={t.developers.sendText}>
      <CodeBlock
        label="curl"
        text={`curl -X POST ${location.origin}/v2/accounts/${account.id}/messages \\
  -H "Authorization: Bearer $POSTMESH_API_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: ${key}" \\
  -d '${JSON.stringify(message, null, 2).replaceAll("'", String.raw`'\''`)}'`}
      />
      <div className="mt-3 flex flex-wrap items-center gap-3">
        {ready === undefined ? (
          domains.data && (
            <>
              <p className="text-ink-2">{t.developers.noDomain}</p>
              <LinkButton to="/domains">{t.domains.title}</LinkButton>
            </>
          )
        ) : (
          <SendIt message={message} />
        )}
      </div>
    </Section>
  );
}

function SendIt({ message }: { message: Schemas['MessagesSendBody'] }) {
  const path = useAccount();
  const navigate = useNavigate();
  const maySend = useCan('messages:send:all');
  const send = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/messages', {
          params: { path, header: once() },
          body: message,
        }),
      ),
    {
      changes: [['messages'], ['overview']],
      done: ({ data: [result] }) => {
        if (result?.error) return notify(result.error, 'bad');
        notify(t.developers.sent);
        if (result?.id) void navigate({ to: '/messages/$messageId', params: { messageId: result.id } });
      },
    },
  );
  if (!maySend) return null;
  return (
    <Button look="primary" icon="play" busy={send.isPending} onClick={() => send.mutate(undefined)}>
      {t.developers.sendIt}
    </Button>
  );
}
