import { SystemMailRequested } from '@postmesh/contracts';
import { recordEvents, type RecordedEvents, type TestService } from '@postmesh/service-testing';

export type RequestedMail = ReturnType<typeof SystemMailRequested.parse>['data'];

/** Hears the mail that the service asks for, as the messages service would. */
export class HeardMail {
  private constructor(private readonly heard: RecordedEvents<RequestedMail>) {}

  static async of(service: TestService): Promise<HeardMail> {
    return new HeardMail(
      await recordEvents(service.bus, {
        streams: ['accounts'],
        pick: (event) =>
          event.type === SystemMailRequested.type ? SystemMailRequested.parse(event).data : undefined,
      }),
    );
  }

  /** Of one kind that concern an account, oldest first, as soon as there are so many. */
  expect(accountId: string, kind: string, count: number): Promise<RequestedMail[]> {
    const found = () =>
      this.heard.events.filter((mail) => mail.account_id === accountId && mail.kind === kind);
    return this.heard.until(() => {
      if (found().length > count) throw new Error(`${found().length} messages of kind ${kind}, not ${count}`);
      return found().length === count && found();
    });
  }
}
