import { z } from 'zod';
import { dnsRecords } from '../dns/dns-records.rules.js';
import type { DomainResult } from './domain.resource.js';

const RecordProblem = z.object({
  type: z.enum(['TXT', 'CNAME', 'MX']),
  host: z.string().meta({ description: 'As in `dns_records` of the domain.' }),
  propagated: z.boolean().meta({ description: 'It counts as seen: the problem is advice.' }),
  code: z.string().meta({ example: 'not_found' }),
  found: z.string().meta({
    description: 'The finding of the last check in its place, in words.',
    example: 'CNAME rp.shop.example.com → rp.example.net',
  }),
  advice: z.string().meta({
    description: 'The way to mend it.',
    example: 'Change the CNAME of rp.shop.example.com: it has to lead to rp.mail.example.com',
  }),
});

export const RecordProblems = z.object({ object: z.literal('list'), data: z.array(RecordProblem) }).meta({
  id: 'RecordProblems',
  description: 'The records of a domain that were not right at its last check.',
});

export const recordProblems = ({
  domain,
  records: context,
}: DomainResult): z.infer<typeof RecordProblems> => ({
  object: 'list',
  data: dnsRecords(domain, context).flatMap(({ kind, type, host, propagated }) => {
    const problem = domain.records[kind]?.problem;
    return problem
      ? [{ type, host, propagated, code: problem.code, found: problem.found, advice: problem.advice }]
      : [];
  }),
});
