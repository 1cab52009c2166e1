import { Injectable } from '@nestjs/common';
import { Periodic } from '@postmesh/work';
import { WaysRows } from '../ways/ways-rows.js';

/** The domains service keeps a copy: it gets rows of the release before, and what a lost event said, from here. */
@Injectable()
export class PublishAddresses {
  constructor(private readonly rows: WaysRows) {}

  @Periodic({ name: 'publish-egress-addresses', everyMs: 3_600_000, timeoutMs: 60_000 })
  async publish(): Promise<void> {
    await this.rows.publishAddresses();
  }
}
