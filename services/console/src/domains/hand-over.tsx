import type { Schemas } from '../api/client';
import { CodeBlock } from '../ui/copy';
import { Icon } from '../ui/icons';
import { Section } from '../ui/page';
import { t } from '../words/words';
import { textForAdmin, zoneFileOf } from './dns-records.rules';

/** The records for another person, or for a form of the DNS provider. */
export default function HandOver({ domain }: { domain: Schemas['Domain'] }) {
  const text = textForAdmin(domain);
  const zone = zoneFileOf(domain);
  const mail = `mailto:?subject=${encodeURIComponent(t.domains.adminSubject(domain.domain))}&body=${encodeURIComponent(text)}`;
  return (
    <div className="flex flex-col gap-8">
      <Section
        title={t.domains.forAdmin}
        lead={t.domains.forAdminText}
        actions={
          <a
            href={mail}
            className="inline-flex min-h-8 items-center gap-1.5 rounded-md border border-edge/60 bg-surface px-3 text-sm font-medium hover:bg-sunken"
          >
            <Icon name="messages" />
            {t.domains.openMail}
          </a>
        }
      >
        <CodeBlock text={text} label={t.domains.forAdmin} />
      </Section>
      <Section title={t.domains.zoneFile} lead={t.domains.zoneFileText}>
        <CodeBlock text={zone} label={t.domains.zoneFile} />
      </Section>
    </div>
  );
}
