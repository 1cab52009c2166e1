import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { AuditEntryEntity } from '../database/entities/index.js';

/** Who does something. */
export type Actor =
  | { readonly kind: 'operator' }
  | { readonly kind: 'api-key'; readonly id: string }
  | { readonly kind: 'system' };

export interface Deed {
  actor: Actor;
  /** `account.block`, `api-key.create`, … */
  action: string;
  accountId: string;
  subjectId: string;
  /** never a secret */
  details?: Record<string, unknown>;
}

@Injectable()
export class AuditLog {
  /** Writes down what is done, in the transaction that does it. */
  async record(manager: EntityManager, deed: Deed): Promise<void> {
    const { actor, action, accountId, subjectId, details = {} } = deed;
    await manager.insert(AuditEntryEntity, {
      id: newId(),
      at: new Date(),
      actorKind: actor.kind,
      actorId: actor.kind === 'api-key' ? actor.id : null,
      action,
      accountId,
      subjectId,
      // TypeORM types a jsonb column as a tree of partials
      details: details as object,
    });
  }
}
