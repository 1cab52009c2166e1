import { z } from 'zod';
import { FamilyUsage, type UsageReportRequest } from '@postmesh/messages-contract';
import { Transient } from '@postmesh/contracts';
import type { InternalClient } from '@postmesh/http';

const Report = z.object({
  billing_period: z.object({ start: z.iso.datetime() }),
  parent: z.object({ account_id: z.uuid() }),
});

/**
 * Completes a report of the accounts service, which says who is of a family, with the counts of the messages service.
 * @param report as the accounts service gave it
 * @throws Transient when the messages service cannot be asked
 */
export async function withFamilyUsage(client: InternalClient, report: unknown): Promise<unknown> {
  const { billing_period, parent } = Report.parse(report);
  const account = `/internal/accounts/${parent.account_id}`;
  const period = billing_period.start.slice(0, 7);
  const counted = { method: 'GET' as const, path: `${account}/usage?period=${period}` };
  const used = await client.request('messages', counted, FamilyUsage);
  if (!used) throw new Transient('messages does not know of usage');
  const counts = used.usage.map((one) => [one.account_id, one.reception_count]);
  const body: UsageReportRequest = { period, used: Object.fromEntries(counts) as UsageReportRequest['used'] };
  const request = { method: 'POST' as const, path: `${account}/usage-report`, body };
  // an accounts service of the release before has asked for the counts itself
  return (await client.request('accounts', request, z.record(z.string(), z.unknown()))) ?? report;
}
