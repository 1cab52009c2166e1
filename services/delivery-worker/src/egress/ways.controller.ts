import { Body, Controller, Delete, Get, Inject, Param, Put } from '@nestjs/common';
import { ApiError, ApiErrors } from '@postmesh/contracts';
import { body, Internal, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { z } from 'zod';
import { EgressChecks } from './egress-checks.js';
import { EgressSources, hasAddress } from './egress-sources.js';
import type { Providers } from '../shaping/providers.table.js';
import { SHAPING_PROVIDERS } from '../shaping/read-providers.js';
import {
  changedPool,
  changedRelay,
  changedRule,
  changedSource,
  PoolBody,
  RelayBody,
  removedWay,
  RuleBody,
  SourceBody,
  WayId,
  type Changed,
  type WayKind,
} from '../ways/way-change.rules.js';
import { settingsRelayId, WaysRows, type PtrSeen } from '../ways/ways-rows.js';
import { BudgetRows, type BudgetRow } from '../warm-up/budget-rows.js';
import { budgetOf } from '../warm-up/warm-up.rules.js';
import { scheduleOf } from '../warm-up/warm-up.table.js';
import { Ways } from '../ways/ways.js';

const KINDS: readonly string[] = ['pools', 'sources', 'relays', 'rules'] satisfies WayKind[];

/** Ways out for operators: pools, source addresses, relays, rules. A change counts for the next attempt of any worker. */
@Internal()
@Controller('operator/egress')
export class WaysController {
  constructor(
    private readonly rows: WaysRows,
    private readonly ways: Ways,
    private readonly here: EgressSources,
    private readonly checks: EgressChecks,
    private readonly budgets: BudgetRows,
    @Inject(SHAPING_PROVIDERS) private readonly providers: Providers,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('ways')
  async list(): Promise<object> {
    const [{ pools, sources, relays, rules }, ptrs, budgets] = await Promise.all([
      this.rows.load(),
      this.rows.ptrs(),
      this.budgets.list(),
    ]);
    return {
      pools: pools.map(({ whenBlocked, overBudget, ...pool }) => ({
        ...{ ...pool, when_blocked: whenBlocked, over_budget: overBudget },
      })),
      sources: sources.map(({ warmUp, ...source }) => ({
        ...source,
        warm_up: warmUp,
        here: this.here.isHere(source),
        answered: !this.ways.health.isClosed(source.id),
        in_spf: this.isInSettings(source.address) || ptrs.get(source.id)?.isInSpf === true,
        ptr: ptrView(ptrs.get(source.id)),
      })),
      relays: relays.map(({ login, ...relay }) => ({ ...relay, user: login?.user ?? null })),
      rules: rules.map(({ accountId, sendingDomain, ...rule }) => ({
        ...{ ...rule, account_id: accountId, sending_domain: sendingDomain },
      })),
      budgets: budgets.map(budgetView),
    };
  }

  @Put('pools/:id')
  putPool(@Param('id') id: string, @Body(body(PoolBody)) given: z.infer<typeof PoolBody>): Promise<object> {
    return this.change(id, async (tx, data) => this.rows.putPool(tx, accepted(changedPool(data, id, given))));
  }

  @Put('sources/:id')
  async putSource(
    @Param('id') id: string,
    @Body(body(SourceBody)) given: z.infer<typeof SourceBody>,
  ): Promise<object> {
    const isOfAMachine = given.address === undefined || (await this.isOfAMachine(given.address));
    const changed = await this.change(id, async (tx, data) =>
      this.rows.putSource(tx, accepted(changedSource(data, id, { given, isOfAMachine }))),
    );
    await this.checks.seePtr(id);
    return changed;
  }

  @Put('relays/:id')
  putRelay(
    @Param('id') id: string,
    @Body(body(RelayBody)) given: z.infer<typeof RelayBody>,
  ): Promise<object> {
    return this.change(id, async (tx, data) =>
      this.rows.putRelay(tx, accepted(changedRelay(data, id, given))),
    );
  }

  @Put('rules/:id')
  putRule(@Param('id') id: string, @Body(body(RuleBody)) given: z.infer<typeof RuleBody>): Promise<object> {
    const providers = new Set(this.providers.keys());
    return this.change(id, async (tx, data) =>
      this.rows.putRule(tx, accepted(changedRule(data, id, { given, providers }))),
    );
  }

  @Delete(':kind/:id')
  remove(@Param('kind') kind: string, @Param('id') id: string): Promise<object> {
    if (!isKind(kind)) throw ApiErrors.unknownPath();
    return this.change(id, async (tx, data) => {
      const obstacle = removedWay(data, { kind, id }, this.named());
      if (obstacle !== undefined) throw new ApiError(400, obstacle.refused);
      await this.rows.remove(tx, kind, id);
    });
  }

  private async change(id: string, make: Parameters<WaysRows['change']>[0]): Promise<object> {
    if (!WayId.safeParse(id).success) throw new ApiError(400, 'an id must be 1 to 32 of a-z, 0-9 and -');
    await this.rows.change(make);
    await this.ways.refresh();
    return { id };
  }

  private async isOfAMachine(address: string): Promise<boolean> {
    return (await hasAddress(address)) || this.rows.isOfAMachine(address);
  }

  private isInSettings(address: string): boolean {
    const { sendingAddresses, egressSources } = this.settings;
    return sendingAddresses.includes(address) || egressSources.some((source) => source.address === address);
  }

  private named(): ReadonlySet<string> {
    const { egressSources, egressRelays } = this.settings;
    return new Set([
      ...egressSources.map(({ id }) => id),
      ...egressRelays.map((_, place) => settingsRelayId(place)),
    ]);
  }
}

/** The stages of new addresses, with what they have used. */
function budgetView(row: BudgetRow): object {
  const {
    source,
    provider,
    stage,
    dayUsedToday,
    hourUsedNow,
    delivered,
    deferred,
    refused,
    complaints,
    signals,
  } = row;
  const budget = budgetOf(scheduleOf(provider), stage);
  return {
    ...{ source, provider, stage: stage + 1, a_day: budget?.day ?? null, an_hour: budget?.hour ?? null },
    ...{
      used_today: dayUsedToday,
      used_this_hour: hourUsedNow,
      delivered,
      deferred,
      refused,
      complaints,
      signals,
    },
  };
}

const ptrView = (seen: PtrSeen | undefined): object | null =>
  seen === undefined ? null : { ok: seen.ok, detail: seen.detail, at: seen.at };

const isKind = (kind: string): kind is WayKind => KINDS.includes(kind);

function accepted<Row>(changed: Changed<Row>): Row {
  if ('refused' in changed) throw new ApiError(400, changed.refused);
  return changed.row;
}
