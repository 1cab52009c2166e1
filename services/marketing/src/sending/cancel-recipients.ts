import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { addCounts } from '../results/campaign-counts.js';

/** Cancels the recipients of a canceled campaign (spec 3-marketing §4.1 T18, T19). */
@Injectable()
export class CancelRecipients {
  /** Batches: 10,000 recipients, some 0.2 s of a cancel. Larger campaigns need several calls. Tests shorten it. */
  pieceSize = 100;

  /**
   * In the transaction that moves the campaign to `canceled`: its pending recipients become `canceled`; for a very
   * large campaign, this is the first of several calls. The batches of workers end with their attempt.
   * @returns whether there may be more
   */
  async execute(tx: EntityManager, campaignId: string): Promise<boolean> {
    const { pieceSize } = this;
    const [found]: { batches: number; canceled: number }[] = await tx.query(CANCEL_PIECE, [
      campaignId,
      pieceSize,
    ]);
    const { batches = 0, canceled = 0 } = found ?? {};
    await addCounts(tx, [{ campaignId, pending: -canceled, canceled }]);
    return batches === pieceSize;
  }
}

// Taken, unrecorded recipients may be handed over or not: a worker determines this, and ends their batch.
const CANCEL_PIECE = `
  with piece as materialized (
    select id, first_position, last_position, reserved_day from campaign_batches
    where campaign_id = $1 and state in ('pending', 'held') order by first_position limit $2 for update skip locked),
  canceled as (
    update campaign_recipients r set status = 'canceled' from piece
    where r.campaign_id = $1 and r.position between piece.first_position and piece.last_position
      and r.status = 'pending' returning r.position),
  ended as (
    delete from campaign_batches b using piece where b.id = piece.id and piece.reserved_day is null),
  left_to_workers as (
    update campaign_batches b set state = 'waiting', due_at = now(), reason = 'its campaign was canceled'
    from piece where b.id = piece.id and piece.reserved_day is not null)
  select (select count(*) from piece)::int as batches, (select count(*) from canceled)::int as canceled`;
