import { EventEnvelope, newId, SystemMailRequested } from '@postmesh/contracts';
import type { TestService } from '@postmesh/service-testing';
import { expect } from 'vitest';

export type RequestedMail = ReturnType<typeof SystemMailRequested.parse>['data'];

/** Hears the mail that the service asks for, as the messages service would. */
export class HeardMail {
  private readonly all: RequestedMail[] = [];

  static async of(service: TestService): Promise<HeardMail> {
    const heard = new HeardMail();
    await service.bus.subscribe({
      group: `test-${newId()}`,
      streams: ['accounts'],
      handle: (events) => {
        const envelopes = events.map(({ event }) => EventEnvelope.parse(event) as EventEnvelope);
        const mails = envelopes.filter(({ type }) => type === SystemMailRequested.type);
        heard.all.push(...mails.map((envelope) => SystemMailRequested.parse(envelope).data));
        return Promise.resolve();
      },
    });
    return heard;
  }

  /** Of one kind that concern an account, oldest first, as soon as there are so many; then no more come. */
  async expect(accountId: string, kind: string, count: number): Promise<RequestedMail[]> {
    const found = () => this.all.filter((mail) => mail.account_id === accountId && mail.kind === kind);
    await expect.poll(() => found().length, { timeout: 10_000 }).toBe(count);
    return found();
  }
}
