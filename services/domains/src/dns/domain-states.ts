import { Injectable } from '@nestjs/common';
import { Metrics } from '@postmesh/observability';
import { DataSource } from 'typeorm';

interface States {
  valid: number;
  /** was valid once, and its records are wrong or cannot be read */
  broken: number;
  /** never valid yet */
  pending: number;
}

/** States of the sending domains of all accounts. One broken domain concerns its owner; many at once the operator. */
@Injectable()
export class DomainStates {
  constructor(dataSource: DataSource, metrics: Metrics) {
    metrics.asked(
      async () => (await dataSource.query<[States]>(STATES))[0],
      [
        {
          name: 'postmesh_sending_domains',
          help: 'Sending domains by their DNS: valid, broken (was valid once), pending (never valid yet)',
          labelNames: ['state'],
          read: ({ valid, broken, pending }) => [
            [{ state: 'valid' }, valid],
            [{ state: 'broken' }, broken],
            [{ state: 'pending' }, pending],
          ],
        },
      ],
    );
  }
}

const STATES = `select count(*) filter (where state = 'valid')::int as valid,
  count(*) filter (where state in ('suspect', 'invalid'))::int as broken,
  count(*) filter (where state = 'pending')::int as pending from domains`;
