import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

// Longer than any check takes; a process that dies has its domains looked at after this.
const LEASE_S = 300;

/** Hands out domains whose check is due, each to one process. */
@Injectable()
export class DueDomains {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns the ids of at most `limit` domains, longest due first, that nobody else gets for five minutes */
  async claim(limit: number): Promise<string[]> {
    const [rows]: [{ id: string }[], number] = await this.dataSource.query(
      `update domains set next_check_at = now() + make_interval(secs => $2)
        where id in (select id from domains where next_check_at <= now()
                      order by next_check_at limit $1 for update skip locked)
        returning id`,
      [limit, LEASE_S],
    );
    return rows.map((row) => row.id);
  }
}
