import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { AccountId } from '@postmesh/contracts';
import { DomainDirectory, type DomainFacts } from '@postmesh/domains-contract';
import type { Issue } from '@postmesh/messages-contract';
import { hasBody } from '@postmesh/designs';
import { parseEmailAddress } from '@postmesh/mail-format';
import { templateProblem } from '@postmesh/templates';
import type { CopyFields, TemplateCopy } from './template.js';

const MAX_REMEMBERED = 10_000;

/** The reasons why a copy of a template cannot be published, or a send cannot rely on it (spec 2-messages §6.5). */
@Injectable()
export class TemplateIssues {
  /** by copy, which is immutable: a design is parsed once for many reads */
  private readonly contents = new LRUCache<string, Issue[]>({ max: MAX_REMEMBERED });

  constructor(private readonly domains: DomainDirectory) {}

  async of(accountId: AccountId, copy: TemplateCopy): Promise<Issue[]> {
    const domain = domainOf(copy.from);
    const facts = domain === undefined ? undefined : await this.domains.find(accountId, domain);
    const content = this.contents.get(copy.id) ?? contentIssues(copy);
    this.contents.set(copy.id, content);
    return [...subjectIssues(copy), ...senderIssues(copy, facts), ...content];
  }
}

const domainOf = (from: CopyFields['from']): string | undefined => {
  const parsed = from && parseEmailAddress(from.email);
  return parsed?.ok ? parsed.address.domain : undefined;
};

const subjectIssues = ({ subject }: CopyFields): Issue[] =>
  subject === ''
    ? [{ code: 'subject_missing', message: 'the template has no subject: each send has to give one' }]
    : [];

function senderIssues({ from }: CopyFields, domain: DomainFacts | undefined): Issue[] {
  if (!from) {
    return [{ code: 'sender_missing', message: 'the template has no sender: each send has to give one' }];
  }
  if (!domain || domain.deleted) {
    return [{ code: 'sender_domain_invalid', message: "the sender's domain is none of the account's" }];
  }
  return [
    ...(domain.dns_valid
      ? []
      : [{ code: 'sender_domain_invalid', message: "the sender's domain has no valid DNS records" }]),
    ...(domain.paused
      ? [{ code: 'sender_domain_paused', message: "sending from the sender's domain is paused" }]
      : []),
  ];
}

/** Issues that prevent publishing. */
function contentIssues(copy: CopyFields): Issue[] {
  if (!hasBody(copy)) return [{ code: 'content_missing', message: 'the template has no content' }];
  const parts = {
    subject: copy.subject,
    preheader: copy.preheader,
    'content.html': copy.html,
    'content.text': copy.text,
  };
  return Object.entries(parts).flatMap(([part, source]) => {
    const problem = source ? templateProblem(source) : undefined;
    return problem === undefined ? [] : [{ code: 'content_unrenderable', message: `${part}: ${problem}` }];
  });
}
