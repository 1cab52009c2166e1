import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { LeasedItem } from '@postmesh/work';

interface Waiting {
  readonly item: Pick<LeasedItem, 'id' | 'leaseToken'>;
  readonly way: string;
  readonly done: { resolve(): void; reject(error: unknown): void };
}

const MAX_ROWS = 1_000;

/**
 * Writes the way of a delivery into its row before the message leaves, so that it keeps the way even if the worker dies.
 * Those that come while a statement is in flight are written together.
 */
@Injectable()
export class KeptWays {
  private waiting: Waiting[] = [];
  private isWriting = false;

  constructor(private readonly dataSource: DataSource) {}

  keep(item: Waiting['item'], way: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, way, done: { resolve, reject } });
      if (!this.isWriting) void this.write();
    });
  }

  private async write(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.length > 0) {
      // attempts of one claim come together
      await undefined;
      const batch = this.waiting.splice(0, MAX_ROWS);
      const columns = [
        batch.map(({ item }) => item.id),
        batch.map(({ item }) => item.leaseToken),
        batch.map(({ way }) => way),
      ];
      try {
        await this.dataSource.query(KEEP, columns);
        for (const { done } of batch) done.resolve();
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    this.isWriting = false;
  }
}

const KEEP = `update deliveries d set source = given.way
  from unnest($1::uuid[], $2::bigint[], $3::text[]) as given(id, token, way)
  where d.id = given.id and d.lease_token = given.token and d.state = 'leased'`;
