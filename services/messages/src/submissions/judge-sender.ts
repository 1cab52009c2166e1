import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { SmtpVerdict, Submitter } from '@postmesh/messages-contract';
import { DomainDirectory } from '@postmesh/domains-contract';
import { UsageCounter } from '../usage/usage-counter.js';
import { isCapped } from '../usage/usage.rules.js';
import { accountProblem, domainProblem, OUT_OF_CREDIT, readSender } from './sender-replies.rules.js';

/**
 * Whether a credential may send from an address: the verdict at MAIL FROM (spec 2-messages §13 rule 7). The headers of
 * the message are not known yet: only a credential of the sandbox may use a paused domain here.
 */
@Injectable()
export class JudgeSender {
  constructor(
    private readonly domains: DomainDirectory,
    private readonly usage: UsageCounter,
    private readonly dataSource: DataSource,
  ) {}

  /** @throws Transient when the domains service is unavailable */
  async execute({ submitter, sender }: { submitter: Submitter; sender: string }): Promise<SmtpVerdict> {
    const suspended = accountProblem(submitter);
    if (suspended) return { ok: false, reply: suspended };
    const read = readSender(sender);
    if (!read.ok) return read;
    if (await this.isOutOfCredit(submitter)) return { ok: false, reply: OUT_OF_CREDIT };
    const { domain } = read.address;
    const facts = await this.domains.find(submitter.account_id, domain);
    const problem = domainProblem(submitter, domain, { facts, sandbox: submitter.sandbox });
    if (problem) return { ok: false, reply: problem };
    // credit is counted for each message, and by no change of the domain
    const isCounted = !submitter.sandbox && isCapped(submitter.account);
    return isCounted
      ? { ok: true }
      : { ok: true, usable_ms: this.domains.usableMs(submitter.account_id, domain) };
  }

  /** A sandbox costs nothing (spec 1-platform §10.4 rule 6). */
  private async isOutOfCredit({
    sandbox,
    account_id: accountId,
    account: credit,
  }: Submitter): Promise<boolean> {
    if (sandbox) return false;
    return this.usage.isUsedUp(this.dataSource.manager, { accountId, credit, count: 1, at: new Date() });
  }
}
