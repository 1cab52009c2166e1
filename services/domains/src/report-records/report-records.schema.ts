import { z } from 'zod';
import { REPORT_RECORD_STATES } from './report-records.rules.js';

export const ReportRecords = z
  .object({
    object: z.literal('report_records'),
    domain: z.string(),
    address: z.string().meta({ description: 'Reports to this address are read and shown.' }),
    records: z.array(
      z.object({
        kind: z.enum(['dmarc', 'tls']),
        type: z.literal('TXT'),
        host: z.string(),
        content: z.string(),
        state: z.enum(REPORT_RECORD_STATES).meta({
          description:
            '`missing`: to be created; `changed`: the record that is there, with our address; `left`: broken, or several, and its owner decides; `unknown`: DNS gave no answer.',
        }),
        found: z.array(z.string()).meta({ description: 'The records in its place.' }),
      }),
    ),
  })
  .meta({ id: 'ReportRecords', description: 'The records that let receivers report about a domain.' });
export type ReportRecords = z.infer<typeof ReportRecords>;
