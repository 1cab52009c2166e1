import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { MessageChangedEvent } from '@postmesh/messages-contract';
import type { AfterCommit } from '@postmesh/service-host';
import { CampaignFeeder } from '../sending/campaign-feeder.js';
import { lockContactsOf, lockMessages } from './lock-recipients.js';
import { outcomesOf } from './recipient-outcomes.rules.js';
import { complaintsOf, recordComplaints } from './record-complaints.js';
import { recordFetches } from './record-fetches.js';
import { recordOutcomes } from './record-outcomes.js';
import { fetchesOf } from './tracked-recipients.rules.js';

/**
 * Records changes of messages of campaigns for their recipients. The rows of a batch of events are locked in one order:
 * contacts, then recipients.
 */
@Injectable()
export class RecordChanges {
  constructor(private readonly feeder: CampaignFeeder) {}

  /** @param events of any messages, in order */
  async execute(tx: EntityManager, events: readonly MessageChangedEvent[]): Promise<AfterCommit | void> {
    const ofCampaigns = events.filter(({ data }) => data.campaign_id !== undefined);
    if (ofCampaigns.length === 0) return undefined;
    const outcomes = ofCampaigns.flatMap(outcomesOf);
    const complaints = complaintsOf(ofCampaigns);
    const hard = outcomes.filter((one) => one.hard).map(({ messageId }) => messageId);
    await lockContactsOf(tx, hard, 'update');
    await lockContactsOf(tx, [...complaints.keys()], 'share');
    const locked = await lockMessages(
      tx,
      ofCampaigns.map(({ data }) => data.message_id),
    );
    const makesRoom = await recordOutcomes(tx, locked, outcomes);
    await recordFetches(tx, locked, ofCampaigns.flatMap(fetchesOf));
    await recordComplaints(tx, locked, complaints);
    return makesRoom ? () => this.feeder.raise() : undefined;
  }
}
