import { DataSource } from 'typeorm';
import type { TestService } from '@postmesh/service-testing';
import { BatchAttempt } from '../batch-attempt.js';
import { BatchRecorder } from '../batch-recorder.js';
import { CAMPAIGN_BATCHES } from '../campaign-batches.table.js';

/** The work of a queue worker on the batch of a campaign, which the queue itself does not claim. */
export async function workOnBatch(
  { service }: Pick<TestService, 'service'>,
  campaignId: string,
): Promise<void> {
  const dataSource = service.get(DataSource);
  const [[row]]: [Parameters<typeof CAMPAIGN_BATCHES.toItem>[0][]] = await dataSource.query(
    'update campaign_batches set lease_token = lease_token + 1 where campaign_id = $1 returning *',
    [campaignId],
  );
  if (!row) return;
  const made = await service.get(BatchAttempt).make(CAMPAIGN_BATCHES.toItem(row));
  await dataSource.transaction((tx) =>
    service.get(BatchRecorder).record(tx, [made], async () => {
      if (made.next === null) await tx.query('delete from campaign_batches where id = $1', [made.batch.id]);
      return [true];
    }),
  );
}
